"""Times against NumPy's: arithmetic, rounding, fields."""

import datetime

import numpy as np
import pytest

import purview as pv

generator = np.random.default_rng(9)
UNITS = ["ns", "us", "ms", "s", "m", "h", "D"]
PER_DAY = {"ns": 86400 * 10**9, "us": 86400 * 10**6, "ms": 86400 * 10**3, "s": 86400, "m": 1440, "h": 24, "D": 1}


def points(unit, shape=(40,)):
    return generator.integers(-30000 * PER_DAY[unit], 30000 * PER_DAY[unit], shape).astype(f"datetime64[{unit}]")


def durations(unit, shape=(40,)):
    return generator.integers(-3000 * PER_DAY[unit], 3000 * PER_DAY[unit], shape).astype(f"timedelta64[{unit}]")


def check(t, x):
    x = np.asarray(x)
    assert t.dtype.name == x.dtype.name and t.shape == x.shape and np.array_equal(np.asarray(t), x, equal_nan=True)


@pytest.mark.parametrize("first", UNITS)
@pytest.mark.parametrize("second", UNITS)
def test_sums_and_differences(first, second):
    p, q, d, e = points(first), points(second), durations(first), durations(second)
    t, u, s, r = (pv.asarray(x) for x in (p, q, d, e))
    check(t - u, p - q)
    check(t + r, p + e)
    check(r + t, e + p)
    check(t - r, p - e)
    check(s + r, d + e)
    check(s - r, d - e)
    check(t - q[3], p - q[3])
    check(q[3] - t, q[3] - p)
    check(t + e[3], p + e[3])
    check(p - u, p - q)
    check(pv.add(t, r), p + e)
    check(pv.subtract(t, u), p - q)
    for name in "equal not_equal less less_equal greater greater_equal".split():
        check(getattr(pv, name)(t, u), getattr(np, name)(p, q))
        check(getattr(pv, name)(s, r), getattr(np, name)(d, e))
    check(t == q[0], p == q[0])
    check(pv.minimum(t, u), np.minimum(p, q))
    check(pv.maximum(s, r), np.maximum(d, e))


@pytest.mark.parametrize("unit", UNITS)
def test_integers(unit):
    p, d = points(unit), durations(unit)
    t, s = pv.asarray(p), pv.asarray(d)
    n = generator.integers(-9, 9, 40)
    check(s * 3, d * 3)
    check(3 * s, 3 * d)
    check(s * n, d * n)
    check(s * n.astype("int8"), d * n)
    check(s + 3, d + 3)
    check(3 - s, 3 - d)
    check(s - n, d - n)
    check(t + 3, p + 3)
    check(-s, -d)


def test_views_broadcast_and_write():
    p, d = points("s", (4, 5)), durations("h", (5,))
    t, s = pv.asarray(p), pv.asarray(d)
    check(t[::-1, ::2] - s[::2], p[::-1, ::2] - d[::2])
    check(t.T + s[:4], p.T + d[:4])
    check(pv.asarray(np.repeat(p, 2, axis=1)[:, ::2]) - t, p - p)
    check(pv.asarray(p[:0]) - s, p[:0] - d)
    check(t[1, 2] - t[0, 0], p[1, 2] - p[0, 0])
    with pytest.raises(pv.ShapeError):
        t - s[:3]
    t += s
    p += d.astype("timedelta64[s]")
    check(t, p)


@pytest.mark.parametrize(
    "call",
    [
        lambda t, s: t + t,
        lambda t, s: s - t,
        lambda t, s: 3 - t,
        lambda t, s: t * 2,
        lambda t, s: s * s,
        lambda t, s: s * 1.5,
        lambda t, s: t + 1.5,
        lambda t, s: t == s,
        lambda t, s: t < 3,
        lambda t, s: -t,
        lambda t, s: pv.minimum(t, s),
        lambda t, s: pv.year_of(s),
        lambda t, s: pv.year_of([1, 2]),
        lambda t, s: pv.floor_time(s, "M"),
        lambda t, s: pv.floor_time([1.0], "D"),
        lambda t, s: pv.week_start(s),
        lambda t, s: pv.plus_months(t, 1.5),
    ],
)
def test_what_has_no_meaning(call):
    with pytest.raises(pv.DtypeError):
        call(pv.asarray(points("s")), pv.asarray(durations("s")))


def test_no_unit():
    with pytest.raises(ValueError, match="not fortnight"):
        pv.floor_time(pv.asarray(points("s")), "fortnight")


