"""Solutions, eigenvalues and singular values by products alone: of matrices of any kind, and of functions. What purview.linalg has of them."""

import operator
from collections import namedtuple

from purview import _core
from purview._core import asarray
from purview._products import matmul

eigsh_result = namedtuple("eigsh_result", "eigenvalues eigenvectors iterations residual")
iterative_result = namedtuple("iterative_result", "x iterations residual")
lobpcg_result = namedtuple("lobpcg_result", "eigenvalues eigenvectors iterations residual")
pca_result = namedtuple("pca_result", "components explained_variances mean iterations residual")
svds_result = namedtuple("svds_result", "U S Vh iterations residual")


def cg(a, b, /, *, tolerance=None, max_iterations=-1, preconditioner=None, start=None, on_iteration=None, raises=True):
    """`(x, iterations, residual)` with `a @ x = b`, by conjugate gradients, of a Hermitian positive definite matrix [n, n], dense, sparse or in
    chunks, or of a linear function of an array of the shape of b, which is called for each product: one that is compiled is the fastest. An
    iteration is a product, and three passes over vectors. `tolerance` is of the residual `|b - a x| / |b|`, by default 1e-8, of 32 bits 1e-5;
    `max_iterations` by default ten for each unknown; `preconditioner`, nearly the inverse, a function, a matrix, `jacobi(a)` or `ic0(a)`; x
    starts at `start`, or 0; `on_iteration(iterations, residual)` is called after each. LinAlgError with residual and iterations where the tolerance
    is not reached, or `a` is not positive definite, or with raises=False what has been reached. In a function that is traced an expression, with
    derivatives of x by b and by what `a` is made of."""
    return _iterated("cg", a, b, tolerance, max_iterations, preconditioner, start, on_iteration, raises)


def minres(a, b, /, *, tolerance=None, max_iterations=-1, preconditioner=None, start=None, on_iteration=None, raises=True):
    """As cg, of a Hermitian matrix or function, which need not be positive definite; its preconditioner is."""
    return _iterated("minres", a, b, tolerance, max_iterations, preconditioner, start, on_iteration, raises)


def bicgstab(a, b, /, *, tolerance=None, max_iterations=-1, preconditioner=None, start=None, on_iteration=None, raises=True):
    """As cg, of any matrix or function that is invertible. Two products an iteration."""
    return _iterated("bicgstab", a, b, tolerance, max_iterations, preconditioner, start, on_iteration, raises)


def gmres(a, b, /, *, tolerance=None, max_iterations=-1, preconditioner=None, start=None, on_iteration=None, raises=True, restart=30):
    """As cg, of any matrix or function that is invertible, with residuals that do not grow. Keeps `restart` vectors."""
    return _iterated("gmres", a, b, tolerance, max_iterations, preconditioner, start, on_iteration, raises, restart=restart)


def lsmr(
    a, b, /, *, adjoint=None, damping=0.0, tolerance=None, max_iterations=-1, start=None, on_iteration=None, raises=True, shape=None,
):  # fmt: skip
    """`(x, iterations, residual)`: the x for which `|b - a @ x|² + damping² |x|²` is least, and of these the shortest, of any matrix [m, n], or of a
    linear function of an array of `shape`, by default that of b, with its `adjoint`, a function, too. A product with each an iteration. `tolerance` is
    of `|aᴴ r| / (|a| |r|)` and `|r| / |b|`, r = b - a x. Not in traced functions. Otherwise as cg."""
    return _iterated("lsmr", a, b, tolerance, max_iterations, None, start, on_iteration, raises, adjoint=adjoint, damping=damping, shape=shape)


def jacobi(a, /):
    """A preconditioner: division by the diagonal of a [n, n], by 1 where that is 0. Called with a vector, it divides. ShapeError of one that is not
    square."""
    inverse = _core._inverse_diagonal(asarray(a))
    return lambda x: x * inverse


def eigsh(
    a, k, /, *, which="smallest", near=None, tolerance=None, max_iterations=-1, preconditioner=None, start=None, on_iteration=None, raises=True,
    subspace=-1, shape=None, dtype=None,
):  # fmt: skip
    """`(eigenvalues, eigenvectors, iterations, residual)`: k eigenvalues, ascending, and orthonormal vectors [n, k], of a Hermitian matrix [n, n],
    dense, sparse or in chunks, or of a linear function of an array of `shape` and `dtype`, by default float64, whose vectors are [*shape, k]: those
    of an end, "smallest" or "largest", or those next to a number `near`, which is no eigenvalue. By Lanczos' method with thick restarts: an iteration
    is a product, and three passes over `subspace` vectors, by default 2 k + 20; near a number a solution by minres, which `preconditioner`, a
    function, a matrix or `ic0(...)`, speeds up. `tolerance` is of `|a x - λ x| / |a|`, by default 1e-8, of 32 bits 1e-5; `max_iterations` ten for each
    element of a vector. `on_iteration(iterations, residual)` is called after each restart. LinAlgError where it does not converge, or with
    raises=False what has been reached."""
    options = which, near, tolerance, max_iterations, preconditioner, start, on_iteration, raises, subspace, shape, dtype
    return eigsh_result(*_core._eigsh(_operand(a), operator.index(k), *options))


