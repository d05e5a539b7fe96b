"""Scans, order, gaps, filters, interpolation and searches beside NumPy, SciPy and loops."""

import math

import numpy as np
import pytest
from samples import TYPES, arrays, same, values, views, with_nan

import purview as pv

SCANS = {"cumsum": np.add, "cumprod": np.multiply, "cummin": np.minimum, "cummax": np.maximum}


@pytest.mark.parametrize("name", SCANS)
def test_scans(name):
    for x in arrays():
        if x.dtype == "bool" and name in ("cumsum", "cumprod"):
            x = x.astype("int64")
        wide = "uint64" if x.dtype == "uint8" else "int64" if x.dtype == "int32" else x.dtype
        given = x if x.dtype.kind == "f" or x.size < 10 or name != "cumprod" else np.minimum(x, 1)
        for axis in range(x.ndim):
            as_wide = given if name in ("cummin", "cummax") else given.astype(wide)
            want = SCANS[name].accumulate(as_wide.astype("float64") if x.dtype == "float32" else as_wide, axis=axis)
            same(getattr(pv, name)(given, axis=axis), want, dtype=given.dtype if name in ("cummin", "cummax") else wide, rtol=1e-9)
    f = getattr(pv, name)
    assert f([]).shape == (0,) and f(np.zeros((2, 0, 3)), 1).shape == (2, 0, 3)
    assert f(np.array(2.0)).tolist() == ([2] if name in ("cumsum", "cumprod") else 2)  # NumPy flattens
    with pytest.raises(pv.IndexError):
        f([1.0], axis=1)
    with pytest.raises(pv.ArithmeticError):
        f([1.0, np.nan], nan="raise")


def test_scans_of_nan():
    for x in views(with_nan((6, 9))):
        for axis in [0, 1]:
            same(pv.cumsum(x, axis=axis, nan="skip"), np.nancumsum(x, axis=axis))
            same(pv.cumprod(x, axis=axis, nan="skip"), np.nancumprod(x, axis=axis))
            same(pv.cumsum(x, axis=axis), np.cumsum(x, axis=axis))
            same(pv.cummin(x, axis=axis, nan="skip"), np.fmin.accumulate(x, axis=axis))
            same(pv.cummax(x, axis=axis, nan="skip"), np.fmax.accumulate(x, axis=axis))
            same(pv.cummax(x, axis=axis), np.maximum.accumulate(x, axis=axis))


