"""Files of sparse matrices, where the module was built with purview::sparse."""

import zipfile
import zlib

from purview import _core
from purview._common import creatable, existing
from purview._core import _load_mtx, asarray
from purview._errors import FormatError

__all__ = """
    load_mtx load_sparse_npz save_mtx save_sparse_npz
""".split()


def _type_in(path, member):
    """The element type of a member of an archive."""
    where = f"load_sparse_npz: '{path}'"
    try:
        with zipfile.ZipFile(path) as archive, archive.open(member) as file:
            return _core._npy_dtype(file.read(1 << 16), f"{where}: {member}")
    except KeyError as error:
        raise FormatError(f"{where}: {member} is missing: no archive of a sparse matrix. load_npz reads arrays by their names") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise FormatError(f"{where}: {error}") from error
    except OSError as error:
        raise FormatError(f"{where}: {error.strerror or error}") from error


def load_mtx(path, *, dtype=None):
    """The matrix of a Matrix Market file: sparse if it has coordinates, those that repeat summed, else dense.
    Elements are int64 or float64, as the file says, unless another type is given."""
    return _load_mtx(existing(path), dtype)


def save_mtx(path, x):
    """Writes a matrix as a Matrix Market file: a sparse one whose fill is 0 as coordinates, others as an array."""
    _core._save_mtx(creatable(path), asarray(x))


def load_sparse_npz(path):
    """The matrix that `scipy.sparse.save_npz` wrote, csr, csc or coo."""
    path = existing(path)
    return _core._load_sparse_npz(path, _type_in(path, "data.npy"))


def save_sparse_npz(path, x, *, compressed=True):
    """Writes a sparse matrix whose fill is 0 for `scipy.sparse.load_npz`; ".npz" is put behind a name that does not end so."""
    _core._save_sparse_npz(creatable(path, ".npz"), asarray(x), compressed)