def lobpcg(a, x, /, *, largest=False, tolerance=None, max_iterations=500, preconditioner=None, on_iteration=None, raises=True):
    """`(eigenvalues, eigenvectors, iterations, residual)`: as many of the smallest, or largest, eigenvalues of a Hermitian matrix, or function, as x
    [..., k] has vectors, from which it starts, by the locally optimal block method of conjugate gradients: for large ones with a `preconditioner`,
    nearly the inverse. An iteration is k products and preconditionings; keeps 6 k vectors. Otherwise as eigsh."""
    return lobpcg_result(*_core._lobpcg(_operand(a), x, largest, tolerance, max_iterations, preconditioner, on_iteration, raises))


def svds(
    a, k, /, *, adjoint=None, tolerance=None, max_iterations=-1, on_iteration=None, raises=True, subspace=-1, randomised=False, oversampling=10,
    passes=3, shape=None, result_shape=None, dtype=None,
):  # fmt: skip
    """`(U, S, Vh, iterations, residual)`: the k largest singular values, descending, of a matrix [m, n], dense, sparse or in chunks, and their
    vectors, U [m, k] and Vh [k, n]; or of a linear function of an array of `shape` with a result of `result_shape`, and its `adjoint`. By the
    bidiagonalisation of Golub and Kahan with thick restarts: an iteration is a product, one with the adjoint, and three passes over `subspace`
    vectors on each side, by default 2 k + 20. With randomised=True by `passes` products with k + oversampling random vectors at once, which read a
    matrix in chunks as often; errors are small where singular values beyond k are, and not known: `residual` is NaN. The largest component of each
    column of U is real and positive. Otherwise as eigsh."""
    options = adjoint, tolerance, max_iterations, on_iteration, raises, subspace, randomised, oversampling, passes, shape, result_shape, dtype
    return svds_result(*_core._svds(_operand(a), operator.index(k), False, *options))


def pca(a, k, /, *, tolerance=None, max_iterations=-1, on_iteration=None, raises=True, subspace=-1, randomised=False, oversampling=10, passes=3):
    """`(components, explained_variances, mean, iterations, residual)`: of rows [m, n] that are observations the k directions [k, n] in which they vary
    most, orthonormal, the variances there, of m - 1, descending, and the mean of the rows, which is taken from products: no other matrix is made. The
    largest component of each direction is real and positive. Cost, errors and options as of svds, and one more reading, but where it is randomised;
    ShapeError of less than two rows."""
    options = None, tolerance, max_iterations, on_iteration, raises, subspace, randomised, oversampling, passes, None, None, None
    return pca_result(*_core._svds(asarray(a), operator.index(k), True, *options))


def ic0(a, /):
    """A preconditioner: solutions with L, where nearly `a = L Lᴴ`, which is 0 where the sparse Hermitian positive definite a [n, n] is; its lower
    triangle is read. Called with a vector, it solves. LinAlgError with row and pivot where that is not positive, as may happen for a definite one: add
    to its diagonal. KindError of a matrix that is not sparse. Of s stored elements O(s²/n), a use O(s)."""
    return _core._incomplete_factors("ic0", asarray(a))


def ilu0(a, /):
    """A preconditioner: solutions with L and U, where nearly `a = L U`, which are 0 where the sparse a [n, n] is. LinAlgError with row and pivot where
    that is 0 or not stored. Otherwise as ic0."""
    return _core._incomplete_factors("ilu0", asarray(a))


def _operand(a):
    """A function as it is, another object as an array."""
    return a if callable(a) and not hasattr(a, "__array__") else asarray(a)


def _iterated(
    method, a, b, tolerance, max_iterations, preconditioner, start, on_iteration, raises, restart=30, adjoint=None, damping=0.0, shape=None,
):  # fmt: skip
    a = _operand(a)
    product = a if callable(a) else lambda x: matmul(a, x)
    options = tolerance, max_iterations, preconditioner, start, on_iteration, raises, restart, damping, shape
    return iterative_result(*_core._iterated(method, a, lambda x: [product(x)], adjoint, b, *options))
