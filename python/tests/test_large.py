"""Functions that let go of the interpreter's lock, in several threads at once, of memory of NumPy's."""

import gc
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from samples import same, values, with_nan

import purview as pv

N = 20_000

CALLS = {
    "sum": (lambda x, k: pv.sum(x, nan="skip"), lambda x, k: np.nansum(x)),
    "median": (lambda x, k: pv.median(x, nan="skip"), lambda x, k: np.nanmedian(x)),
    "quantile": (lambda x, k: pv.quantile(x, [0.1, 0.9], nan="skip"), lambda x, k: np.nanquantile(x, [0.1, 0.9])),
    "kurtosis": (lambda x, k: pv.kurtosis(k), lambda x, k: np.mean((k - k.mean()) ** 4) / k.var() ** 2 - 3),
    "pearson": (lambda x, k: pv.pearson(k, k[::-1]), lambda x, k: np.corrcoef(k, k[::-1])[0, 1]),
    "matrix": (lambda x, k: pv.sample_covariance_matrix(k.reshape(4, -1)), lambda x, k: np.cov(k.reshape(4, -1))),
    "describe": (lambda x, k: pv.descriptive_statistics(k)["median"], lambda x, k: np.median(k)),
    "line": (lambda x, k: pv.linear_regression(np.arange(N), k).slope, lambda x, k: np.polyfit(np.arange(N), k, 1)[0]),
    "histogram": (lambda x, k: pv.histogram(x, 9, range=(-3, 3)).counts, lambda x, k: np.histogram(x, 9, (-3, 3))[0]),
    "bincount": (lambda x, k: pv.bincount(k), lambda x, k: np.bincount(k)),
    "digitize": (lambda x, k: pv.digitize(x, [-1, 0, 1]), lambda x, k: np.digitize(x, [-1, 0, 1])),
    "norm": (lambda x, k: pv.norm(k, 3), lambda x, k: np.linalg.norm(k.astype(float), 3)),
    "distance": (lambda x, k: pv.distance(k, k[::-1]), lambda x, k: np.linalg.norm((k - k[::-1]).astype(float))),
    "dot": (lambda x, k: pv.dot(k, k), lambda x, k: np.dot(k, k)),
    "kron": (lambda x, k: pv.kron(k, [1, 2]), lambda x, k: np.kron(k, [1, 2])),
    "cumsum": (lambda x, k: pv.cumsum(x, nan="skip"), lambda x, k: np.nancumsum(x)),
    "topk": (lambda x, k: pv.topk(x, 5).values, lambda x, k: np.sort(x[~np.isnan(x)])[: -(5 + 1) : -1]),
    "isin": (lambda x, k: pv.isin(k, [3, 5]), lambda x, k: np.isin(k, [3, 5])),
    "interp": (lambda x, k: pv.interp(k, [0, 50], [1, 2]), lambda x, k: np.interp(k, [0, 50], [1, 2])),
    "convolve": (lambda x, k: pv.convolve1d(k, [1, 2, 3]), lambda x, k: np.convolve(k, [1, 2, 3])),
    "window": (
        lambda x, k: pv.fixed_rolling_window(k, 3, "sum", edge="constant"),
        lambda x, k: np.convolve(k, [1, 1, 1], "same"),
    ),
    "std of windows": (
        lambda x, k: pv.variable_rolling_window(k, np.arange(N), 3, "std", position="leading")[: N - 2].realise(),
        lambda x, k: np.lib.stride_tricks.sliding_window_view(k, 3).std(axis=1),
    ),
    "groups": (lambda x, k: pv.group_by_reduce(k, k, "mean")[1], lambda x, k: np.unique(k).astype(float)),
    "medians of groups": (lambda x, k: pv.group_by_reduce((k,), k, "median")[1], lambda x, k: np.unique(k).astype(float)),
    "indexes of groups": (lambda x, k: pv.arggroup(k).indexes[0], lambda x, k: np.nonzero(k == k[0])[0]),
}


@pytest.mark.parametrize("name", CALLS)
def test_in_threads(name):
    ours, theirs = CALLS[name]
    x, k = with_nan((N,)), values((N,), "int64")
    before = sys.getrefcount(x), sys.getrefcount(k)
    want = theirs(x, k)
    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(lambda _: ours(x, k), range(8)):
            same(found, want, rtol=1e-8)
    del found
    gc.collect()
    assert (sys.getrefcount(x), sys.getrefcount(k)) == before


def test_errors_come_out_of_threads():
    x = with_nan((N,))
    for call in [
        lambda: pv.median(x, nan="raise"),
        lambda: pv.group_by_reduce(x, x, "median", nan="raise"),
        lambda: pv.expanding_window(x, "sum", nan="raise"),
        lambda: pv.cumsum(x, nan="raise"),
    ]:
        with ThreadPoolExecutor(2) as threads, pytest.raises(pv.ArithmeticError, match="NaN"):
            list(threads.map(lambda _: call(), range(4)))
