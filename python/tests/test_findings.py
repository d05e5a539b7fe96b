"""What a fresh user found: each beside NumPy."""

import itertools
import warnings

import numpy as np
import pytest

import purview as pv


def same(ours, want):
    np.testing.assert_array_equal(np.asarray(ours), want)
    assert np.asarray(ours).dtype == want.dtype


def test_fmod_of_the_least_integers():
    for x, y in ((np.int8([-128, -128, 127]), np.int8([3, -128, -128])), (np.array([1, -5]), np.array([-(2**63), 3])), ([-5.5], [2.0])):
        same(pv.fmod(x, y), np.fmod(x, y))
    same(pv.fmod(np.uint8([7]), np.uint8([4])), np.fmod(np.uint8([7]), np.uint8([4])))
    same(pv.fmod([True], [True]), np.fmod([True], [True]))


def test_floor_division_is_numpys_but_of_infinities():
    values = np.array([0.0, -0.0, 1.0, -1.0, 5.5, -5.5, 1e-300, np.inf, -np.inf, np.nan])
    x, y = map(np.array, zip(*itertools.product(values, values)))
    finite = np.isfinite(x) & np.isfinite(y) & (y != 0)
    for dtype in ("float64", "float32"):
        a, b = x[finite].astype(dtype), y[finite].astype(dtype)
        with np.errstate(all="ignore"):
            want = a // b
        ours = np.asarray(pv.asarray(a) // b)
        same(ours, want)
        number = ~np.isnan(want)
        assert np.array_equal(np.signbit(ours)[number], np.signbit(want)[number])
    # What array-api-tests want.
    assert str(pv.asarray([1.0, -1.0, np.inf]) // [-np.inf, np.inf, 2.0]) == "[-0. -0. inf]"


def test_medians_of_infinities():
    inf, nan = np.inf, np.nan
    for x in ([1.0, inf], [-inf, 1.0], [-inf, inf], [inf, inf], [1.0, nan], [[1.0, inf], [2.0, nan]], [[-inf, 3.0], [1.0, 2.0]]):
        for dtype in ("float64", "float32"):
            a = np.array(x, dtype)
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                for axis in (None, -1, 0):
                    same(pv.median(a, axis), np.median(a, axis))
                    same(pv.nanmedian(a, axis), np.nanmedian(a, axis))
    assert pv.median(np.float16([1, inf])).item() == inf and np.sum(pv.ones(2), initial=np._NoValue).item() == 2


def test_bounds():
    with pytest.raises(ValueError, match=r"index 9 is out of range for an array of shape \(2, 3\)"):
        pv.unravel_index([9], (2, 3))
    with pytest.raises(ValueError, match="index 5 is out of range for axis 0 of size 3"):
        pv.ravel_multi_index(([5], [2]), (3, 4))
    with pytest.raises(ValueError, match="-1"):
        pv.repeat([1], -1)
    with pytest.raises(TypeError, match="2.5"):
        pv.round([1.0], 2.5)
    for function in (pv.sort, pv.argsort):
        with pytest.raises(ValueError, match="nonsense"):
            function([2, 1], kind="nonsense")
    assert pv.round([1.25], np.int64(1)).tolist() == [1.2] and pv.sort([2, 1], kind="stable").tolist() == [1, 2]
    assert [x.item() for x in pv.unravel_index(5, (2, 3))] == [1, 2] and pv.ravel_multi_index((1, 2), (2, 3)).item() == 5


X = np.array([[1.0, -2.0, 3.5], [4.0, 0.0, -6.0]])
MASK = np.array([[True, False, True], [False, True, True]])


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "uint8", "bool", "complex128"])
def test_where_and_initial_of_reductions(dtype):
    a = np.abs(X).astype(dtype)
    t = pv.asarray(a)
    for name in "sum prod min max mean any all std var".split():
        if name in ("min", "max") and dtype == "complex128":
            continue
        ours, want = getattr(pv, name), getattr(np, name)
        for axis in (None, 0, 1):
            for mask in (MASK, MASK[0]):
                extra = {"initial": a.dtype.type(1)} if name in ("min", "max") else {}
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    right = want(a, axis=axis, where=mask, **extra)
                found = ours(t, axis=axis, where=mask, **extra)
                np.testing.assert_allclose(np.asarray(found), right, rtol=1e-6)
                assert np.asarray(found).dtype == right.dtype
                np.testing.assert_allclose(np.asarray(want(t, axis=axis, where=mask, **extra)), right, rtol=1e-6)
            if name in ("sum", "prod", "min", "max") and not (name in ("min", "max") and dtype == "bool"):
                same(ours(t, axis, initial=3), want(a, axis, initial=3))
                same(getattr(t, name)(axis, initial=3, keepdims=True), want(a, axis, initial=3, keepdims=True))


