"""Many files as one array, where the module was built with purview::archives."""

import os

from purview import _core
from purview._common import existing
from purview._stored import StoredGroup, array_of

__all__ = """
    open_index open_kerchunk open_many save_index
""".split()


def _archive(files, variable, along, order, missing, index):
    if isinstance(files, (str, bytes, os.PathLike)):
        files = [files]
    if isinstance(along, (str, int)):
        along = [along]
    return array_of(_core._open_many([os.fsdecode(file) for file in files], variable or "", list(along), order, missing, index))


def open_many(files, variable=None, *, along=0, order="automatic", missing="refused"):
    """The arrays of many files as one, which only reads: HDF5 and NetCDF-4, Zarr in folders and zip files, `.npy` and `.npz`. `files` is a path,
    a pattern (`*`, `?`, `[a-f]`, and `**` for folders at any depth) or a list of them; `variable` the array in each of them, by default the only one.

    `along` is the axis, by name or number; one of another name is new, and the first; a list of names puts the files in a grid. They are
    in order of the coordinate of that name, where all have one, else of their names, numbers in these by value (`order`: "coordinate", "name",
    "given"); in descending order where the coordinate descends in all files, and ascending where only in some. With `missing="filled"` listed files that are not there, and places of the grid that none has, are the fill value, or NaN or NaT.

    Lengths along the axis, chunks and dtypes may differ, which are promoted; where scale factors, fill values or units of time do, each is decoded as by
    `cf_decoded`. Opening reads metadata alone, O(files). A file that has changed since, by size and time, raises FormatError, which names it, when
    it is opened to be read. Not seen are changes of files that are open (256 at most), which are not looked at again, and chunks of a Zarr folder that are
    written again, as only the time of its metadata's file is compared. ShapeError where other axes differ, DtypeError for texts beside numbers."""
    return _archive(files, variable, along, order, missing, None)


def save_index(path, files, variable=None, *, along=0, order="automatic", missing="refused"):
    """The same as `open_many`, and writes down what was found, as JSON, for `open_index`."""
    return _archive(files, variable, along, order, missing, os.fsdecode(path))


def open_index(path):
    """The array of many files that `save_index` has written down: none of them is opened until elements are wanted."""
    return array_of(_core._open_index(existing(path)))


def open_kerchunk(path):
    """The group of arrays that kerchunk has found in other, local files, by its references in JSON."""
    return StoredGroup(_core._open_kerchunk(existing(path)))
