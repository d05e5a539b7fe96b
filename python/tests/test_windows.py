"""Windows beside loops and pandas."""

import math
import warnings

import numpy as np
import pytest
from samples import same, values, views, with_nan

import purview as pv


def sample_std(lane):
    return lane.std(ddof=1) if len(lane) > 1 else math.nan


def mode(lane):
    found, counts = np.unique(lane, return_counts=True)
    return found[counts.argmax()]


REDUCTIONS = {
    "sum": np.sum,
    "prod": np.prod,
    "mean": np.mean,
    "min": np.min,
    "max": np.max,
    "median": np.median,
    "var": np.var,
    "std": np.std,
    "variance": np.var,
    "sample_standard_deviation": sample_std,
    "quadratic_mean": lambda lane: np.sqrt(np.mean(lane.astype("float64") ** 2)),
    "magnitude": lambda lane: np.sqrt(np.sum(lane.astype("float64") ** 2)),
    "most_frequent": mode,
    "count_true": np.count_nonzero,
    "first": lambda lane: lane[0],
    "last": lambda lane: lane[-1],
    "argmax": np.argmax,
    "argmin": np.argmin,
    ("quantile", 0.3): lambda lane: np.quantile(lane, 0.3),
    ("percentile", 90): lambda lane: np.percentile(lane, 90),
}
OF_ELEMENTS = {"min", "max", "most_frequent", "first", "last"}
OF_INTEGERS = {"count_true", "argmax", "argmin"}
SHAPES = [(7,), (4, 9), (2, 3, 4)]


def type_of(reduction, x):
    if reduction in OF_ELEMENTS:
        return x.dtype
    if reduction in OF_INTEGERS or (reduction in ("sum", "prod") and x.dtype.kind in "bi"):
        return "int64"
    return "float32" if x.dtype == "float32" else "float64"


def samples():
    for shape in SHAPES:
        for dtype in ["float64", "float32", "int32"]:
            yield from views(values(shape, dtype) if dtype != "int32" else values(shape, dtype) % 5)


def in_lanes(x, axis, windows, f, length):
    """`f` of each of some windows, [begin, end), of each lane."""
    lanes = np.moveaxis(x.astype("float64") if x.dtype == "float32" else x, axis, -1)
    out = np.empty((*lanes.shape[:-1], length))
    for at in np.ndindex(lanes.shape[:-1]):
        out[at] = [f(lanes[at][a:b]) for a, b in windows]
    return np.moveaxis(out, -1, axis)


@pytest.mark.parametrize("reduction", REDUCTIONS, ids=str)
@pytest.mark.parametrize("position", ["centre", "trailing", "leading"])
def test_fixed_windows(reduction, position):
    f = REDUCTIONS[reduction]
    for x in samples():
        for axis in range(x.ndim):
            n = x.shape[axis]
            for width in [2, 5]:
                before = {"centre": width // 2, "trailing": width - 1, "leading": 0}[position]
                padding = [(0, 0)] * x.ndim
                padding[axis] = (before, width - 1 - before)
                padded = np.pad(x, padding, "edge")
                for step in [1, 3]:
                    windows = [(i, i + width) for i in range(0, n, step)]
                    ours = pv.fixed_rolling_window(x, width, reduction, axis=axis, position=position, step=step)
                    same(ours, in_lanes(padded, axis, windows, f, len(windows)), dtype=type_of(reduction, x), rtol=1e-9)


@pytest.mark.parametrize("edge", ["constant", "edge", "reflect", "symmetric", "wrap"])
def test_edges_of_fixed_windows(edge):
    for x in views(values((5, 12))):
        if x.shape[-1] > 4:
            padded = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(2, 2)], edge)
            for name in ["mean", "max", "median"]:
                want = in_lanes(padded, x.ndim - 1, [(i, i + 5) for i in range(x.shape[-1])], REDUCTIONS[name], x.shape[-1])
                same(pv.fixed_rolling_window(x, 5, name, edge=edge), want)


