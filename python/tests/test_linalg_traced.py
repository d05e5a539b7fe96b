"""Linear algebra in traced functions: the same results, derivatives beside differences, and in files."""

import numpy as np
import pytest
from test_linalg import matrices, same

import purview as pv
from purview import linalg

B = np.array([0.5, -1.0, 2.0])
# Of x [3, 3], far from singular, and h = x xᵀ.
TRACED = {
    "solve": lambda x, h: linalg.solve(x, B),
    "solve_triangular": lambda x, h: linalg.solve_triangular(x, h, upper=True),
    "cholesky_solve": lambda x, h: linalg.cholesky_solve(linalg.cholesky(h), B),
    "inv": lambda x, h: linalg.inv(x) ** 2,
    "pinv": lambda x, h: linalg.pinv(x[:, :2]) ** 2,
    "lstsq": lambda x, h: linalg.lstsq(x[:, :2], B).x,
    "residuals": lambda x, h: linalg.lstsq(x[:, :2], B[:, None]).residuals,
    "det": lambda x, h: linalg.det(x),
    "slogdet": lambda x, h: linalg.slogdet(x).logabsdet,
    "rank": lambda x, h: linalg.matrix_rank(x) * x,
    "cond": lambda x, h: linalg.cond(x),
    "cond of 1": lambda x, h: linalg.cond(x, 1),
    "trace": lambda x, h: linalg.trace(h),
    "diagonal": lambda x, h: linalg.diagonal(x, offset=1) ** 2,
    "frobenius": lambda x, h: linalg.matrix_norm(x),
    "norm of 1": lambda x, h: linalg.matrix_norm(x, ord=1),
    "norm of 2": lambda x, h: linalg.norm(x, 2, (0, 1)),
    "nuclear": lambda x, h: linalg.matrix_norm(x, ord="nuc"),
    "vector_norm": lambda x, h: linalg.vector_norm(x) + linalg.vector_norm(x, axis=0, ord=3),
    "cholesky": lambda x, h: linalg.cholesky(h) ** 2,
    "upper": lambda x, h: linalg.cholesky(h, upper=True) ** 3,
    "qr": lambda x, h: linalg.qr(x).R ** 3 + linalg.qr(x).Q ** 3,
    "svd": lambda x, h: linalg.svd(x, full_matrices=False).U ** 3,
    "svdvals": lambda x, h: linalg.svdvals(x) ** 2,
    "eigh": lambda x, h: linalg.eigh(h).eigenvectors ** 3,
    "eigvalsh": lambda x, h: linalg.eigvalsh(h) ** 2,
    "expm": lambda x, h: linalg.expm(x / 4),
    "matrix_power": lambda x, h: linalg.matrix_power(x, 3) + linalg.matrix_power(x, -2) + linalg.matrix_power(x, 0),
    "cross": lambda x, h: linalg.cross(x, h[::-1]),
    "kron": lambda x, h: linalg.kron(x, h[0]) ** 2,
    "outer": lambda x, h: linalg.outer(x[0], h[1]),
    "tensordot": lambda x, h: linalg.tensordot(x, h, axes=1),
    "vecdot": lambda x, h: linalg.vecdot(x, h),
}


@pytest.mark.parametrize("name", TRACED)
def test_traced_functions_and_their_derivatives(name, tmp_path):
    def function(x):
        return TRACED[name](x, x @ linalg.matrix_transpose(x))

    rng = np.random.default_rng(3)
    x = pv.asarray(rng.uniform(-1, 1, (3, 3)) + np.diag([2.0, 3, 5]))
    same(pv.compile(function)(x), function(x))
    same(pv.compile(function)(x.astype("float32")), function(x.astype("float32")))
    weights = pv.asarray(rng.uniform(0.5, 1, function(x).shape))
    pv.check_gradient(lambda x: pv.sum(function(x) * weights), x)
    path = tmp_path / "saved.purview"
    pv.save_computation(path, function, x)
    same(pv.load_computation(path)(x), function(x))


