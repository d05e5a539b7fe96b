"""Functions of elements that are more than one call of the core."""

import operator

from purview import _core
from purview._common import named, real_types
from purview._core import asarray
from purview._types import result_type

__all__ = ["clip", "round"]


def _as_bool(x):
    x = asarray(x)
    return x if x.dtype == _core.bool else x != 0


def round(x, /, decimals=0):
    """Each element rounded to an integer, or to as many decimals, halves to even: lazy. The type stays."""
    x = asarray(x)
    try:
        decimals = operator.index(decimals)
    except TypeError:
        raise TypeError(f"round: decimals is an integer, not {decimals!r}") from None
    if decimals:
        power = 10.0 ** abs(decimals)
        result = round(x * power) / power if decimals > 0 else round(x / power) * power
        return result.astype(x.dtype, copy=False)
    return _core._round(x)


def _unshared(clipped, x, low, high):
    """What is clipped, as a choice of x between the bounds and on them, so that its derivative is 1 there too, and not shared."""
    within = None if low is None else _core.greater_equal(x, low)
    if high is not None:
        below = _core.less_equal(x, high)
        within = below if within is None else _core.logical_and(within, below)
    return clipped if within is None else _core.where(within, x, clipped)


@named("clip", "maximum", "minimum", "astype")
def clip(x, /, min=None, max=None):
    """x between two bounds, each a number, an array or None: broadcast together, lazy. Of the type of x, promoted with those of bounds
    that are arrays, or numbers of NumPy's."""
    x = asarray(x)
    result = x
    if min is not None:
        result = _core.maximum(result, min)
    if max is not None:
        result = _core.minimum(result, max)
    if _core._is_tracing() and result.dtype in real_types:
        result = _unshared(result, x, min, max)
    others = {asarray(b).dtype for b in (min, max) if b is not None and type(b) not in (bool, int, float)} - {x.dtype, _core.bool}
    if not others:
        return result.astype(x.dtype, copy=False)
    return result if "64[" in x.dtype.name or x.dtype == _core.bool else result.astype(result_type(x, *others), copy=False)
