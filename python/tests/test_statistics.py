"""Quantiles, descriptions, correlations and histograms beside NumPy, SciPy and pandas."""

import math

import numpy as np
import pytest
from samples import arrays, axes, same, values, views, with_nan

import purview as pv

METHODS = """
    linear inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen weibull median_unbiased
    normal_unbiased lower higher midpoint nearest
""".split()


def float_type(x):
    return x.dtype if x.dtype == "float32" else "float64"


@pytest.mark.parametrize("method", METHODS)
def test_quantiles_by_all_methods(method):
    for x in arrays(types=["float64", "float32", "int64"]):
        x64 = x.astype("float64")
        for axis in axes(x):
            for p in [0, 12.5, 50, 77, 100]:
                same(pv.percentile(x, p, method=method, axis=axis), np.percentile(x64, p, axis=axis, method=method), dtype=float_type(x))
            for keepdims in [False, True]:
                q = [0.1, 0.5, 0.9]
                want = np.quantile(x64, q, axis=axis, method=method, keepdims=keepdims)
                same(pv.quantile(x, q, method=method, axis=axis, keepdims=keepdims), want, dtype=float_type(x))


def test_quantiles_of_types_and_nan():
    for x in arrays(types=["uint8", "bool", "int32"], shapes=[(7,), (5, 4)]):
        same(pv.percentile(x, 30), np.percentile(x.astype("float64"), 30))
    for x in views(with_nan((6, 9))):
        same(pv.percentile(x, [25, 75], axis=0), np.percentile(x, [25, 75], axis=0))
        if not np.isnan(x).all(axis=0).any():
            same(pv.percentile(x, [25, 75], axis=0, nan="skip"), np.nanpercentile(x, [25, 75], axis=0))
        same(pv.quartiles(x, nan="skip"), np.nanpercentile(x, [0, 25, 50, 75, 100]))
        with pytest.raises(pv.ArithmeticError):
            pv.quantile(x, 0.5, nan="raise")
    x = values((5, 8))
    same(pv.quartiles(x, axis=1, method="hazen"), np.percentile(x, [0, 25, 50, 75, 100], axis=1, method="hazen"))
    assert pv.percentile(x, []).shape == (0,) and math.isnan(float(pv.quantile([], 0.5)))
    assert float(pv.quantile(np.array(3.0), 0.2)) == 3
    assert pv.quantile(np.ones(3, "float16"), 0.5).dtype == "float32"


def test_bad_quantiles():
    for call in ["pv.percentile(x, 101)", "pv.quantile(x, -0.1)", "pv.quantile(x, [0.5, 2])"]:
        with pytest.raises(pv.Error):
            eval(call, {"pv": pv, "x": [1.0, 2.0]})
    with pytest.raises(ValueError, match="'linear', 'inverted_cdf'"):
        pv.quantile([1.0], 0.5, method="cubic")
    with pytest.raises(ValueError, match="list"):
        pv.quantile([1.0], [[0.5]])
    with pytest.raises(pv.IndexError):
        pv.quantile([1.0], 0.5, axis=2)
    with pytest.raises(pv.DtypeError):
        pv.quantile([1j], 0.5)


def test_outliers():
    for x in arrays():
        low, high = np.percentile(x.astype("float64"), [25, 75])
        for factor in [1.5, 0.5]:
            fences = pv.outlier_fences(x, factor)
            assert math.isclose(fences.lower, low - factor * (high - low), rel_tol=1e-5, abs_tol=1e-5)
            assert math.isclose(fences.upper, high + factor * (high - low), rel_tol=1e-5, abs_tol=1e-5)
            ours = pv.is_outlier(x, factor)
            assert ours.shape == x.shape and ours.dtype == "bool"
            if x.dtype != "float32":
                assert np.array_equal(np.asarray(ours), (x < fences.lower) | (x > fences.upper))
    x = [1.0, 2, 3, 4, np.nan, 100]
    assert pv.is_outlier(x).tolist() == [False] * 6 and math.isnan(pv.outlier_fences(x).lower)
    assert pv.is_outlier(x, nan="skip").tolist() == [False] * 5 + [True]
    assert pv.outlier_fences(x, nan="skip").upper == 7
    for f in (pv.is_outlier, pv.outlier_fences):
        with pytest.raises(pv.ArithmeticError):
            f(x, nan="raise")


