"""New arrays."""

import builtins
import cmath
import math
import operator

from purview import _core
from purview._common import complex_types, default_types, float64, int64, is_integer, named, placed, python_number, type_or
from purview._core import Array, asarray
from purview._errors import ShapeError
from purview._shapes import broadcast_to, reshape

__all__ = """
    arange empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril
    triu zeros zeros_like
""".split()


def empty(shape, dtype=None, *, device=None):
    """New memory of a shape, whose elements are not set; float64 by default."""
    if device is not None and device != "cpu":
        return zeros(shape, dtype, device=device)
    return _core._empty(shape, type_or(dtype, float64))


def zeros(shape, dtype=None, *, device=None):
    """New memory of a shape, filled with zeros; float64 by default."""
    if device is not None and device != "cpu":
        return _core._full_on(shape, 0, type_or(dtype, float64), device)
    return _core._zeros(shape, type_or(dtype, float64))


@named("full", "empty")
def full(shape, fill_value, dtype=None, *, device=None):
    """New memory of a shape, filled with one number, whose type it has by default."""
    if dtype is None:
        if type(fill_value) not in default_types:
            fill_value = asarray(fill_value)
        dtype = fill_value.dtype if isinstance(fill_value, Array) else default_types[type(fill_value)]
    if device is not None and device != "cpu":
        return _core._full_on(shape, fill_value, dtype, device)
    return _core._full(shape, fill_value, dtype)


@named("ones", "full")
def ones(shape, dtype=None, *, device=None):
    """New memory of a shape, filled with ones; float64 by default."""
    return full(shape, 1, dtype=type_or(dtype, float64), device=device)


def _like(x, dtype):
    return type_or(dtype, asarray(x).dtype)


def _shape_like(x, shape):
    return asarray(x).shape if shape is None else shape


def _device_like(x, device):
    return device or (x.device if isinstance(x, Array) else None)


def empty_like(x, /, dtype=None, *, device=None, shape=None):
    """New memory of the shape and type of x, whose elements are not set."""
    return empty(_shape_like(x, shape), dtype=_like(x, dtype), device=_device_like(x, device))


def zeros_like(x, /, dtype=None, *, device=None, shape=None):
    """New memory of zeros, of the shape and type of x."""
    return zeros(_shape_like(x, shape), dtype=_like(x, dtype), device=_device_like(x, device))


def ones_like(x, /, dtype=None, *, device=None, shape=None):
    """New memory of ones, of the shape and type of x."""
    return ones(_shape_like(x, shape), dtype=_like(x, dtype), device=_device_like(x, device))


def full_like(x, /, fill_value, dtype=None, *, device=None, shape=None):
    """New memory filled with one number, of the shape and type of x."""
    return full(_shape_like(x, shape), fill_value, dtype=_like(x, dtype), device=_device_like(x, device))


def arange(start, /, stop=None, step=1, dtype=None, *, device=None):
    """start, start + step, … up to, not including, stop; of integers, integers."""
    if stop is None:
        start, stop = 0, start
    start, stop, step = map(python_number, (start, stop, step))
    if step == 0:
        raise ShapeError("arange: the step is 0")
    of_integers = builtins.all(isinstance(x, int) for x in (start, stop, step))
    to = type_or(dtype, int64 if of_integers else float64)
    count = len(range(start, stop, step)) if of_integers else _count(start, stop, step)
    if is_integer(to) and of_integers:
        wide = _core._ramp(start, step, count, int64) if builtins.max(abs(start), abs(stop)) < 2**63 else None
        return placed(wide.astype(to, copy=False) if wide is not None else asarray(list(range(start, stop, step)), dtype=to), device)
    ramp = _core._ramp(float(start), float(step), count, float64)
    return placed(ramp.astype(to, copy=False), device)


def _count(start, stop, step):
    quotient = (stop - start) / step
    if quotient == 0 and start != stop:  # a step far beyond the end, or infinite: the first number, as NumPy
        return int(math.copysign(1, quotient) > 0)
    return builtins.max(0, math.ceil(quotient))


