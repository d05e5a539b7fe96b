"""Functions of one's own over lanes, windows and groups: against loops, and what they raise and keep."""

import gc
import math
import sys

import numpy as np
import pytest

import purview as pv
from samples import same, values


def spread(lane):
    """Of arrays of ours and of NumPy's."""
    return float(lane.max() - lane.min())


@pytest.mark.parametrize("dtype", ["float64", "int32"])
@pytest.mark.parametrize("shape", [(7,), (5, 4), (2, 3, 4), (0, 3)])
def test_lanes(shape, dtype):
    x = values(shape, dtype)
    for each in (x, x[::-1], x.T):
        for axis in (*range(x.ndim), -1):
            if each.shape[axis] == 0:
                continue
            for t in (pv.asarray(each), pv.asarray(each) + 0):
                want = np.apply_along_axis(spread, axis, each) if each.size else np.zeros([n for n in each.shape if n != each.shape[axis]])
                same(pv.reduce_axis(spread, t, axis=axis), want)
                if each.size:
                    same(pv.map_axis(lambda lane: lane[::2] * 2, t, axis=axis), np.apply_along_axis(lambda a: a[::2] * 2, axis, each))
                    same(
                        pv.apply_along_axis(lambda lane: pv.outer(lane, lane), axis, t),
                        np.apply_along_axis(lambda a: np.outer(a, a), axis, each),
                    )
                    same(
                        np.apply_along_axis(lambda lane, k: lane.sum() * k, axis, t, 3),
                        np.apply_along_axis(lambda a: a.sum() * 3, axis, each),
                    )
    assert pv.map_axis(lambda lane: lane, pv.zeros((0, 3))).shape == (0, 3)


