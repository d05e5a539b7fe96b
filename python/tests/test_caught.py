"""Where users of NumPy were caught: elements are values, types of NumPy's numbers, integers and bools of all kinds, results that may be written."""

import random

import numpy as np
import pytest

import purview as pv

NUMBERS = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
TIMES = ["datetime64[s]", "datetime64[ns]", "timedelta64[ms]"]


def samples():
    """Arrays [4] of every type."""
    for name in NUMBERS:
        yield pv.asarray(np.array([1, 0, 1, 1] if name == "bool" else [3, 1, 4, 2], name))
    for name in TIMES:
        yield pv.asarray(np.array([3, 1, 4, 2], "int64").astype(name))
    yield pv.asarray(["c", "a", "d", "b"])


# NumPy: t[0] is a scalar.


@pytest.mark.parametrize("t", list(samples()), ids=lambda t: t.dtype.name)
def test_an_element_is_a_value_of_its_own(t):
    want = t.tolist()
    first, second = t[0], t[np.int64(1)]
    assert type(first) is pv.Array and first.shape == () and first.dtype == t.dtype
    t[0], t[1] = t[1], t[0]
    assert t.tolist() == [want[1], want[0], *want[2:]]
    assert (first.tolist(), second.tolist()) == (want[0], want[1])
    each = list(t)
    t[:] = t[::-1].copy()
    assert [x.item() for x in each] == [want[1], want[0], *want[2:]]
    grid = pv.reshape(t, (2, 2))
    held = [grid[1, 1], grid[(1, 1)], grid[1][1], grid[-1, -1], grid[np.int8(1), np.array(1)], grid[pv.asarray(1), 1], pv.reshape(t[:1], ())[()]]
    before = [x.item() for x in held]
    t[:] = t[0]
    assert [x.item() for x in held] == before


def test_shuffle_of_the_standard_library():
    t = pv.arange(100)
    random.Random(1).shuffle(t)
    assert sorted(t.tolist()) == list(range(100)) and t.tolist() != list(range(100))


def test_operators_in_place_of_an_element_write_nothing_else():
    for dtype in ("int32", "float32", "float64", "complex64"):
        a = np.array([1, 2, 3], dtype)
        t = pv.asarray(a.copy())
        s, u = t[0], a[0]
        alias = s
        s += t[1]
        u += a[1]
        s *= 3
        u *= 3
        assert s.item() == u and s.dtype == u.dtype and t.tolist() == a.tolist() and alias.item() == 1
        for i, x in enumerate(t):
            x -= 1
        assert t.tolist() == a.tolist()
        t[0] += 10
        assert t[0].item() == 11
    m = pv.zeros((2, 2))
    m[0, 1] += 5
    m[0][1] += 5
    assert m.tolist() == [[0, 10], [0, 0]]


def test_with_an_ellipsis_or_a_new_axis_it_stays_a_view():
    t = pv.arange(6.0).reshape(2, 3)
    for view in (t[0, 1, ...], t[..., 0, 1], t[0, 1, None], t[0, 1:2]):
        view[...] = 7
        assert t[0, 1].item() == 7
        t[0, 1] = 1
    with pytest.raises(pv.ReadOnlyError):
        t[0, 1][...] = 3  # would be lost
    for part in pv.unstack(t[0]):
        part[...] = 9
    assert t[0].tolist() == [9, 9, 9]


def test_elements_of_expressions_and_sparse_arrays_are_values():
    t = pv.arange(4.0)
    e = t * 2
    first, (_, second, *_rest) = e[0], e
    t[:] = 100
    assert (first.item(), second.item()) == (0, 2)
    s = pv.sparse_tensor((5,), [1, 3], [2.0, 4.0])
    assert [x.item() for x in s] == [0, 2, 0, 4, 0] and s[3].item() == 4 and not s[3].is_sparse
    z = pv.sparse_tensor((2, 2), [1], [2.0 + 1j])
    assert z[0, 1].item() == 2 + 1j


def test_elements_of_arrays_with_dims_are_values():
    t = pv.arange(6.0)
    i = pv.Dim("i")
    element = t[i].index(i, 2)
    t[2] = 50
    assert element.item() == 2
    k = pv.Dim("k")
    row = t.reshape(2, 3)[k][np.int64(1)]  # over k, a view
    assert row.order(k).tolist() == [1, 4]