@pytest.mark.parametrize("unit", UNITS)
def test_rounding(unit):
    for x in [points(unit), durations(unit), points(unit, (0, 2)), points(unit, (3, 4))]:
        t = pv.asarray(x)
        for to in UNITS:
            name = f"{x.dtype.name[: x.dtype.name.index('[')]}[{to}]"
            # A conversion of NumPy's rounds durations towards zero, so the expected counts are of integers.
            counts, ratio = x.astype("int64"), PER_DAY[unit] // PER_DAY[to]
            if ratio <= 1:
                expected = [x.astype(name).astype("int64")] * 3
            else:
                down = counts // ratio
                rest = counts - down * ratio
                up = down + (rest > 0)
                nearest = down + ((2 * rest > ratio) | ((2 * rest == ratio) & (down % 2 == 1)))
                expected = [down, up, nearest]
            for function, each in zip([pv.floor_time, pv.ceil_time, pv.round_time], expected):
                check(function(t, to), each.astype(name))
    p = points(unit)
    check(pv.floor_time(pv.asarray(p), "M"), p.astype("datetime64[M]").astype("datetime64[D]"))
    check(pv.floor_time(pv.asarray(p), "Y"), p.astype("datetime64[Y]").astype("datetime64[D]"))
    up = p.astype("datetime64[M]")
    up = up + (up.astype(p.dtype) != p)
    check(pv.ceil_time(pv.asarray(p), "M"), up.astype("datetime64[D]"))


