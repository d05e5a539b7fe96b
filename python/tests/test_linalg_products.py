"""Eigenvalues and singular values by products, beside NumPy: of arrays of all kinds, and of functions."""

import math

import numpy as np
import pytest

import purview as pv
from purview import linalg

FLOATS = ["float32", "float64", "complex64", "complex128"]


def random(shape, dtype="float64", seed=0):
    rng = np.random.default_rng([seed, *shape])
    x = rng.normal(size=shape)
    return (x + 1j * rng.normal(size=shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def hermitian(n, dtype="float64", seed=0):
    x = random((n, n), dtype, seed)
    return x + x.conj().T


def close(dtype):
    return 1e-3 if np.dtype(dtype).itemsize // (2 if np.dtype(dtype).kind == "c" else 1) == 4 else 1e-7


def same(got, want, dtype="float64"):
    np.testing.assert_allclose(np.asarray(got), want, rtol=close(dtype), atol=close(dtype))


@pytest.mark.parametrize("dtype", FLOATS)
def test_eigenvalues_of_an_end_and_near_a_number(dtype):
    a = hermitian(50, dtype)
    values = np.linalg.eigvalsh(a)
    for which, want in ("smallest", values[:4]), ("largest", values[-4:]):
        found = linalg.eigsh(a, 4, which=which)
        same(found.eigenvalues, want, dtype)
        x = np.asarray(found.eigenvectors)
        assert x.dtype == dtype and found.eigenvalues.dtype == np.empty(0, dtype).real.dtype
        same(a @ x, x * want, dtype)
        assert found.iterations > 0 and 0 <= found.residual < 1e-5
        same(linalg.lobpcg(a, random((50, 4), dtype), largest=which == "largest", max_iterations=2000).eigenvalues, want, dtype)
    middle = float(values[25] + values[26]) / 2
    same(linalg.eigsh(a, 2, near=middle).eigenvalues, values[25:27], dtype)


@pytest.mark.parametrize("dtype", FLOATS)
def test_functions_are_called_with_arrays(dtype):
    a = hermitian(24, dtype)
    values = np.linalg.eigvalsh(a)

    def product(x):
        assert isinstance(x, pv.Array) and x.shape == (4, 6) and x.dtype == dtype
        return (a @ np.asarray(x).ravel()).reshape(4, 6)

    found = linalg.eigsh(product, 3, shape=(4, 6), dtype=dtype)
    assert found.eigenvectors.shape == (4, 6, 3)
    same(found.eigenvalues, values[:3], dtype)
    same(linalg.lobpcg(product, random((4, 6, 3), dtype), max_iterations=2000).eigenvalues, values[:3], dtype)
    b = random((8, 24), dtype)
    options = {"adjoint": lambda y: (b.conj().T @ np.asarray(y)).reshape(4, 6), "shape": (4, 6), "result_shape": 8, "dtype": dtype}
    factors = linalg.svds(lambda x: b @ np.asarray(x).ravel(), 3, **options)
    assert factors.U.shape == (8, 3) and factors.Vh.shape == (3, 4, 6)
    same(factors.S, np.linalg.svd(b)[1][:3], dtype)


@pytest.mark.parametrize("dtype", [*FLOATS, "int64"])
def test_singular_values_and_principal_components(dtype):
    x = (random((60, 20), "float64" if dtype == "int64" else dtype) * (1 if dtype != "int64" else 100)).astype(dtype)
    of = "float64" if dtype == "int64" else dtype
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    for kind in (pv.asarray, pv.to_sparse) if "complex" not in dtype else (pv.asarray,):
        found = linalg.svds(kind(pv.asarray(x)), 4)
        same(found.S, s[:4], of)
        best = (np.asarray(found.U) * np.asarray(found.S)) @ np.asarray(found.Vh)
        np.testing.assert_allclose(best, (u[:, :4] * s[:4]) @ vh[:4], atol=close(of) * s[0])
    low = ((u[:, :6] * s[:6]) @ vh[:6]).astype(of)
    quick = linalg.svds(low, 3, randomised=True)
    np.testing.assert_allclose(np.asarray(quick.S), s[:3], rtol=close(of))
    assert math.isnan(quick.residual) and quick.iterations == 3
    centred = x - x.mean(axis=0)
    for options in {}, {"randomised": True, "oversampling": 20}:
        parts = linalg.pca(x, 2, **options)
        np.testing.assert_allclose(np.asarray(parts.explained_variances), np.linalg.svd(centred)[1][:2] ** 2 / 59, rtol=close(of))
        np.testing.assert_allclose(np.asarray(parts.mean), x.mean(axis=0), rtol=close(of), atol=close(of))
        assert parts.components.shape == (2, 20)


@pytest.mark.parametrize("method", ["cg", "minres", "bicgstab", "gmres", "lsmr"])
@pytest.mark.parametrize("dtype", [*FLOATS, "int64"])
def test_solutions_by_products(method, dtype):
    of = "float64" if dtype == "int64" else dtype
    solve = getattr(linalg, method)
    a = hermitian(24, of) @ hermitian(24, of) + 5 * np.eye(24, dtype=of)
    if method not in ("cg", "minres"):
        a = a + np.triu(random((24, 24), of))
    if dtype == "int64":
        a = np.round(a).astype(dtype) + 20 * np.eye(24, dtype=dtype)
        a = (a + a.T) // 2 if method in ("cg", "minres") else a
    b = random((24,), of)
    expected = np.linalg.solve(a, b)
    for matrix in (a, pv.asarray(a), pv.to_sparse(pv.asarray(a)), pv.asarray(a)[::-1, ::-1][::-1, ::-1]):
        found = solve(matrix, b)
        np.testing.assert_allclose(np.asarray(found.x), expected, rtol=100 * close(of), atol=100 * close(of))
        assert found.iterations > 0 and found.residual < 1e-4 and found.x.dtype.name == of
    options = {"adjoint": lambda y: pv.matmul(a.conj().T, y)} if method == "lsmr" else {}
    by_function = solve(lambda x: pv.matmul(a, x), b, **options)
    np.testing.assert_allclose(np.asarray(by_function.x), expected, rtol=100 * close(of), atol=100 * close(of))
    assert solve(a, b, start=found.x).iterations <= 2
    assert solve(a, b * 0).iterations == 0


def test_preconditioners_and_options_of_solutions():
    n = 60
    a = 2.001 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    a[n - 1, n - 1] = 1e4
    b = random((n,))
    plain = linalg.cg(a, b)
    for near in linalg.jacobi(a), linalg.ic0(pv.to_sparse(pv.asarray(a))), np.linalg.inv(a), lambda r: np.linalg.solve(a, np.asarray(r)):
        quick = linalg.cg(a, b, preconditioner=near)
        same(quick.x, plain.x)
        assert quick.iterations < plain.iterations
    seen = []
    short = linalg.gmres(a, b, restart=5, max_iterations=20, raises=False, on_iteration=lambda i, rest: seen.append((i, rest)))
    assert short.residual > 1e-8 and [i for i, _ in seen] == list(range(1, short.iterations + 1))
    damped = linalg.lsmr(a, b, damping=2.0, tolerance=1e-13)
    same(damped.x, np.linalg.solve(a.T @ a + 4 * np.eye(n), a.T @ b))
    tall = random((9, 4))
    same(linalg.lsmr(tall, np.ones(9)).x, np.linalg.lstsq(tall, np.ones(9), rcond=None)[0])
    of_function = linalg.lsmr(lambda x: pv.matmul(tall, x), np.ones(9), adjoint=lambda y: pv.matmul(tall.T, y), shape=4)
    same(of_function.x, np.linalg.lstsq(tall, np.ones(9), rcond=None)[0])
    grid = linalg.cg(lambda u: 5 * u - pv.roll(u, 1, 0) - pv.roll(u, -1, 0) - pv.roll(u, 1, 1) - pv.roll(u, -1, 1), np.ones((5, 7)))
    same(grid.x, np.ones((5, 7)))
    for call, error in (
        (lambda: linalg.cg(-np.eye(3), np.ones(3)), pv.LinAlgError),
        (lambda: linalg.cg(a, b, max_iterations=1), pv.LinAlgError),
        (lambda: linalg.cg(a, np.ones(3)), pv.ShapeError),
        (lambda: linalg.cg(a[:3], b), pv.ShapeError),
        (lambda: linalg.cg(a, b, start=np.ones(3)), pv.ShapeError),
        (lambda: linalg.cg(a, b, tolerance=-1.0), pv.ArgumentError),
        (lambda: linalg.gmres(a, b, restart=0), pv.ArgumentError),
        (lambda: linalg.cg(lambda x: 1 / 0, b), ZeroDivisionError),
        (lambda: linalg.cg(lambda x: x[:2], b), pv.ShapeError),
        (lambda: linalg.lsmr(lambda x: x, b), pv.ArgumentError),
        (lambda: linalg.jacobi(np.ones(3)), pv.ShapeError),
        (lambda: linalg.jacobi(np.ones((3, 2))), pv.ShapeError),
    ):
        with pytest.raises(error):
            call()


def test_preconditioners_of_incomplete_factors():
    n = 80
    a = 2.001 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)  # of three diagonals the factors are exact
    for factors in linalg.ic0, linalg.ilu0:
        solve = factors(pv.to_sparse(a))
        same(a @ np.asarray(solve(np.ones(n))), np.ones(n))
        found = linalg.lobpcg(a, random((n, 3)), preconditioner=solve)
        same(found.eigenvalues, np.linalg.eigvalsh(a)[:3])
        assert found.iterations < 60
    with pytest.raises(pv.LinAlgError, match="ic0: the pivot of row 1 is -3"):
        linalg.ic0(pv.to_sparse(pv.asarray([[1.0, 2.0], [2.0, 1.0]])))
    with pytest.raises(pv.LinAlgError, match="ilu0: the pivot of row 0 is not stored"):
        linalg.ilu0(pv.to_sparse(pv.asarray([[0.0, 2.0], [2.0, 1.0]])))
    with pytest.raises(pv.KindError):
        linalg.ic0(np.eye(3))
    with pytest.raises(pv.DtypeError):
        linalg.eigsh(np.eye(5, dtype="float32"), 1, near=2.0, preconditioner=linalg.ic0(pv.to_sparse(np.eye(5))))


def test_what_does_not_converge_and_what_does_not_fit():
    a = hermitian(200)
    with pytest.raises(pv.LinAlgError, match="eigsh: after 24 iterations the largest residual is"):
        linalg.eigsh(a, 2, max_iterations=1)
    seen = []
    found = linalg.eigsh(a, 2, max_iterations=30, raises=False, on_iteration=lambda i, rest: seen.append((i, rest)))
    assert found.residual > 1e-8 and seen[-1][0] == found.iterations
    for call, error in (
        (lambda: linalg.eigsh(a, 201), pv.ShapeError),
        (lambda: linalg.eigsh(a[:3], 1), pv.ShapeError),
        (lambda: linalg.eigsh(a, 1, which="middle"), ValueError),
        (lambda: linalg.eigsh(lambda x: x, 1), TypeError),
        (lambda: linalg.eigsh(lambda x: 1 / 0, 1, shape=4), ZeroDivisionError),
        (lambda: linalg.eigsh(lambda x: x[:2], 1, shape=4), pv.ShapeError),
        (lambda: linalg.svds(lambda x: x, 1, shape=4), pv.ArgumentError),
        (lambda: linalg.pca(np.ones((1, 3)), 1), pv.ShapeError),
        (lambda: linalg.lobpcg(a, np.ones(200)), pv.ShapeError),
    ):
        with pytest.raises(error):
            call()
