"""Scans by a function, moving averages, first and last elements, scattered extremes: itertools, pandas and NumPy tell what is right."""

import itertools
import operator

import numpy as np
import pytest

import purview as pv

NAN = float("nan")


def same(found, expected, dtype=None):
    found = np.asarray(found)
    np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-14)
    if dtype is not None:
        assert found.dtype == dtype


def test_scan():
    x = np.arange(12).reshape(3, 4) + 1
    same(pv.scan(x, operator.add, 0), np.cumsum(x, 1), "int64")
    same(pv.scan(x, operator.add, 0, axis=0), np.cumsum(x, 0), "int64")
    same(pv.scan(x, lambda so_far, each: so_far / 2 + each, 8.0), [list(itertools.accumulate(row, lambda a, b: a / 2 + b, initial=8.0))[1:] for row in x])
    same(pv.scan([1, 2], operator.add, 0, dtype="float32"), [1, 3], "float32")
    assert pv.scan(np.zeros((2, 0)), operator.add, 0).shape == (2, 0)
    with pytest.raises(IndexError):
        pv.scan(x, operator.add, 0, axis=2)


# Not alpha = 0.5, com = 1: with adjust=False pandas 3.1 then weighs what stands behind a gap by 1 - old weight, and not by alpha as it documents.
@pytest.mark.parametrize("options", [{"alpha": 0.6}, {"span": 4}, {"halflife": 2}, {"com": 1.5}, {"span": 1}], ids=str)
@pytest.mark.parametrize("adjust", [True, False])
@pytest.mark.parametrize("ignore_na", [True, False])
def test_ewma(options, adjust, ignore_na):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(51)
    x = rng.normal(size=(60, 3))
    x[rng.random(x.shape) < 0.3] = NAN
    x[7, 1], x[9, 2] = np.inf, -np.inf
    x[20:30, 0] = 4.0
    expected = pd.DataFrame(x).ewm(adjust=adjust, ignore_na=ignore_na, **options).mean().to_numpy()
    same(pv.ewma(x, adjust=adjust, ignore_na=ignore_na, axis=0, **options), expected, "float64")
    same(pv.ewma(x.T, adjust=adjust, ignore_na=ignore_na, **options), expected.T)


def test_ewma_refuses():
    assert np.asarray(pv.ewma(np.ones(3, "f4"), span=3)).dtype == "float32"
    for wrong in [{}, {"span": 2, "alpha": 0.5}, {"alpha": 0}, {"alpha": 2}, {"span": 0.5}, {"halflife": 0}, {"com": -1}]:
        with pytest.raises(pv.Error):
            pv.ewma([1.0, 2.0], **wrong)


def test_expanding_median():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(52)
    x = np.round(rng.normal(size=500), 1)
    same(pv.expanding_window(x, "median"), pd.Series(x).expanding().median())
    same(pv.expanding_window(x, ("quantile", 0.3)), pd.Series(x).expanding().quantile(0.3))
    x[rng.random(500) < 0.2] = NAN
    same(pv.expanding_window(x, "median", nan="skip"), pd.Series(x).expanding(1).median())
    keys = np.sort(rng.random(500))
    same(pv.variable_rolling_window(x, keys, 0.1, "median", nan="skip"), [np.nanmedian(x[: i + 1][keys[: i + 1] > keys[i] - 0.1]) for i in range(500)])


def test_first_and_last():
    x = np.array([[NAN, 2.0, 3.0], [4.0, 5.0, NAN]])
    same(pv.first(x, axis=1), [NAN, 4])
    same(pv.first(x, axis=1, nan="skip"), [2, 4])
    same(pv.last(x, axis=0, nan="skip"), [4, 5, 3])
    keys, first, last = pv.group_by_reduce([2, 1, 2], [NAN, 1.0, 5.0], "first", "last", nan="skip")
    assert np.asarray(keys).tolist() == [1, 2]
    same(first, [1, 5])
    same(last, [1, 5])


def test_minimum_at():
    for function in (np.minimum, np.maximum):
        mine, theirs = pv.asarray(np.full(3, 5.0)), np.full(3, 5.0)
        function.at(mine, [2, 0, 2, 1], [3.0, 9.0, 1.0, NAN])
        function.at(theirs, [2, 0, 2, 1], [3.0, 9.0, 1.0, NAN])
        same(mine, theirs)