def test_what_where_and_initial_cannot_do():
    assert pv.min(np.ones((0, 2)), 0, initial=4).tolist() == [4, 4] and pv.max(np.ones(0), initial=4).item() == 4
    assert np.add.reduce(pv.asarray([1, 2]), initial=5).item() == 8
    assert np.isnan(pv.mean([1.0], where=[False]).item()) and pv.sum([1.0, np.nan], where=[True, True], nan="skip").item() == 1
    with pytest.raises(ValueError, match="initial="):
        pv.min([1], where=[True])
    with pytest.raises(TypeError, match="bools"):
        pv.sum([1], where=[1])
    i = pv.dims()
    with pytest.raises(TypeError, match="dims"):
        pv.sum(pv.ones(3)[i], i, initial=1)


def test_keywords_of_numpy():
    t = pv.asarray(X)
    for call in (
        "f.sum(x, 0, np.float32)",
        "f.mean(x, 0, np.float32)",
        "f.std(x, 0, None)",
        "f.var(x, 1, np.float32)",
        "f.isin(x, [1, 4], invert=True)",
        "f.concatenate([x, x], dtype=np.float32)",
        "f.average(x, 0, [1.0, 3.0], returned=True)",
        "f.average(x, returned=True)",
        "f.take(x, [7, -1], 1, mode='clip')",
        "f.take(x, [7, -8], mode='wrap')",
        "f.reshape(x, (3, 2), order='C')",
        "f.ravel(x, order='C')",
        "f.copy(x, order='C')",
        "x.flatten(order='C')",
        "x.copy('C')",
        "x.ravel('C')",
        "x.reshape(3, 2, order='C')",
        "f.einsum('ij,kj->ik', x, x, optimize=True)",
        "f.diff(x, prepend=0)",
        "f.diff(x, axis=0, append=1.0, prepend=[[0, 0, 0]])",
    ):
        want = eval(call, {"f": np, "np": np, "x": X})
        for module in (np, pv):
            found = eval(call, {"f": module, "np": np, "x": t})
            for each, right in zip(*((found, want) if isinstance(want, tuple) else ((found,), (want,)))):
                assert isinstance(each, pv.Array)
                np.testing.assert_allclose(np.asarray(each), right, rtol=1e-6)
                assert np.asarray(each).dtype == right.dtype, call
    values, step = pv.linspace(0, 1, 5, retstep=True)
    assert values.tolist() == np.linspace(0, 1, 5).tolist() and step == 0.25
    assert pv.asarray(X, order="C").shape == X.shape
    for call in (lambda: pv.asarray(X, order="F"), lambda: t.copy("F"), lambda: pv.ravel(t, "F"), lambda: t.reshape(3, 2, order="F")):
        with pytest.raises(ValueError, match="row-major, not 'F'"):
            call()


def test_times_that_are_missing():
    d = np.array(["2024-01-31", "NaT", "2023-05-03"], "M8[D]")
    t = pv.asarray(d)
    for function in (pv.month_start, pv.year_start, pv.week_start, lambda x: pv.plus_months(x, 1), lambda x: pv.ceil_time(x, "M")):
        found = np.asarray(function(t))
        assert np.isnat(found).tolist() == [False, True, False] and found[0] == np.asarray(function(t[:1]))[0]
    assert pv.plus_months(t[:1], [1, 2]).tolist() == pv.asarray(["2024-02-29", "2024-03-31"]).astype("M8[D]").tolist()
    for function in (pv.month_of, pv.day_of_week, pv.hour_of):
        with pytest.raises(pv.CastError, match=r"NaT has no fields: where\(isnat\(x\), another, x\) first"):
            function(t).realise()
        assert function(pv.where(pv.isnat(t), t[0], t)).shape == (3,)
    for name in ("argmin", "argmax"):
        for x in (d, d[:1], d[::2], d[::2] - d[0], np.array([d, d[[0, 2, 2]]])):
            for axis in (None, -1):
                same(getattr(pv, name)(x, axis), getattr(np, name)(x, axis))


def test_times_of_several_units():
    days, hours = np.array(["2024-01-01", "NaT"], "M8[D]"), np.array(["2024-01-01T05"], "M8[h]")
    same(pv.concat([days, hours]), np.concatenate([days, hours]))
    same(pv.stack([days[:1], hours]), np.stack([days[:1], hours]))
    same(pv.concat([days - days[0], hours - hours]), np.concatenate([days - days[0], hours - hours]))
    with pytest.raises(pv.DtypeError):
        pv.concat([days, days - days])
    keys = np.array(["2024-01-01", "2024-01-02", "2024-01-04"], "M8[D]")
    for width in (np.timedelta64(2, "D"), np.timedelta64(48, "h")):
        assert pv.variable_rolling_window([1, 2, 4], keys, width, "sum").tolist() == [1, 3, 4]
    assert pv.variable_rolling_window([1, 2, 4], keys, np.timedelta64(25, "h"), "sum").tolist() == [1, 3, 4]
    with pytest.raises(TypeError, match="timedelta64"):
        pv.variable_rolling_window([1, 2, 4], keys, 2, "sum")
