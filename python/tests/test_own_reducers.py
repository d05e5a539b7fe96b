"""Reducers of one's own, and sketches, beside NumPy: in memory, chunks, groups, windows and Dask."""

import gc
import pickle
import threading
import weakref

import numpy as np
import pytest
from samples import same

import purview as pv


def spread(commutes=False):
    def fold(state, block):
        state["least"] = min(state["least"], block.min())
        state["most"] = max(state["most"], block.max())

    def join(state, following):
        state["least"] = min(state["least"], following["least"])
        state["most"] = max(state["most"], following["most"])

    state = [("least", "f8"), ("most", "f8")]
    return pv.reducer("spread", state, (np.inf, -np.inf), fold, join, lambda s: s["most"] - s["least"], commutes=commutes)


def digest():
    """What depends on the order of elements: a polynomial, in 64 bits."""
    base = np.uint64(0x9E3779B97F4A7C15)

    def fold(state, block):
        with np.errstate(over="ignore"):
            for x in block.view("u8"):
                state["value"] = state["value"] * base + x
                state["power"] *= base

    def join(state, following):
        with np.errstate(over="ignore"):
            state["value"] = state["value"] * following["power"] + following["value"]
            state["power"] *= following["power"]

    state = [("value", "u8"), ("power", "u8")]
    return pv.reducer("digest", state, (0, 1), fold, join, lambda s: s["value"], dtype="i8", result="u8")


def digest_of(elements):
    value = 0
    for x in np.asarray(elements).ravel():
        value = (value * 0x9E3779B97F4A7C15 + int(x)) % 2**64
    return value


def test_own_reducers_over_axes():
    x = np.random.default_rng(1).normal(size=(5, 7, 3))
    for array in [pv.array(x), pv.chunked(pv.array(x), (2, 3, 2)), pv.array(x.astype("f4")), pv.array(x) * 1.0]:
        values = np.asarray(array, dtype="f8")
        assert float(pv.reduce(array, spread())) == np.ptp(values)
        for axis in [0, 1, (0, 2), (1, -1)]:
            for commutes in [False, True]:
                same(pv.reduce(array, spread(commutes), axis=axis), np.ptp(values, axis=axis))
        found, mean = pv.reduce(array, spread(), "mean", axis=1, keepdims=True)
        same(found, np.ptp(values, axis=1, keepdims=True))
        same(mean, np.asarray(pv.mean(array, axis=1, keepdims=True)))
    numbers = np.arange(210).reshape(7, 30) % 17
    for array in [pv.array(numbers), pv.chunked(pv.array(numbers), (2, 4)), pv.array(numbers.T.copy()).T]:
        assert int(pv.reduce(array, digest())) == digest_of(numbers)
        same(pv.reduce(array, digest(), axis=0), np.array([digest_of(c) for c in numbers.T], "u8"))
    large = np.random.default_rng(2).normal(size=100_000)
    assert float(pv.reduce(pv.array(large), spread())) == np.ptp(large)


def test_own_reducers_over_dims():
    values = np.random.default_rng(5).normal(size=(4, 5, 6))
    values[1, 2, 3] = np.nan
    i, j = pv.dims(2)
    named = pv.array(values)[i, j]
    found, mean = pv.reduce(named, spread(), "mean", axis=(j, -1))
    same(found.order(i), [np.ptp(part) if not np.isnan(part).any() else float(pv.reduce(part, spread())) for part in values])
    same(mean.order(i), values.mean((1, 2)))
    skipped, means = pv.reduce(named, spread(), "mean", axis=i, nan="skip")
    same(skipped.order(j), np.nanmax(values, 0) - np.nanmin(values, 0))
    same(means.order(j), np.asarray(pv.mean(pv.array(values), axis=0, nan="skip")))
    kept = pv.reduce(named, spread(), axis=-1, keepdims=True, nan="skip")
    same(kept.order(i, j), np.nanmax(values, 2, keepdims=True) - np.nanmin(values, 2, keepdims=True))
    with pytest.raises(pv.ArithmeticError):
        pv.reduce(named, spread(), axis=i, nan="raise")
    with pytest.raises(pv.DimError):
        pv.reduce(named, spread(), axis=pv.dims(1))


