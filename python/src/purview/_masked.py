"""Reductions with NumPy's `where` and `initial`: called by the core where one of them is given."""

import math

from purview import _core
from purview._common import axes_of
from purview._core import Array, asarray
from purview._shapes import broadcast_shapes, broadcast_to

_neutral = {"sum": 0, "prod": 1, "any": False, "all": True}
_with_initial = {"sum": _core.add, "prod": _core.multiply, "min": _core.minimum, "max": _core.maximum}


def _of_type(value, dtype):
    value = asarray(value)
    return value if value.dtype == dtype else value.astype(dtype)


def _mask(where, x, what):
    where = asarray(where)
    if where.dtype != _core.bool:
        raise TypeError(f"{what}: where is an array of bools, not of {where.dtype.name}")
    shape = broadcast_shapes(where.shape, x.shape)
    return broadcast_to(where, shape), broadcast_to(x, shape)


def reduced(what, x, axis, dtype, keepdims, nan, where, initial):
    """A reduction of the elements where a mask is true, which begins with a number."""
    x = asarray(x)
    function, options = getattr(_core, what), {"keepdims": keepdims}
    if what not in ("any", "all"):
        options["nan"] = nan
    if what in ("sum", "prod", "mean"):
        options["dtype"] = dtype
    if where is not None and where is not True:
        where, x = _mask(where, x, what)
        if what == "mean":
            return _mean(where, x, axis, options)
        neutral = _neutral.get(what, initial)
        if neutral is None:
            raise ValueError(f"{what}: with where= there may be no element, so initial= has to say what it begins with")
        x = _core.where(where, x, _of_type(neutral, x.dtype))
    if initial is None:
        return function(x, axis, **options)
    axes = axes_of(axis, x.ndim, what)
    if what in ("min", "max") and 0 in (x.shape[a] for a in axes):
        shape = tuple(1 if a in axes else n for a, n in enumerate(x.shape) if keepdims or a not in axes)
        return broadcast_to(_of_type(initial, x.dtype), shape).realise()
    result = function(x, axis, **options)
    return _with_initial[what](result, _of_type(initial, result.dtype)).realise()


def _mean(where, x, axis, options):
    if options["dtype"] is not None:
        x = x.astype(options["dtype"], copy=False)
    elif x.dtype == _core.bool or "int" in x.dtype.name:
        x = x.astype(_core.float64)
    skips = options["nan"] == "skip"
    counted = where & (x == x) if skips else where
    total = _core.sum(_core.where(where, x, _of_type(0, x.dtype)), axis, keepdims=options["keepdims"], nan=options["nan"])
    count = _core.sum(counted, axis, keepdims=options["keepdims"])
    return (total / count.astype(total.dtype)).astype(x.dtype, copy=False).realise()


def variance(x, axis, correction, keepdims, nan, where):
    """The variance of the elements where a mask is true."""
    where, x = _mask(where, asarray(x), "var")
    if nan == "skip":
        where, nan = where & (x == x), "keep"
    options = {"dtype": None, "keepdims": True, "nan": nan}
    apart = x - _mean(where, x, axis, options)
    squares = _core.real(apart * _core.conj(apart))
    total = _core.sum(_core.where(where, squares, _of_type(0, squares.dtype)), axis, keepdims=keepdims)
    count = _core.sum(where, axis, keepdims=keepdims) - correction
    count = _core.where(count > 0, count, math.nan) if isinstance(count, Array) else count
    return (total / count.astype(total.dtype)).realise()
