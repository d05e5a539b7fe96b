"""Times in other units, as integers and as text, Python's times, and NaT: against NumPy's."""

import copy
import datetime
import pickle
import subprocess
import sys
from datetime import date, timedelta

import numpy as np
import pytest

import purview as pv
from test_times import PER_DAY, UNITS, check, durations, points


def with_nat(x):
    x = x.copy()
    x.flat[::7] = "NaT"
    return x


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("make", [points, durations])
def test_casts(unit, make):
    for x in (make(unit), with_nat(make(unit, (4, 9))), make(unit, (0, 2)), with_nat(make(unit))[::-2]):
        t = pv.asarray(x)
        for to in UNITS:
            name = x.dtype.name.replace(f"[{unit}]", f"[{to}]")
            check(t.astype(name), x.astype(name))
            check(pv.asarray(x, dtype=np.dtype(name)), x.astype(name))
        check(t.astype("int64"), x.astype("int64"))
        check(pv.asarray(x.astype("int64")).astype(x.dtype), x)
        check(pv.ticks(t), x.astype("int64"))
        check(pv.from_ticks(pv.asarray(x.astype("int64")), x.dtype), x)
        check(pv.isnat(t), np.isnat(x))
        check(pv.isnan(t), np.isnan(x))
        check(pv.isfinite(t), np.isfinite(x))