def test_own_reducers_give_lists_and_take_policies():
    def fold(state, block):
        state += [block.sum(), len(block)]

    def join(state, following):
        state += following

    both = pv.reducer("both", np.dtype((float, 2)), 0, fold, join, lambda s: s, result="2f8")
    x = np.arange(12.0).reshape(3, 4)
    same(pv.reduce(x, both), np.array([66.0, 12.0]))
    same(pv.reduce(x, both, axis=1), np.array([x.sum(axis=1), [4.0] * 3]))
    x[0, 0] = np.nan
    same(pv.reduce(x, both, axis=1, nan="skip"), np.array([np.nansum(x, axis=1), [3.0, 4, 4]]))
    assert repr(both) == "<purview.Reducer both>" and both.name == "both"
    with pytest.raises(pv.ArithmeticError):
        pv.reduce(x, both, nan="raise")
    same(pv.reduce(pv.asarray(np.zeros(0)), both), np.array([0.0, 0.0]))


def test_own_reducers_of_groups_and_windows():
    keys = np.array([3, 1, 3, 3, 1])
    values = np.array([5.0, 2.0, np.nan, 1.0, 8.0])
    found, s, d = pv.group_by_reduce(keys, values, spread(), pv.approximate_distinct, nan="skip")
    same(found, np.array([1, 3]))
    same(s, np.array([6.0, 4.0]))
    same(d, np.array([2, 2]))
    numbers = np.arange(30) % 7
    expected = np.array([digest_of(numbers[max(0, i - 3) : i + 1]) for i in range(30)], "u8")
    rolled = pv.range_windows(numbers, np.maximum(np.arange(30) - 3, 0), np.arange(1, 31), digest())
    same(rolled, expected)
    same(pv.expanding_window(values[:2], spread()), np.array([0.0, 3.0]))
    with pytest.raises(pv.ShapeError):
        pv.expanding_window(values, pv.approximate_quantile([0.5]))


def test_sketches():
    x = np.random.default_rng(3).normal(size=200_000)
    for array in [pv.array(x), pv.chunked(pv.array(x), (7000,))]:
        low, middle = np.asarray(pv.reduce(array, pv.approximate_quantile([0.1, 0.5])))
        ranks = np.sort(x).searchsorted([low, middle]) / len(x)
        assert np.abs(ranks - [0.1, 0.5]).max() < 0.015
        distinct = int(pv.reduce(array, pv.approximate_distinct))
        assert abs(distinct - len(x)) < 0.04 * len(x)
    few = x[:500].reshape(5, 100)
    same(pv.reduce(few, pv.approximate_quantile(0.3), axis=1), np.quantile(few, 0.3, axis=1))
    assert int(pv.reduce(few.astype("i4"), pv.approximate_distinct)) == len(np.unique(few.astype("i4")))
    assert int(pv.reduce(pv.array(["a", "b", "a"]), pv.approximate_distinct)) == 2
    days = np.array(["2020-01-01", "2020-01-01", "2020-01-02"], "M8[D]")
    assert int(pv.reduce(days, pv.approximate_distinct)) == 2
    with pytest.raises(pv.Error):
        pv.approximate_quantile(1.5)


def test_own_reducers_of_dask():
    da = pytest.importorskip("dask.array")
    x = np.random.default_rng(4).integers(0, 50, size=(20, 33)).astype("f8")
    array = da.from_array(x, chunks=(7, 5))

    def reduced(r, axis, dtype):
        return da.reduction(
            array, r.chunk, r.aggregate, combine=r.combine, axis=axis, dtype=dtype, split_every=2, meta=np.empty((0,), dtype)
        ).compute()

    for axis in [None, 0, 1]:
        same(pv.asarray(reduced(spread(), axis, "f8")), np.ptp(x, axis=axis))
    assert reduced(pv.approximate_distinct, None, "i8") == len(np.unique(x))
    assert reduced(pv.approximate_quantile(1), None, "f8") == x.max()
    lists = pv.approximate_quantile([0, 1])
    states = lists.combine(np.concatenate([lists.chunk(x[:7], axis=0), lists.chunk(x[7:], axis=0)]), axis=0)
    same(pv.asarray(lists.aggregate(states, axis=0)), np.stack([x.min(axis=0), x.max(axis=0)]))


