"""Reductions, scans, order and sets."""

import builtins
import math
from collections import namedtuple

from purview import _core, _masked
from purview._common import at_once, axes_of, axis_of, complex_types, named
from purview._core import asarray, sqrt
from purview._creation import full
from purview._elements import _as_bool
from purview._shapes import broadcast_to, moveaxis, reshape, take

__all__ = """
    argsort count_nonzero cumprod cumsum cumulative_prod cumulative_sum diff nonzero
    searchsorted sort std unique_all unique_counts unique_inverse unique_values var where
""".split()


def _summed_type(x, dtype):
    if dtype is not None:
        return x.astype(dtype, copy=False)
    return x


def _of(result, dtype):
    return result if dtype is None else result.astype(dtype, copy=False)


@named("var", "variance", "astype")
def var(x, /, axis=None, dtype=None, *, correction=0.0, ddof=None, keepdims=False, nan="keep", where=None):
    """The variance over axes, the squares divided by n - correction, which is also `ddof`. `nan`: "keep", "skip" or "raise"."""
    x = _summed_type(asarray(x), dtype)
    correction = correction if ddof is None else ddof
    if where is not None and where is not True:
        return _masked.variance(x, axis, correction, keepdims, nan, where)
    result = _core.variance(x, axis=axis, keepdims=keepdims, nan=nan)
    if correction == 0:
        return result
    if nan == "skip":
        count = _core.count_true(x == x, axis=axis, keepdims=keepdims)
        return at_once(result * _core.where(count > correction, count / (count - correction), math.nan).astype(result.dtype, copy=False))
    count = math.prod(x.shape[a] for a in axes_of(axis, x.ndim, "var"))
    return at_once(result * (count / (count - correction) if count > correction else math.nan))


@named("std", "var", "variance")
def std(x, /, axis=None, dtype=None, *, correction=0.0, ddof=None, keepdims=False, nan="keep", where=None):
    """The standard deviation over axes: the root of the variance."""
    return at_once(sqrt(var(x, axis=axis, correction=correction, ddof=ddof, dtype=dtype, keepdims=keepdims, nan=nan, where=where)))


def cumulative_sum(x, /, axis=None, *, dtype=None, include_initial=False):
    """The sums of the elements up to each, along an axis."""
    return _cumulative(x, axis, dtype, include_initial, 0, "cumulative_sum")


def cumulative_prod(x, /, axis=None, *, dtype=None, include_initial=False):
    """The products of the elements up to each, along an axis."""
    return _cumulative(x, axis, dtype, include_initial, 1, "cumulative_prod")


def cumsum(x, /, axis=None, dtype=None, *, nan="keep"):
    """The sums of the elements up to each, along an axis, or in row-major order. `nan`: "keep", "skip" (as 0) or "raise"."""
    return _scan(x, axis, dtype, 0, nan, "cumsum")


def cumprod(x, /, axis=None, dtype=None, *, nan="keep"):
    """The products of the elements up to each, along an axis, or in row-major order. `nan`: "keep", "skip" (as 1) or "raise"."""
    return _scan(x, axis, dtype, 1, nan, "cumprod")


def _scan(x, axis, dtype, reduction, nan, what):
    x = reshape(x, (-1,)) if axis is None else asarray(x)
    if nan == "keep":
        return _cumulative(x, axis, dtype, False, reduction, what)
    return _of(getattr(_core, what)(_summed_type(x, dtype), axis=axis or 0, nan=nan), dtype)


def _cumulative(x, axis, dtype, include_initial, reduction, what):
    x = asarray(x)
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"{what}: axis is needed for an array of rank {x.ndim}")
        axis = 0
    axis = axis_of(axis, x.ndim, what)
    x = _summed_type(x, dtype)
    result = _complex_scan(x, axis, reduction) if x.dtype in complex_types else _core._scan(x, axis, reduction)
    result = _of(result, dtype)
    if include_initial:
        first = tuple(1 if a == axis else n for a, n in enumerate(x.shape))
        result = at_once(_core.concat([full(first, reduction, dtype=result.dtype), result], axis=axis))
    return result


def _complex_scan(x, axis, reduction):
    """Sums, or products, of complex numbers: a step for each element of the axis."""
    result = x.realise()
    lanes = moveaxis(result, axis, 0)
    for i in range(1, lanes.shape[0]):
        lanes[i] = lanes[i] * lanes[i - 1] if reduction else lanes[i] + lanes[i - 1]
    return result


def count_nonzero(x, /, axis=None, *, keepdims=False):
    """How many elements over axes are not zero."""
    return _core.count_true(_as_bool(x), axis=axis, keepdims=keepdims)