def test_fixed_windows_beside_pandas():
    pandas = pytest.importorskip("pandas")
    for x in [values((40,)), with_nan((40,))]:
        for width in [1, 2, 7]:
            rolling = pandas.Series(x).rolling(width)
            for ours, theirs in {"sum": "sum", "mean": "mean", "min": "min", "max": "max", "median": "median"}.items():
                got = pv.fixed_rolling_window(x, width, ours, position="trailing", incomplete=math.nan)
                same(got, getattr(rolling, theirs)().to_numpy(), rtol=1e-9)
            got = pv.fixed_rolling_window(x, width, "sample_standard_deviation", position="trailing", incomplete=math.nan)
            same(got, rolling.std().to_numpy(), rtol=1e-6)
        got = pv.variable_rolling_window(x, np.arange(40), 7, "sum", nan="skip")
        same(got, pandas.Series(x).rolling(7, min_periods=0).sum().to_numpy(), rtol=1e-9)


@pytest.mark.parametrize("reduction", REDUCTIONS, ids=str)
def test_expanding_and_ranges(reduction):
    f = REDUCTIONS[reduction]
    rng = np.random.default_rng(0)
    for x in samples():
        for axis in range(x.ndim):
            n = x.shape[axis]
            ours = pv.expanding_window(x, reduction, axis=axis)
            same(ours, in_lanes(x, axis, [(0, i + 1) for i in range(n)], f, n), dtype=type_of(reduction, x), rtol=1e-9)
            begins = rng.integers(0, n, 6)
            ends = begins + 1 + rng.integers(0, n - begins)
            for begin, end in [(begins, ends), (np.sort(begins), np.maximum.accumulate(np.sort(ends)))]:
                end = np.maximum(end, begin + 1)
                ours = pv.range_windows(x, begin, end, reduction, axis=axis)
                same(ours, in_lanes(x, axis, list(zip(begin, end)), f, 6), dtype=type_of(reduction, x), rtol=1e-9)


@pytest.mark.parametrize("position", ["trailing", "leading", "centre"])
@pytest.mark.parametrize("reduction", ["sum", "mean", "max", "median", "std", ("quantile", 0.3)], ids=str)
def test_windows_of_keys(reduction, position):
    f = REDUCTIONS[reduction]
    for x in samples():
        for axis in range(x.ndim):
            n = x.shape[axis]
            for keys in [np.sort(values((n,))), np.sort(values((n,), "int64")), np.arange(n, dtype="uint8"), np.zeros(n)]:
                for width in [3, 0.5]:
                    apart = keys[None].astype("float64") - keys[:, None].astype("float64")  # [i, j]: of j from i
                    inside = {
                        "trailing": (apart <= 0) & (-apart < width),
                        "leading": (apart >= 0) & (apart < width),
                        "centre": 2 * np.abs(apart) <= (width if keys.dtype.kind == "f" or width < 1 else width // 2 * 2),
                    }[position]
                    seen = {"trailing": np.tril, "leading": np.triu}.get(position, np.array)(inside)
                    for step, ties, rows in [(1, {}, seen), (2, {"ties": "in_order"}, seen), (1, {"ties": "together"}, inside)]:
                        windows = [(row.argmax(), n - row[::-1].argmax()) for row in rows]
                        ours = pv.variable_rolling_window(
                            x, keys, width, reduction, axis=axis, position=position, step=step, **ties
                        )
                        want = in_lanes(x, axis, windows[::step], f, len(windows[::step]))
                        same(ours, want, dtype=type_of(reduction, x), rtol=1e-9)


def test_rows_of_equal_times():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(4)
    minutes = np.sort(rng.integers(0, 60, 80)).astype("M8[m]")
    x = rng.integers(0, 9, 80).astype("float64")
    series = pandas.Series(x, pandas.DatetimeIndex(minutes.astype("M8[ns]")))
    for name in ["sum", "mean", "max", "median"]:
        got = pv.variable_rolling_window(x, minutes, np.timedelta64(5, "m"), name)
        same(got, getattr(series.rolling("5min"), name)().to_numpy(), rtol=1e-12)
    with pytest.raises(ValueError, match="'together'"):
        pv.variable_rolling_window(x, minutes, np.timedelta64(5, "m"), "sum", ties="some")


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "min", "max", "median", "std"])
def test_nan_in_windows(name):
    theirs = getattr(np, "nan" + name)
    for x in views(with_nan((6, 9))):
        n = x.shape[-1]
        lanes = {
            "fixed": ([(max(0, i - 2), i + 1) for i in range(n)], pv.fixed_rolling_window, (x, 3, name)),
            "variable": ([(max(0, i - 2), i + 1) for i in range(n)], pv.variable_rolling_window, (x, np.arange(n), 3, name)),
            "expanding": ([(0, i + 1) for i in range(n)], pv.expanding_window, (x, name)),
        }
        for kind, (windows, f, given) in lanes.items():
            options = {"position": "trailing", "edge": "constant", "incomplete": 0.0} if kind == "fixed" else {}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                skipped = in_lanes(x, x.ndim - 1, windows, theirs, n)
                kept = in_lanes(x, x.ndim - 1, windows, REDUCTIONS[name], n)
            for nan, want in {"skip": skipped, "keep": kept}.items():
                if kind == "fixed":
                    want[..., :2] = 0
                same(f(*given, nan=nan, **options), want, rtol=1e-9)
            with pytest.raises(pv.ArithmeticError):
                f(*given, nan="raise")


