"""Arguments of traced functions by keyword, and as dicts, lists and tuples in one another."""

import collections

import numpy as np
import pytest

import purview as pv

X = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 4.0]])
Y = np.array([1.0, 0.0, -2.0])
W, B = np.array([0.5, -1.0]), 0.25
Model = collections.namedtuple("Model", "w b")


def loss(p, x, y):
    return pv.mean((x @ p["w"] + p["b"] - y) ** 2)


# By hand: r = x w + b - y, d/dw = 2/n x^T r, d/db = 2/n sum r.
R = X @ W + B - Y
BY_W, BY_B = 2 / 3 * X.T @ R, 2 / 3 * R.sum()


def test_keywords_and_dicts_of_compiled_functions():
    calls = []

    @pv.compile
    def scaled(x, *, scale=1.0, by=None):
        calls.append(x.shape)
        return x * scale + (0 if by is None else by["a"] - by["b"][0])

    assert scaled([1.0, 2.0]).tolist() == [1, 2]
    for _ in range(3):
        assert scaled([1.0, 2.0], scale=np.array([2.0, 3.0])).tolist() == [2, 6]
        assert scaled(pv.asarray([1.0, 2.0]), scale=2, by={"a": 3.0, "b": [pv.asarray(1.0)]}).tolist() == [4, 6]
    assert scaled(x=[1.0, 2.0], by=None).tolist() == [1, 2]
    assert len(calls) == 4
    assert "multiply" in str(scaled.traced([1.0, 2.0], scale=2.0))


def test_the_form_is_part_of_the_signature():
    """The same arrays, by place, in dicts, in tuples, by keyword: each call finds its own program."""
    f = pv.compile(lambda x=None, y=None, **named: (x["a"] - x["b"]) if isinstance(x, dict) else x[0] * x[1] if isinstance(x, tuple) else x + y)
    a, b = pv.asarray([5.0]), pv.asarray([3.0])
    for _ in range(2):
        assert f(a, b).item() == 8
        assert f({"a": a, "b": b}).item() == 2
        assert f({"b": a, "a": b}).item() == -2
        assert f((a, b)).item() == 15
        assert f(y=a, x=b).item() == 8


def test_a_list_of_numbers_is_an_array():
    f = pv.compile(lambda x: x * 2)
    assert f([1.0, 2.0]).tolist() == f((1.0, 2.0)).tolist() == f([np.float64(1), 2]).tolist() == [2, 4]
    assert f([[1.0], [2.0]]).shape == (2, 1)
    assert pv.compile(lambda x: x[0] + pv.sum(x[1]))([np.array([1.0, 2.0]), [3.0, 4.0]]).tolist() == [8, 9]


def test_results_are_dicts_and_named_tuples_too():
    @pv.compile
    def both(x):
        return {"twice": x * 2, "rest": (pv.sum(x), Model(x, {"b": x + 1}))}

    for _ in range(2):
        result = both([1.0, 2.0])
        assert list(result) == ["twice", "rest"] and result["twice"].tolist() == [2, 4]
        total, model = result["rest"]
        assert total.item() == 3 and isinstance(model, Model) and model.b["b"].tolist() == [2, 3]
    with pytest.raises(TypeError):
        pv.compile(lambda x: None)([1.0])
    x, nothing = pv.compile(lambda x: (x, None))([1.0])
    assert x.tolist() == [1] and nothing is None


def test_lists_of_results_have_the_form_of_arguments():
    """As in JAX: `jax.jit(lambda p: [(w - 1, b) for w, b in p])` returns a list of tuples."""
    step = pv.compile(lambda layers, by: [(w - by * 2, b + 1) for w, b in layers])
    layers = [(W, np.array([1.0])), (np.ones((2, 2)), np.array([0.0, 1.0]))]
    for _ in range(2):
        moved = step(layers, 0.5)
        assert type(moved) is list and [type(each) for each in moved] == [tuple, tuple]
        assert moved[0][0].tolist() == (W - 1).tolist() and moved[1][1].tolist() == [1, 2]
    assert [each[0].shape for each in step(step(layers, 0.5), 0.5)] == [(2,), (2, 2)]
    mixed = pv.compile(lambda x: {"a": [x, None, [1.0, 2.0]], "b": [[x[0], 3]]})([1.0, 5.0])
    assert mixed["a"][0].tolist() == [1, 5] and mixed["a"][1] is None and mixed["a"][2].tolist() == [1, 2]
    assert type(mixed["b"][0]) is list and [each.item() for each in mixed["b"][0]] == [1, 3]
    assert pv.compile(lambda x: [x])(2.0)[0].item() == 2


def test_a_list_of_numbers_among_results_is_an_array():
    for numbers in ([1.0, 2.0], [np.float64(1), 2], [[1.0], [2.0]], [(1, 2), (3, 4)], []):
        result = pv.compile(lambda x: numbers)(0.0)
        assert result.tolist() == np.array(numbers).tolist()