def nonzero(x, /):
    """The indices of elements that are not zero, in row-major order: an int64 array for each axis. Computed now."""
    x = asarray(x)
    if x.ndim == 0:
        raise ValueError("nonzero: an array of rank 0 has no indices")
    flat = _core._true_indexes(_as_bool(x))
    result = []
    for extent in reversed(x.shape):
        result.append((flat % builtins.max(extent, 1)).realise())
        flat = (flat // builtins.max(extent, 1)).realise()
    return tuple(reversed(result))


def where(condition, x1=None, x2=None, /):
    """x1 where the condition is true, else x2: broadcast together, lazy. Only elements that are read are computed.
    Of the condition alone its `nonzero`."""
    if x1 is None and x2 is None:
        return nonzero(condition)
    return _core.where(condition, x1, x2)


def searchsorted(x, values, /, side="left", sorter=None):
    """The places at which elements of values go into a sorted x [n]: int64, of the shape of values."""
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted: side is 'left' or 'right', not {side!r}")
    if sorter is not None:
        x = take(x, sorter)
    return _core._searchsorted(x, values, side == "right")


def _check_kind(what, kind):
    if kind not in (None, "quicksort", "mergesort", "heapsort", "stable"):
        raise ValueError(f"{what}: kind is 'stable', 'quicksort', 'mergesort' or 'heapsort', not {kind!r}")


def sort(x, /, axis=-1, *, descending=False, stable=True, kind=None):
    """New memory with the elements along an axis in order, NaN last. Always stable."""
    _check_kind("sort", kind)
    x, axis = (reshape(x, (-1,)), 0) if axis is None else (asarray(x), axis)
    return _core.sort(x, axis_of(axis, x.ndim, "sort"), descending)


def argsort(x, /, axis=-1, *, descending=False, stable=True, kind=None):
    """The indices that sort along an axis, int64 of the shape of x; equal elements keep their order, NaN comes last. Always stable."""
    _check_kind("argsort", kind)
    x, axis = (reshape(x, (-1,)), 0) if axis is None else (asarray(x), axis)
    return _core.argsort(x, axis_of(axis, x.ndim, "argsort"), descending)


def _as_end(part, x, axis):
    """A number beside an array, as one element along an axis."""
    return part if part.ndim else broadcast_to(part, tuple(1 if a == axis else n for a, n in enumerate(x.shape)))


@named("diff", "concat")
def diff(x, /, n=1, axis=-1, *, prepend=None, append=None):
    """The differences of neighbours along an axis, taken n times: lazy, the axis shorter by n."""
    x = asarray(x)
    if prepend is not None or append is not None:
        ends = [p if p is None else _as_end(asarray(p), x, axis_of(axis, x.ndim, "diff")) for p in (prepend, append)]
        x = _core.concat([part for part in (ends[0], x, ends[1]) if part is not None], axis=axis)
    if x.dtype not in complex_types and "64[" not in x.dtype.name:
        return _core._diff(x, axis, n)
    before = (slice(None),) * axis_of(axis, x.ndim, "diff")
    for _ in range(n):
        x = x[before + (slice(1, None),)] - x[before + (slice(None, -1),)]
    return x


_unique_all = namedtuple("unique_all_result", "values indices inverse_indices counts")
_unique_counts = namedtuple("unique_counts_result", "values counts")
_unique_inverse = namedtuple("unique_inverse_result", "values inverse_indices")


def unique_all(x, /):
    """Each element once, in order; its first row-major index; the position of each element among them, of the shape of x; and how
    often each occurs. Sorts, computed now."""
    x = asarray(x)
    if x.dtype not in complex_types:
        return _unique_all(*_core._unique_all(x))
    # By the places of both parts among their own.
    re, im = (_core._unique_all(part(x)) for part in (_core.real, _core.imag))
    places = _core._unique_all(re[2] * im[0].size + im[2])
    return _unique_all(take(reshape(x, (-1,)), places[1]).realise(), *places[1:])


def unique_counts(x, /):
    """Each element once, in order, and how often it occurs. Sorts, computed now."""
    x = asarray(x)
    if x.dtype in complex_types:
        found = unique_all(x)
        return _unique_counts(found.values, found.counts)
    return _unique_counts(*_core._unique_counts(x))


def unique_inverse(x, /):
    """Each element once, in order, and the position of each element among them, of the shape of x. Sorts, computed now."""
    found = unique_all(x)
    return _unique_inverse(found.values, found.inverse_indices)


def unique_values(x, /):
    """Each element once, in order. Sorts, computed now."""
    x = asarray(x)
    return unique_all(x).values if x.dtype in complex_types else _core._unique(x)
