"""Linear algebra: the Array API's extension, and what NumPy, SciPy and C++ have beside it.

Matrices are the last two axes of arrays of float32, float64, complex64 and complex128, views and computed ones too; integers are computed in
double, products of them in theirs. The axes before them are a batch, broadcast together where there are two arrays, computed on all threads.
Results are in new memory; in a function that is traced (`compile`, `grad`) they are expressions, with derivatives for float32 and float64,
except of `eig` and `eigvals`. What such a function makes of captured arrays alone is computed once, when it is traced, as by `matmul`.

By LAPACK, which OpenBLAS has. Sparse arrays are made dense within the memory limit. DtypeError of bools, MemoryLimitError, ShapeError of what is no matrix, or not
square where it has to be.
"""

import builtins
import math
import operator
from collections import namedtuple

from purview import _core, _formulas, _products
from purview._common import at_once, axes_of, axis_of
from purview._core import asarray, outer
from purview._creation import eye
from purview._errors import LinAlgError, ShapeError
from purview._operators import bicgstab, cg, eigsh, gmres, ic0, ilu0, jacobi, lobpcg, lsmr, minres, pca, svds
from purview._operators import eigsh_result, iterative_result, lobpcg_result, pca_result, svds_result  # noqa: F401
from purview._products import kron, matmul
from purview._shapes import broadcast_to, matrix_transpose, moveaxis, reshape
from purview._types import finfo

__all__ = """
    LinAlgError bicgstab cg cholesky cholesky_solve cond cross det diagonal eig eigh eigsh eigvals eigvalsh expm gmres ic0 ilu0 inv jacobi kron
    lobpcg lsmr lstsq lu matmul matrix_norm matrix_power matrix_rank matrix_transpose minres norm outer pca pinv qr slogdet solve
    solve_triangular svd svds svdvals tensordot trace vecdot vector_norm
""".split()

_results = _core._matrix_results

eig_result = namedtuple("eig_result", "eigenvalues eigenvectors")
eigh_result = namedtuple("eigh_result", "eigenvalues eigenvectors")
lstsq_result = namedtuple("lstsq_result", "x residuals rank S")
lu_result = namedtuple("lu_result", "P L U")
qr_result = namedtuple("qr_result", "Q R")
slogdet_result = namedtuple("slogdet_result", "sign logabsdet")
svd_result = namedtuple("svd_result", "U S Vh")


# --- solutions --------------------------------------------------------------------------------------


def solve(x1, x2, /, *, if_singular="raise"):
    """x with `x1 @ x = x2`, of x1 [..., n, n] and x2 [..., n, k], or a vector [n]: by an LU decomposition, O(n³ + n² k). LinAlgError for a singular
    matrix; with if_singular="nan" that one is NaN, and the others of the batch are computed."""
    return _results("solve", x1, x2, if_singular=if_singular)[0]


def solve_triangular(x1, x2, /, *, upper=False):
    """x with `x1 @ x = x2`, of a triangular x1, of which the other triangle is not read. O(n² k). Otherwise as solve."""
    return _results("solve_triangular", x1, x2, upper=upper)[0]


def cholesky_solve(x1, x2, /, *, upper=False):
    """x with `a @ x = x2`, given `x1 = cholesky(a)`, or `cholesky(a, upper=True)`. O(n² k). Otherwise as solve."""
    x1, x2 = asarray(x1), asarray(x2)
    right = x2[:, None] if x2.ndim == 1 else x2
    first, second = (_adjoint(x1), x1) if upper else (x1, _adjoint(x1))
    result = solve_triangular(second, solve_triangular(first, right), upper=True)
    return result[..., 0] if x2.ndim == 1 else result


def inv(x, /, *, if_singular="raise"):
    """The inverses of [..., n, n]. O(n³). `solve` is faster and more exact where a product with an inverse is wanted. Raises as solve."""
    return _results("inv", x, if_singular=if_singular)[0]


def pinv(x, /, *, rtol=None):
    """The pseudo-inverses [..., n, m] of [..., m, n]: of singular values up to rtol times the largest one, by default max(m, n) times the distance
    of 1 from the next float, the inverse is 0; rtol may be an array [...]. O(m n min(m, n)). Derivatives are those of matrices that keep their rank.
    Raises as svd."""
    return _core._pseudo_inverse(x, rtol)[0]


