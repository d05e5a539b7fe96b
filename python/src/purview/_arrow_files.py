"""Tables in Arrow's files, where the module was built with purview::arrow."""

from purview import _core
from purview._common import creatable, existing

__all__ = """
    open_arrow_file save_arrow_file
""".split()


def open_arrow_file(path, columns=None, *, fill=None):
    """The table in an Arrow IPC file (Feather 2) or stream as a dict: by name the values of each column, and which of them are missing, as `from_arrow`
    gives them. `columns` is a name or a list of names, by default all, of which a struct gives columns called "a.b"; `fill` is what numbers and bools
    that are missing are read as.

    The file is mapped, and must be neither cut short nor changed meanwhile. Batches that are not compressed are read where they lie; of others a column of a batch is
    decoded when it is read, within `memory_limit()`. Opening is O(batches * columns), for texts and dictionaries O(rows). FormatError names the file that
    is none or is damaged, DtypeError columns of lists, maps and unions, IndexError the names that there are."""
    if isinstance(columns, str):
        columns = [columns]
    if columns is not None and not (columns := list(columns)):
        return {}
    return _core._open_arrow_file(existing(path), columns or [], fill)


def save_arrow_file(path, columns, *, compression="none", rows_per_batch=0, as_stream=False):
    """Writes arrays by name, in a dict, as an Arrow IPC file, batch by batch: what is computed, or read in chunks, is not in memory as a whole. A pair of
    arrays are values, and which of them are missing; NaT is missing anyway. `compression` is "none", "lz4" or "zstd". The file replaces what is there
    when it is whole. ShapeError where arrays have other numbers of rows, DtypeError for complex numbers."""
    _core._save_arrow_file(creatable(path, ".arrow"), dict(columns), compression, rows_per_batch, as_stream)