@pytest.mark.parametrize("order", range(7))
def test_moments(order):
    for x in arrays(types=["float64", "int32", "bool"]):
        x64 = x.astype("float64")
        for axis in axes(x):
            want = ((x64 - x64.mean(axis=axis, keepdims=True)) ** order).mean(axis=axis)
            got = np.asarray(pv.moment(x, order, axis=axis))
            np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(x64).max()) ** order)
    with pytest.raises(pv.Error):
        pv.moment([1.0], -1)


def test_descriptions():
    x = values((6, 9))
    found = pv.descriptive_statistics(x, axis=0)
    assert list(found) == ["count", "mean", "sample_standard_deviation", "min", "lower_quartile", "median", "upper_quartile", "max"]
    same(found["count"], np.full(9, 6.0))
    same(found["sample_standard_deviation"], x.std(axis=0, ddof=1))
    for view in views(x):
        for axis in [None, 0, 1]:
            for name in "sum mean min max variance median geometric_mean sample_kurtosis upper_quartile".split():
                given = np.abs(view) + 0.1
                (ours,) = pv.descriptive_statistics(given, name, axis=axis, keepdims=True).values()
                if name == "upper_quartile":
                    same(ours, np.percentile(given, 75, axis=axis, keepdims=True))
                else:
                    same(ours, np.asarray(getattr(pv, name)(given, axis=axis, keepdims=True)))
    assert float(pv.descriptive_statistics([1, np.nan], ["count"], nan="skip")["count"]) == 1
    assert float(pv.descriptive_statistics([], ["count"])["count"]) == 0
    assert pv.descriptive_statistics([1.0], []) == {}
    with pytest.raises(ValueError, match="'count', 'sum', 'mean'"):
        pv.descriptive_statistics([1.0], ["average"])


def test_description_beside_pandas():
    pandas = pytest.importorskip("pandas")
    x = with_nan((40,))
    want = pandas.Series(x).describe()
    assert np.allclose([float(v) for v in pv.descriptive_statistics(x, nan="skip").values()], want.to_numpy())


def covariance(x, y, ddof=0):
    return ((x - x.mean()) * (y - y.mean())).sum() / (x.size - ddof)


def ranks_of(x):
    order = np.sort(x)
    return (np.searchsorted(order, x) + np.searchsorted(order, x, "right") + 1) / 2


def tau(x, y):
    a, b = np.sign(x[:, None] - x), np.sign(y[:, None] - y)
    return (a * b).sum() / math.sqrt((a * a).sum() * (b * b).sum())


def pearson(x, y):
    return covariance(x, y) / math.sqrt(covariance(x, x) * covariance(y, y))


PAIRS = {
    "covariance": covariance,
    "sample_covariance": lambda x, y: covariance(x, y, 1),
    "pearson": pearson,
    "spearman": lambda x, y: pearson(ranks_of(x), ranks_of(y)),
    "kendall": tau,
}