@named("linspace", "arange")
def linspace(start, stop, /, num=50, *, dtype=None, device=None, endpoint=True, retstep=False):
    """num numbers from start to stop, which is among them unless endpoint is false. With retstep=True also the distance of each two."""
    start, stop = python_number(start), python_number(stop)
    if retstep:
        between = num - 1 if endpoint else num
        values = linspace(start, stop, num, dtype=dtype, device=device, endpoint=endpoint)
        return values, (stop - start) / between if between > 0 else math.nan
    try:
        num = operator.index(num)
    except TypeError:
        raise TypeError(f"linspace: num is an integer, not {num!r}") from None
    intervals = num - 1 if endpoint else num
    is_complex = isinstance(start, complex) or isinstance(stop, complex)
    to = type_or(dtype, _core.complex128 if is_complex else float64)
    ramp = _core._ramp(0.0, 1.0, num, float64)
    if is_complex:
        ramp = ramp.astype(_core.complex128)
    values = (_between(ramp, start, stop, intervals) if intervals > 0 else ramp * 0 + start).realise()
    if num > 0:
        values[0] = start
    if endpoint and num > 1:
        values[-1] = stop
    return placed(values.astype(to, copy=False), device)


def _between(ramp, start, stop, intervals):
    distance = stop - start
    step = distance / intervals
    if step == 0:  # or less than the least number
        return ramp / intervals * distance + start
    if cmath.isinf(distance) and cmath.isfinite(start) and cmath.isfinite(stop):
        return (1 - ramp / intervals) * start + ramp / intervals * stop
    return ramp * step + start


def eye(n_rows, n_cols=None, /, k=0, dtype=None, *, device=None):
    """A matrix of zeros, with ones on diagonal k: above the main one where k is positive."""
    n_rows, n_cols, k = map(operator.index, (n_rows, n_rows if n_cols is None else n_cols, k))
    rows = arange(n_rows)[:, None]
    columns = arange(n_cols)[None, :]
    k = builtins.max(-n_rows, builtins.min(k, n_cols))  # beyond, the diagonal has no elements
    return placed((columns - rows == k).astype(type_or(dtype, float64)), device)


def from_dlpack(x, /, *, device=None, copy=None):
    """An array over the memory of an object with `__dlpack__`, in place: of the CPU, or of a device of CUDA or OpenCL."""
    if not hasattr(x, "__dlpack__"):
        raise AttributeError(f"from_dlpack: a {type(x).__name__} has no __dlpack__")
    return asarray(x, device=device, copy=copy)


def meshgrid(*arrays, indexing="xy"):
    """The coordinates of a grid: for each of n arrays [k], a view of rank n that only reads, in a tuple."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing is 'xy' or 'ij', not {indexing!r}")
    arrays = [asarray(x) for x in arrays]
    rank = len(arrays)
    order = list(range(rank))
    if indexing == "xy" and rank > 1:
        order[0], order[1] = 1, 0
    shape = [0] * rank
    for x, axis in zip(arrays, order):
        shape[axis] = x.size
    lines = (reshape(x, tuple(-1 if a == axis else 1 for a in range(rank))) for x, axis in zip(arrays, order))
    return tuple(broadcast_to(x, tuple(shape)) for x in lines)


def tril(x, /, k=0):
    """The elements on diagonal k of the last two axes and below it, zeros above: lazy."""
    return _by_parts(_core.tril, asarray(x), k)


def triu(x, /, k=0):
    """The elements on diagonal k of the last two axes and above it, zeros below: lazy."""
    return _by_parts(_core.triu, asarray(x), k)


def _by_parts(function, x, *args):
    if x.dtype in complex_types:
        return _core._from_parts(function(_core.real(x), *args), function(_core.imag(x), *args))
    return function(x, *args)


def _geometric(start, stop, num, endpoint):
    """The numbers of `geomspace`, whose ends are exact."""
    num = operator.index(num)
    exponents = linspace(math.log10(builtins.abs(start)), math.log10(builtins.abs(stop)), num, endpoint=endpoint)
    values = (math.copysign(1, start) * 10.0**exponents).realise()
    if num > 0:
        values[0] = start
    if endpoint and num > 1:
        values[-1] = stop
    return values
