"""Sparse arrays, and those of SciPy and pydata/sparse."""

from purview import _core
from purview._core import Array
from purview._errors import KindError, ShapeError

__all__ = """
    from_coo sparse_tensor sparse_zeros to_sparse
""".split()


def from_coo(shape, coordinates, values, fill=0, *, duplicates="error"):
    """A sparse array of values at coordinates, which are one list of integers for each axis; every other element equals `fill`.
    Of coordinates that come twice, `duplicates` may be "last" or "sum"."""
    return _core._from_coo(shape, coordinates, values, fill, duplicates)


def sparse_tensor(shape, indexes, values, fill=0, *, duplicates="error"):
    """A sparse array of values at row-major indexes; every other element equals `fill`.
    Of indexes that come twice, `duplicates` may be "last" or "sum"."""
    return _core._sparse_tensor(shape, indexes, values, fill, duplicates)


def sparse_zeros(shape, *, dtype=None):
    """A sparse array of zeros, which stores none."""
    return _core._sparse_tensor(shape, [], _core._empty((0,), _core.float64 if dtype is None else _core.dtype(dtype)), 0, "error")


def to_sparse(x, fill=0):
    """A sparse copy, in which the elements are stored that differ from `fill`."""
    return _core._to_sparse(x, fill)


def array_of_sparse(x):
    """A sparse array of SciPy's, or of pydata/sparse."""
    fill = getattr(x, "fill_value", 0)
    if not hasattr(x, "coords") or not hasattr(x, "data"):
        x = x.tocoo()
    coordinates = x.coords if hasattr(x, "coords") else (x.row, x.col)
    return from_coo(x.shape, tuple(coordinates), x.data, fill, duplicates="sum")


def _to_scipy(self, format="csr"):
    """SciPy's sparse array of a sparse array of rank 1 or 2 whose fill is 0: csr, csc, coo or another of its formats."""
    import scipy.sparse

    if not self.is_sparse:
        raise KindError("to_scipy: the array is dense: to_sparse() makes a sparse one")
    if self.fill.item() != 0:
        raise KindError(f"to_scipy: SciPy's sparse arrays are 0 elsewhere, and the fill is {self.fill.item()}")
    if self.ndim not in (1, 2):
        raise ShapeError(f"to_scipy: SciPy's sparse arrays have rank 1 or 2, not the shape {self.shape}")
    import numpy as np

    coordinates = tuple(np.asarray(axis) for axis in self.coordinates)
    return scipy.sparse.coo_array((np.asarray(self.stored_values), coordinates), shape=self.shape).asformat(format)


def _to_pydata(self):
    """A COO array of pydata/sparse."""
    import numpy as np
    import sparse

    coordinates = np.stack([np.asarray(axis) for axis in self.coordinates]) if self.ndim else np.zeros((0, self.nnz), dtype=np.int64)
    fill = np.asarray(self.fill)[()]
    return sparse.COO(coordinates, np.asarray(self.stored_values), shape=self.shape, fill_value=fill, has_duplicates=False, sorted=True)


Array.to_scipy = _to_scipy
Array.to_pydata = _to_pydata
Array.to_dense = lambda self: _core.to_dense(self)
Array.to_sparse = lambda self, fill=0: to_sparse(self, fill)