def test_values_that_are_lists_have_derivatives():
    value, by = pv.value_and_grad(lambda x: [pv.sum(x**2), x])(Y)
    assert type(value) is list and value[0].item() == 5 and value[1].tolist() == Y.tolist() and by.tolist() == (2 * Y).tolist()
    value, pull = pv.vjp(lambda x: [x * 2, (x, pv.sum(x))], Y)
    assert pull([np.ones(3), (np.ones(3), 1.0)])[0].tolist() == [4, 4, 4]
    with pytest.raises(pv.ArgumentError, match="cotangent has to be a list of 2"):
        pull(np.ones(3))
    value, tangent = pv.jvp(lambda x: [x * 2, x**2], (Y,), (np.ones(3),))
    assert type(tangent) is list and tangent[1].tolist() == (2 * Y).tolist()


@pytest.mark.parametrize("make", [dict, Model, lambda w, b: [w, b], lambda w, b: (w, b), lambda w, b: {"layers": [(w, b)], "none": None}])
def test_gradients_have_the_form_of_the_argument(make):
    def parts(p):
        if isinstance(p, dict):
            return (p["w"], p["b"]) if "w" in p else p["layers"][0]
        return p

    def of_tree(p, x, y):
        w, b = parts(p)
        return loss({"w": w, "b": b}, x, y)

    p = make(w=W, b=B)
    by = pv.grad(of_tree)(p, X, Y)
    assert type(by) is type(p)
    by_w, by_b = parts(by)
    np.testing.assert_allclose(np.asarray(by_w), BY_W, rtol=1e-12)
    np.testing.assert_allclose(np.asarray(by_b), BY_B, rtol=1e-12)
    value, again = pv.value_and_grad(of_tree)(p, X, y=Y)
    np.testing.assert_allclose(float(value), np.mean(R**2), rtol=1e-12)
    assert type(again) is type(p) and parts(again)[0].tolist() == by_w.tolist()
    within = pv.compile(lambda p, x, y: pv.sum(parts(pv.grad(of_tree)(p, x, y))[0]))(p, X, Y)
    np.testing.assert_allclose(float(within), BY_W.sum(), rtol=1e-12)


def test_argnums_with_trees():
    by_p, by_y = pv.grad(loss, argnums=(0, 2))({"w": W, "b": B}, X, Y)
    assert set(by_p) == {"w", "b"}
    np.testing.assert_allclose(np.asarray(by_y), -2 / 3 * R, rtol=1e-12)
    by_x = pv.grad(loss, 1)({"w": W, "b": B}, X, Y)
    np.testing.assert_allclose(np.asarray(by_x), 2 / 3 * np.outer(R, W), rtol=1e-12)


def test_jacobians_and_hessians_of_trees():
    jacobian = pv.jacobian(lambda p, x: x @ p["w"] + p["b"])({"w": W, "b": B}, X)
    np.testing.assert_allclose(np.asarray(jacobian["w"]), X, rtol=1e-12)
    assert jacobian["b"].tolist() == [1, 1, 1]
    hessian = pv.hessian(loss)({"w": W, "b": B}, X, Y)
    np.testing.assert_allclose(np.asarray(hessian["w"]["w"]), 2 / 3 * X.T @ X, rtol=1e-12)
    np.testing.assert_allclose(np.asarray(hessian["w"]["b"]), 2 / 3 * X.sum(axis=0), rtol=1e-12)
    np.testing.assert_allclose(np.asarray(hessian["b"]["w"]), 2 / 3 * X.sum(axis=0), rtol=1e-12)
    np.testing.assert_allclose(np.asarray(hessian["b"]["b"]), 2, rtol=1e-12)


def test_errors_name_the_leaf():
    for argument, name in [({"w": W, "b": 1}, r"0\['b'\]"), (Model([1, 2], B), r"0\.w"), ([W, {"b": 3}], r"0\[1\]\['b'\]")]:
        with pytest.raises(pv.DtypeError, match=f"grad: argument {name} is of type int64"):
            pv.grad(lambda p: 1.0 * 2)(argument)
    with pytest.raises(pv.ArgumentError, match="argnums has 1, and there are 1 arguments"):
        pv.grad(loss, argnums=1)(W, x=X, y=Y)
    for argument in ({}, None, {"a": None}):
        with pytest.raises(pv.ArgumentError, match="hessian: there is no array in argument 0"):
            pv.hessian(lambda p: 1.0)(argument)


def test_what_is_traced_prints_its_type_and_shape():
    texts = []

    def f(x, when):
        texts.extend([repr(x), str(x * 2), f"{x}", repr([x[0, 0]]), repr(when)])
        return x

    pv.compile(f)(np.ones((2, 3), "f4"), np.array(["2000-01-01"], "M8[s]"))
    symbol = "<symbol of float32, shape=(2, 3)>"
    assert texts == [symbol] * 3 + ["[<symbol of float32, shape=()>]", "<symbol of datetime64[s], shape=(1,)>"]