def lstsq(x1, x2, /, *, rtol=None):
    """`(x, residuals, rank, S)`: the shortest x [..., n, k] of those that make the sums of squares of `x1 @ x - x2` least, of x1 [..., m, n] and x2
    [..., m, k], or [m]; these sums [..., k], of any rank; the ranks [...]; and the singular values of x1, which count as for pinv. By a singular
    value decomposition. Raises as svd."""
    x1, x2 = asarray(x1), asarray(x2)
    x1 = _beside(x1, x2)
    right = x2[:, None] if x2.ndim == 1 else x2
    if _core._is_tracing():  # derivatives of the inverse are finite where those of vectors are not
        inverse, s = _core._pseudo_inverse(x1, rtol)
        counted, x = _counted(x1, s, rtol), inverse @ right
    else:
        u, s, vh = svd(x1, full_matrices=False)
        counted = _counted(x1, s, rtol)
        x = at_once(_adjoint(vh) @ (_inverses(s, counted)[..., None] * (_adjoint(u) @ right)))
    rest = _core.abs(x1 @ x - right)
    residuals = _core.sum(rest * rest, -2)
    if x2.ndim == 1:
        x, residuals = x[..., 0], residuals[..., 0]
    return lstsq_result(x, residuals, _core.count_true(counted, axis=-1), s)


# --- numbers of matrices ----------------------------------------------------------------------------


def det(x, /):
    """The determinants [...] of [..., n, n]; 0 of a singular matrix. O(n³)."""
    return _results("det", x)[0]


def slogdet(x, /):
    """`(sign, logabsdet)` with `det(x) = sign * exp(logabsdet)`, which neither overflows nor underflows: of a singular matrix 0 and -inf; of complex
    ones the sign has the absolute value 1. O(n³)."""
    return slogdet_result(*_results("slogdet", x))


def matrix_rank(x, /, *, rtol=None):
    """How many singular values of [..., m, n] are more than rtol times the largest one, by default max(m, n) times the distance of 1 from the next
    float; rtol may be an array [...]: int64 [...]. Raises as svd."""
    x = asarray(x)
    return _core.count_true(_counted(x, svdvals(x), rtol), axis=-1)


def cond(x, /, p=None):
    """The condition numbers [...] of [..., m, n]: the largest singular value by the smallest, or of square ones, for another order p of
    matrix_norm, the norm times that of the inverse. Infinite of singular matrices, NaN where an element is. ShapeError of no elements."""
    x = asarray(x)
    if 0 in x.shape[-2:]:
        raise ShapeError(f"cond: matrices of {x.shape} have no elements")
    if p is None or p in (2, -2):
        s = _results("svdvals", x, if_singular="nan")[0]
        most, least = (s[..., 0], s[..., -1]) if p != -2 else (s[..., -1], s[..., 0])
        return at_once(_core.where(s[..., -1] == 0, math.inf if p != -2 else 0.0, most / least))
    result = matrix_norm(x, ord=p) * matrix_norm(inv(x, if_singular="nan"), ord=p)
    has_nan = _core.any(_core.isnan(x), axis=(-2, -1))
    return at_once(_core.where(_core.isnan(result) & ~has_nan, math.inf, result))


def trace(x, /, *, offset=0, dtype=None):
    """The sums of the diagonals of [..., m, n]: [...]. `offset` as of diagonal. O(min(m, n)) for each."""
    return _core.sum(diagonal(x, offset=offset), -1, dtype=dtype)