def test_results_of_lanes():
    x = pv.asarray(np.arange(6.0, dtype="float32").reshape(2, 3))
    assert pv.reduce_axis(pv.sum, x).dtype == pv.float32  # arrays of rank 0
    assert pv.reduce_axis(lambda lane: np.float32(lane[0].item()), x).dtype == pv.float32
    assert pv.reduce_axis(lambda lane: lane[0].item() > 1, x).dtype == pv.bool
    assert pv.reduce_axis(lambda lane: 1 if lane[0] == 0 else 1.5, x).tolist() == [1, 1.5]
    assert pv.map_axis(lambda lane: [1, 2], x).tolist() == [[1, 2], [1, 2]]
    lanes = []
    pv.reduce_axis(lambda lane: lanes.append(lane) or 0, x, axis=0)
    lanes[1][0] = 50  # a view
    assert x[0, 1].item() == 50
    wrong = [
        (pv.ShapeError, "instead of a number", lambda: pv.reduce_axis(lambda lane: lane, x)),
        (pv.ShapeError, "instead of a lane", lambda: pv.map_axis(lambda lane: 1, x)),
        (pv.ShapeError, r"shapes \(1,\) and \(2,\)", lambda: pv.map_axis(lambda lane: [0] * (1 + (lane[0].item() > 1)), x)),
        (pv.DtypeError, "float64 and int64", lambda: pv.map_axis(lambda lane: [1 if lane[0].item() > 1 else 1.5], x)),
        (pv.IndexError, "axis 2", lambda: pv.reduce_axis(spread, x, axis=2)),
        (TypeError, "NoneType", lambda: pv.reduce_axis(lambda lane: None, x)),
        (ZeroDivisionError, "division", lambda: pv.reduce_axis(lambda lane: 1 // 0, x)),
    ]
    for error, text, call in wrong:
        with pytest.raises(error, match=text):
            call()


def test_lanes_of_dims():
    x = values((4, 5))
    i, k = pv.dims()
    t = pv.asarray(x)
    same(pv.reduce_axis(spread, t[i, k], axis=k).order(i), np.ptp(x, 1))
    same(pv.reduce_axis(spread, t[i], axis=0).order(i), np.ptp(x, 1))
    same(pv.map_axis(lambda lane: lane[::-1], t[i, k], axis=i).order(i, k), x[::-1])


def naive(function, x, ranges):
    return [function(x[b:e]) for b, e in ranges]


def test_windows():
    x = values((3, 20))
    t = pv.asarray(x)
    n = x.shape[1]
    ends = [(max(i - 2, 0), i + 1) for i in range(n)]
    rolled = np.array([naive(spread, np.pad(r, (2, 0), "edge"), [(i, i + 3) for i in range(n)]) for r in x])
    same(pv.fixed_rolling_window(t, 3, spread, position="trailing"), rolled)
    same(pv.fixed_rolling_window(t, 3, spread, position="trailing", step=4), rolled[:, ::4])
    same(pv.fixed_rolling_window(t.T, 3, spread, position="trailing", axis=0), rolled.T)
    rolled[:, :2] = np.nan
    same(pv.fixed_rolling_window(t, 3, spread, position="trailing", incomplete=np.nan), rolled)
    same(pv.variable_rolling_window(t, np.arange(n), 3, spread), np.array([naive(spread, r, ends) for r in x]))
    same(pv.expanding_window(t, spread), np.array([naive(spread, r, [(0, i + 1) for i in range(n)]) for r in x]))
    same(pv.range_windows(t[0], [3, 0], [5, 20], lambda w: w.size), np.array([2, 20]))
    assert pv.fixed_rolling_window(t[0].astype("float32"), 3, pv.max).dtype == pv.float32
    assert pv.fixed_rolling_window(np.empty((0, 4)), 3, spread).shape == (0, 4)
    with pytest.raises(TypeError, match="nan='skip'"):
        pv.expanding_window(t, spread, nan="skip")
    with pytest.raises(pv.ArithmeticError):
        pv.expanding_window([1.0, np.nan], spread, nan="raise")
    with pytest.raises(pv.ShapeError, match="fixed_rolling_window: the function gave"):
        pv.fixed_rolling_window(t, 3, lambda w: w)
    large = values((5_000_000 // 50_000, 50_000))  # the interpreter's lock is given up for it
    same(pv.range_windows(large, [0, 9], [5, 50_000], lambda w: pv.sum(w)), np.stack([large[:, :5].sum(1), large[:, 9:].sum(1)], 1), 1e-9)


def test_windows_of_functions_of_python():
    x = pv.emap(lambda a: a + 1, pv.asarray(np.zeros(60_000)))  # read by several threads
    assert pv.range_windows(x, [0, 3], [2, 60_000], lambda w: w.size).tolist() == [2, 59_997]
    assert pv.reduce_axis(pv.sum, x).item() == 60_000
    assert pv.group_by_reduce(np.zeros(60_000, "i4"), x, lambda v: v.size)[1].tolist() == [60_000]


def test_groups():
    rng = np.random.default_rng(3)
    keys, x, others = rng.integers(0, 7, 200), rng.random(200), rng.integers(0, 3, 200)
    found, spreads, sums = pv.group_by_reduce(keys, x, spread, "sum")
    same(spreads, np.array([np.ptp(x[keys == k]) for k in range(7)]))
    assert found.tolist() == list(range(7))
    *_, least = pv.group_by_reduce((keys, others), (x, lambda v: pv.sort(v)[0]), (x, "min"))[:3]
    same(least, np.array([x[(keys == k) & (others == o)].min() for k in range(7) for o in range(3)]))
    with pytest.raises(KeyError):
        pv.group_by_reduce(keys, x, lambda v: {}[1])
    with pytest.raises(TypeError, match="nan='skip'"):
        pv.group_by_reduce(keys, x, spread, nan="skip")


@pytest.mark.parametrize(
    "call",
    [
        lambda f, t: pv.reduce_axis(f, t),
        lambda f, t: pv.fixed_rolling_window(t, 3, f),
        lambda f, t: pv.expanding_window(t, f),
        lambda f, t: pv.group_by_reduce(t[0], t[0], f),
    ],
)
@pytest.mark.parametrize("size", [20, 10_000])
def test_a_function_that_raises_leaves_nothing_behind(call, size):
    class Noted(Exception):
        pass

    kept = []

    def function(lane):
        kept.append(lane)
        if len(kept) == 2:
            raise Noted("here")
        return 1.0

    x = np.random.default_rng(1).random((3, size))
    t = pv.asarray(x)
    counts = sys.getrefcount(function), sys.getrefcount(x)
    with pytest.raises(Noted, match="here"):
        call(function, t)
    kept.clear()
    gc.collect()
    assert (sys.getrefcount(function), sys.getrefcount(x)) == counts
    kept = [0, 0, 0]
    call(function, t)
    assert kept[-1].ndim == 1 and kept[-1].tolist()  # lanes live on
    kept.clear()
    gc.collect()
    assert (sys.getrefcount(function), sys.getrefcount(x)) == counts


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1), (1, 0)])
def test_extremes_with_index(axis):
    for dtype in ("float64", "int32", "bool"):
        x = values((5, 6), dtype)
        for name in ("max", "min"):
            found, places = getattr(pv, f"{name}_with_index")(x, axis=axis)
            assert found.dtype == x.dtype
            assert found.tolist() == getattr(pv, name)(pv.asarray(x), axis=axis).tolist()
            assert places.tolist() == getattr(pv, f"arg{name}")(pv.asarray(x), axis=axis).tolist()
    assert pv.max_with_index(values((5, 6)), axis=1, keepdims=True).values.shape == (5, 1)
    with pytest.raises(pv.ShapeError):
        pv.max_with_index(np.empty((0, 2)), axis=0)
    nans = np.array([np.nan, 2.0, 3.0])
    assert [a.item() for a in pv.max_with_index(nans, nan="skip")] == [3, 2]
    assert pv.min_with_index(nans).indexes.item() == 0


def test_random():
    uniform = np.asarray(pv.random_uniform((100, 100), 7))
    assert 0 <= uniform.min() and uniform.max() < 1 and abs(uniform.mean() - 0.5) < 0.02
    assert (uniform == pv.random_uniform((100, 100), 7)).tolist() == [[True] * 100] * 100
    assert not pv.any(pv.asarray(uniform) == pv.random_uniform((100, 100), 8))
    assert pv.random_uniform(3, 7, dtype="float32").dtype == pv.float32 == pv.random_like(np.ones(3, "f4"), 1).dtype
    same(pv.random_like(np.ones((100, 100)), 7), uniform)
    normal = np.asarray(pv.random_normal((10_000,), 1, 5, 2))
    assert abs(normal.mean() - 5) < 0.1 and abs(normal.std() - 2) < 0.1
    assert abs(pv.mean(pv.random_exponential((10_000,), 1, 3)).item() - 3) < 0.1
    assert abs(pv.mean(pv.random_poisson((10_000,), 1, 3)).item() - 3) < 0.1
    assert sorted(pv.argshuffle(50, 1).tolist()) == list(range(50)) != pv.argshuffle(50, 1).tolist()
    assert len(set(pv.argsample(50, 20, 1).tolist())) == 20
    x = np.arange(20).reshape(10, 2)
    same(pv.sample(x, 4, 3), x[np.asarray(pv.argsample(10, 4, 3))])
    same(pv.choice(x, 30, 3), x[np.asarray(pv.argchoice(10, 30, 3))])
    assert set(pv.argchoice(3, 50, 1, weights=[0, 1, 2]).tolist()) == {1, 2}
    assert sorted(pv.argchoice(5, 5, 1, replace=False).tolist()) == list(range(5))
    kept = np.asarray(pv.dropout(np.ones(10_000), 0.25, 1))
    assert set(np.unique(kept)) == {0, 1 / 0.75} and abs((kept == 0).mean() - 0.25) < 0.02
    for wrong in (lambda: pv.argsample(3, 4, 1), lambda: pv.sample(1.0, 1, 1), lambda: pv.argchoice(3, 4, 1, replace=False)):
        with pytest.raises(pv.ShapeError):
            wrong()
    with pytest.raises(pv.Error):
        pv.random_normal(3, 1, deviation=-1)
    with pytest.raises(pv.DtypeError):
        pv.random_uniform(3, 1, dtype="int64")


def test_windows_as_views_and_colours():
    x = values((4, 9))
    views = np.lib.stride_tricks.sliding_window_view
    same(pv.sliding_window(x, 3), views(x, 3, 1))
    same(pv.sliding_window(x, 2, axis=0, step=2), views(x, 2, 0)[::2])
    with pytest.raises(pv.ShapeError):
        pv.sliding_window(x, 10)
    image = pv.colorize(x, "grey", low=0, high=1)
    assert image.shape == (4, 9, 3) and image.dtype == pv.uint8
    assert pv.colorize([0.0, 1.0, np.nan], [(0, 0, 9), (255, 0, 9)], nan=(1, 2, 3)).tolist() == [[0, 0, 9], [255, 0, 9], [1, 2, 3]]
    same(pv.colorize([0.0, 1.0], "magma_r"), np.asarray(pv.colorize([0.0, 1.0], "magma"))[::-1])
    with pytest.raises(ValueError, match="viridis"):
        pv.colorize(x, "jet")


def test_elements():
    x = values((50,)) * 3
    n = np.concatenate([values((50,), "int32") - 25, [0, -1, 1]]).astype("int32")
    t, m = pv.asarray(x), pv.asarray(n)
    same(pv.logistic(t), 1 / (1 + np.exp(-x)))
    for own, of in ((pv.erf, math.erf), (pv.erfc, math.erfc)):
        same(own(t), np.vectorize(of)(x))
        same(own(m), np.vectorize(of)(n.astype(float)))
        assert own(pv.asarray(x, dtype="float32")).dtype == pv.float32
        assert np.array_equal(np.asarray(own(np.array([-np.inf, np.inf, np.nan]))), [of(-np.inf), of(np.inf), np.nan], equal_nan=True)
    same(pv.relu(t), np.maximum(x, 0))
    same(pv.relu(m), np.maximum(n, 0))
    same(pv.to_degrees(t), np.degrees(x))
    same(np.radians(t), np.radians(x))
    same(pv.next_up(t), np.nextafter(x, np.inf))
    same(pv.next_down(t), np.nextafter(x, -np.inf))
    same(pv.ulp(t), np.abs(np.spacing(x)))
    same(pv.rem(t, 0.7), np.fmod(x, 0.7))
    same(pv.rem(m, 7), np.fmod(n, np.int32(7)))
    same(pv.quot(t, 0.7), np.trunc(x / 0.7))
    same(pv.quot(m, 7), np.trunc(n / 7).astype("int32"))
    same(pv.ieee_remainder(t, 0.7), x - 0.7 * np.rint(x / 0.7), rtol=1e-9)
    for name, want in {"zero": n == 0, "pos": n > 0, "neg": n < 0, "even": n % 2 == 0, "odd": n % 2 == 1, "integral": n == n}.items():
        same(getattr(pv, f"is_{name}")(m), want)
        same(getattr(pv, f"is_{name}")(m.astype("float64")), want)
    assert pv.is_integral([1.5, 2.0, np.inf]).tolist() == [False, True, False]
    bits = np.arange(53) % 9
    same(pv.bit_and_not(m, bits), n & ~bits)
    same(pv.bit_set(m, 3), n | np.int32(8))
    same(pv.bit_clear(m, 3), n & ~np.int32(8))
    same(pv.bit_flip(m, 3), n ^ np.int32(8))
    same(pv.bit_test(m, bits), (n >> bits) & 1 == 1)
    same(pv.unsigned_shift_right(m, 3), (n.view("uint32") >> np.uint32(3)).view("int32"))
    assert pv.get_significand([1.0, 1.5]).tolist() == [2**52, 3 * 2**51]
    i = pv.dims()
    same(pv.bit_set(m[i], 3).order(i), n | np.int32(8))
    same(pv.is_odd(m[i]).order(i), n % 2 == 1)
    with pytest.raises(pv.ArithmeticError):
        pv.quot([1], 0).tolist()
    with pytest.raises(pv.DtypeError):
        pv.bit_set([1.5], 1)


def test_functions_of_elements():
    x = np.array([[3.5, 1.0], [-2.0, 4.0]])
    assert pv.argfilter(lambda v: v > 2, x).tolist() == [0, 3] and pv.argfilter(lambda v: False, x).dtype == pv.int64
    keys, indexes = pv.arggroup_by(lambda v: v > 2, x)
    assert keys.tolist() == [True, False] and [i.tolist() for i in indexes] == [[0, 3], [1, 2]]
    assert pv.arggroup_by(len, ["a", "bb", "c"]).keys.tolist() == [1, 2]
    assert pv.argpartition_by(lambda v: v // 10, [1, 5, 12, 19, 3]) == [(0, 0, 2), (1, 2, 4), (0, 4, 5)]
    assert pv.argpartition_by(abs, []) == []
    y = np.array([3, 1, 3, 2, 1])
    assert [(k, pv.asarray(y)[s].tolist()) for k, s in pv.group_by(y)] == [(1, [1, 1]), (2, [2]), (3, [3, 3])]
    assert pv.group_by(y)[2][1] == pv.IndexSet([0, 2])
    with pytest.raises(ZeroDivisionError):
        pv.argfilter(lambda v: 1 // 0, x)
