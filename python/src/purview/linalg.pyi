"""Linear algebra: the Array API's extension, and what NumPy, SciPy and C++ have beside it."""

# Written by hand. python/tests/test_types.py compares it with the module.
import builtins
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, SupportsIndex, TypeAlias, overload

from purview import Array
from purview import LinAlgError as LinAlgError
from purview import _ArrayLike, _Axes, _DTypeLike
from purview import kron as kron
from purview import matmul as matmul
from purview import matrix_transpose as matrix_transpose
from purview import outer as outer

__all__ = [
    "LinAlgError",
    "bicgstab",
    "cg",
    "cholesky",
    "cholesky_solve",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigsh",
    "eigvals",
    "eigvalsh",
    "expm",
    "gmres",
    "ic0",
    "ilu0",
    "inv",
    "jacobi",
    "kron",
    "lobpcg",
    "lsmr",
    "lstsq",
    "lu",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "minres",
    "norm",
    "outer",
    "pca",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_triangular",
    "svd",
    "svds",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]

_IfSingular = Literal["raise", "nan"]
_MatrixOrder = float | Literal["fro", "nuc"]
_Operator: TypeAlias = _ArrayLike | Callable[[Array], Any]

class eig_result(NamedTuple):
    eigenvalues: Array
    eigenvectors: Array

class eigh_result(NamedTuple):
    eigenvalues: Array
    eigenvectors: Array

class eigsh_result(NamedTuple):
    eigenvalues: Array
    eigenvectors: Array
    iterations: int
    residual: float

class iterative_result(NamedTuple):
    x: Array
    iterations: int
    residual: float

class lobpcg_result(NamedTuple):
    eigenvalues: Array
    eigenvectors: Array
    iterations: int
    residual: float

class lstsq_result(NamedTuple):
    x: Array
    residuals: Array
    rank: Array
    S: Array

class lu_result(NamedTuple):
    P: Array
    L: Array
    U: Array

class pca_result(NamedTuple):
    components: Array
    explained_variances: Array
    mean: Array
    iterations: int
    residual: float

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

class svds_result(NamedTuple):
    U: Array
    S: Array
    Vh: Array
    iterations: int
    residual: float

class _IncompleteFactors:
    def __call__(self, x: _ArrayLike, /) -> Array: ...

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
def cg(
    a: _Operator,
    b: _ArrayLike,
    /,
    *,
    tolerance: float | None = None,
    max_iterations: int = -1,
    preconditioner: _Operator | None = None,
    start: _ArrayLike | None = None,
    on_iteration: Callable[[int, float], Any] | None = None,
    raises: builtins.bool = True,
) -> iterative_result: ...
def minres(
    a: _Operator,
    b: _ArrayLike,
    /,
    *,
    tolerance: float | None = None,
    max_iterations: int = -1,
    preconditioner: _Operator | None = None,
    start: _ArrayLike | None = None,
    on_iteration: Callable[[int, float], Any] | None = None,
    raises: builtins.bool = True,
) -> iterative_result: ...
def bicgstab(
    a: _Operator,
    b: _ArrayLike,
    /,
    *,
    tolerance: float | None = None,
    max_iterations: int = -1,
    preconditioner: _Operator | None = None,
    start: _ArrayLike | None = None,
    on_iteration: Callable[[int, float], Any] | None = None,
    raises: builtins.bool = True,
) -> iterative_result: ...
def gmres(
    a: _Operator,
    b: _ArrayLike,
    /,
    *,
    tolerance: float | None = None,
    max_iterations: int = -1,
    preconditioner: _Operator | None = None,
    start: _ArrayLike | None = None,
    on_iteration: Callable[[int, float], Any] | None = None,
    raises: builtins.bool = True,
    restart: int = 30,
) -> iterative_result: ...
def lsmr(
    a: _Operator,
    b: _ArrayLike,
    /,
    *,
    adjoint: _Operator | None = None,
    damping: float = 0.0,
    tolerance: float | None = None,
    max_iterations: int = -1,
    start: _ArrayLike | None = None,
    on_iteration: Callable[[int, float], Any] | None = None,
    raises: builtins.bool = True,
    shape: SupportsIndex | Sequence[SupportsIndex] | None = None,
) -> iterative_result: ...
def jacobi(a: _ArrayLike, /) -> Callable[[_ArrayLike], Array]: ...
def eigsh(
    a: _Operator,
    k: SupportsIndex,
    /,
    *,
    which: Literal["smallest", "largest"] = "smallest",
    near: float | None = None,
    tolerance: float | None = None,
    max_iterations: int = -1,
    preconditioner: _Operator | None = None,
    start: _ArrayLike | None = None,
    on_iteration: Callable[[int, float], Any] | None = None,
    raises: builtins.bool = True,
    subspace: int = -1,
    shape: SupportsIndex | Sequence[SupportsIndex] | None = None,
    dtype: _DTypeLike | None = None,
) -> eigsh_result: ...
def lobpcg(
    a: _Operator,
    x: _ArrayLike,
    /,
    *,
    largest: builtins.bool = False,
    tolerance: float | None = None,
    max_iterations: int = 500,
    preconditioner: _Operator | None = None,
    on_iteration: Callable[[int, float], Any] | None = None,
    raises: builtins.bool = True,
) -> lobpcg_result: ...
def svds(
    a: _Operator,
    k: SupportsIndex,
    /,
    *,
    adjoint: _Operator | None = None,
    tolerance: float | None = None,
    max_iterations: int = -1,
    on_iteration: Callable[[int, float], Any] | None = None,
    raises: builtins.bool = True,
    subspace: int = -1,
    randomised: builtins.bool = False,
    oversampling: int = 10,
    passes: int = 3,
    shape: SupportsIndex | Sequence[SupportsIndex] | None = None,
    result_shape: SupportsIndex | Sequence[SupportsIndex] | None = None,
    dtype: _DTypeLike | None = None,
) -> svds_result: ...
def pca(
    a: _ArrayLike,
    k: SupportsIndex,
    /,
    *,
    tolerance: float | None = None,
    max_iterations: int = -1,
    on_iteration: Callable[[int, float], Any] | None = None,
    raises: builtins.bool = True,
    subspace: int = -1,
    randomised: builtins.bool = False,
    oversampling: int = 10,
    passes: int = 3,
) -> pca_result: ...
def ic0(a: _ArrayLike, /) -> _IncompleteFactors: ...
def ilu0(a: _ArrayLike, /) -> _IncompleteFactors: ...
def expm(x: _ArrayLike, /) -> Array: ...
def matrix_power(x: _ArrayLike, n: SupportsIndex, /) -> Array: ...
def cross(x1: _ArrayLike, x2: _ArrayLike, /, *, axis: int = -1) -> Array: ...
def diagonal(x: _ArrayLike, /, *, offset: int = 0) -> Array: ...
def tensordot(x1: _ArrayLike, x2: _ArrayLike, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Array: ...
def vecdot(x1: _ArrayLike, x2: _ArrayLike, /, *, axis: int = -1) -> Array: ...