def norm(x, /, ord=None, axis=None, keepdims=False):
    """The norms over one axis, as of vector_norm, or over two, as of matrix_norm, or over all of an array of rank 1 or 2; without an order the root
    of the sum of squares, over any axes."""
    x = asarray(x)
    axes = axes_of(axis, x.ndim, "norm")
    if ord is not None and len(axes) == 1:
        return vector_norm(x, axis=axes, keepdims=keepdims, ord=ord)
    if ord is None or len(axes) != 2:
        return _core.norm(_magnitudes(x), ord, axis, keepdims=keepdims)
    result = matrix_norm(moveaxis(x, axes, (-2, -1)), ord=ord)
    return reshape(result, tuple(1 if a in axes else n for a, n in enumerate(x.shape))) if keepdims else result


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """The norms [...] of [..., m, n]: "fro" is the root of the sum of squares; 1 (-1) the greatest (least) sum of absolute values of a column, inf
    (-inf) of a row; 2 (-2) the greatest (least) singular value, "nuc" their sum. ValueError of other orders."""
    x = asarray(x)
    if x.ndim < 2:
        raise ShapeError(f"matrix_norm: an array of rank {x.ndim} is no matrix")
    if ord in ("fro", "frobenius", None):
        return _core.norm(_magnitudes(x), "fro", (-2, -1), keepdims=keepdims)
    if ord in (2, -2, "nuc"):
        sums = _results("svdvals", x, if_singular="nan")[0]
    elif ord in (1, -1, math.inf, -math.inf):
        sums = _core.sum(_magnitudes(x) * 1.0, -2 if abs(ord) == 1 else -1)
    else:
        raise ValueError(f"matrix_norm: ord is 1, -1, 2, -2, inf, -inf, 'fro' or 'nuc', not {ord!r}")
    adds = ord == "nuc" or (ord > 0 and sums.shape[-1] == 0)  # the norm of nothing is 0
    result = at_once((_core.sum if adds else _core.max if ord > 0 else _core.min)(sums, -1))
    return result[..., None, None] if keepdims else result


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """The norms over axes, or over all elements, as of one vector: of order 2 the root of the sum of squares, 1 the sum of absolute values, inf
    (-inf) the greatest (least) of them, 0 how many are not 0, any other p the p-th root of the sum of their p-th powers."""
    x = _magnitudes(asarray(x))
    axes = axes_of(axis, x.ndim, "vector_norm")
    if ord == 2:
        return _core.norm(x, "fro", axes, keepdims=keepdims) if axes else x * 1.0
    kept = [a for a in range(x.ndim) if a not in axes]
    lanes = reshape(_core.permute_dims(x, (*kept, *axes)), (*(x.shape[a] for a in kept), math.prod(x.shape[a] for a in axes)))
    result = _core.norm(lanes, 1 if ord == math.inf and lanes.shape[-1] == 0 else ord, -1)  # the norm of nothing is 0
    return reshape(result, tuple(1 if a in axes else n for a, n in enumerate(x.shape))) if keepdims else result


# --- decompositions ---------------------------------------------------------------------------------


def cholesky(x, /, *, upper=False, if_singular="raise"):
    """The lower triangular L with `x = L Lᴴ` and a positive diagonal, of Hermitian positive definite [..., n, n], of which the lower triangle is read;
    with upper=True U with `x = Uᴴ U`, of the upper one. O(n³). LinAlgError where it is not positive definite, or with if_singular="nan" NaN."""
    return _results("cholesky", x, upper=upper, if_singular=if_singular)[0]


def qr(x, /, *, mode="reduced"):
    """`(Q, R)` with `x = Q R`, of [..., m, n]: Q [..., m, k] with orthonormal columns and R [..., k, n] upper triangular with a real diagonal that is
    not negative, k = min(m, n); with mode="complete" Q [..., m, m] and R [..., m, n]; with mode="r" R alone. O(m n k)."""
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(f"qr: mode is 'reduced', 'complete' or 'r', not {mode!r}")
    result = qr_result(*_results("qr", x, full=mode == "complete"))
    return result.R if mode == "r" else result


def lu(x, /):
    """`(P, L, U)` of [..., m, n]: row i of `L U` is row `P[i]` of x; P is int64 [..., m], L [..., m, k] lower triangular with a diagonal of ones and
    U [..., k, n] upper triangular. Of singular matrices, too. O(m n k)."""
    return lu_result(*_results("lu", x))


def svd(x, /, *, full_matrices=True):
    """`(U, S, Vh)` with `x = U diag(S) Vh`, of [..., m, n]: U [..., m, m] and Vh [..., n, n] unitary, or of k = min(m, n) columns and rows with
    full_matrices=False; S [..., k] the singular values, descending. The largest component of each column of U is real and positive; of equal
    singular values the vectors are any basis. O(m n k). LinAlgError where it does not converge, for NaN."""
    return svd_result(*_results("svd", x, full=full_matrices))


def svdvals(x, /):
    """The singular values [..., min(m, n)] of [..., m, n] alone, descending: for about a third of the time of svd."""
    return _results("svdvals", x)[0]