def test_sums_over_elements_are_numbers_and_no_expressions():
    t = pv.ones(200_000)
    total = 0
    for x in t:
        total += x
    again = t[0]
    for x in t[1:]:
        again = again + x
    assert total.item() == again.item() == sum(t).item() == 200_000


def test_elements_take_part_in_protocols():
    t = pv.asarray(np.arange(4, dtype="float32"))
    s = t[2]
    assert np.asarray(s) == 2 and np.asarray(s).shape == () and np.asarray(s).dtype == "float32"
    assert float(s) == 2 and int(s) == 2 and f"{s:.1f}" == "2.0" and memoryview(s).tolist() == 2
    assert pv.asarray(np.from_dlpack(s)).item() == 2 and s.reshape(1).tolist() == [2] and hash(s.item()) == hash(2.0)
    assert not np.shares_memory(np.asarray(s), np.asarray(t))
    assert (t[pv.asarray([0, 1])[1]]).item() == 1 and pv.stack([t[1], t[2]]).tolist() == [1, 2]


# NumPy: dtype= of ufuncs.

TWO = "add subtract multiply divide true_divide floor_divide remainder power maximum minimum hypot arctan2 fmod logaddexp copysign".split()


def same(ours, numpys):
    assert ours.dtype == numpys.dtype, (ours.dtype, numpys.dtype)
    np.testing.assert_allclose(np.asarray(ours), numpys, **({"rtol": 1e-6, "atol": 1e-6} if numpys.dtype in ("f2", "f4", "c8") else {"rtol": 1e-12}))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TWO + ["sqrt", "exp", "square", "negative", "absolute", "left_shift", "bitwise_and", "sign"])
def test_dtype_of_a_ufunc_is_what_it_computes_in(name):
    ufunc = getattr(np, name)
    for of in ("int8", "uint8", "int32", "int64", "float32", "float64"):
        a, b = np.array([100, 50, 3], of), np.array([5, 100, 2], of)
        for dtype in ("int16", "int64", "float32", "float64", "complex128"):
            for rest in ((b,), (3,), (2.5,)) if ufunc.nin == 2 else ((),):
                for casting in ("same_kind", "unsafe"):
                    ours = tuple(pv.asarray(x) if isinstance(x, np.ndarray) else x for x in (a, *rest))
                    if name in ("sign", "maximum", "minimum") and dtype == "complex128":
                        continue
                    try:
                        want = ufunc(a, *rest, dtype=dtype, casting=casting)
                    except (TypeError, OverflowError, ValueError):
                        with pytest.raises((TypeError, OverflowError, ValueError, pv.DtypeError)):
                            ufunc(*ours, dtype=dtype, casting=casting).tolist()
                        continue
                    same(ufunc(*ours, dtype=dtype, casting=casting), want)
                    out = np.zeros(3, want.dtype)
                    assert ufunc(*ours, dtype=dtype, casting=casting, out=out) is out
                    same(out, want)


def test_dtype_of_multiply_does_not_wrap():
    big = np.full(3, 2**31 - 1, "i4")
    t = pv.asarray(big)
    assert np.multiply(t, t, dtype="i8").tolist() == np.multiply(big, big, dtype="i8").tolist()
    assert np.multiply(t, t, dtype=pv.int64).tolist() == [(2**31 - 1) ** 2] * 3
    out = pv.zeros(3, dtype="int64")
    assert np.multiply(t, big, dtype="i8", out=out) is out and out[0].item() == (2**31 - 1) ** 2
    assert np.add.reduce(t, dtype="f4").dtype == pv.float32 and np.multiply.reduce(t, dtype="f8").item() == float(2**31 - 1) ** 3
    f = pv.asarray(np.array([1e8, 1, -1e8], "f4"))
    assert np.add.reduce(f, dtype="f8").item() == 1 and np.add.accumulate(f, dtype="f8").tolist() == [1e8, 1e8 + 1, 1]
    assert np.maximum.reduce(t, dtype="f8").dtype == pv.float64


