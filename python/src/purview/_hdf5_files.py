"""HDF5 and NetCDF-4 files, where the module was built with purview::hdf5."""

from purview import _core
from purview._common import existing
from purview._stored import StoredGroup

__all__ = """
    open_hdf5
""".split()


def open_hdf5(path):
    """The root group of an HDF5 or NetCDF-4 file: arrays and groups by name, which only read. Chunks are read when they are wanted, decoded on
    all threads, and kept within `memory_limit()`."""
    return StoredGroup(_core._open_hdf5(existing(path)))
