"""Distances, products, comparisons and paddings beside NumPy."""

import math

import numpy as np
import pytest
from samples import TYPES, arrays, axes, same, values, views, with_nan

import purview as pv


def test_distances():
    for dtype in TYPES:
        for x, y in zip(views(values((5, 4), dtype)), views(values((5, 4), dtype, 1))):
            apart = x.astype("float64") - y.astype("float64")
            for axis in axes(x):
                same(pv.distance(x, y, axis=axis), np.sqrt((apart**2).sum(axis=axis)), dtype="float32" if dtype == "float32" else "float64")
                want = (apart**2).sum(axis=axis, keepdims=True)
                same(pv.distance_squared(x, y, axis=axis, keepdims=True), want, dtype="float32" if dtype == "float32" else "float64")
    same(pv.distance(values((5, 4)), values((4,)), axis=1), np.linalg.norm(values((5, 4)) - values((4,)), axis=1))
    same(pv.distance(np.float32(1), np.array(3)), 2.0)
    assert float(pv.distance([], [])) == 0 and float(pv.distance([np.nan, 3], [0, 0], nan="skip")) == 3
    with pytest.raises(pv.ShapeError):
        pv.distance([1.0, 2], [1.0, 2, 3])
    with pytest.raises(pv.ArithmeticError):
        pv.distance([np.nan], [1.0], nan="raise")
    with pytest.raises(pv.DtypeError):
        pv.distance([1j], [1.0])


@pytest.mark.parametrize("dtype", [*TYPES, "complex128"])
def test_products(dtype):
    real = "float64" if dtype == "complex128" else dtype
    for x, y in zip(views(values((6,), real)), views(values((6,), real, 1))):
        if dtype == "complex128":
            x, y = x + 1j, y - 2j
        if x.ndim == 1 and dtype != "bool":
            want = np.dot(x.astype("int64") if x.dtype.kind in "iu" else x, y)
            same(pv.dot(x, y), want, dtype="int64" if x.dtype.kind == "i" else "uint64" if x.dtype.kind == "u" else x.dtype)
        if dtype != "bool":
            same(pv.outer(x, y), np.outer(x, y))
            same(pv.kron(x, y), np.kron(x, y))
            same(pv.kron(x, np.stack([y, y])), np.kron(x, np.stack([y, y])))
    assert int(pv.dot([True, True, False], [True, True, True])) == 2
    assert pv.outer([1, 2], []).shape == (2, 0) and pv.kron([], [1, 2]).shape == (0,) and float(pv.kron(2.0, 3.0)) == 6
    for x, y in [([1.0], [1.0, 2]), ([[1.0]], [1.0, 2])]:
        with pytest.raises(pv.ShapeError):
            pv.dot(x, y)


def test_normalize_and_softmax():
    for x in arrays():
        if x.dtype != "bool":
            same(pv.normalize(x), x / np.sqrt((x.astype("float64") ** 2).sum()), dtype=x.dtype if x.dtype == "float32" else "float64")
        for axis in range(x.ndim):
            e = np.exp(x.astype("float64") - x.max(axis=axis, keepdims=True).astype("float64"))
            want = e / e.sum(axis=axis, keepdims=True)
            same(pv.softmax(x, axis=axis), want, dtype=x.dtype if x.dtype == "float32" else "float64")
    assert math.isnan(pv.normalize([0.0, 0.0]).tolist()[0]) and pv.normalize([]).shape == (0,)
    assert pv.softmax([[1000.0, 1000.0]], axis=(0, 1)).tolist() == [[0.5, 0.5]]
    with pytest.raises(pv.DtypeError):
        pv.normalize([1j])
    with pytest.raises(pv.IndexError):
        pv.softmax([1.0], axis=1)


def test_equals():
    for x in arrays():
        y = x.copy()
        assert pv.equals(x, y) is True and pv.equals(x, y, 0.0) is True
        y[(0,) * y.ndim] = not y[(0,) * y.ndim] if x.dtype == "bool" else y[(0,) * y.ndim] + 1
        assert pv.equals(x, y) is False and pv.equals(x, y, 1.001) is True and pv.equals(x, y, 0.5) is False
        assert pv.equals(x, x[None]) is False
    assert pv.equals([1, 2], [1.0, 2.0]) and pv.equals([], []) and not pv.equals([np.nan], [np.nan])
    assert pv.equals([1j], [1j]) and not pv.equals([1j], [1.0])
    with pytest.raises(TypeError):
        pv.equals([1.0], ["text"])
    with pytest.raises(TypeError):
        pv.equals([1.0], object())
    assert pv.equals([1.0], "text") is False