def test_out_where_and_casting_of_a_ufunc():
    a = np.array([1.5, 2.5, 3.5])
    t, mask = pv.asarray(a), [True, False, True]
    for make in (lambda x: x.copy(), lambda x: pv.asarray(x.copy())):
        out = make(np.full(3, 7.0))
        assert np.add(t, 1, out=out, where=mask) is out and out.tolist() == np.add(a, 1, out=np.full(3, 7.0), where=mask).tolist()
        with pytest.raises(TypeError):
            np.add(t, 1, out=make(np.zeros(3, "i8")))  # NumPy: same_kind
        out = make(np.zeros(3, "i8"))
        assert np.add(t, 1, out=out, casting="unsafe").tolist() == [2, 3, 4]
    with pytest.raises(TypeError, match="purview"):
        np.add(t, 1, where=mask)
    with pytest.raises(TypeError):
        np.add(t, t, dtype="i8")
    with pytest.raises(TypeError):
        np.add(t, pv.asarray([1, 2, 3]), casting="no")
    assert np.add(t, t, signature="ff->f").dtype == pv.float32


# NumPy: NEP 50.

SCALARS = [np.float64(0.1), np.complex128(0.1 + 1j), np.float32(0.1), np.complex64(2j), np.int8(3), np.uint8(3), np.int64(3), np.bool_(True)]
OPERATORS = "a + s|s + a|a - s|s - a|a * s|s * a|a / s|s / a|a // s|a % s|a ** s|s ** a|np.maximum(a, s)|np.minimum(s, a)|np.where(a > 1, a, s)|np.where(a > 1, s, a)".split("|")
OPERATORS += "np.add(a, s)|np.hypot(a, s)|np.arctan2(s, a)|np.clip(a, s, None)|np.fmax(a, s)|np.fmod(a, s)|np.copysign(a, s)|np.logaddexp(a, s)".split("|")
OPERATORS += "np.power(a, s)|np.float_power(a, s)|np.heaviside(a, s)|np.result_type(a, s)|a == s|a < s".split("|")


# What the library promotes by its own rule, whether arrays or numbers: integers beside floats have the type of these.
OWN_RULE = {(of, by) for of in ("float32", "complex64") for by in ("int32", "int64")}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("code", OPERATORS)
@pytest.mark.parametrize("of", ["float32", "float64", "complex64", "complex128", "int32", "int64"])
def test_numbers_of_numpy_have_their_type(code, of):
    a = np.array([1, 2, 3], of)
    for s in [*SCALARS, 3, 0.5]:
        by = getattr(getattr(s, "dtype", None), "name", "")
        is_complex = "complex" in of + by and any(each in code for each in ("<", ">", "imum", "clip", "fmax"))
        if is_complex or (of, by) in OWN_RULE or (by, of) in OWN_RULE or (by == "bool" and "result" in code) or (by == "" and "clip" in code):
            continue
        try:
            want = eval(code, {"np": np, "a": a, "s": s})
        except TypeError:
            continue
        if "result_type" in code:
            assert pv.result_type(pv.asarray(a), s) == want
        else:
            same(eval(code, {"np": np, "a": pv.asarray(a), "s": s}), want)


def test_float32_times_float64_of_numpy():
    a = np.array([0.1, 0.2], "f4")
    t = pv.asarray(a.copy())
    assert (t * np.float64(0.1)).tolist() == (a * np.float64(0.1)).tolist()
    assert (t * 0.1).dtype == pv.float32 and (t * np.complex128(1)).dtype == pv.complex128
    t *= np.float64(0.1)  # by the same-kind rule
    a *= np.float64(0.1)
    assert t.dtype == pv.float32 and t.tolist() == a.tolist()
    n = pv.asarray([1, 2])
    with pytest.raises(pv.DtypeError):
        n += np.float64(0.5)
    with pytest.raises(pv.DtypeError):
        t *= np.complex128(1j)
    assert pv.where(t > 0, t, np.float64(0)).dtype == pv.float64 and pv.maximum(t, np.float64(0)).dtype == pv.float64
    assert pv.clip(t, np.float64(0), 1).dtype == pv.float64 and pv.clip(t, 0.0, 1.0).dtype == pv.float32
    assert pv.clip(pv.asarray([0, 5]), np.array([0.5, 0.5]), 3).tolist() == [0.5, 3]
    i = pv.Dim("i")
    assert (t[i] * np.float64(2)).dtype == pv.float64 and (np.float64(2) * t[i]).dtype == pv.float64 and (t[i] * 2.0).dtype == pv.float32
    class Weak(float):
        pass
    assert (t * Weak(2)).dtype == pv.float32  # NumPy: a subclass of Python's own is weak
