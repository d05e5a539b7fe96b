"""Parquet files, where the module was built with purview::parquet."""

import operator

from purview import _core
from purview._common import creatable, existing

__all__ = """
    open_parquet save_parquet
""".split()


def open_parquet(path, columns=None, rows=None, *, fill=None):
    """The columns of a Parquet file by their names, in a dict: of each the values, and which of them are missing. A chunk is a column of a row group,
    read when it is wanted, and kept within `memory_limit()`; opening reads the footer alone.

    `columns` is a name or a list of names, by default all; the name of a struct stands for all that is in it. `rows` is a pair (begin, end) or a slice
    without a step. `fill` is what numbers and bools that are missing are read as. IndexError for a name that is none, and rows beyond the end;
    DtypeError for lists of any length and maps, if they are asked for; FormatError for a file that is malformed."""
    if isinstance(columns, str):
        columns = [columns]
    if columns is not None and not (columns := list(columns)):
        return {}
    if isinstance(rows, slice):
        if rows.stop is None or rows.step not in (None, 1):
            raise ValueError("open_parquet: rows are from a begin to an end, without a step")
        rows = rows.start or 0, rows.stop
    if rows is not None:
        rows = tuple(map(operator.index, rows))
    return _core._open_parquet(existing(path), columns or [], rows, fill)


def save_parquet(path, columns, *, compression="zstd", rows_per_group=0):
    """Writes arrays by name, in a dict, as a Parquet file, row group by row group: what is computed, or read in chunks, is not in memory as a whole. A pair of
    arrays are values, and which of them are missing. `compression` is "zstd", "snappy", "lz4", "gzip", "brotli" or "none"."""
    _core._save_parquet(creatable(path, ".parquet"), dict(columns), compression, rows_per_group)