def test_first_in_order():
    for x in arrays():
        for axis in range(x.ndim):
            least = np.argsort(x, axis=axis, kind="stable")
            greatest = np.argsort(-x.astype("float64"), axis=axis, kind="stable")
            for n in {0, 1, x.shape[axis] // 2, x.shape[axis]}:
                first = (slice(None),) * axis + (slice(n),)
                same(pv.arg_min_n(x, n, axis=axis), least[first])
                same(pv.arg_max_n(x, n, axis=axis), greatest[first])
                found = pv.topk(x, n, axis=axis)
                same(found.values, np.take_along_axis(x, greatest[first], axis))
                same(found.indexes, greatest[first])
    assert pv.arg_max_n([1.0, np.nan, 3], 3).tolist() == [2, 0, 1]
    for call in ["pv.arg_min_n([1.0], 2)", "pv.topk([1.0], -1)", "pv.arg_max_n([1.0], 1, axis=1)"]:
        with pytest.raises(pv.IndexError):
            eval(call, {"pv": pv})


def test_partitions():
    for x in arrays():
        for axis in range(x.ndim):
            n = x.shape[axis]
            for kth in {0, n // 2, n - 1, -1}:
                for descending in [False, True]:
                    places = np.moveaxis(np.asarray(pv.argpartition(x, kth, axis=axis, descending=descending)), axis, -1)
                    lanes = np.moveaxis(x, axis, -1).astype("float64") * (-1 if descending else 1)
                    assert np.array_equal(np.sort(places), np.broadcast_to(np.arange(n), places.shape))
                    parts = np.take_along_axis(lanes, places, -1)
                    at = parts[..., kth % n : kth % n + 1]
                    assert np.array_equal(at, np.sort(lanes)[..., kth % n : kth % n + 1])
                    assert (parts[..., : kth % n] <= at).all() and (parts[..., kth % n :] >= at).all()
    for kth in [3, -4]:
        with pytest.raises(pv.IndexError):
            pv.argpartition([1, 2, 3], kth)


def filled(lane, gaps, backward):
    if backward:
        return filled(lane[::-1], gaps[::-1], False)[::-1]
    out = lane.copy()
    for i in range(1, len(out)):
        if gaps[i] and (not gaps[:i].all()):
            out[i] = out[i - 1]
    return out


@pytest.mark.parametrize("name", ["forward_fill", "backward_fill"])
def test_gaps(name):
    f, backward = getattr(pv, name), name == "backward_fill"
    for dtype in ["float64", "float32"]:
        for x in views(with_nan((6, 9), dtype, 0.5)):
            for axis in range(x.ndim):
                want = np.apply_along_axis(lambda lane: filled(lane, np.isnan(lane), backward), axis, x)
                same(f(x, axis=axis), want)
    for dtype in TYPES:
        for x, mask in zip(views(values((6, 9), dtype)), views(values((6, 9), "bool"))):
            lanes, gaps = np.moveaxis(x, 0, -1), np.moveaxis(mask, 0, -1)
            want = np.empty(lanes.shape, x.dtype)
            for i in np.ndindex(lanes.shape[:-1]):
                want[i] = filled(lanes[i], gaps[i], backward)
            same(f(x, mask, axis=0), np.moveaxis(want, -1, 0))
    assert f([]).shape == (0,) and math.isnan(f(np.array(np.nan)).tolist())
    with pytest.raises(pv.ShapeError):
        f([1.0, 2], [True])
    with pytest.raises(pv.DtypeError):
        f([1.0, 2], [1, 0])
    with pytest.raises(pv.IndexError):
        f([1.0], axis=1)


def test_filled_ranges():
    found = pv.fill_range([1.0, 2, 5, 4], 1.5)
    same(found.values, [1, 2, 3.5, 5, 4.0])
    same(found.added, [2])
    x = np.sort(values((40,)))
    found = pv.fill_range(x[::-1][::-1], 0.1)
    steps = np.diff(np.asarray(found.values))
    assert steps.max() <= 0.1 + 1e-12 and np.array_equal(np.delete(np.asarray(found.values), np.asarray(found.added)), x)
    for call, error in {"([1.0], 0.0)": pv.Error, "([[1.0]], 1.0)": pv.ShapeError}.items():
        with pytest.raises(error):
            eval("pv.fill_range" + call, {"pv": pv})


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_convolutions(mode):
    for x in arrays(types=["float64", "float32", "int64", "int32"]):
        for k in [1, 2, 3, 5]:
            taps = values((k,), str(x.dtype), 7)
            for axis in range(x.ndim):
                if x.shape[axis] < k and mode != "full":
                    continue
                wide = x.astype("int64") if x.dtype == "int32" else x
                want = np.apply_along_axis(lambda lane: np.convolve(lane, taps, mode), axis, wide)
                same(pv.convolve1d(x, taps, axis=axis, mode=mode), want, rtol=1e-9)
                want = np.apply_along_axis(lambda lane: np.correlate(lane, taps, mode), axis, wide)
                same(pv.correlate1d(x, taps, axis=axis, mode=mode), want, rtol=1e-9)


def test_edges_of_convolutions():
    ndimage = pytest.importorskip("scipy.ndimage")
    x, taps = values((5, 12)), values((5,), seed=1)
    for ours, theirs in {"edge": "nearest", "symmetric": "reflect", "reflect": "mirror", "wrap": "wrap", "constant": "constant"}.items():
        same(pv.convolve1d(x, taps, axis=1, mode="same", edge=ours), ndimage.convolve1d(x, taps, mode=theirs), rtol=1e-9)
        same(pv.correlate1d(x, taps, axis=1, mode="same", edge=ours), ndimage.correlate1d(x, taps, mode=theirs), rtol=1e-9)
        for sigma in [0.7, 2]:
            same(pv.gaussian1d(x, sigma, axis=0, edge=ours), ndimage.gaussian_filter1d(x, sigma, axis=0, mode=theirs), rtol=1e-9)
    same(pv.gaussian1d(x, 1.0, truncate=2), ndimage.gaussian_filter1d(x, 1.0, truncate=2), rtol=1e-9)


def test_gaussian():
    for x in arrays(shapes=[(12,), (5, 9)]):
        if x.shape[-1] < 9:
            continue
        i = np.arange(-4, 5)
        window = np.exp(-(i**2) / 2)
        window /= window.sum()
        padded = np.pad(x.astype("float64"), [(0, 0)] * (x.ndim - 1) + [(4, 4)], "symmetric")
        want = np.apply_along_axis(lambda lane: np.convolve(lane, window, "valid"), -1, padded)
        same(pv.gaussian1d(x, 1.0), want, dtype="float32" if x.dtype == "float32" else "float64")


def test_bad_filters():
    for call, error in {
        "pv.convolve1d([1.0], [])": pv.ShapeError,
        "pv.convolve1d([1.0], [[1.0]])": pv.ShapeError,
        "pv.correlate1d([1.0], [1.0, 2], mode='valid')": pv.ShapeError,
        "pv.convolve1d([1.0], [1.0], mode='all')": ValueError,
        "pv.convolve1d([1.0], [1.0], edge='none')": ValueError,
        "pv.convolve1d([1.0], [1.0], axis=1)": pv.IndexError,
        "pv.gaussian1d([1.0], 0.0)": pv.Error,
        "pv.gaussian1d([1.0], float('nan'))": pv.Error,
        "pv.gaussian1d([1j], 1.0)": pv.DtypeError,
        "pv.gradient1d([1.0])": pv.ShapeError,
        "pv.gradient1d([1.0, 2], axis=1)": pv.IndexError,
    }.items():
        with pytest.raises(error):
            eval(call, {"pv": pv})


def test_gradients():
    for x in arrays(types=["float64", "float32", "int64", "uint8"]):
        for axis in range(x.ndim):
            if x.shape[axis] > 1:
                want = np.gradient(x.astype("float64"), 0.5, axis=axis)
                same(pv.gradient1d(x, 0.5, axis=axis), want, dtype="float32" if x.dtype == "float32" else "float64")
    same(pv.gradient1d([1.0, 4]), [3.0, 3])


def test_downsample():
    for x in arrays():
        for axis in range(x.ndim):
            n = x.shape[axis]
            for count in {0, 1, n // 2, n, n + 3}:
                ours = np.asarray(pv.downsample(x, count, axis=axis))
                kept = [(2 * i + 1) * n // (2 * count) for i in range(count)] if count < n else list(range(n))
                assert np.array_equal(ours, np.take(x, kept, axis))
    with pytest.raises(pv.ShapeError):
        pv.downsample([1.0], -1)


def test_interpolation():
    xp, fp = np.sort(values((9,))), values((9,), seed=1)
    for x in arrays():
        narrow = "float32" if x.dtype == "float32" else "float64"
        want = np.interp(x, xp, fp)
        same(pv.interp(x, xp, fp), want)
        same(pv.interp(x, xp, fp.astype("float32")), np.interp(x, xp, fp.astype("float32")), dtype=narrow)
        same(pv.interp(x, xp[::-1][::-1], fp, left=-9, right=9), np.interp(x, xp, fp, -9, 9))
        same(pv.interp(x, xp[::-1], fp, period=2.5), np.interp(x, xp[::-1], fp, period=2.5))
    assert math.isnan(float(pv.interp(np.nan, xp, fp))) and pv.interp([], xp, fp).shape == (0,)
    for call, error in {
        "(1.0, [], [])": pv.ShapeError,
        "(1.0, [1.0], [1.0, 2])": pv.ShapeError,
        "(1.0, [2.0, 1], [1.0, 2])": pv.Error,
        "(1.0, [1.0, 2], [1.0, 2], period=0.0)": pv.Error,
    }.items():
        with pytest.raises(error):
            eval("pv.interp" + call, {"pv": pv})


def test_index_of():
    for x in arrays():
        flat = x.ravel().tolist()
        for value in [flat[0], flat[len(flat) // 2], flat[-1]]:
            assert pv.index_of(x, value) == flat.index(value)
            assert pv.last_index_of(x, value) == len(flat) - 1 - flat[::-1].index(value)
        assert pv.index_of(x, 1234.5) is None and pv.last_index_of(x, math.nan) is None
    assert pv.index_of([1, 2], 2.0) == 1 and pv.index_of([1, 2], 1.5) is None and pv.index_of([], 1) is None
    assert pv.index_of(np.array([2**64 - 1], "uint64"), 2**64 - 1) == 0 and pv.index_of([1.0, 2], np.float32(2)) == 1
    assert pv.index_of(np.array(3), np.int64(3)) == 0
    for value in ["2", None]:
        with pytest.raises(TypeError):
            pv.index_of([1, 2], value)


def test_binary_search():
    for dtype in TYPES:
        for x in views(np.sort(values((9,), dtype))):
            if x.ndim == 1 and (np.diff(x.astype("float64")) >= 0).all():
                for value in [*x.tolist(), -1 if dtype != "uint8" else 0, 25, 0.5]:
                    at = int(np.searchsorted(x, value))
                    assert pv.binary_search(x, value) == (at < 9 and x[at] == value, at)
    found = pv.binary_search([1.0, 2, np.nan], math.nan)
    assert (found.found, found.position) == (True, 2)
    assert pv.binary_search([], 1) == (False, 0)
    for f in (pv.binary_search, pv.index_of):
        with pytest.raises(pv.CastError):
            f(np.zeros(2, "uint8"), -1)
    with pytest.raises(pv.ShapeError):
        pv.binary_search([[1.0]], 1.0)
    with pytest.raises(TypeError):
        pv.binary_search([1.0], "1")


def test_isin():
    for x in arrays():
        for others in [x[..., :1], values((3, 2), str(x.dtype), 9), [], np.arange(4)]:
            same(pv.isin(x, others), np.isin(x, others))
    same(pv.isin([1.0, np.nan], [np.nan, 1.0]), [True, False])
    same(pv.isin(2, [1, 2]), True)
    same(pv.isin([1, 2], [2.5, 2.0]), [False, True])
    with pytest.raises(TypeError):
        pv.isin([1, 2], "12")