def least_fold(state, block):
    np.minimum(state, block.min(), out=state)


def least_join(state, following):
    np.minimum(state, following, out=state)


def test_own_reducers_are_pickled():
    x = np.array([3.0, 1.0, 2.0])
    least = pv.reducer("least", "f8", np.inf, least_fold, least_join, float)
    for made in [least, pv.approximate_quantile(0.5), pv.approximate_quantile([0, 1]), pv.approximate_distinct]:
        again = pickle.loads(pickle.dumps(made))
        assert again.name == made.name
        same(pv.reduce(x, again), np.asarray(pv.reduce(x, made)))
    assert pickle.loads(pickle.dumps(pv.approximate_distinct)) is pv.approximate_distinct


def test_own_reducers_refuse():
    def raises(state, block):
        raise KeyError("no")

    def nothing(state, other):
        pass

    with pytest.raises(KeyError, match="no"):
        pv.reduce(np.ones(100_000), pv.reducer("r", "f8", 0, raises, nothing, float))
    with pytest.raises(TypeError, match="in place"):
        pv.reduce(np.ones(3), pv.reducer("r", "f8", 0, lambda s, b: s + b.sum(), nothing, float))
    with pytest.raises(ValueError, match="finish gives"):
        pv.reduce(np.ones(3), pv.reducer("r", "f8", 0, nothing, nothing, lambda s: [1, 2]))
    with pytest.raises(TypeError, match="objects"):
        pv.reducer("r", "O", None, nothing, nothing, float)
    with pytest.raises(pv.DtypeError):
        pv.reduce(np.ones(3, "i8"), spread())
    kept = []

    def keeps(state, block):
        kept.append((state, block))
        state += block.sum()

    assert float(pv.reduce(np.ones(50_000), pv.reducer("r", "f8", 0, keeps, lambda s, t: s.__iadd__(t) and None, float))) == 50_000
    assert sum(float(block.sum()) for _, block in kept) == 50_000  # memory of their own


def test_own_reducers_on_threads():
    x = pv.array(np.arange(300_000.0))
    results = []
    threads = [threading.Thread(target=lambda: results.append(float(pv.reduce(x, spread())))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [299_999.0] * 4



def test_own_reducers_of_other_dtypes():
    def fold(state, block):
        state += block.sum()

    def join(state, following):
        state += following

    x = np.arange(6.0)
    swapped = pv.reducer("sum", ">f8", 0, fold, join, float, dtype=">f8", result=">f8")
    assert float(pv.reduce(x, swapped)) == 15 == float(pv.reduce(x.astype(">f8"), swapped))
    with pytest.raises(pv.DtypeError, match="without loss"):
        pv.reduce(x > 2, pv.reducer("sum", "c16", 0, fold, join, abs, dtype="c16"))
    with pytest.raises(pv.DtypeError, match="NaN"):
        pv.reduce(x + 0j, pv.reducer("sum", "c16", 0, fold, join, abs, dtype="c16"), nan="skip")
    for nothing in ["V0", []]:
        with pytest.raises(ValueError, match="no bytes"):
            pv.reducer("r", nothing, (), fold, join, float)


def test_quantiles_of_sketches_are_those_of_quantile():
    x = np.arange(11.0)
    for q in [0.5, np.float64(0.5), np.array(0.5), [0.5], (0, 1), np.array([0.1, 0.5]), pv.array([0.1, 0.5])]:
        same(pv.asarray(pv.reduce(x, pv.approximate_quantile(q))), np.asarray(pv.quantile(x, q)))
    with pytest.raises(pv.Error, match="empty"):
        pv.approximate_quantile([])
    with pytest.raises(ValueError, match="a list"):
        pv.approximate_quantile([[0.5]])


def test_own_reducers_in_cycles_are_collected():
    class Sum:
        def __init__(self):
            self.reducer = pv.reducer("sum", "f8", 0, self.fold, self.fold, float)

        def fold(self, state, block):
            state += block.sum()

    sums = Sum()
    assert float(pv.reduce(np.ones(3), sums.reducer)) == 3
    gone = weakref.ref(sums)
    del sums
    gc.collect()
    assert gone() is None
