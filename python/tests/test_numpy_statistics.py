"""NumPy's functions of our arrays that are statistics, and their keywords."""

import numpy as np
import pytest
from samples import with_nan

import purview as pv

CALLS = """
    np.median(x)|np.median(x, 1)|np.median(x, axis=0, keepdims=True)|np.percentile(x, 30, axis=1)|np.quantile(x, [0.1, 0.5], method="hazen")
    np.nanmean(n)|np.nanmean(n, axis=0)|np.nansum(n, 1)|np.nanstd(n, ddof=1)|np.nanvar(n, axis=1)|np.nanmax(n)|np.nanmedian(n, axis=0)
    np.nanargmax(n)|np.nancumsum(n)|np.percentile(x, 5, 0)|np.nanpercentile(n, 40)|np.nanquantile(n, 0.4, axis=1)|np.bincount(i)|np.bincount(i, minlength=20)|np.histogram(x, 5)[0]
    np.digitize(x, [0.2, 0.6])|np.isin(i, [1, 2])|np.interp(x, [0, 1], [2, 5])|np.pad(x, 1)|np.pad(x, ((1, 0), (0, 2)), mode="edge")
    np.pad(x, 1, constant_values=3)|np.rot90(x)|np.rot90(x, k=2)|np.outer(x, i)|np.kron(x, x)|np.diag(x)|np.diag(i, k=1)|np.dot(i, i)
    np.dot(x, x.T)|np.isclose(x, 0.5, rtol=0.5)|np.isclose(x, x, atol=1)|np.nan_to_num(n)|np.nan_to_num(n, nan=1.5, posinf=3)
    np.linalg.norm(x)|np.linalg.norm(x, ord=1)|np.linalg.norm(x, axis=1)|np.linalg.norm(x, np.inf, axis=0, keepdims=True)
    np.mean(x[:2, :2], dtype="float64")|np.mean(i, dtype=float)|np.var(i, 0, dtype="float64")|np.std(x, 1, dtype="float64", ddof=1)|np.mean(n, 1, dtype="float64")
    np.nansum(z)|np.nanmean(z)|np.nanmean(z, axis=1, keepdims=True)|np.nanprod(z, 0)|np.nancumsum(z)|np.gradient(x, x[0].cumsum(), axis=1)
    np.gradient(i, [0, 1, 3, 4, 7, 8, 9])|np.gradient(i, np.array([9, 7, 6, 4, 3, 1, 0], "u4"))|np.gradient(x, np.int64(2), axis=0)|np.gradient(x.astype("f4"), [1, 2, 4], axis=0).astype("f2")|np.zeros_like(x, order="C", shape=3)|np.full_like(i, 2, subok=True)
    np.lib.stride_tricks.sliding_window_view(x, 2, axis=1)|np.lib.stride_tricks.sliding_window_view(x, (2, 3))
"""


@pytest.mark.parametrize("call", [c.strip() for line in CALLS.strip().split("\n") for c in line.split("|")])
def test_functions_of_numpy_stay_ours(call):
    rng = np.random.default_rng(2)
    given = {"x": rng.random((3, 4)), "n": with_nan((3, 4)), "i": rng.integers(0, 5, 7), "z": np.array([[1 + 2j, np.nan], [1j, 3]])}
    want = eval(call, {"np": np, **given})
    ours = eval(call, {"np": np, **{name: pv.asarray(x) for name, x in given.items()}})
    assert isinstance(ours, pv.Array)
    np.testing.assert_allclose(np.asarray(ours), want, rtol=1e-12)
    assert np.asarray(ours).dtype == np.asarray(want).dtype


def test_bools_and_what_is_lacking():
    x = pv.asarray([1.0, np.nan])
    assert np.allclose(x, x, equal_nan=True) is True and np.allclose(x, x) is False
    assert np.allclose(pv.asarray([1.0]), pv.asarray([1.1]), rtol=0.2) is True
    out = np.zeros(())
    assert np.median(pv.asarray([1.0, 2.0]), out=out) is out and out == 1.5
    for call in ["np.gradient(x, [1.0, 2, 3])", "np.lib.stride_tricks.sliding_window_view(x, (1, 1))"]:
        with pytest.raises(pv.ShapeError):
            eval(call, {"np": np, "x": x})
    with pytest.raises(ValueError):
        np.gradient(x, edge_order=2)


@pytest.mark.parametrize(
    "given", ["1, 2.5", "2.5, 1", "True, 1", "np.float64(1), 'float32'", "np.float32, np.int8", "np.float32(1), np.int8", "x, 1.5"]
)
def test_common_types(given):
    given = eval(f"({given})", {"np": np, "x": np.arange(3)})
    assert pv.result_type(*given) == np.result_type(*given) or given[1] == "float32"  # np.float64 is a float of Python


def test_gradient_beside_what_is_no_number():
    """Of evenly placed points, NaN and infinities count beside them, and not where they are, as in NumPy."""
    for x in ([1.0, 2, np.nan, 4, 5, 6], [1.0, np.inf, 3, -np.inf, 5, 7], [np.nan, 1, 2, 3, 4, np.nan]):
        x = np.array(x)
        for places in (np.arange(6), np.arange(6) * -0.5, np.arange(6.0) + 3):
            same = np.gradient(x, places)
            assert np.array_equal(np.asarray(pv.gradient(x, places)), same, equal_nan=True)
            both = np.stack([x, x[::-1]])
            assert np.array_equal(np.asarray(pv.gradient(both, places, axis=1)), np.gradient(both, places, axis=1), equal_nan=True)
            assert np.array_equal(np.asarray(pv.gradient(both.T, places, axis=0)), np.gradient(both.T, places, axis=0), equal_nan=True)
    slopes = pv.gradient(np.array([1.0, np.nan, 3, 4]), np.array([0.0, 1, 3, 4]))
    assert np.array_equal(np.asarray(slopes), [np.nan, np.nan, np.nan, 1], equal_nan=True)
