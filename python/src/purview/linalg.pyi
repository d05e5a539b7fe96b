"""Linear algebra: the Array API's extension, and what NumPy, SciPy and C++ have beside it."""

# Written by hand. python/tests/test_types.py compares it with the module.
import builtins
from collections.abc import Sequence
from typing import Literal, NamedTuple, SupportsIndex, overload

from purview import Array
from purview import LinAlgError as LinAlgError
from purview import _ArrayLike, _Axes, _DTypeLike
from purview import kron as kron
from purview import matmul as matmul
from purview import matrix_transpose as matrix_transpose
from purview import outer as outer

__all__ = [
    "LinAlgError",
    "cholesky",
    "cholesky_solve",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "expm",
    "inv",
    "kron",
    "lstsq",
    "lu",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]

_IfSingular = Literal["raise", "nan"]
_MatrixOrder = float | Literal["fro", "nuc"]

class eig_result(NamedTuple):
    eigenvalues: Array
    eigenvectors: Array

class eigh_result(NamedTuple):
    eigenvalues: Array
    eigenvectors: Array

class lstsq_result(NamedTuple):
    x: Array
    residuals: Array
    rank: Array
    S: Array

class lu_result(NamedTuple):
    P: Array
    L: Array
    U: Array

class qr_result(NamedTuple):
    Q: Array
    R: Array

class slogdet_result(NamedTuple):
    sign: Array
    logabsdet: Array

class svd_result(NamedTuple):
    U: Array
    S: Array
    Vh: Array

def solve(x1: _ArrayLike, x2: _ArrayLike, /, *, if_singular: _IfSingular = "raise") -> Array: ...
def solve_triangular(x1: _ArrayLike, x2: _ArrayLike, /, *, upper: builtins.bool = False) -> Array: ...
def cholesky_solve(x1: _ArrayLike, x2: _ArrayLike, /, *, upper: builtins.bool = False) -> Array: ...
def inv(x: _ArrayLike, /, *, if_singular: _IfSingular = "raise") -> Array: ...
def pinv(x: _ArrayLike, /, *, rtol: _ArrayLike | None = None) -> Array: ...
def lstsq(x1: _ArrayLike, x2: _ArrayLike, /, *, rtol: _ArrayLike | None = None) -> lstsq_result: ...
def det(x: _ArrayLike, /) -> Array: ...
def slogdet(x: _ArrayLike, /) -> slogdet_result: ...
def matrix_rank(x: _ArrayLike, /, *, rtol: _ArrayLike | None = None) -> Array: ...
def cond(x: _ArrayLike, /, p: _MatrixOrder | None = None) -> Array: ...
def trace(x: _ArrayLike, /, *, offset: int = 0, dtype: _DTypeLike | None = None) -> Array: ...
def norm(
    x: _ArrayLike, /, ord: _MatrixOrder | None = None, axis: _Axes | None = None, keepdims: builtins.bool = False
) -> Array: ...
def matrix_norm(x: _ArrayLike, /, *, keepdims: builtins.bool = False, ord: _MatrixOrder | None = "fro") -> Array: ...
def vector_norm(x: _ArrayLike, /, *, axis: _Axes | None = None, keepdims: builtins.bool = False, ord: float = 2) -> Array: ...
def cholesky(x: _ArrayLike, /, *, upper: builtins.bool = False, if_singular: _IfSingular = "raise") -> Array: ...
@overload
def qr(x: _ArrayLike, /, *, mode: Literal["reduced", "complete"] = "reduced") -> qr_result: ...
@overload
def qr(x: _ArrayLike, /, *, mode: Literal["r"]) -> Array: ...
def lu(x: _ArrayLike, /) -> lu_result: ...
def svd(x: _ArrayLike, /, *, full_matrices: builtins.bool = True) -> svd_result: ...
def svdvals(x: _ArrayLike, /) -> Array: ...
def eigh(x: _ArrayLike, /, *, upper: builtins.bool = False) -> eigh_result: ...
def eigvalsh(x: _ArrayLike, /, *, upper: builtins.bool = False) -> Array: ...
def eig(x: _ArrayLike, /) -> eig_result: ...
def eigvals(x: _ArrayLike, /) -> Array: ...
def expm(x: _ArrayLike, /) -> Array: ...
def matrix_power(x: _ArrayLike, n: SupportsIndex, /) -> Array: ...
def cross(x1: _ArrayLike, x2: _ArrayLike, /, *, axis: int = -1) -> Array: ...
def diagonal(x: _ArrayLike, /, *, offset: int = 0) -> Array: ...
def tensordot(x1: _ArrayLike, x2: _ArrayLike, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Array: ...
def vecdot(x1: _ArrayLike, x2: _ArrayLike, /, *, axis: int = -1) -> Array: ...
