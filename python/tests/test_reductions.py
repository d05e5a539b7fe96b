"""Reductions over axes beside NumPy and SciPy, and the policies for NaN."""

import math
import warnings

import numpy as np
import pytest
from samples import arrays, axes, same, values, views, with_nan

import purview as pv


def floats(x):
    return x if x.dtype == "float32" else x.astype("float64")


def central(x, k, axis):
    return ((x - x.mean(axis=axis, keepdims=True)) ** k).mean(axis=axis)


def skewness(x, axis):
    return central(x, 3, axis) / central(x, 2, axis) ** 1.5


def mode(x, axis):
    def of_lane(lane):
        found, counts = np.unique(lane, return_counts=True)
        return found[counts.argmax()]

    return np.asarray(of_lane(x)) if axis is None else np.apply_along_axis(of_lane, axis, x)


REDUCTIONS = {
    "variance": np.var,
    "standard_deviation": np.std,
    "median": np.median,
    "quadratic_mean": lambda x, axis: np.sqrt((x**2).mean(axis=axis)),
    "magnitude": lambda x, axis: np.sqrt((x**2).sum(axis=axis)),
    "magnitude_squared": lambda x, axis: (x**2).sum(axis=axis),
    "mean": np.mean,
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_floats_beside_numpy(name):
    for x in arrays():
        for axis in axes(x):
            want = REDUCTIONS[name](floats(x).astype("float64"), axis=axis)
            same(getattr(pv, name)(x, axis=axis), want, dtype=floats(x).dtype)


def test_samples():
    for x in arrays(shapes=[(7,), (5, 4), (2, 3, 4, 5)]):
        x64 = floats(x).astype("float64")
        for axis in axes(x):
            n = x.size if axis is None else x.shape[axis]
            variance = x64.var(axis=axis, ddof=1)
            same(pv.sample_variance(x, axis=axis), variance, dtype=floats(x).dtype)
            same(pv.sample_standard_deviation(x, axis=axis), np.sqrt(variance), dtype=floats(x).dtype)
            same(pv.standard_error(x, axis=axis), np.sqrt(variance / n), dtype=floats(x).dtype)
    assert math.isnan(float(pv.sample_variance([3.0])))


@pytest.mark.filterwarnings("ignore")
def test_shapes_of_distributions():
    for x in views(np.abs(values((6, 9))) + 0.1):
        for axis in [None, 0, 1]:
            n = x.size if axis is None else x.shape[axis]
            g1, g2 = skewness(x, axis), central(x, 4, axis) / central(x, 2, axis) ** 2 - 3
            if n > 3:
                same(pv.skewness(x, axis=axis), g1, rtol=1e-9)
                same(pv.sample_skewness(x, axis=axis), g1 * np.sqrt(n * (n - 1)) / (n - 2), rtol=1e-9)
                same(pv.kurtosis(x, axis=axis), g2, rtol=1e-9)
                same(pv.sample_kurtosis(x, axis=axis), (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * g2 + 6), rtol=1e-9)
            same(pv.geometric_mean(x, axis=axis), np.exp(np.log(x).mean(axis=axis)))
            same(pv.harmonic_mean(x, axis=axis), 1 / (1 / x).mean(axis=axis))
    assert math.isnan(float(pv.skewness([2.0, 2, 2]))) and math.isnan(float(pv.sample_kurtosis([1.0, 2, 5])))
    assert math.isnan(float(pv.geometric_mean([1, -1]))) and float(pv.harmonic_mean([1, 0])) == 0


def test_beside_scipy():
    stats = pytest.importorskip("scipy.stats")
    x = values((40, 33))
    same(pv.skewness(x, axis=0), stats.skew(x, axis=0))
    same(pv.sample_skewness(x, axis=1), stats.skew(x, axis=1, bias=False))
    same(pv.kurtosis(x, axis=0), stats.kurtosis(x, axis=0))
    same(pv.sample_kurtosis(x, axis=1), stats.kurtosis(x, axis=1, bias=False))
    same(pv.standard_error(x, axis=0), stats.sem(x, axis=0))
    same(pv.geometric_mean(np.exp(x), axis=0), stats.gmean(np.exp(x), axis=0))
    same(pv.harmonic_mean(np.exp(x), axis=0), stats.hmean(np.exp(x), axis=0))


def test_most_frequent_and_counts():
    for x in arrays():
        for axis in axes(x):
            same(pv.most_frequent(x, axis=axis), mode(x, axis), dtype=x.dtype)
            same(pv.count_true(x, axis=axis), np.count_nonzero(x, axis=axis), dtype="int64")
    assert math.isnan(float(pv.most_frequent([1.0, 1.0, np.nan])))
    assert float(pv.compensated_sum([1e100, 1.0, -1e100])) == 1
    assert float(pv.exact_sum([1e100, 1.0, 1e-300, -1e100, -1.0])) == 1e-300
    x = np.random.default_rng(3).standard_normal((40, 50)) * 10.0 ** np.arange(50)
    np.testing.assert_array_equal(np.asarray(pv.exact_sum(x, axis=0)), [math.fsum(column) for column in x.T])
    np.testing.assert_array_equal(np.asarray(pv.exact_sum(x, keepdims=True)), [[math.fsum(x.ravel())]])


def test_last_extremes():
    for x in arrays():
        for axis in axes(x):
            n = x.size if axis is None else x.shape[axis]
            same(pv.argmax_last(x, axis=axis), n - 1 - np.flip(x, axis=axis).argmax(axis=axis), dtype="int64")
            same(pv.argmin_last(x, axis=axis), n - 1 - np.flip(x, axis=axis).argmin(axis=axis), dtype="int64")


def test_reduce_several_at_once():
    functions = [pv.sum, pv.mean, pv.min, pv.max, pv.variance, pv.argmax, pv.exact_sum, pv.median, pv.skewness]
    for x in arrays():
        for axis in axes(x):
            for reducers in [functions, [f.__name__ for f in functions]]:
                found = pv.reduce(x, *reducers, axis=axis, keepdims=True)
                assert isinstance(found, tuple)
                for result, f in zip(found, functions):
                    same(result, np.asarray(f(x, axis=axis, keepdims=True)))
            same(pv.reduce(x, "sum", axis=axis), np.asarray(pv.sum(x, axis=axis)))
    x = np.array([[1.0, np.nan, 5.0], [2.0, 4.0, np.nan]])
    mean, most = pv.reduce(x, "mean", "max", axis=1, nan="skip")
    same(mean, np.array([3.0, 3.0]))
    same(most, np.array([5.0, 4.0]))
    low, high = pv.reduce(pv.chunked(pv.array(np.arange(100.0)), (7,)), pv.min, pv.max)
    assert (float(low), float(high)) == (0, 99)
    i, k = pv.dims()
    total, deviation = pv.reduce(pv.array(np.arange(6.0).reshape(2, 3))[i, k], "sum", "std", axis=k)
    same(total.order(i), np.array([3.0, 12.0]))
    with pytest.raises(ValueError, match="summ"):
        pv.reduce(x, "sum", "summ")
    with pytest.raises(TypeError, match="no reduction"):
        pv.reduce(x)
    with pytest.raises(pv.ArithmeticError):
        pv.reduce(x, "sum", "max", nan="raise")
    with pytest.raises(pv.ShapeError):
        pv.reduce(np.zeros(0), "sum", "max")


SKIPPING = {
    "sum": np.nansum,
    "prod": np.nanprod,
    "mean": np.nanmean,
    "min": np.nanmin,
    "max": np.nanmax,
    "var": np.nanvar,
    "std": np.nanstd,
    "variance": np.nanvar,
    "standard_deviation": np.nanstd,
    "median": np.nanmedian,
}


@pytest.mark.parametrize("name", SKIPPING)
def test_nan_is_left_out(name):
    ours, theirs = getattr(pv, name), SKIPPING[name]
    for dtype in ["float64", "float32"]:
        for x in views(with_nan((6, 9), dtype)):
            for axis in [None, 0, 1]:
                for keepdims in [False, True]:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        want = theirs(x.astype("float64"), axis=axis, keepdims=keepdims)
                    same(ours(x, axis=axis, keepdims=keepdims, nan="skip"), want, dtype=dtype)
                    kept = np.isnan(np.asarray(ours(x, axis=axis, keepdims=keepdims)))
                    assert np.array_equal(kept, np.isnan(x).any(axis=axis, keepdims=keepdims))
            with pytest.raises(pv.ArithmeticError, match="NaN"):
                ours(x, nan="raise")
        full = values((6, 9), dtype)
        same(ours(full, nan="raise"), np.asarray(ours(full)))


@pytest.mark.filterwarnings("ignore:Degrees of freedom")
def test_nan_of_indexes_and_samples():
    for x in views(with_nan((6, 9))):
        assert int(pv.argmax(x, nan="skip")) == np.nanargmax(x) and int(pv.argmin(x, nan="skip")) == np.nanargmin(x)
        assert int(pv.argmax(x)) == np.argmax(x)
        for axis in [None, 0, 1]:
            same(pv.var(x, axis=axis, correction=1, nan="skip"), np.nanvar(x, axis=axis, ddof=1))
            same(pv.std(x, axis=axis, correction=0.5, nan="skip", keepdims=True), np.nanstd(x, axis=axis, ddof=0.5, keepdims=True))
        same(x_ := pv.asarray(x).mean(nan="skip"), np.nanmean(x))
        assert x_.ndim == 0
    nothing = [np.nan, np.nan]
    assert float(pv.sum(nothing, nan="skip")) == 0 and float(pv.prod(nothing, nan="skip")) == 1
    assert math.isnan(float(pv.max(nothing, nan="skip"))) and math.isnan(float(pv.median(nothing, nan="skip")))
    assert math.isnan(float(pv.var([np.nan, 2.0], correction=1, nan="skip")))
    with pytest.raises(pv.ShapeError):
        pv.argmin(nothing, nan="skip")
    with pytest.raises(ValueError, match="'keep', 'skip', 'raise'"):
        pv.sum([1.0], nan="drop")
    with pytest.raises(pv.DtypeError):
        pv.sum([1j], nan="skip")


def test_nothing_and_single_elements():
    for name in REDUCTIONS:
        empty = getattr(pv, name)(np.zeros((0, 3)), axis=0)
        assert empty.shape == (3,)
        assert all(v == 0 if name.startswith("magnitude") else math.isnan(v) for v in empty.tolist())
        assert getattr(pv, name)(np.zeros((0, 3)), axis=1).shape == (0,)
    assert float(pv.median(np.array(2.5))) == 2.5 and float(pv.variance(3)) == 0
    with pytest.raises(pv.ShapeError):
        pv.most_frequent([])
    with pytest.raises(pv.IndexError):
        pv.median([1.0], axis=1)
    with pytest.raises(TypeError):
        pv.median("text")


@pytest.mark.parametrize("p", [None, 1, 2, 3, 0.5, 0, -1, math.inf, -math.inf])
def test_norms_of_vectors(p):
    for x in arrays(shapes=[(7,), (5, 4), (2, 3, 4)]):
        for axis in range(x.ndim):
            lanes = np.abs(floats(x).astype("float64")) + (0.5 if p is not None and p < 0 else 0)
            given = lanes.astype(floats(x).dtype)
            same(pv.norm(given, p, axis=axis), np.linalg.norm(lanes, p, axis=axis), dtype=floats(x).dtype, rtol=1e-9)


@pytest.mark.parametrize("p", ["fro", 1, -1, 2, -2, math.inf, -math.inf])
def test_norms_of_matrices(p):
    for x in views(values((5, 4))):
        if x.ndim == 2:
            same(pv.norm(x, p), np.linalg.norm(x, p), rtol=1e-9)
        same(pv.norm(x, p, axis=(-2, -1), keepdims=True), np.linalg.norm(x, p, axis=(-2, -1), keepdims=True), rtol=1e-9)


def test_norms_of_everything_and_bad_ones():
    x = with_nan((4, 5))
    same(pv.norm(x, nan="skip"), np.sqrt(np.nansum(x**2)))
    same(pv.norm(x, 1, axis=0, nan="skip"), np.nansum(np.abs(x), axis=0))
    assert math.isnan(float(pv.norm(x)))
    with pytest.raises(pv.ArithmeticError):
        pv.norm(x, nan="raise")
    with pytest.raises(pv.Error):
        pv.norm(np.ones((2, 2)), 3)
    with pytest.raises(ValueError, match="'fro', 'frobenius'"):
        pv.norm([1.0], "nuclear")
    with pytest.raises(pv.ShapeError):
        pv.norm([], math.inf)


def test_logsumexp():
    for x in arrays():
        given = floats(x).astype("float64")
        for axis in axes(x):
            with np.errstate(divide="ignore"):
                want = np.log(np.exp(given).sum(axis=axis))
            same(pv.logsumexp(x, axis=axis), want, dtype="float32" if x.dtype == "float32" else "float64", rtol=1e-5 if x.dtype == "float32" else 1e-12)
    x = values((3, 4, 5)) / 8
    same(pv.logsumexp(x, axis=(0, 2), keepdims=True), np.log(np.exp(x).sum(axis=(0, 2), keepdims=True)), rtol=1e-12)
    rows = pv.logsumexp([[1e3, 1e3], [-1e20, -1e20], [-np.inf, 0], [-np.inf, -np.inf], [np.inf, 1], [np.nan, 1]], axis=1)
    same(rows, [1e3 + math.log(2), -1e20, 0, -np.inf, np.inf, np.nan])
    assert float(pv.logsumexp([])) == -math.inf and pv.logsumexp(np.zeros((0, 3)), axis=1).shape == (0,)
    same(pv.logsumexp([1.0, np.nan, 2.0], nan="skip"), math.log(math.exp(1) + math.exp(2)))
    i, k = pv.dims()
    same(pv.logsumexp(pv.asarray(x[0])[i, k], k).order(i), np.log(np.exp(x[0]).sum(axis=1)), rtol=1e-12)
    with pytest.raises(pv.ArithmeticError):
        pv.logsumexp([np.nan], nan="raise")
    with pytest.raises(pv.IndexError):
        pv.logsumexp([1.0], axis=1)
    with pytest.raises(TypeError):
        pv.logsumexp("text")
