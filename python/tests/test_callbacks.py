"""Readers and functions written in Python, and functions of C."""

import ctypes
import gc
import math
import sys
import weakref

import numpy as np
import pytest

import purview as pv


class Squares:
    def __init__(self, n):
        self.n = n
        self.calls = 0

    def __len__(self):
        return self.n

    def read(self, i):
        self.calls += 1
        return i * i


class Blocks(Squares):
    def read_block(self, begin, step, count):
        self.calls += 1
        return (np.arange(count) * step + begin) ** 2


@pytest.mark.parametrize("kind", [Squares, Blocks])
@pytest.mark.parametrize("dtype", ["int64", "float32", "float64", "uint8"])
def test_readers_are_leaves(kind, dtype):
    for n in (0, 1, 15, 20_000):
        want = (np.arange(n) ** 2).astype(dtype)
        reader = kind(n)
        t = pv.from_reader(reader, dtype)
        assert reader.calls == 0 and t.shape == (n,)
        assert np.array_equal(np.asarray(t), want)
        assert np.array_equal(np.asarray(t[::-3] + 1), want[::-3] + np.asarray(1, dtype))
        if n and dtype == "float64":
            assert pv.sum(t * 2).item() == (want * 2).sum()
    matrix = pv.from_reader(kind(12), "float64", (3, 4))
    assert np.array_equal(np.asarray(matrix.T), (np.arange(12.0) ** 2).reshape(3, 4).T)
    with pytest.raises(pv.ReadOnlyError):
        matrix[0, 0] = 1
    with pytest.raises(pv.ShapeError):
        pv.from_reader(kind(12), "float64", (5, 5))


def test_errors_of_readers_come_through():
    class Broken(Squares):
        def read(self, i):
            raise RuntimeError(f"no element {i}")

    class Short(Squares):
        def read_block(self, begin, step, count):
            return [1.0]

    with pytest.raises(RuntimeError, match="no element"):
        pv.from_reader(Broken(3), "float64").tolist()
    with pytest.raises(pv.ShapeError, match="read_block"):
        np.asarray(pv.from_reader(Short(20_000), "float64"))
    with pytest.raises(TypeError):
        pv.from_reader(object(), "float64")


def test_readers_are_kept_and_let_go():
    reader = Squares(5)
    before = sys.getrefcount(reader)
    t = pv.from_reader(reader, "int64") + 1
    assert sys.getrefcount(reader) > before
    assert t.tolist() == [1, 2, 5, 10, 17]
    del t
    gc.collect()
    assert sys.getrefcount(reader) == before


def test_functions_of_python():
    x = np.random.default_rng(1).random(10_000)
    t = pv.emap(lambda a: math.sin(a) + 1, pv.asarray(x))
    np.testing.assert_allclose(np.asarray(t), np.sin(x) + 1, rtol=1e-15)
    assert pv.emap(lambda a, b: a * 10 + b, [[1], [2]], [3, 4]).tolist() == [[13, 14], [23, 24]]
    assert pv.emap(lambda a, b, c: a if c else b, [1, 2], [3, 4], [0, 1]).tolist() == [3, 2]
    with pytest.raises(ZeroDivisionError):
        pv.emap(lambda a: 1 // a, [0, 1]).tolist()
    with pytest.raises(TypeError):
        pv.emap(3, [1])
    with pytest.raises(TypeError):
        pv.emap(lambda: 0)


def test_functions_of_c():
    library = ctypes.CDLL(None) if sys.platform != "linux" else ctypes.CDLL("libm.so.6")
    library.hypot.argtypes, library.hypot.restype = (ctypes.c_double, ctypes.c_double), ctypes.c_double
    x, y = np.random.default_rng(2).random((2, 100_000))
    np.testing.assert_allclose(np.asarray(pv.emap(library.hypot, x, y)), np.hypot(x, y), rtol=1e-15)
    library.sin.argtypes, library.sin.restype = (ctypes.c_double,), ctypes.c_double
    np.testing.assert_allclose(
        np.asarray(pv.emap(library.sin, x.astype("float32"))), np.sin(x.astype("float32").astype("float64")), rtol=1e-15
    )
    with pytest.raises(TypeError, match="for 1 arrays"):
        pv.emap(library.hypot, x)


def test_functions_of_numba():
    numba = pytest.importorskip("numba")
    twice = numba.cfunc("float64(float64)")(lambda a: 2 * a)
    assert pv.emap(twice, [1.0, 2.0]).tolist() == [2, 4]


X, V = np.array([0.5, -1.0, 2.0]), np.array([1.0, 2.0, -0.5])


def test_functions_with_derivatives():
    sine = pv.with_derivative(math.sin, pv.with_derivative(math.cos, lambda v: -math.sin(v)))
    assert sine(0.5) == math.sin(0.5)
    area = pv.with_derivative(lambda a, b: a * b, lambda a, b: b, lambda a, b: a)

    def total(a, b):
        return pv.sum(pv.emap(area, pv.emap(sine, a), b))

    value, (by_a, by_b) = pv.value_and_grad(total, (0, 1))(X, V)
    np.testing.assert_allclose(float(value), np.sin(X) @ V, rtol=1e-14)
    np.testing.assert_allclose(np.asarray(by_a), np.cos(X) * V, rtol=1e-14)
    np.testing.assert_allclose(np.asarray(by_b), np.sin(X), rtol=1e-14)
    second = pv.hessian(lambda x: pv.sum(pv.emap(sine, x)))(X)
    np.testing.assert_allclose(np.asarray(second), np.diag(-np.sin(X)), rtol=1e-14)
    with pytest.raises(pv.SymbolError):
        pv.grad(lambda x: pv.sum(pv.emap(math.sin, x)))(X)
    for function in (
        lambda: pv.with_derivative(math.sin),
        lambda: pv.with_derivative(math.sin, 3),
        lambda: pv.emap(area, X),
        lambda: pv.emap(sine, X, V),
    ):
        with pytest.raises(TypeError, match="derivative"):
            function()


def test_functions_of_c_with_derivatives():
    kind = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)
    square, twice = kind(lambda v: v * v), kind(lambda v: 2 * v)
    for derivative in (twice, lambda v: 2 * v):
        f = pv.with_derivative(square, derivative)
        np.testing.assert_allclose(np.asarray(pv.grad(lambda x: pv.sum(pv.emap(f, x)))(X)), 2 * X, rtol=1e-14)
    other = ctypes.CFUNCTYPE(ctypes.c_float, ctypes.c_float)(lambda v: v)
    with pytest.raises(TypeError, match="several types: float32, float64"):
        pv.emap(pv.with_derivative(square, other), X)


def test_functions_and_derivatives_in_cycles_are_collected():
    class Function:
        def __call__(self, v):
            return v * 2

    for place in range(4):
        function = Function()
        gone = weakref.ref(function)
        given = [lambda v: v + 0, lambda v: v + 1, lambda v: v + 2]
        if place < 3:
            given[place] = function
        else:
            given = [function] * 3
        array = function.array = pv.emap(pv.with_derivative(given[0], pv.with_derivative(*given[1:])), [1.0, 2.0])
        del function, given
        gc.collect()
        assert gone() is not None  # the array keeps it
        assert gone()(1) == 2 and len(array.tolist()) == 2
        del array
        gc.collect()
        assert gone() is None