def eigh(x, /, *, upper=False):
    """`(eigenvalues, eigenvectors)` of Hermitian [..., n, n], of which the lower triangle is read, or the upper one: real values [..., n], ascending,
    and orthonormal vectors, the columns of [..., n, n], of each of which the largest component is real and positive; of equal values the
    vectors are any basis. O(n³). LinAlgError where it does not converge, for NaN."""
    return eigh_result(*_results("eigh", x, upper=upper))


def eigvalsh(x, /, *, upper=False):
    """The eigenvalues [..., n] of Hermitian matrices alone, ascending. Otherwise as eigh."""
    return _results("eigvalsh", x, upper=upper)[0]


def eig(x, /):
    """`(eigenvalues, eigenvectors)` of any [..., n, n], complex, in no order: values [..., n], and vectors of length 1, the columns of [..., n, n], of
    each of which the largest component is real and positive. O(n³). LinAlgError where it does not converge, for NaN."""
    return eig_result(*_results("eig", x))


def eigvals(x, /):
    """The eigenvalues [..., n] of any [..., n, n] alone, complex. Otherwise as eig."""
    return _results("eigvals", x)[0]


# --- products and powers ----------------------------------------------------------------------------


def expm(x, /):
    """The exponentials of [..., n, n], the sums of their powers divided by factorials: by Padé's approximation and repeated squaring. O(n³ log |x|)."""
    return _results("expm", x)[0]


def matrix_power(x, n, /):
    """The product of n times x [..., m, m], by repeated squaring: the identity for 0, powers of the inverse for negative n; of integers of their type
    where n is not negative. O(m³ log n). Raises as inv for negative n."""
    x, n = asarray(x), operator.index(n)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ShapeError(f"matrix_power: {x.shape} is no square matrix" if x.ndim < 2 else f"matrix_power: matrices of {x.shape} are not square")
    if n == 0:
        return at_once(broadcast_to(eye(x.shape[-1], dtype=x.dtype), x.shape))
    x, left = (inv(x), -n) if n < 0 else (at_once(x), n)
    result = None
    while True:
        if left % 2:
            result = x if result is None else result @ x
        left //= 2
        if left == 0:
            return result
        x = x @ x


def cross(x1, x2, /, *, axis=-1):
    """The cross products of vectors of 3 elements along an axis, the others broadcast together: lazy. ShapeError of other lengths."""
    x1, x2 = asarray(x1), asarray(x2)
    for x in (x1, x2):
        axis_of(axis, x.ndim, "cross")
    return _formulas.cross(x1, x2, axis)


def diagonal(x, /, *, offset=0):
    """The diagonals of [..., m, n] as the last axis: lazy. Offsets above 0 are above the main one."""
    x = asarray(x)
    if x.ndim < 2:
        raise ShapeError(f"diagonal: an array of rank {x.ndim} is no matrix")
    return _formulas.diagonal(x, offset, -2, -1)


def tensordot(x1, x2, /, *, axes=2):
    """The product summed over the last `axes` axes of x1 and the first of x2, or over two lists of axes: computed now, as a matrix product."""
    return _products.tensordot(x1, x2, axes=axes)


def vecdot(x1, x2, /, *, axis=-1):
    """The product summed over one axis of both, counted from the end, the first conjugated: computed now."""
    return _products.vecdot(x1, x2, axis=axis)


# --- what they share --------------------------------------------------------------------------------


def _adjoint(x):
    """The conjugates of the transposes."""
    return matrix_transpose(_core.conj(x))


def _magnitudes(x):
    """The absolute values."""
    return _core.abs(x)


def _beside(x, other):
    """x in double precision, where `other` makes that of the result."""
    single = {"float16": "float64", "bfloat16": "float64", "float32": "float64", "complex64": "complex128"}
    return x if other.dtype.name in single else x.astype(single.get(x.dtype.name, x.dtype), copy=False)


def _counted(x, s, rtol):
    """Which singular values of x are more than rtol times the largest one."""
    if rtol is None:
        rtol = builtins.max(x.shape[-2:]) * finfo(s.dtype).eps
    elif not isinstance(rtol, float):
        rtol = asarray(rtol)[..., None]
    return s > rtol * s[..., :1]


def _inverses(s, counted):
    """The reciprocals of the singular values that count, and 0."""
    return _core.where(counted, 1 / _core.where(counted, s, 1.0), 0.0)
