"""Times of Python and of NumPy as counts of ticks, and back."""

from datetime import date, datetime, timedelta, timezone

from purview import _core
from purview._core import asarray
from purview._errors import CastError, DtypeError, ShapeError

__all__ = "month_start time_range year_start".split()

_NAT = -(2**63)
_EPOCH = datetime(1970, 1, 1)
_DAY = timedelta(1)
_MICROSECOND = timedelta(microseconds=1)
_NANOSECONDS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9, "D": 86400 * 10**9}


def _count_of(x):
    """The type of a time, without its unit, the unit and the count; None for what is no time."""
    x = getattr(x, "asm8", x)  # pandas's, which are finer than the datetime that they are
    if isinstance(x, datetime):
        if x.tzinfo is not None:
            x = x.astimezone(timezone.utc).replace(tzinfo=None)
        return "datetime64", "us", (x - _EPOCH) // _MICROSECOND
    if isinstance(x, date):
        return "datetime64", "D", (x - _EPOCH.date()) // _DAY
    if isinstance(x, timedelta):
        return "timedelta64", "us", x // _MICROSECOND
    kind, _, unit = getattr(getattr(x, "dtype", None), "name", "").partition("[")
    if kind in ("datetime64", "timedelta64") and x.ndim == 0:
        if unit and unit[:-1] not in _NANOSECONDS:
            return _count_of(in_unit_of_ours(x))
        count = x.astype("int64").item()
        return (kind, unit[:-1], count) if unit or count != _NAT else (kind, "s", _NAT)  # NumPy's NaT of no unit
    return None


def in_unit_of_ours(x):
    """NumPy's times of years, months and weeks in days, and those of several units in one. DtypeError of durations of months, which are no
    fixed time, and of units below nanoseconds; CastError of what does not fit."""
    import numpy as np  # which has made them

    x = x if isinstance(x, np.generic) else np.asarray(x)
    unit, _ = np.datetime_data(x.dtype)
    if unit in ("Y", "M") and x.dtype.kind == "m":
        raise DtypeError(f"asarray: {x.dtype.name}: a month is no fixed time: plus_months(times, n) adds n of them")
    if unit not in ("Y", "M", "W", *_NANOSECONDS):
        raise DtypeError(f"asarray: {x.dtype.name}: the finest unit is ns: x.astype('{x.dtype.kind}8[ns]')")
    made = x.astype(f"{x.dtype.kind}8[{unit if unit in _NANOSECONDS else 'D'}]")
    if not ((made.astype(x.dtype) == x) | np.isnat(x)).all():
        raise CastError(f"asarray: not all of these {x.dtype.name} fit {made.dtype.name}")
    return made


def nanoseconds_of(span):
    """The nanoseconds of a duration, at most 2**63 - 1; None for what is none."""
    time = _count_of(span)
    if time is None:
        return None
    kind, unit, count = time
    if kind != "timedelta64" or unit not in _NANOSECONDS or count == _NAT:
        raise DtypeError(f"a duration in one of {', '.join(_NANOSECONDS)} is needed, not {span!r}")
    return max(min(count * _NANOSECONDS[unit], 2**63 - 1), -1)


def counts_of(objects):
    """The type of an array of these times, the finest of theirs, and their counts, an array [n]; None if the first is no time."""
    first = _count_of(objects[0])
    if first is None:
        return None
    times = [_count_of(x) for x in objects]
    for x, time in zip(objects, times):
        if time is None or time[0] != first[0]:
            raise TypeError(f"asarray: a {type(x).__name__} among times of {first[0]}: {x!r}")
        if time[1] not in _NANOSECONDS:
            raise DtypeError(f"asarray: the unit of {x!r} is none of {', '.join(_NANOSECONDS)}")
    unit = min((time[1] for time in times), key=_NANOSECONDS.get)
    counts = []
    for x, (_, of, count) in zip(objects, times):
        count = count if count == _NAT else count * (_NANOSECONDS[of] // _NANOSECONDS[unit])
        if not _NAT <= count < 2**63:
            raise CastError(f"{x!r} does not fit {first[0]}[{unit}]")
        counts.append(count)
    return f"{first[0]}[{unit}]", asarray(counts)


def to_python(unit, is_point, count):
    """What NumPy's `item` gives: a date, a datetime or a timedelta; None for NaT; an integer where none of them holds it."""
    if count == _NAT:
        return None
    nanoseconds = _NANOSECONDS[unit]
    if unit == "ns":
        return count
    try:
        span = timedelta(count) if unit == "D" else timedelta(microseconds=count * (nanoseconds // 1000))
        if not is_point:
            return span
        return _EPOCH.date() + span if unit == "D" else _EPOCH + span
    except OverflowError:
        return count


def month_start(x):
    """The first day of the month that each time point lies in: lazy."""
    return _core.floor_time(x, "M")


def year_start(x):
    """The first day of the year that each time point lies in: lazy."""
    return _core.floor_time(x, "Y")


def time_range(begin, end, step):
    """begin, begin + step, … before `end`, or after it for a negative step: [n], in the finest of their units. ShapeError of a step of 0."""
    begin, end, step = asarray(begin), asarray(end), asarray(step)
    dtype = _core.minimum(begin + step, end).dtype
    step_type = f"timedelta{dtype.name[dtype.name.index('64[') :]}"
    counts = [x.astype(to).astype("int64").item() for x, to in ((begin, dtype), (end, dtype), (step, step_type))]
    if counts[2] == 0:
        raise ShapeError("time_range: the step is 0")
    return _core.from_ticks(_core._ramp(counts[0], counts[2], len(range(*counts)), _core.int64), dtype)
