"""Products of Jacobians and Hessians with vectors, and checks of gradients."""

import numpy as np
import pytest

import purview as pv

X = np.array([0.5, -1.0, 2.0])
V = np.array([1.0, 2.0, -0.5])


def rosenbrock(x):
    return pv.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def rosenbrock_hessian(x):
    """By hand: h_ii = 1200 x_i^2 - 400 x_{i+1} + 2 [i < n-1] + 200 [i > 0], h_{i,i+1} = -400 x_i."""
    n = len(x)
    h = np.zeros((n, n))
    for i in range(n - 1):
        h[i, i] += 1200 * x[i] ** 2 - 400 * x[i + 1] + 2
        h[i + 1, i + 1] += 200
        h[i, i + 1] = h[i + 1, i] = -400 * x[i]
    return h


def test_vjp():
    """y = sin(x) s: v J = v cos(x) s by x, sum(v sin(x)) by s."""
    value, pull = pv.vjp(lambda x, s: pv.sin(x) * s, X, 3.0)
    np.testing.assert_allclose(np.asarray(value), 3 * np.sin(X), rtol=1e-14)
    for v in (V, V * 2):
        by_x, by_s = pull(v)
        np.testing.assert_allclose(np.asarray(by_x), 3 * v * np.cos(X), rtol=1e-14)
        np.testing.assert_allclose(np.asarray(by_s), v @ np.sin(X), rtol=1e-14)
    assert isinstance(pull(V.tolist()), tuple)


def test_vjp_of_several_results_and_trees():
    """By x of sum(a x^2) + b sum(x w): 2 a x + b w; by w: b x."""
    value, pull = pv.vjp(lambda p: {"squares": p["x"] ** 2, "dot": (pv.sum(p["x"] * p["w"][0]),)}, {"x": X, "w": [V]})
    assert list(value) == ["squares", "dot"]
    (by,) = pull({"dot": (2.0,), "squares": [1, 0, 3]})
    np.testing.assert_allclose(np.asarray(by["x"]), 2 * np.array([1, 0, 3]) * X + 2 * V, rtol=1e-14)
    assert isinstance(by["w"], list)
    np.testing.assert_allclose(np.asarray(by["w"][0]), 2 * X, rtol=1e-14)
    for wrong in ({"squares": V}, (V, 2.0), {"dot": 2.0, "squares": V}, {"dot": (1.0, 2.0), "squares": V}):
        with pytest.raises(pv.ArgumentError, match="vjp: the cotangent"):
            pull(wrong)


def test_jvp():
    """y = x s moves by s v + x t."""
    value, tangent = pv.jvp(lambda x, s: x * s, (X, 3.0), (V, 0.5))
    assert value.tolist() == (3 * X).tolist()
    np.testing.assert_allclose(np.asarray(tangent), 3 * V + X * 0.5, rtol=1e-14)
    value, tangent = pv.jvp(lambda p, y: {"a": p["x"] ** 2, "b": (y,)}, ({"x": X}, V), ({"x": V}, X))
    np.testing.assert_allclose(np.asarray(tangent["a"]), 2 * X * V, rtol=1e-14)
    assert tangent["b"][0].tolist() == X.tolist() and value["b"][0].tolist() == V.tolist()


def test_hessian_vector_product():
    product = pv.hessian_vector_product(rosenbrock, X, V)
    np.testing.assert_allclose(np.asarray(product), rosenbrock_hessian(X) @ V, rtol=1e-12)
    product = pv.hessian_vector_product(lambda p: rosenbrock(pv.concat([p["a"], p["b"][0]])), {"a": X[:1], "b": [X[1:]]}, {"a": V[:1], "b": [V[1:]]})
    want = rosenbrock_hessian(X) @ V
    np.testing.assert_allclose(np.asarray(product["a"]), want[:1], rtol=1e-12)
    np.testing.assert_allclose(np.asarray(product["b"][0]), want[1:], rtol=1e-12)


def test_in_compiled_functions():
    calls = []

    @pv.compile
    def products(x, v):
        calls.append(x.shape)
        value, pull = pv.vjp(pv.sin, x)
        return (value, *pull(v), pv.jvp(pv.sin, (x,), (v,))[1], pv.hessian_vector_product(rosenbrock, x, v))

    for _ in range(2):
        value, back, forth, curvature = products(X, V)
        np.testing.assert_allclose(np.asarray(value), np.sin(X), rtol=1e-14)
        np.testing.assert_allclose(np.asarray(back), np.cos(X) * V, rtol=1e-14)
        assert forth.tolist() == back.tolist()
        np.testing.assert_allclose(np.asarray(curvature), rosenbrock_hessian(X) @ V, rtol=1e-12)
    assert len(calls) == 1
    # d/dx of v cos(x) is -v sin(x)
    by_x = pv.grad(lambda x: pv.sum(pv.vjp(pv.sin, x)[1](V)[0]))(X)
    np.testing.assert_allclose(np.asarray(by_x), -V * np.sin(X), rtol=1e-14)


def test_types_of_products():
    x = X.astype("float32")
    value, pull = pv.vjp(lambda x: x**2, x)
    assert value.dtype == pv.float32 and pull([1, 1, 1])[0].dtype == pv.float32
    assert pv.jvp(lambda x: x**2, (x,), ([1, 0, 0],))[1].tolist() == [1, 0, 0]
    with pytest.raises(pv.DtypeError, match="vjp: .*float64"):
        pull(V)
    with pytest.raises(pv.ShapeError, match="vjp: "):
        pull(V.astype("float32")[:2])
    with pytest.raises(pv.ShapeError, match="jvp: "):
        pv.jvp(lambda x: x**2, (x,), ([1.0],))
    with pytest.raises(pv.ShapeError, match="hessian_vector_product: "):
        pv.hessian_vector_product(rosenbrock, X, V[:2])
    with pytest.raises(pv.ShapeError, match="hessian_vector_product: "):
        pv.hessian_vector_product(pv.sin, X, V)
    with pytest.raises(pv.DtypeError, match="vjp: argument 1 is of type int64, and not of floats"):
        pv.vjp(lambda x, n: x * n, X, 2)[1](V)
    with pytest.raises(pv.ArgumentError, match="jvp: tangents has to be a tuple of 1, and is a tuple of 2"):
        pv.jvp(pv.sin, (X,), (V, V))
    with pytest.raises(pv.ArgumentError, match="no array among the arguments"):
        pv.vjp(lambda: 1)
    for function in (lambda: pv.jvp(pv.sin, X, V), lambda: pv.vjp(3, X), lambda: pv.check_gradient(3, X)):
        with pytest.raises(TypeError):
            function()


def test_check_gradient():
    assert pv.check_gradient(lambda x, n: pv.sum(x**3) * n, X, 2) is None
    assert pv.check_gradient(lambda p, *, s: pv.sum(p["x"]) * s, {"x": X}, s=2.0) is None
    wrong = pv.with_derivative(lambda v: v * v, lambda v: 3 * v)
    with pytest.raises(pv.ArithmeticError, match=r"check_gradient: the derivative by element \[0\] of argument 0 is 1\.5"):
        pv.check_gradient(lambda x: pv.sum(pv.emap(wrong, x)), X)
    with pytest.raises(pv.ShapeError):
        pv.check_gradient(pv.sin, X)