@pytest.mark.parametrize("name", PAIRS)
def test_statistics_of_pairs(name):
    ours, theirs = getattr(pv, name), PAIRS[name]
    for dtype in ["float64", "float32", "int32", "uint8"]:
        for x, y in zip(views(values((6, 9), dtype)), views(values((6, 9), "int64", 1) + values((6, 9), dtype))):
            x64, y64 = x.astype("float64"), y.astype("float64")
            same(ours(x, y), theirs(x64.ravel(), y64.ravel()), rtol=1e-9)
            for axis in [0, 1]:
                lanes = np.moveaxis(x64, axis, -1), np.moveaxis(y64, axis, -1)
                if lanes[0].shape[-1] > 2:
                    want = [theirs(*pair) for pair in zip(*(a.reshape(-1, a.shape[-1]) for a in lanes))]
                    same(ours(x, y, axis=axis), np.reshape(want, lanes[0].shape[:-1]), rtol=1e-9)
    x, y = with_nan((50,)), with_nan((50,), seed=2)
    both = ~np.isnan(x) & ~np.isnan(y)
    same(ours(x, y, nan="skip"), theirs(x[both], y[both]), rtol=1e-9)
    assert math.isnan(float(ours(x, y)))
    with pytest.raises(pv.ArithmeticError):
        ours(x, y, nan="raise")
    with pytest.raises(pv.ShapeError):
        ours([1.0, 2], [1.0, 2, 3])
    with pytest.raises(pv.IndexError):
        ours([1.0, 2], [1.0, 2], axis=1)
    same(ours(values((3, 8)), values((8,)), axis=1), [theirs(row, values((8,))) for row in values((3, 8))], rtol=1e-9)
    assert math.isnan(float(ours([], [])))


def test_matrices_of_statistics():
    for dtype in ["float64", "float32", "int32"]:
        for x in views(values((5, 20), dtype)):
            if x.ndim == 2:
                x64 = x.astype("float64")
                same(pv.covariance_matrix(x), np.cov(x64, ddof=0), rtol=1e-6)
                same(pv.sample_covariance_matrix(x), np.cov(x64), rtol=1e-6)
                same(pv.correlation_matrix(x), np.corrcoef(x64), rtol=1e-6)
    x = with_nan((3, 30))
    want = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            both = ~np.isnan(x[i]) & ~np.isnan(x[j])
            want[i, j] = covariance(x[i][both], x[j][both])
    same(pv.covariance_matrix(x, nan="skip"), want, rtol=1e-9)
    for bad in ([1.0], np.zeros((2, 2, 2))):
        with pytest.raises(pv.ShapeError):
            pv.correlation_matrix(bad)


def test_ranks():
    for x in arrays():
        for axis in range(x.ndim):
            same(pv.ranks(x, axis=axis), np.apply_along_axis(ranks_of, axis, x))
        same(pv.ranks(x), np.apply_along_axis(ranks_of, -1, x))
    assert pv.ranks([2.0, np.nan, 1.0], nan="skip").tolist()[::2] == [2, 1]
    assert np.isnan(np.asarray(pv.ranks([2.0, np.nan, 1.0]))).all()
    assert pv.ranks([]).shape == (0,) and pv.ranks(np.array(5.0)).shape == ()
    with pytest.raises(pv.IndexError):
        pv.ranks([1.0], axis=1)


def test_lines():
    x, y = values((6, 9)), values((6, 9), seed=1)
    for a, b in zip(views(x), views(y)):
        line = pv.linear_regression(a, b)
        slope, intercept = np.polyfit(a.ravel(), b.ravel(), 1)
        same(line.slope, slope, rtol=1e-9)
        same(line.intercept, intercept, rtol=1e-9)
        same(line.correlation, pearson(a.ravel(), b.ravel()), rtol=1e-9)
    lines = pv.linear_regression(x, y, axis=1)
    want = [np.polyfit(x[i], y[i], 1) for i in range(6)]
    same(lines.slope, [w[0] for w in want], rtol=1e-9)
    same(lines.intercept, [w[1] for w in want], rtol=1e-9)
    with pytest.raises(pv.ShapeError):
        pv.linear_regression([1.0], [2.0])
    with pytest.raises(pv.Error):
        pv.linear_regression([1.0, 1.0], [2.0, 3.0])


def test_lines_and_correlations_beside_scipy():
    stats = pytest.importorskip("scipy.stats")
    x, y = values((30,)), values((30,), seed=1).round(1)
    want = stats.linregress(x, y)
    for ours, name in zip(pv.linear_regression(x, y), ["slope", "intercept", "rvalue", "stderr", "intercept_stderr"]):
        same(ours, getattr(want, name), rtol=1e-9)
    same(pv.spearman(x, y), stats.spearmanr(x, y).statistic)
    same(pv.kendall(x, y), stats.kendalltau(x, y).statistic)


