"""Files: NumPy's arrays and archives."""

import os
import secrets
import zipfile
import zlib

from purview import _core
from purview._common import creatable, existing
from purview._core import asarray
from purview._errors import FormatError

__all__ = """
    load_npy load_npz save_npy save_npz
""".split()


def load_npy(path, *, access="read_only"):
    """The array of an .npy file, mapped and read in place where it is touched. `access` is "read_only", "copy_on_write",
    "read_write" (writes reach the file), or "in_memory" for a copy that later changes of the file do not show in."""
    return _core._load_npy(existing(path), access)


def save_npy(path, x):
    """Writes an array as `numpy.save` does; lazy ones are evaluated block by block. The file appears when it is complete."""
    _core._save_npy(creatable(path), asarray(x))


def load_npz(path):
    """The arrays of one of NumPy's archives by their names, read into memory. (`load_sparse_npz` reads SciPy's.)"""
    path = existing(path)
    arrays = {}
    try:
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                arrays[name.removesuffix(".npy")] = _core._npy_of_bytes(archive.read(name), f"load_npz: '{path}': {name}")
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise FormatError(f"load_npz: '{path}': {error}") from error
    except OSError as error:
        raise FormatError(f"load_npz: '{path}': {error.strerror or error}") from error
    return arrays


def save_npz(path, /, *, compressed=False, **arrays):
    """Writes arrays by their names, as `numpy.savez` does, or deflated. The file appears when it is complete."""
    path = creatable(path)
    method = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    unfinished = f"{path}.{os.getpid()}-{secrets.token_hex(4)}"
    try:
        with open(unfinished, "xb") as file, zipfile.ZipFile(file, "w", method) as archive:
            for name, x in arrays.items():
                x = asarray(x)
                header = _core._npy_header(x)
                x = x if x._is_contiguous else x.realise()
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    member.write(header)
                    member.write(memoryview(x._view_as(_core.int64) if "64[" in x.dtype.name else x))
        os.replace(unfinished, path)
    except BaseException as error:
        if os.path.exists(unfinished):
            os.unlink(unfinished)
        if isinstance(error, OSError):
            raise FormatError(f"save_npz: '{path}': {error.strerror}") from error
        raise
