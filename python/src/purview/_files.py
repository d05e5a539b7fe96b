"""Files: NumPy's arrays and archives."""

import os
import secrets
import zipfile
import zlib

try:
    from lzma import LZMAError
except ImportError:  # of a Python without it, which says so by a RuntimeError
    LZMAError = RuntimeError

from purview import _core
from purview._common import creatable, existing
from purview._core import asarray
from purview._errors import DtypeError, FormatError

__all__ = """
    load_npy load_npz save_npy save_npz
""".split()


def load_npy(path, *, access="read_only"):
    """The array of an .npy file, mapped and read in place where it is touched. `access` is "read_only", "copy_on_write",
    "read_write" (writes reach the file), or "in_memory" for a copy that later changes of the file do not show in."""
    return _core._load_npy(existing(path), access)


def save_npy(path, x):
    """Writes the file that `numpy.save` writes; ".npy" is put behind a name that does not end so. Lazy arrays are
    evaluated block by block. The file appears when it is complete."""
    _core._save_npy(creatable(path, ".npy"), asarray(x))


class _Arrays(dict):
    """Arrays by name, with or without ".npy". What an archive has beside arrays says by its error why it is not here."""

    def __init__(self):
        super().__init__()
        self._others = {}

    def __missing__(self, name):
        if isinstance(name, str):
            if name.endswith(".npy") and name.removesuffix(".npy") in self:
                return self[name.removesuffix(".npy")]
            for each in (name, f"{name}.npy"):
                if each in self._others:
                    raise self._others[each]
        raise KeyError(name)


_MAGIC = b"\x93NUMPY"
_BROKEN = (zipfile.BadZipFile, zlib.error, LZMAError, EOFError, NotImplementedError)


def _content(archive, member):
    """The bytes of a member, or nothing and why there are none."""
    if member.is_dir():
        return None, "is a folder"
    if member.flag_bits & 1:
        return None, "is encrypted"
    try:
        content = archive.read(member)
    except _BROKEN as error:
        return None, str(error) or "ends too early"
    except OSError as error:
        if error.errno is not None:  # bz2 raises it of bytes that are none of its own
            raise
        return None, str(error)
    return content, None if content.startswith(_MAGIC) else f"is no array, as it begins with {content[:6]!r}"


def _load_arrays(archive, where):
    arrays = _Arrays()
    members = {member.filename: member for member in archive.infolist()}  # of two of one name the last, as in NumPy
    for full_name, member in members.items():
        content, reason = _content(archive, member)
        path = f"{where}: {full_name}"
        if reason is not None:
            arrays._others[full_name] = FormatError(f"{path}: {reason}")
            continue
        # Where "x" is a member beside "x.npy", only the whole names tell them apart.
        name = full_name.removesuffix(".npy")
        try:
            arrays[full_name if name in members else name] = _core._npy_of_bytes(content, path)
        except (DtypeError, FormatError) as error:
            arrays._others[full_name] = error
    if not arrays and arrays._others:
        raise next(iter(arrays._others.values()))
    return arrays


def load_npz(path):
    """The arrays of one of NumPy's archives by their names, read into memory. Members that are no arrays, broken, encrypted,
    or of types that there are none of here are left out: asking for one by its name raises why; so does an archive of nothing
    else. Of two members of one name the last counts. (`load_sparse_npz` reads SciPy's.)"""
    path = existing(path)
    try:
        with zipfile.ZipFile(path) as archive:
            return _load_arrays(archive, f"load_npz: '{path}'")
    except _BROKEN as error:
        raise FormatError(f"load_npz: '{path}': {error}") from error
    except OSError as error:
        raise FormatError(f"load_npz: '{path}': {error.strerror or error}") from error


def save_npz(path, /, *, compressed=False, **arrays):
    """Writes arrays by their names, as `numpy.savez` does, or deflated; ".npz" is put behind a name that does not end so. The file
    appears when it is complete. `compressed` is an option, so that no array can have that name: TypeError."""
    if type(compressed).__name__ not in ("bool", "bool_"):  # NumPy's, too
        raise TypeError(f"save_npz: compressed is True or False, and no name of an array: it is a {type(compressed).__name__}")
    path = creatable(path, ".npz")
    method = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    unfinished = f"{path}.{os.getpid()}-{secrets.token_hex(4)}"
    try:
        with open(unfinished, "xb") as file, zipfile.ZipFile(file, "w", method) as archive:
            for name, x in arrays.items():
                x = asarray(x)
                header = _core._npy_header(x, f"save_npz: array '{name}'")
                x = x if x._is_contiguous else x.realise()
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    member.write(header)
                    if x.size:  # of no elements there is no view of bytes
                        member.write(memoryview(x._view_as(_core.int64) if "64[" in x.dtype.name else x))
        os.replace(unfinished, path)
    except BaseException as error:
        if os.path.exists(unfinished):
            os.unlink(unfinished)
        if isinstance(error, OSError):
            raise FormatError(f"save_npz: '{path}': {error.strerror}") from error
        raise