BINS = [(10, None), (1, None), (4, (-1, 2)), (7, (0, 30)), ([-1.0, 0, 0.5, 3], None), ([0, 10, 10, 40], None)]


@pytest.mark.parametrize("bins, range", BINS)
def test_histograms(bins, range):
    for x in arrays():
        x64 = x.astype("float64")
        ours = pv.histogram(x, bins, range=range)
        counts, edges = np.histogram(x64, bins, range)
        same(ours.counts, counts)
        same(ours.edges, edges.astype("float64"))
        weights = values(x.shape, "float64", 3)
        same(pv.weighted_histogram(x, weights, bins, range=range).heights, np.histogram(x64, bins, range, weights=weights)[0], rtol=1e-9)
        if counts.sum() > 0 and np.all(np.diff(edges) > 0):
            same(pv.histogram_density(x, bins, range=range).heights, np.histogram(x64, bins, range, density=True)[0])
            positive = np.abs(weights)
            want = np.histogram(x64, bins, range, weights=positive, density=True)[0]
            same(pv.histogram_density(x, bins, range=range, weights=positive).heights, want, rtol=1e-9)


def test_histograms_of_nothing_nan_and_bad_bins():
    assert pv.histogram([], 3).counts.tolist() == [0, 0, 0]
    assert pv.histogram([np.nan, 0.5], 2, range=(0, 1)).counts.tolist() == [0, 1]
    assert pv.histogram(0.25, [0, 1]).counts.tolist() == [1]
    for call in ["([np.nan], 2)", "([1.0], 0)", "([1.0], [1, 0])", "([1.0], 2, range=(1, 0))", "([1.0], [0, np.inf, np.nan])"]:
        with pytest.raises(pv.Error):
            eval("pv.histogram" + call, {"pv": pv, "np": np})
    for call in ["([1.0], [1])", "([1.0], 2, range=(1, 2, 3))", "([1.0], [1, 2], range=(1, 2))"]:
        with pytest.raises(ValueError):
            eval("pv.histogram" + call, {"pv": pv, "np": np})
    with pytest.raises(pv.ShapeError):
        pv.weighted_histogram([1.0, 2], [1.0])


def test_bincount():
    for x in arrays(types=["int64", "int32", "uint8"]):
        for length in [0, 3, 80]:
            same(pv.bincount(x, minlength=length), np.bincount(x.ravel(), minlength=length))
            weights = values(x.shape, "float32", 4)
            want = np.bincount(x.ravel(), weights.ravel(), minlength=length)
            same(pv.bincount(x, weights, minlength=length), want)
    assert pv.bincount(np.zeros(0, int)).shape == (0,)
    with pytest.raises(pv.IndexError):
        pv.bincount([-1])
    with pytest.raises(pv.DtypeError):
        pv.bincount([1.5])
    with pytest.raises(pv.ShapeError):
        pv.bincount([1, 2], [1.0])
    with pytest.raises(pv.ShapeError):
        pv.bincount([1], minlength=-1)


def test_digitize():
    for x in arrays():
        for edges in [[0.0, 0.5, 3, 20], [20, 3.0, 0], [1, 2, 2, 30], [0.5]]:
            for side in ["left", "right"]:
                same(pv.digitize(x, edges, right=side == "right"), np.digitize(x, edges, right=side == "right"))
    assert pv.digitize([np.nan], [0.0, 1.0]).tolist() == [2] and int(pv.digitize(0.5, [0.0, 1.0])) == 1
    with pytest.raises(pv.Error):
        pv.digitize([1.0], [0, 2, 1])
    with pytest.raises(pv.ShapeError):
        pv.digitize([1.0], [[0.0, 1]])