def test_close():
    x = values((5, 4))
    noise = [0, 1e-9, 1e-6, 1e-3]
    for view in views(x):
        for size in noise:
            y = view * (1 + size)
            for options in [{}, {"rtol": 1e-4}, {"atol": 1e-2}, {"rtol": 0, "atol": 0}]:
                want = np.isclose(view, y, rtol=options.get("rtol", 1e-5), atol=options.get("atol", 1e-8))
                same(pv.isclose(view, y, **options), want)
                assert pv.allclose(view, y, **options) is bool(want.all())
    special = np.array([np.nan, np.inf, -np.inf, 0.0])
    for equal in [False, True]:
        want = np.isclose(special[:, None], special, equal_nan=equal)
        same(pv.isclose(special[:, None], special, equal_nan=equal), want)
        assert pv.allclose(special, special, equal_nan=equal) is equal
    same(pv.isclose([1, 2], 2), [False, True])
    assert pv.allclose([], 1) and pv.allclose(1.0, 1.0) and pv.allclose([1j], [1j + 1e-9]) and not pv.allclose([1j], [1])
    same(pv.isclose(np.float32(1), np.full(3, 1 + 1e-6, "float32")), [True] * 3)
    with pytest.raises(pv.ShapeError):
        pv.allclose([1, 2], [1, 2, 3])


def test_nan_to_num():
    for dtype in ["float64", "float32"]:
        for x in views(with_nan((5, 4), dtype)):
            x = x.copy()
            x.flat[:2] = [np.inf, -np.inf]
            same(pv.nan_to_num(x), np.nan_to_num(x), rtol=0)
            want = np.nan_to_num(x, nan=1, posinf=7, neginf=-7)
            same(pv.nan_to_num(x, nan=1, posinf=7, neginf=-7), want)
    same(pv.nan_to_num([1, 2]), [1, 2])
    assert pv.nan_to_num(np.array(np.nan)).tolist() == 0


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric", "wrap"])
def test_pad(mode):
    for x in arrays(types=[*TYPES, "complex128", "float16"] if mode == "constant" else TYPES, shapes=[(7,), (5, 4), (3, 2, 6)]):
        for width in [0, 1, (1, 0), *([[(2, 1)] + [(0, 1)] * (x.ndim - 1)] if x.shape[0] > 2 else [])]:
            same(pv.pad(x, width, mode), np.pad(x, width, mode))
    same(pv.pad([1, 2], 1, constant_values=5), [5, 1, 2, 5])
    same(pv.pad([1.0, 2], (1, 0), constant_values=np.float32(2.5)), [2.5, 1, 2])
    same(pv.pad(np.arange(5), -1), [1, 2, 3])
    assert pv.pad(np.zeros((0,)), 2).tolist() == [0, 0, 0, 0] and float(pv.pad(3.0, 1, mode)) == 3


def test_bad_pads():
    for call, error in {
        "([1, 2], 1, 'mirror')": ValueError,
        "([1, 2], [(1, 1), (1, 1)])": pv.ShapeError,
        "([1, 2], (1, 2, 3))": ValueError,
        "([1, 2], -2)": pv.ShapeError,
        "([], 1, 'edge')": pv.ShapeError,
        "(np.zeros(2, 'uint8'), 1, constant_values=-1)": pv.CastError,
        "([1, 2], 1, constant_values='x')": TypeError,
        "([1, 2], 1, constant_values=[1, 2])": TypeError,
    }.items():
        with pytest.raises(error):
            eval("pv.pad" + call, {"pv": pv, "np": np})


def test_turns_and_diagonals():
    for x in arrays(shapes=[(5, 4), (3, 1, 6), (2, 3, 4, 5)]):
        for turns in range(-2, 5):
            same(pv.rot90(x, turns), np.rot90(x, turns))
            same(pv.rot90(x, turns, (-1, 0)), np.rot90(x, turns, (-1, 0)))
        if x.ndim == 2:
            for offset in range(-3, 4):
                same(pv.diag(x, offset), np.diag(x, offset))
                same(pv.diag(x[0], offset), np.diag(x[0], offset))
    t = pv.asarray(np.zeros((2, 3)))
    pv.rot90(t)[0, 0] = 5
    assert t.tolist() == [[0, 0, 5], [0, 0, 0]]
    for axes in [(0, 0), (0, 2)]:
        with pytest.raises(pv.IndexError):
            pv.rot90(t, axes=axes)
    for call in ["pv.rot90(t, 1, (0, 1, 2))", "pv.diag(pv.zeros((2, 2, 2)))"]:
        with pytest.raises(pv.ShapeError):
            eval(call, {"pv": pv, "t": t})