def test_windows_of_nothing_and_numbers():
    for name in ["sum", "median"]:
        assert pv.fixed_rolling_window([], 3, name).shape == (0,)
        assert pv.expanding_window(np.zeros((2, 0)), name).shape == (2, 0)
        assert pv.variable_rolling_window([], [], 1, name).shape == (0,)
        assert pv.range_windows([1.0, 2], np.zeros(0, int), np.zeros(0, int), name).shape == (0,)
        assert pv.expanding_window(np.array(2.0), name).tolist() == 2
        assert pv.fixed_rolling_window(np.array(2.0), 1, name).tolist() == 2
    assert pv.range_windows([1.0, 2], [1, 0], [1, 2], "sum").tolist() == [0, 3]
    assert math.isnan(pv.range_windows([1.0, 2], [1], [1], "median").tolist()[0])
    assert pv.fixed_rolling_window([1, 2], 3, "sum", incomplete=-1).tolist() == [-1, -1]


def test_bad_windows():
    for call, error in {
        "fixed_rolling_window(x, 0, 'sum')": pv.ShapeError,
        "fixed_rolling_window(x, 2, 'sum', step=0)": pv.ShapeError,
        "fixed_rolling_window(x, 2, 'median', axis=1)": pv.IndexError,
        "fixed_rolling_window(x, 2, 'sum', position='middle')": ValueError,
        "fixed_rolling_window(x, 2, 'sum', edge='none')": ValueError,
        "fixed_rolling_window(x, 2, 3)": TypeError,
        "fixed_rolling_window([1, 2], 2, 'sum', incomplete=float('nan'))": pv.CastError,
        "fixed_rolling_window([1j, 2], 2, 'sum')": pv.DtypeError,
        "expanding_window([1j, 2], 'median')": pv.DtypeError,
        "expanding_window(x, ('quantile', 2))": pv.Error,
        "variable_rolling_window(x, [1, 2], 1, 'sum')": pv.ShapeError,
        "variable_rolling_window(x, [1, 2], 1, 'median')": pv.ShapeError,
        "variable_rolling_window(x, [1, 3, 2], 1, 'sum')": pv.Error,
        "variable_rolling_window(x, [1, 2, 3], 0, 'sum')": pv.Error,
        "variable_rolling_window(x, [[1, 2, 3]], 1, 'sum')": pv.ShapeError,
        "variable_rolling_window(x, [1, 2, 3], 1, 'sum', step=0)": pv.ShapeError,
        "variable_rolling_window(x, [1, 2, 3], 'a', 'sum')": (TypeError, RuntimeError),
        "range_windows(x, [0], [4], 'sum')": pv.IndexError,
        "range_windows(x, [2], [1], 'median')": pv.IndexError,
        "range_windows(x, [0, 1], [1], 'sum')": pv.ShapeError,
        "range_windows(x, [0.5], [1], 'sum')": pv.DtypeError,
        "range_windows(x, [1], [1], 'max')": pv.ShapeError,
    }.items():
        with pytest.raises(error):
            eval("pv." + call, {"pv": pv, "x": [1.0, 2, 3]})
    for call in ["pv.expanding_window(x, 'average')", "pv.fixed_rolling_window(x, 2, ('mean', 2))"]:
        with pytest.raises(ValueError, match="is one of '(sum', 'prod', 'mean'|quantile', 'percentile')"):
            eval(call, {"pv": pv, "x": [1.0]})