@pytest.mark.parametrize("unit", UNITS)
def test_fields(unit):
    x = points(unit, (60,))
    t = pv.asarray(x)
    moments = [
        datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=int(us)) for us in x.astype("datetime64[us]").astype("int64")
    ]
    nanoseconds = x.astype("datetime64[ns]").astype("int64")
    for name, expected in {
        "year_of": [m.year for m in moments],
        "quarter_of": [(m.month + 2) // 3 for m in moments],
        "month_of": [m.month for m in moments],
        "day_of": [m.day for m in moments],
        "day_of_year": [m.timetuple().tm_yday for m in moments],
        "day_of_week": [m.isoweekday() for m in moments],
        "iso_week_of": [m.isocalendar()[1] for m in moments],
        "iso_year_of": [m.isocalendar()[0] for m in moments],
        "hour_of": [m.hour for m in moments],
        "minute_of": [m.minute for m in moments],
        "second_of": [m.second for m in moments],
        "millisecond_of": nanoseconds // 10**6 % 1000,
        "microsecond_of": nanoseconds // 10**3 % 1000,
        "nanosecond_of": nanoseconds % 1000,
    }.items():
        result = getattr(pv, name)(t)
        assert result.dtype == pv.int32 and result.tolist() == list(expected), name
    mondays = [(m - datetime.timedelta(days=m.weekday())).date() for m in moments]
    assert pv.week_start(t).tolist() == mondays
    assert pv.hour_of(pv.asarray(np.timedelta64(90, "m"))).item() == 1


def test_months():
    t = pv.asarray(np.array(["2020-01-31", "2019-12-15"], dtype="datetime64[D]"))
    assert pv.plus_months(t, 1).tolist() == [datetime.date(2020, 2, 29), datetime.date(2020, 1, 15)]
    assert pv.plus_months(t, [-1, 12]).tolist() == [datetime.date(2019, 12, 31), datetime.date(2020, 12, 15)]


def test_scalars():
    for x in [np.datetime64("2020-01-01T10:00"), np.timedelta64(5, "s"), np.datetime64("2020-01-01")]:
        check(pv.asarray(x), x)


MISSING = np.array(["2021-01-05", "NaT", "2020-01-01", "2024-06-01", "NaT", "2021-01-05"], "datetime64[D]")


def test_nat_is_searched_last_and_found_nowhere():
    """numpy.searchsorted and numpy.isin"""
    edges = np.array(["2020", "2024", "NaT", "NaT", "NaT", "NaT"], "datetime64[D]")
    wanted = np.array(["2021-01-01", "2024-01-01", "2030-01-01", "NaT"], "datetime64[D]")
    for side in "left", "right":
        for unit in "D", "s", "ns":
            for x, v in [(edges, wanted.astype(f"datetime64[{unit}]")), (edges.astype(f"datetime64[{unit}]"), wanted)]:
                expected = np.searchsorted(x, v, side)
                assert pv.searchsorted(pv.asarray(x), pv.asarray(v), side=side).tolist() == expected.tolist()
            d = (edges - edges[0]).astype(f"timedelta64[{unit}]")
            v = wanted - edges[0]
            assert pv.searchsorted(pv.asarray(d), pv.asarray(v), side=side).tolist() == np.searchsorted(d, v, side).tolist()
    for unit in "D", "s", "ns":
        others = MISSING.astype(f"datetime64[{unit}]")
        assert pv.isin(pv.asarray(MISSING), pv.asarray(others)).tolist() == np.isin(MISSING, others).tolist()
        assert pv.isin(pv.asarray(others), pv.asarray(MISSING[:2])).tolist() == np.isin(others, MISSING[:2]).tolist()


@pytest.mark.parametrize("unit", ["D", "s", "ns"])
def test_nat_is_skipped(unit):
    """pandas' skipna"""
    p = MISSING.astype(f"datetime64[{unit}]")
    d = p - p[0]
    for x in p, d:
        there, t = x[~np.isnat(x)], pv.asarray(x)
        check(pv.min(t, nan="skip"), there.min())
        check(pv.max(t, nan="skip"), there.max())
        middle = np.sort(there)[1:3]
        check(pv.median(t, nan="skip"), middle[0] + (middle[1] - middle[0]) // 2)
        start = there.min()
        check(pv.mean(t, nan="skip"), start + (there - start).sum() // 4)
        assert int(pv.argmin(t, nan="skip")) == 2 and int(pv.argmax(t, nan="skip")) == 3
        rows = pv.asarray(x.reshape(2, 3))
        check(pv.max(rows, axis=0, nan="skip"), np.fmax.reduce(x.reshape(2, 3), axis=0))
        check(pv.min(rows, axis=1, keepdims=True, nan="skip"), np.fmin.reduce(x.reshape(2, 3), axis=1, keepdims=True))
        none = pv.asarray(np.full(3, "NaT", x.dtype))
        check(pv.max(none, nan="skip"), np.array("NaT", x.dtype))
    check(pv.sum(pv.asarray(d), nan="skip"), d[~np.isnat(d)].sum())
    check(pv.sum(pv.asarray(d.reshape(2, 3)), axis=1, nan="skip"), np.where(np.isnat(d), d.dtype.type(0, unit), d).reshape(2, 3).sum(1))


@pytest.mark.parametrize("unit", ["D", "s", "ns"])
def test_scans(unit):
    """numpy.cumsum, minimum.accumulate, maximum.accumulate"""
    p, d = points(unit, (4, 5)), durations(unit, (4, 5))
    for has_nat in False, True:
        if has_nat:
            p[1, 2] = d[1, 2] = "NaT"
        for axis in 0, 1, -1:
            check(pv.cumulative_sum(pv.asarray(d), axis=axis), np.cumsum(d, axis=axis))
            for x in p, d:
                check(pv.cummin(pv.asarray(x), axis), np.minimum.accumulate(x, axis=axis))
                check(pv.cummax(pv.asarray(x), axis), np.maximum.accumulate(x, axis=axis))
    with pytest.raises(TypeError):
        pv.cumulative_sum(pv.asarray(p), axis=0)


def test_nat_is_no_key_of_windows():
    x = pv.asarray([1, 2, 3])
    keys = np.array(["NaT", "2020-01-01", "2020-01-02"], "datetime64[D]")
    with pytest.raises(Exception, match="index 0"):
        pv.variable_rolling_window(x, pv.asarray(keys), np.timedelta64(2, "D"), "sum")


def test_offsets_are_not_mixed():
    """pandas.to_datetime"""
    assert pv.parse_times(["2024-02-29T12:30+01:00", "2024-02-29T12:30Z"]).shape == (2,)
    with pytest.raises(Exception, match="offset"):
        np.asarray(pv.parse_times(["2024-02-29T12:30+01:00", "2024-02-29T12:30"]))


def test_scans_skip_nat():
    """pandas' cumsum, cummin, cummax"""
    d = np.array(["NaT", 3, -1, "NaT", 5], "timedelta64[s]")
    t = pv.asarray(d)
    check(pv.cumsum(t, axis=0, nan="skip"), np.array([0, 3, 2, 2, 7], d.dtype))
    check(pv.cummin(t, axis=0, nan="skip"), np.array(["NaT", 3, -1, -1, -1], d.dtype))
    check(pv.cummax(t, axis=0, nan="skip"), np.array(["NaT", 3, 3, 3, 5], d.dtype))
    with pytest.raises(ArithmeticError):
        pv.cumsum(t, axis=0, nan="raise")


OTHER_UNITS = ["Y", "M", "W", "25s", "2h", "100ns"]


@pytest.mark.parametrize("unit", OTHER_UNITS)
def test_numpys_other_units(unit):
    """Years, months, weeks, and several units at once are NumPy's: as days, or as single ones, exactly."""
    x = np.array(["2020-01-01", "2020-02-13", "NaT", "1969-12-31"], "M8[D]")
    others = np.array(["2020-01-01", "2020-03-01", "2020-01-01", "NaT"], "M8[D]").astype(f"M8[{unit}]")
    t = pv.asarray(x)
    if unit in ("25s", "2h", "100ns"):
        x = x.astype("M8[ns]")
        t = pv.asarray(x)
    whole = pv.asarray(others)
    assert np.array_equal(np.asarray(whole), others, equal_nan=True)
    for one in (others, others[0], others[3]):
        for operator in (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal):
            assert np.array_equal(np.asarray(operator(t, one)), operator(x, one))
            assert np.array_equal(np.asarray(operator(one, t)), operator(one, x))
        assert np.array_equal(np.asarray(t - one), x - one, equal_nan=True)
    assert np.array_equal(np.asarray(pv.isin(t, others)), np.isin(x, others))
    assert pv.asarray([others[0], others[1]]).dtype == whole.dtype
    span = np.timedelta64(3, unit) if unit in "YMW" else np.array([3], f"m8[{unit}]")[0]
    if unit in ("Y", "M"):
        with pytest.raises(pv.DtypeError, match="plus_months"):
            t + span
        with pytest.raises(pv.CastError, match="fit"):
            pv.asarray(np.array([2**62], f"M8[{unit}]"))
    else:
        assert np.array_equal(np.asarray(t + span), x + span, equal_nan=True)
        assert ((t - t[0]) < span).tolist() == (x - x[0] < span).tolist()
    with pytest.raises(pv.DtypeError, match="ns"):
        pv.asarray(np.array([1], "m8[ps]"))


def test_durations_without_a_unit():
    """They count in the unit of the other operand, as in NumPy, and so do integers."""
    x = np.array(["2020-01-01", "2020-02-13", "NaT"], "M8[D]")
    t, spans = pv.asarray(x), x - x[0]
    for bare in (np.timedelta64(2), np.timedelta64(0), np.timedelta64("NaT"), np.array([1, 43, 2], "m8"), np.array([1, "NaT", 2], "m8")):
        assert np.array_equal(np.asarray(t + bare), x + bare, equal_nan=True)
        assert np.array_equal(np.asarray(t - bare), x - bare, equal_nan=True)
        for operator in (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal):
            assert np.array_equal(np.asarray(operator(pv.asarray(spans), bare)), operator(spans, bare))
            assert np.array_equal(np.asarray(operator(bare, pv.asarray(spans))), operator(bare, spans))
    assert (pv.asarray(spans) < 43).tolist() == [True, False, False]
    with pytest.raises(pv.DtypeError):
        t < np.timedelta64(2)
    with pytest.raises(pv.DtypeError):
        t < 2


@pytest.mark.parametrize("x", [np.array([1, 43, "NaT", -2], "m8[s]"), np.array([[1, 2], [43, 0]], "m8[D]")])
def test_durations_without_a_unit_are_looked_for(x):
    """As NumPy compares them: counts in the unit of the others."""
    t = pv.asarray(x)
    for bare in (np.timedelta64(1), np.array([1, 43], "m8"), np.array([43, "NaT"], "m8"), np.array([[1], [-2]], "m8"), [1, 43], 43, np.array([], "m8")):
        want = np.isin(x, np.asarray(bare).astype(x.dtype))
        assert pv.isin(t, bare).tolist() == want.tolist()
        assert pv.isin(t, bare, invert=True).tolist() == (~want).tolist()
    bare = np.array([1, 7, "NaT"], "m8")
    assert pv.isin(bare, t).tolist() == np.isin(bare.astype(x.dtype), x).tolist()
    edges = np.sort(x[~np.isnat(x)])
    assert pv.searchsorted(pv.asarray(edges), np.array([0, 43], "m8")).tolist() == np.searchsorted(edges, np.array([0, 43], "m8").astype(x.dtype)).tolist()
    with pytest.raises(pv.CastError):
        pv.isin(t, np.array([2**63], "uint64"))
    for wrong in ([1.5], [True]):
        with pytest.raises(pv.DtypeError):
            pv.isin(t, wrong)