def test_what_a_cast_does_not_hold():
    far = pv.asarray(np.array(["9999-01-01"], dtype="M8[D]"))
    with pytest.raises(pv.CastError, match=r"9999-01-01 does not fit datetime64\[ns\]"):
        far.astype("M8[ns]")
    with pytest.raises(pv.CastError, match="1000000d does not fit"):
        pv.asarray(np.timedelta64(10**6, "D")).astype("m8[ns]")
    with pytest.raises(pv.CastError):
        (far + np.timedelta64(1, "ns")).tolist()
    for wrong in ("m8[D]", "float64", "bool"):
        with pytest.raises(pv.DtypeError, match=r"astype: datetime64\[D\] is not converted"):
            far.astype(wrong)
    with pytest.raises(pv.DtypeError):
        pv.asarray([1.5]).astype("M8[s]")
    with pytest.raises(pv.DtypeError):
        pv.isnat([1])
    edge = [2**63 - 1, -(2**63 - 1)]  # where NumPy's wrap
    for to in UNITS:
        found = pv.asarray(edge).astype("M8[ns]").astype(f"M8[{to}]")
        assert found.astype("int64").tolist() == [x // (PER_DAY["ns"] // PER_DAY[to]) for x in edge]


@pytest.mark.parametrize("first", ["ns", "s", "D"])
@pytest.mark.parametrize("second", ["us", "s", "h"])
def test_nat(first, second):
    p, q, d, e = (with_nat(x) for x in (points(first), points(second)[::-1], durations(first), durations(second)[::-1]))
    t, u, s, r = (pv.asarray(x) for x in (p, q, d, e))
    check(t - u, p - q)
    check(t + r, p + e)
    check(s - r, d - e)
    check(s * 3, d * 3)
    check(-s, -d)
    check(t + 5, p + 5)
    for name in "equal not_equal less less_equal greater greater_equal".split():
        check(getattr(pv, name)(t, u), getattr(np, name)(p, q))
        check(getattr(pv, name)(t, t), getattr(np, name)(p, p))
        check(getattr(pv, name)(s, np.timedelta64("NaT", "s")), getattr(np, name)(d, np.timedelta64("NaT", "s")))
    check(pv.minimum(t, u), np.minimum(p, q))
    check(pv.maximum(t, u), np.maximum(p, q))
    check(pv.where(t > u, t, u), np.where(p > q, p, q))
    for function in (pv.floor_time, pv.ceil_time, pv.round_time):
        assert np.array_equal(np.isnat(np.asarray(function(t, "h"))), np.isnat(p))


@pytest.mark.parametrize("unit", UNITS)
def test_elements_of_python(unit):
    for x in (with_nat(points(unit, (3, 5))), with_nat(durations(unit, (20,)))):
        t = pv.asarray(x)
        assert t.tolist() == x.tolist()
        assert t[(-1,) * x.ndim].item() == x[(-1,) * x.ndim].item()
    far = np.array(["20000-01-01"], dtype=f"M8[{unit}]" if unit != "ns" else "M8[us]")
    assert pv.asarray(far).tolist() == far.tolist()


NOW = datetime.datetime(2024, 2, 29, 12, 30, 15, 250_000)


def test_times_of_python():
    assert pv.asarray(NOW).dtype.name == "datetime64[us]" and pv.asarray(NOW).item() == NOW
    assert pv.asarray(NOW.date()).item() == NOW.date()
    assert pv.asarray(timedelta(days=-3, microseconds=7)).item() == timedelta(days=-3, microseconds=7)
    assert pv.asarray([[NOW, NOW.date()]]).tolist() == [[NOW, datetime.datetime(2024, 2, 29)]]
    zone = datetime.timezone(timedelta(hours=-5))
    assert pv.asarray(NOW.replace(tzinfo=zone)).item() == NOW + timedelta(hours=5)
    check(
        pv.asarray([np.datetime64("2020-01-01"), np.datetime64("2020-01-01T10", "s"), np.datetime64("NaT")]),
        np.array(["2020-01-01", "2020-01-01T10:00:00", "NaT"], "M8[s]"),
    )
    check(pv.asarray((np.timedelta64(1, "h"), timedelta(seconds=1))), np.array([3600 * 10**6, 10**6], "m8[us]"))
    assert pv.asarray([pv.asarray(NOW), NOW]).tolist() == [NOW, NOW]
    assert pv.asarray([NOW], dtype="M8[s]").tolist() == [NOW.replace(microsecond=0)]
    x = points("s")
    t = pv.asarray(x)
    check(t + timedelta(days=1), x + np.timedelta64(86400 * 10**6, "us"))
    check(timedelta(days=1) + t, x + np.timedelta64(86400 * 10**6, "us"))
    check(t - NOW, x - np.datetime64(NOW))
    check(NOW - t, np.datetime64(NOW) - x)
    check(t < NOW, x < np.datetime64(NOW))
    check(NOW.date() < t, np.datetime64(NOW.date()) < x)
    check(pv.maximum(t, NOW), np.maximum(x, np.datetime64(NOW)))
    t[0] = NOW
    assert t[0].item() == NOW.replace(microsecond=0)
    t[1:3] = [date(2020, 1, 1), date(2020, 1, 2)]
    assert t[2].item() == datetime.datetime(2020, 1, 2)
    check(pv.full((2,), NOW), np.full(2, np.datetime64(NOW)))
    check(pv.zeros((2,), dtype="M8[h]"), np.zeros(2, "M8[h]"))
    assert pv.empty((2, 3), dtype="m8[ns]").shape == (2, 3)
    for wrong in ([NOW, 1], [NOW, timedelta(1)], [date(2020, 1, 1), "2020"], [np.timedelta64(1, "Y")]):
        with pytest.raises(TypeError):
            pv.asarray(wrong)
    with pytest.raises(TypeError):
        t + object()
    with pytest.raises(pv.CastError, match="does not fit"):
        pv.asarray([np.datetime64("9999-01-01"), np.datetime64(1, "ns")])


def test_pickles_and_tables():
    x = with_nat(points("s", (3, 8)))
    for protocol in (2, 4, 5):
        check(pickle.loads(pickle.dumps(pv.asarray(x)[:, ::-2], protocol)), x[:, ::-2])
        check(copy.deepcopy(pv.asarray(x[:0])), x[:0])
    assert "NaT" in pv.asarray(x)._repr_html_()


def test_times_of_pandas():
    pandas = pytest.importorskip("pandas")
    stamp = pandas.Timestamp("2024-01-01T00:00:00.000000001")
    assert pv.asarray(stamp).astype("int64").item() == stamp.value
    assert pv.asarray([stamp, pandas.NaT]).tolist() == [stamp.value, None]


@pytest.mark.parametrize("unit", UNITS)
def test_text(unit):
    x = with_nat(points(unit, (3, 8)))
    t = pv.asarray(x)
    texts = pv.format_times(t)
    assert texts[0, 0].item() == "NaT"
    assert np.array_equal(np.array(texts.tolist(), dtype=x.dtype), x, equal_nan=True)
    check(pv.parse_times(texts, unit), x)
    check(texts.astype(x.dtype), x)
    assert t.astype("string").tolist() == texts.tolist()


def test_text_of_all_forms():
    assert pv.format_times(pv.asarray(np.array([90, -5], "m8[s]"))).tolist() == ["90s", "-5s"]
    assert pv.parse_times(["2020-02-29T12:30+01:30", "2020-02-29T12:30:15Z", ""]).tolist() == [
        datetime.datetime(2020, 2, 29, 11),
        datetime.datetime(2020, 2, 29, 12, 30, 15),
        None,
    ]
    with pytest.raises(pv.FormatError, match="yesterday"):
        pv.parse_times(["yesterday"]).tolist()
    with pytest.raises(pv.FormatError):
        pv.parse_times(["2020-01-01T00:00:00.5"]).tolist()
    with pytest.raises(ValueError, match="not fortnight"):
        pv.parse_times(["2020"], "fortnight")
    with pytest.raises(pv.DtypeError):
        pv.parse_times([1])


def test_calendar():
    x, y = points("s"), points("h")
    t, u = pv.asarray(x), pv.asarray(y)
    check(pv.month_start(t), x.astype("M8[M]").astype("M8[D]"))
    check(pv.year_start(t), x.astype("M8[Y]").astype("M8[D]"))
    check(pv.epoch(t, "M"), x.astype("M8[M]").astype("int64"))
    check(pv.epoch(t, "Y"), x.astype("M8[Y]").astype("int64"))
    check(pv.epoch(t, "h"), x.astype("M8[h]").astype("int64"))
    check(pv.between(t, u, "D"), np.trunc((y - x) / np.timedelta64(1, "D")).astype("int64"))
    first, last = pv.asarray(np.array([1 - 2**63, 2**63 - 1], "M8[ns]"))  # farther apart than int64 tells
    assert pv.between(first, last, "s").item() == 2 * (2**63 - 1) // 10**9
    assert pv.between(last, first, "D").item() == -(2 * (2**63 - 1) // (86400 * 10**9))
    with pytest.raises(pv.CastError):
        np.asarray(pv.between(first, last, "ns"))
    with pytest.raises(pv.DtypeError):  # a duration is no time
        pv.between(np.timedelta64(5, "s"), first, "s")
    assert pv.between(date(2020, 1, 31), date(2020, 3, 1), "M").item() == 1
    assert pv.between(date(2020, 3, 1), date(2016, 3, 2), "Y").item() == -3
    assert pv.dates(2020, [1, 14], 31).tolist() == [date(2020, 1, 31), date(2021, 3, 3)]
    with pytest.raises(pv.DtypeError):
        pv.dates(2020.5, 1, 1)
    ticks = pv.ticks(t)
    ticks[0] = 5
    assert t[0].item() == datetime.datetime(1970, 1, 1, 0, 0, 5)


def test_ranges():
    for begin, end, step in (
        (np.datetime64("2020-01-01"), np.datetime64("2020-02-01"), np.timedelta64(7, "D")),
        (np.datetime64("2020-01-01T10"), np.datetime64("2020-01-01"), np.timedelta64(-90, "m")),
        (np.datetime64("2020-01-02"), np.datetime64("2020-01-01"), np.timedelta64(1, "D")),
        (np.timedelta64(0, "s"), np.timedelta64(1, "h"), np.timedelta64(7, "s")),
    ):
        check(pv.time_range(begin, end, step), np.arange(begin, end, step))
    assert pv.time_range(date(2020, 1, 1), date(2020, 1, 3), timedelta(days=1)).tolist() == [
        datetime.datetime(2020, 1, 1),
        datetime.datetime(2020, 1, 2),
    ]
    with pytest.raises(pv.ShapeError):
        pv.time_range(date(2020, 1, 1), date(2020, 1, 3), timedelta(0))


def test_without_numpy():
    code = """
import sys
sys.modules["numpy"] = None
import datetime
import purview as pv
t = pv.asarray([datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)])
assert repr(t) == "array(['2020-01-01', '2020-01-02'], dtype='datetime64[D]')", repr(t)
assert (t + datetime.timedelta(hours=1)).tolist()[1] == datetime.datetime(2020, 1, 2, 1)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("unit", UNITS)
def test_reductions(unit):
    for x in (points(unit, (6, 7)), durations(unit, (6, 7))):
        for each in (x, with_nat(x)):
            t = pv.asarray(each)
            for axis in (None, 0, 1):
                check(pv.min(t, axis=axis), each.min(axis))
                check(pv.max(t, axis=axis), each.max(axis))
                check(pv.argmin(t, axis=axis), each.argmin(axis))
                check(pv.argmax(t, axis=axis), each.argmax(axis))
                nat = np.isnat(each).any(axis)
                sums = each.astype("int64").astype(object).sum(axis)
                count = each.size if axis is None else each.shape[axis]
                down = -((-2 * sums + count) // (2 * count)) * 1  # the nearest, ties down
                check(pv.mean(t, axis=axis), np.where(nat, np.datetime64("NaT").astype("int64"), down).astype("int64").astype(x.dtype))
                middle = np.sort(each, axis).take((count - 1) // 2, axis) if axis is not None else np.sort(each, None)[(count - 1) // 2]
                if count % 2:
                    check(pv.median(t, axis=axis), np.where(nat, np.array("NaT", x.dtype), middle))
            check(pv.diff(t), np.diff(each))
            check(pv.diff(t, axis=0, n=2), np.diff(each, axis=0, n=2))
            assert pv.isin(t, each[:2]).tolist() == np.isin(each, each[:2]).tolist()
    check(pv.sum(pv.asarray(x), axis=0), x.sum(0))
    check(pv.sum(pv.asarray(with_nat(x)), axis=1), with_nat(x).sum(1))
    edges = np.sort(points(unit))
    check(
        pv.searchsorted(pv.asarray(edges), pv.asarray(edges[::-3].astype("M8[ns]"))), np.searchsorted(edges, edges[::-3].astype("M8[ns]"))
    )
    large = durations(unit, (3, 5000)) // 1000  # without the interpreter's lock
    check(pv.sum(pv.asarray(large), axis=1), large.sum(1))
    check(pv.median(pv.asarray(large[:, 1:]), axis=1), np.sort(large[:, 1:])[:, 2499])
    check(pv.max(pv.asarray(large)), large.max())
    with pytest.raises(pv.DtypeError):
        pv.sum(pv.asarray(points(unit)))
    with pytest.raises(pv.ArithmeticError, match="NaT"):
        pv.max(pv.asarray(with_nat(x)), nan="raise")
    with pytest.raises(pv.ShapeError):
        pv.mean(pv.asarray(x[:0]))


@pytest.mark.parametrize("first", ["ns", "s", "D"])
@pytest.mark.parametrize("second", ["us", "s", "h"])
def test_quotients(first, second):
    d, e = with_nat(durations(first)), with_nat(durations(second)[::-1])
    e[e == np.timedelta64(0, "s")] = 1
    s, r = pv.asarray(d), pv.asarray(e)
    np.testing.assert_allclose(np.asarray(s / r), d / e, rtol=1e-15)
    with np.errstate(all="ignore"):
        check(s // r, d // e)
        check(s % r, d % e)
    check(s / np.timedelta64(1, "s"), d / np.timedelta64(1, "s"))
    check(s / 7, d / 7)
    down = (d.astype("int64") // 7).astype(d.dtype)  # as // of Python's; NumPy's is cut off
    check(s // 7, np.where(np.isnat(d), d, down))
    check(abs(s), abs(d))
    check(pv.abs(-s), abs(d))
    for wrong in (lambda: 7 / s, lambda: s % 7, lambda: s / 1.5, lambda: pv.asarray(points("s")) / s, lambda: abs(pv.asarray(points("s")))):
        with pytest.raises(pv.DtypeError):
            wrong()
    with pytest.raises(pv.ArithmeticError):
        (s // timedelta(0)).tolist()