def test_traced_in_batches_and_what_is_not_traced():
    a, b = pv.asarray(matrices((2, 3, 3))), pv.asarray(matrices((4, 2, 3, 1)))
    same(pv.compile(linalg.solve)(a, b), linalg.solve(a, b))
    slope = pv.compile(pv.grad(lambda a: pv.sum(linalg.slogdet(a).logabsdet)))
    same(slope(a), np.linalg.inv(np.asarray(a)).swapaxes(-1, -2))
    hessian = pv.hessian(lambda a: linalg.slogdet(a).logabsdet)(a[0])
    inverse = np.linalg.inv(np.asarray(a[0]))
    same(hessian, -np.einsum("li,jk->ijkl", inverse, inverse))
    jacobian = pv.jacobian(linalg.inv)(a[0])
    same(jacobian, -np.einsum("ik,lj->ijkl", inverse, inverse))
    with pytest.raises(linalg.LinAlgError, match=r"matrix \[1\]"):
        pv.compile(linalg.inv)(pv.asarray([np.eye(2), np.zeros((2, 2))]))
    with pytest.raises(pv.DtypeError, match="complex128 is not traced"):
        pv.compile(linalg.inv)(a * 1j)
    by_lu = pv.grad(lambda a: pv.sum(pv.log(abs(pv.diagonal(linalg.lu(a).U)))))(a[0])
    same(by_lu, inverse.T)
    with pytest.raises(pv.SymbolError, match="has a derivative of matrices with at least as many rows"):
        pv.grad(lambda a: pv.sum(linalg.qr(a, mode="complete").Q))(a)
    scaled = pv.compile(lambda s: linalg.inv(a) * s)  # of what is captured alone: once
    same(scaled(2.0), np.asarray(linalg.inv(a)) * 2)


@pytest.mark.parametrize("method", ["cg", "minres", "bicgstab", "gmres"])
def test_traced_solutions_by_products(method):
    solve = getattr(linalg, method)
    rng = np.random.default_rng(5)
    a = rng.uniform(-1, 1, (6, 6))
    a = a @ a.T + 6 * np.eye(6)
    b = rng.uniform(-1, 1, 6)
    compiled = pv.compile(lambda a, b: solve(a, b, tolerance=1e-12))
    found = compiled(pv.asarray(a), pv.asarray(b))
    same(found.x, np.linalg.solve(a, b))
    assert int(found.iterations) > 0 and float(found.residual) <= 1e-12
    same(pv.compile(lambda b: solve(a, b, tolerance=1e-12).x)(b), np.linalg.solve(a, b))
    by_function = pv.compile(lambda s, b: solve(lambda x: s * pv.matmul(a, x), b, tolerance=1e-12).x)
    same(by_function(2.0, b), np.linalg.solve(a, b) / 2)
    pv.check_gradient(lambda a: pv.sum(solve((a + a.T) / 2, b, tolerance=1e-13).x ** 2), pv.asarray(a))
    pv.check_gradient(lambda b: pv.sum(solve(a, b, tolerance=1e-13).x ** 3), pv.asarray(b))
    pv.check_gradient(lambda s: pv.sum(solve(lambda x: pv.matmul(a, x) + s * x, b, tolerance=1e-13).x ** 2), pv.asarray(0.5))
    with pytest.raises(pv.LinAlgError):
        compiled(pv.asarray(a * 0), pv.asarray(b))
    with pytest.raises(pv.ShapeError, match=f"{method}: "):
        pv.compile(lambda b: solve(lambda x: x[:2], b).x)(b)
    with pytest.raises(pv.SymbolError, match="lsmr"):
        pv.compile(lambda b: linalg.lsmr(a, b).x)(b)


def test_derivatives_at_equal_singular_values():
    q = np.linalg.qr(np.random.default_rng(6).normal(size=(5, 3)))[0] * 2
    weights = np.random.default_rng(7).uniform(0.5, 1, (3, 5))
    pv.check_gradient(lambda x: pv.sum(linalg.pinv(x) * weights), pv.asarray(q))
    pv.check_gradient(lambda x: pv.sum(linalg.pinv(x, rtol=1e-3) * weights), pv.asarray(q))
    pv.check_gradient(lambda x: pv.sum(linalg.lstsq(x, np.ones(5)).x ** 2), pv.asarray(q))
    same(linalg.pinv(np.stack([q, q]), rtol=np.array([1e-3, 2.0])), np.stack([np.linalg.pinv(q), np.zeros((3, 5))]))
