"""Tables in Arrow's files, where the module was built with purview::arrow."""

import os

from purview import _core
from purview._common import existing

__all__ = """
    open_arrow_file save_arrow_file
""".split()


def open_arrow_file(path, columns=None, *, fill=None):
    """The table in an Arrow IPC file (Feather 2) or stream, as two dicts of arrays by name: the values, and where they are missing, as
    `from_arrow` gives them of a column. `columns` are those that are wanted, in this order; `fill` is what numbers and bools that are missing are
    read as. A struct gives columns called "a.b".

    The file is mapped, and must not be cut short meanwhile. Batches that are not compressed are read where they lie; of others a column of a batch is
    decoded when it is read, within `memory_limit()`. Opening is O(batches * columns), for texts and dictionaries O(rows). FormatError names the file that
    is none or is damaged, DtypeError columns of lists, maps and unions, IndexError the names that there are."""
    return _core._open_arrow_file(existing(path), [] if columns is None else list(columns), fill)


def save_arrow_file(path, columns, *, missing=None, compression="none", rows_per_batch=1 << 18, as_stream=False):
    """Writes arrays by name, a table, as an Arrow IPC file, batch by batch: what is lazy is computed meanwhile. `missing` has bools by name, where
    values are missing; NaT is missing anyway. `compression` is "none", "lz4" or "zstd". The file replaces what is there when it is whole. ShapeError where
    arrays have other numbers of rows, DtypeError for complex numbers."""
    _core._save_arrow_file(os.fsdecode(path), dict(columns), dict(missing or {}), compression, rows_per_batch, as_stream)
