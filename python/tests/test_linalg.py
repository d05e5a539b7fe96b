"""Linear algebra beside NumPy and SciPy: of all types, shapes, batches and views, and what is singular."""

import math

import numpy as np
import pytest

import purview as pv
from purview import linalg

scipy_linalg = pytest.importorskip("scipy.linalg")

FLOATS = ["float32", "float64", "complex64", "complex128"]
TYPES = [*FLOATS, "int64", "uint8"]
SQUARE = [(1, 1), (3, 3), (17, 17), (4, 2, 2), (2, 1, 5, 5), (0, 0), (0, 3, 3), (2, 0, 0)]
ANY = [*SQUARE, (5, 3), (3, 5), (1, 4), (2, 3, 6, 2), (3, 0), (0, 4), (2, 0, 3), (0, 2, 3)]


def matrices(shape, dtype="float64", seed=0):
    """Random ones, far from singular."""
    rng = np.random.default_rng([seed, *shape])
    x = rng.uniform(-1, 1, shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.uniform(-1, 1, shape)
    if np.dtype(dtype).kind in "iu":
        x = rng.integers(0, 5, shape)
    n = min(shape[-2:])
    x[..., range(n), range(n)] += 2 * n + 3
    return x.astype(dtype)


def hermitian(x):
    return x + x.swapaxes(-1, -2).conj()


def views(x):
    """The array itself, reversed, strided, transposed, broadcast: of the same elements, or of the transpose, in other memory."""
    yield x
    yield x[..., ::-1, ::-1]
    yield np.repeat(np.repeat(x, 2, axis=-1), 3, axis=-2)[..., ::3, ::2]
    yield x.swapaxes(-1, -2)
    yield np.broadcast_to(x, (2, *x.shape))


def each(shapes, types=TYPES):
    for shape in shapes:
        for dtype in types:
            yield from views(matrices(shape, dtype))


def doubled(x):
    """As NumPy computes: integers in double."""
    return x.astype("float64") if x.dtype.kind in "iu" else x


def real(x):
    return doubled(x).real.dtype


def same(ours, want, error=1e-9):
    assert isinstance(ours, pv.Array)
    want = np.asarray(want)
    assert ours.shape == want.shape and ours.dtype == want.dtype, (ours.shape, want.shape, ours.dtype, want.dtype)
    if np.finfo(want.dtype).eps > 1e-10 if want.dtype.kind in "fc" else False:
        error = 2e-4
    np.testing.assert_allclose(np.asarray(ours), want, rtol=error, atol=error)


def identity(x):
    n = x.shape[-1]
    return np.broadcast_to(np.eye(n, dtype=doubled(x).dtype), (*x.shape[:-2], n, n))


def adjoint(x):
    return np.asarray(x).swapaxes(-1, -2).conj()


# --- beside NumPy -------------------------------------------------------------------------------------

# Of square x, and y of its shape: expressions in which L is a module of linear algebra.
OF_SQUARE = """
    L.inv(x)|L.det(x)|L.slogdet(x).sign|L.slogdet(x).logabsdet|L.solve(x, y)|L.solve(x, y[..., :1])|L.matrix_power(x, 0)|L.matrix_power(x, 1)
    L.matrix_power(x, 5)|L.matrix_power(x, -3)|L.eigvalsh(x + x.swapaxes(-1, -2).conj())|L.cond(x, 1)|L.cond(x, -math.inf)|L.cond(x, "fro")
"""
OF_ANY = """
    L.svdvals(x)|L.matrix_rank(x)|L.pinv(x)|L.matrix_norm(x)|L.matrix_norm(x, keepdims=True)|L.matrix_norm(x, ord="nuc")
    L.matrix_norm(x, ord=1)|L.matrix_norm(x, ord=-1)|L.matrix_norm(x, ord=math.inf, keepdims=True)|L.matrix_norm(x, ord=-math.inf)
    L.matrix_norm(x, ord=2)|L.matrix_norm(x, ord=-2, keepdims=True)|L.vector_norm(x)|L.vector_norm(x, ord=1)|L.vector_norm(x, axis=-1, ord=3)
    L.vector_norm(x, axis=(-1, 0), keepdims=True, ord=1.5)|L.vector_norm(x, axis=0, ord=0)|L.vector_norm(x, axis=-1, ord=math.inf)
    L.vector_norm(x, ord=-math.inf, keepdims=True)|L.norm(x)|L.norm(x, 2, 0)|L.norm(x, math.inf, -1)|L.vector_norm(x, axis=(0, -1), ord=math.inf)|L.norm(x, "nuc", (-1, -2))|L.norm(x, 1, (0, -1), True)
    L.trace(x)|L.trace(x, offset=1)|L.diagonal(x)|L.diagonal(x, offset=-1)|L.matrix_transpose(x)|L.cond(x)|L.cond(x, -2)
"""


def calls(text):
    return [call.strip() for line in text.strip().split("\n") for call in line.split("|")]


def compare(x, text):
    y = x[..., ::-1, :]
    for call in calls(text):
        names = {"x": doubled(x) if "power" not in call else x, "y": doubled(y), "math": math, "L": np.linalg}
        try:
            want = eval(call, names)
        except (ValueError, np.linalg.LinAlgError):  # extremes of nothing
            with pytest.raises(ValueError):
                eval(call, {**names, "L": linalg, "x": pv.asarray(x), "y": pv.asarray(y)})
            continue
        same(eval(call, {**names, "L": linalg, "x": pv.asarray(x), "y": pv.asarray(y)}) if "x + x" not in call else linalg.eigvalsh(hermitian(x)), want)


@pytest.mark.filterwarnings("ignore")
def test_square_matrices_beside_numpy():
    for x in each(SQUARE):
        compare(x, OF_SQUARE)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", FLOATS)
def test_matrices_beside_numpy(dtype):
    for x in each(ANY, [dtype]):
        compare(x, OF_ANY)


# --- decompositions, by what they promise -------------------------------------------------------------


def is_definite(vectors):
    """The largest component of each column, or one that is as large but for rounding, is real and positive."""
    vectors = np.asarray(vectors)
    if vectors.size:
        sizes = np.abs(vectors)
        largest = sizes > sizes.max(-2, keepdims=True) * 0.9999
        assert (largest & (vectors.real > 0) & (np.abs(vectors.imag) < 1e-4)).any(-2).all()


def test_decompositions():
    for x in each(ANY):
        wide = doubled(x)
        m, n = x.shape[-2:]
        k = min(m, n)
        for mode, size in (("reduced", k), ("complete", m)):
            q, r = linalg.qr(x, mode=mode)
            assert q.shape == (*x.shape[:-1], size) and r.shape == (*x.shape[:-2], size, n)
            same(linalg.matmul(q, r), wide)
            same(linalg.matmul(adjoint(q), q), identity(np.empty(q.shape[:-2] + (size, size), wide.dtype)))
            same(r, np.triu(np.asarray(r)))
            assert (np.asarray(linalg.diagonal(r)).real >= 0).all()
        same(linalg.qr(x, mode="r"), linalg.qr(x).R)
        for full in (True, False):
            u, s, vh = linalg.svd(x, full_matrices=full)
            assert u.shape == (*x.shape[:-1], m if full else k) and vh.shape == (*x.shape[:-2], n if full else k, n)
            same(s, np.linalg.svd(wide, compute_uv=False))
            same((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], wide)
            same(linalg.matmul(adjoint(u), u), identity(np.empty((*u.shape[:-2], u.shape[-1], u.shape[-1]), wide.dtype)))
            is_definite(u[..., :k])
        p, lower, upper = linalg.lu(x)
        assert p.dtype == pv.int64
        same(lower @ upper, np.take_along_axis(wide, np.asarray(p)[..., None], -2))
        same(lower, np.tril(np.asarray(lower)))
        same(upper, np.triu(np.asarray(upper)))
    p, lower, upper = linalg.lu([[1.0, 2], [3, 4], [5, 6]])
    want = scipy_linalg.lu(np.array([[1.0, 2], [3, 4], [5, 6]]), p_indices=True)
    same(lower, want[1])
    same(upper, want[2])


def test_decompositions_of_square_matrices():
    for x in each(SQUARE):
        wide = hermitian(doubled(x))
        for upper in (False, True):
            other = np.tril(wide) if upper else np.triu(wide)
            given = wide - other + other * np.eye(x.shape[-1], dtype=wide.dtype)  # the other triangle is not read
            values, vectors = linalg.eigh(given, upper=upper)
            same(values, np.linalg.eigvalsh(wide))
            same(linalg.eigvalsh(given, upper=upper), np.linalg.eigvalsh(wide))
            same(linalg.matmul(wide, vectors), np.asarray(vectors) * np.asarray(values)[..., None, :])
            is_definite(vectors)
            factor = linalg.cholesky(given, upper=upper)
            same(factor, np.linalg.cholesky(wide, upper=upper))
            right = doubled(x)[..., :2]
            same(linalg.cholesky_solve(factor, right, upper=upper), np.linalg.solve(wide, right))
            same(linalg.cholesky_solve(factor, np.ones(x.shape[-1], wide.dtype), upper=upper), np.linalg.solve(wide, np.ones(x.shape[-1], wide.dtype)))
            triangle = np.triu(wide) if upper else np.tril(wide)
            same(linalg.solve_triangular(wide, right, upper=upper), np.linalg.solve(triangle, right))
        values, vectors = linalg.eig(x)
        complex_type = np.result_type(wide.dtype, "complex64")
        assert values.dtype == vectors.dtype == complex_type
        same(linalg.matmul(doubled(x).astype(complex_type), vectors), np.asarray(vectors) * np.asarray(values)[..., None, :])
        ours, want = (np.sort_complex(np.round(np.asarray(v).astype("complex128"), 3)) for v in (linalg.eigvals(x), np.linalg.eigvals(doubled(x))))
        np.testing.assert_allclose(np.abs(ours).sum(-1), np.abs(want).sum(-1), rtol=1e-3)
        is_definite(vectors)
        if x.size and x.ndim == 2:
            same(linalg.expm(x / 20), scipy_linalg.expm(doubled(x) / 20).astype(doubled(x / np.asarray(20, real(x))).dtype))


def test_least_squares():
    for x in each(ANY, FLOATS):
        if not x.size:
            continue
        m, n = x.shape[-2:]
        right = matrices((*x.shape[:-2], m, 2), x.dtype, 1)
        found = linalg.lstsq(x, right)
        assert found._fields == ("x", "residuals", "rank", "S")
        for at in np.ndindex(x.shape[:-2]):
            want, residuals, rank, s = np.linalg.lstsq(x[at], right[at], rcond=None)
            same(found.x[at], want)
            assert int(found.rank[at]) == rank
            same(found.S[at], s)
            if residuals.size:
                same(found.residuals[at], residuals)
        vector = right[(0,) * (x.ndim - 2)][:, 0]
        same(linalg.lstsq(x, vector).x, linalg.lstsq(x, np.broadcast_to(vector[:, None], (*x.shape[:-1], 1))).x[..., 0])
    low = np.outer([1.0, 2, 3], [1.0, 1, 2])  # of rank 1: the shortest one
    assert int(linalg.lstsq(low, [1.0, 2, 3]).rank) == 1
    same(linalg.lstsq(low, [1.0, 2, 3]).x, np.linalg.pinv(low) @ [1.0, 2, 3])


def test_least_squares_of_two_types_are_those_of_both_joined():
    for of_a in FLOATS:
        for of_b in TYPES:
            a, b = matrices((5, 2), of_a), matrices((5, 1), of_b, 1)
            found = linalg.lstsq(a, b).x
            assert found.dtype == linalg.solve(a[:2], b[:2]).dtype
            want = np.linalg.lstsq(a.astype("complex128"), b.astype("complex128"), rcond=None)[0]
            assert np.abs(np.asarray(found) - want).max() < 1e2 * float(pv.finfo(found.dtype).eps)


def test_tolerances():
    x = np.diag([1.0, 1e-3, 1e-6, 0])
    for rtol in (None, 0, 1e-4, np.float32(1e-7), 1):
        same(linalg.matrix_rank(x, rtol=rtol), np.linalg.matrix_rank(x, rtol=rtol) if rtol is not None else np.int64(3))
        if rtol != 0:
            same(linalg.pinv(x, rtol=rtol), np.linalg.pinv(x, rtol=1e-12 if rtol is None else float(rtol)))
    both = np.stack([x, x])
    assert linalg.matrix_rank(both, rtol=pv.asarray([1e-4, 1e-9])).tolist() == [2, 3]
    same(linalg.pinv(both, rtol=[1e-4, 1e-9]), np.linalg.pinv(both, rtol=np.array([1e-4, 1e-9])))


def test_products():
    rng = np.random.default_rng(0)
    for dtype in ("float64", "complex128", "int64"):
        x, y = (rng.integers(-4, 5, (2, 5, 3)).astype(dtype) for _ in range(2))
        if dtype == "complex128":
            x = x * (1 + 2j)
        for given in ((x, y), (x[:, ::-1], y[..., ::-1]), (x[0], y), (x, y[0, 0])):
            same(linalg.cross(*given), np.linalg.cross(*given))
            same(linalg.vecdot(*given), np.linalg.vecdot(*given))
        same(linalg.cross(x.swapaxes(0, 2), y.swapaxes(0, 2), axis=-3), np.linalg.cross(x.swapaxes(0, 2), y.swapaxes(0, 2), axis=-3))
        same(linalg.tensordot(x, y, axes=((0, 1), (0, 1))), np.linalg.tensordot(x, y, axes=((0, 1), (0, 1))))
        same(linalg.tensordot(x, y.swapaxes(0, 2), axes=1), np.linalg.tensordot(x, y.swapaxes(0, 2), axes=1))
        same(linalg.outer(x[0, 0], y[1, 1]), np.linalg.outer(x[0, 0], y[1, 1]))
        same(linalg.kron(x, y[0]), np.kron(x, y[0]))
        same(linalg.matmul(x, y.swapaxes(-1, -2)), np.linalg.matmul(x, y.swapaxes(-1, -2)))
        same(linalg.trace(x, dtype=pv.complex128), np.linalg.trace(x, dtype="complex128"))
    assert linalg.trace(np.full((2, 2), 200, "uint8")).tolist() == 400


def test_batches_and_vectors():
    a, b = matrices((3, 1, 4, 4)), matrices((5, 4, 2))
    same(linalg.solve(a, b), np.linalg.solve(a, b))
    same(linalg.solve(a[0, 0], b), np.linalg.solve(a[0, 0], b))
    same(linalg.solve(a, b[0, :, 0]), np.linalg.solve(a, b[0, :, 0]))
    same(linalg.solve(a.astype("float32"), b * 1j), np.linalg.solve(a.astype("float32"), b * 1j))
    made = pv.asarray(a) * 2 + pv.sin(pv.asarray(a))  # computed
    same(linalg.inv(made), np.linalg.inv(np.asarray(made)))
    found = linalg.inv(a)
    found[...] = 0  # memory of its own
    assert float(linalg.inv(a)[0, 0, 0, 0]) != 0


# --- what has no result -------------------------------------------------------------------------------


def test_singular_matrices():
    some = np.stack([np.eye(2), np.ones((2, 2)), 2 * np.eye(2)])
    for call in (lambda **o: linalg.inv(some, **o), lambda **o: linalg.solve(some, np.ones((2, 1)), **o)):
        with pytest.raises(linalg.LinAlgError, match=r"matrix \[1\] of the batch is singular: pivot 1 is 0") as caught:
            call()
        assert isinstance(caught.value, (pv.ArithmeticError, ValueError)) and isinstance(caught.value, pv.Error)
        found = np.asarray(call(if_singular="nan"))
        assert np.isnan(found[1]).all() and np.isfinite(found[[0, 2]]).all()
    with pytest.raises(linalg.LinAlgError, match="cholesky: the matrix is not positive definite, by the first 2 rows"):
        linalg.cholesky([[1.0, 2], [2, 1]])
    assert np.isnan(np.asarray(linalg.cholesky([[1.0, 2], [2, 1]], if_singular="nan"))).all()
    assert linalg.det(some).tolist() == [1, 0, 4]
    assert linalg.slogdet(some[1]) == (0, -math.inf)
    assert linalg.matrix_rank(some).tolist() == [2, 1, 2]
    assert linalg.cond(np.zeros((2, 2))) == math.inf and linalg.cond(some, 1).tolist() == [1, math.inf, 1]
    bad = np.full((3, 3), np.nan)
    for function in (linalg.svd, linalg.svdvals, linalg.eigh, linalg.eigvalsh, linalg.eig, linalg.eigvals, linalg.pinv, linalg.matrix_rank):
        with pytest.raises(linalg.LinAlgError):
            function(bad)
    for p in (None, -2, 1, "fro", "nuc"):
        assert np.isnan(float(linalg.cond(bad, p)))
    assert np.isnan(float(linalg.matrix_norm(bad, ord=2)))


def test_refused():
    square, wide = np.eye(3), np.ones((2, 3))
    for function in (linalg.inv, linalg.det, linalg.slogdet, linalg.cholesky, linalg.eigh, linalg.eigvals, linalg.expm, lambda x: linalg.matrix_power(x, 2)):
        with pytest.raises(pv.ShapeError, match="not square"):
            function(wide)
    for function in (linalg.inv, linalg.qr, linalg.svd, linalg.matrix_norm, linalg.diagonal, linalg.trace, linalg.matrix_transpose, linalg.cond):
        with pytest.raises(pv.ShapeError, match="matrix"):
            function([1.0, 2.0])
    for call, error, text in [
        (lambda: linalg.solve(square, np.ones(2)), pv.ShapeError, "rows"),
        (lambda: linalg.cholesky_solve(square, np.ones((2, 1))), pv.ShapeError, "rows"),
        (lambda: linalg.inv(square > 0), pv.DtypeError, "bool"),
        (lambda: linalg.inv("text"), TypeError, "str"),
        (lambda: linalg.inv(square, if_singular="zero"), ValueError, "inv: if_singular is one of 'raise', 'nan'"),
        (lambda: linalg.qr(square, mode="raw"), ValueError, "qr: mode"),
        (lambda: linalg.matrix_norm(square, ord=3), ValueError, "matrix_norm: ord"),
        (lambda: linalg.cross(square, wide[:, :2]), pv.ShapeError, "3 elements"),
        (lambda: linalg.cross(square, square, axis=2), pv.IndexError, "cross: axis"),
        (lambda: linalg.matrix_power(square, 1.5), TypeError, "integer"),
    ]:
        with pytest.raises(error, match=text):
            call()


# --- by NumPy's name ----------------------------------------------------------------------------------


def test_functions_of_numpy_are_ours():
    x, t = matrices((2, 4, 4)), pv.asarray(matrices((2, 4, 4)))
    for call in calls("""L.inv(x)|L.det(x)|L.solve(x, x)|L.svdvals(x)|L.cholesky(x @ x.swapaxes(-1, -2))|L.qr(x)[1][..., :0]|L.diagonal(x)|L.trace(x)
        L.matrix_power(x, 3)|L.norm(x, "nuc", (1, 2))|L.cond(x)|L.pinv(x)|L.svd(x, False)[1]|L.eigvalsh(x, "U")|L.slogdet(x)[1]"""):
        same(eval(call, {"L": np.linalg, "x": t}), eval(call, {"L": np.linalg, "x": x}))
    assert np.linalg.eig(pv.asarray(np.diag([1.0, 2]))).eigenvalues.dtype == pv.float64 and int(np.linalg.matrix_rank(t[0, 0])) == 1
    for error in (np.linalg.LinAlgError, linalg.LinAlgError, ValueError, ArithmeticError):
        with pytest.raises(error, match="inv: the matrix is singular"):
            np.linalg.inv(pv.zeros((2, 2)))


def test_names_of_the_array_api():
    names = """cholesky cross det diagonal eig eigh eigvals eigvalsh inv matmul matrix_norm matrix_power matrix_rank matrix_transpose outer pinv qr
    slogdet solve svd svdvals tensordot trace vecdot vector_norm""".split()
    assert set(names) <= set(linalg.__all__) and all(hasattr(linalg, name) for name in linalg.__all__)
    x = np.eye(2)
    for result, fields in [
        (linalg.eig(x), "eigenvalues eigenvectors"),
        (linalg.eigh(x), "eigenvalues eigenvectors"),
        (linalg.qr(x), "Q R"),
        (linalg.slogdet(x), "sign logabsdet"),
        (linalg.svd(x), "U S Vh"),
        (linalg.lu(x), "P L U"),
    ]:
        assert result._fields == tuple(fields.split())


def test_sparse_matrices_are_made_dense():
    a = np.array([[4.0, 0.0], [1.0, 3.0]])
    sparse = pv.to_sparse(a)
    assert np.allclose(linalg.solve(sparse, [1.0, 2.0]), np.linalg.solve(a, [1.0, 2.0]))
    assert np.allclose(linalg.inv(sparse), np.linalg.inv(a))
    assert np.allclose(linalg.svdvals(sparse), np.linalg.svd(a, compute_uv=False))
