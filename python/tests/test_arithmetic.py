"""Operators and functions beside NumPy's, on random shapes, layouts and types."""

import operator
import warnings

import numpy as np
import pytest

import purview as pv

INTEGERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
FLOATS = "float32 float64".split()
COMPLEX = "complex64 complex128".split()


def random(shape, name, seed):
    rng = np.random.default_rng(seed)
    if name == "bool":
        return rng.random(shape) < 0.5
    if name in INTEGERS:
        info = np.iinfo(name)
        return rng.integers(max(info.min, -20), 20, shape).astype(name)
    x = rng.normal(size=shape) * 3
    if name in COMPLEX:
        x = x + 1j * rng.normal(size=shape)
    return x.astype(name)


def pairs(shape_seed=0):
    """Shapes that broadcast."""
    return [((), ()), ((5,), ()), ((3, 4), (4,)), ((3, 1), (1, 4)), ((0, 4), (4,)), ((2, 3, 4), (3, 1)), ((17,), (17,))]


def close(ours, want):
    ours = np.asarray(ours)
    want = np.asarray(want)
    assert ours.shape == want.shape and ours.dtype == want.dtype, (ours.dtype, want.dtype)
    if want.dtype.kind in "fc":
        eps = np.finfo(want.dtype).eps
        np.testing.assert_allclose(ours, want, rtol=16 * eps, atol=eps)
    else:
        np.testing.assert_array_equal(ours, want)


BINARY = {
    "add": INTEGERS + FLOATS + COMPLEX,
    "sub": INTEGERS + FLOATS + COMPLEX,
    "mul": INTEGERS + FLOATS + COMPLEX,
    "truediv": INTEGERS + FLOATS + COMPLEX,
    "floordiv": INTEGERS + FLOATS,
    "mod": INTEGERS + FLOATS,
    "and_": INTEGERS + ["bool"],
    "or_": INTEGERS + ["bool"],
    "xor": INTEGERS + ["bool"],
    "eq": INTEGERS + FLOATS + COMPLEX + ["bool"],
    "ne": INTEGERS + FLOATS + COMPLEX + ["bool"],
    "lt": INTEGERS + FLOATS,
    "le": INTEGERS + FLOATS,
    "gt": INTEGERS + FLOATS,
    "ge": INTEGERS + FLOATS,
}


@pytest.mark.parametrize("name, dtype", [(name, dtype) for name, types in BINARY.items() for dtype in types])
def test_operators(name, dtype):
    call = getattr(operator, name)
    for seed, (a, b) in enumerate(pairs()):
        x = random(a, dtype, seed)
        y = random(b, dtype, seed + 100)
        if name in ("truediv", "floordiv", "mod"):
            y = np.where(y == 0, np.ones((), dtype), y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            want = call(x, y)
        if name == "truediv" and dtype in INTEGERS:
            want = want.astype("float64")
        close(call(pv.asarray(x), pv.asarray(y)), want)
        close(call(pv.asarray(x), y), want)
    # NumPy's array on the left, and views.
    x = random((4, 6), dtype, 7)[::-1, ::2]
    y = np.where(random((3,), dtype, 8) == 0, np.ones((), dtype), random((3,), dtype, 8))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = call(x, y)
    close(call(pv.asarray(x), pv.asarray(y)), want.astype("float64") if name == "truediv" and dtype in INTEGERS else want)


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS + COMPLEX)
@pytest.mark.parametrize("number", [2, 3.5, -1, 1j])
def test_numbers_are_weak(dtype, number):
    x = random((3, 4), dtype, 1)
    if dtype.startswith("uint") and number == -1:
        with pytest.raises(OverflowError):
            pv.asarray(x) + number
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = x * number
    if dtype in INTEGERS and isinstance(number, float):
        want = want.astype("float64")
    close(pv.asarray(x) * number, want if not (dtype in INTEGERS and number == 1j) else want.astype("complex128"))
    close(number * pv.asarray(x), want if not (dtype in INTEGERS and number == 1j) else want.astype("complex128"))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_powers(dtype):
    x = random((20,), dtype, 3)
    y = np.abs(random((20,), dtype, 4)) % 5
    close(pv.asarray(x) ** pv.asarray(y), x**y)
    close(pv.asarray(x) ** 2, x**2)
    close(2 ** pv.asarray(y), np.asarray(2, dtype) ** y)
    if not dtype.startswith("u"):
        with pytest.raises(pv.ArithmeticError):
            (pv.asarray(x) ** -1).tolist()


UNARY = "sqrt exp expm1 log log2 log10 log1p sin cos tan sinh cosh tanh floor ceil trunc round square abs negative sign".split()


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("dtype", FLOATS + ["complex64", "complex128"])
def test_functions(name, dtype):
    if dtype in COMPLEX and name in ("floor", "ceil", "trunc", "round", "sign", "cbrt"):
        return
    x = random((3, 7), dtype, 5)
    if name.startswith("log") and dtype in FLOATS or name == "sqrt" and dtype in FLOATS:
        x = np.abs(x) + np.asarray(0.1, dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = getattr(np, name)(x)
    ours = np.asarray(getattr(pv, name)(pv.asarray(x)))
    assert ours.dtype == want.dtype
    np.testing.assert_allclose(ours, want, rtol=100 * np.finfo(want.dtype).eps, atol=10 * np.finfo(want.dtype).eps)


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_reductions(dtype):
    for shape in [(5,), (3, 4), (2, 3, 4)]:
        x = random(shape, dtype, 11)
        t = pv.asarray(x)
        for axis in [None, 0, -1, tuple(range(len(shape)))]:
            for keepdims in (False, True):
                options = {"axis": axis, "keepdims": keepdims}
                for name in "sum prod min max mean any all".split():
                    want = np.asarray(getattr(np, name)(x, **options))
                    ours = np.asarray(getattr(pv, name)(t, **options))
                    assert ours.shape == want.shape
                    np.testing.assert_allclose(ours, want, rtol=1e-5)
                np.testing.assert_allclose(np.asarray(pv.std(t, correction=1, **options)), np.std(x, ddof=1, **options), rtol=1e-4)
                if not isinstance(axis, tuple):
                    np.testing.assert_array_equal(np.asarray(pv.argmax(t, **options)), np.argmax(x, **options))


def test_empty_reductions():
    t = pv.zeros((0, 3))
    assert pv.sum(t, axis=0).tolist() == [0, 0, 0] and pv.prod(t).item() == 1 and not pv.any(t).item()


def test_lazy_sees_later_writes():
    x = pv.asarray([1.0, 2.0])
    y = x * 2
    x[0] = 5
    assert y.tolist() == [10, 4]
    z = y.realise()
    x[0] = 0
    assert z.tolist() == [10, 4]


def test_in_place_keeps_the_type():
    x = pv.asarray([1, 2, 3])
    with pytest.raises(TypeError):
        x += 0.5
    x += 1
    assert x.tolist() == [2, 3, 4] and x.dtype == pv.int64
    x //= 2
    assert x.tolist() == [1, 1, 2]
