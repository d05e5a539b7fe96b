"""Functions of one's own along an axis, extremes with their indexes, random numbers and places."""

import itertools

from purview import _core, _dims
from purview._common import axis_of, named, type_or
from purview._core import Dim, asarray
from purview._creation import empty
from purview._errors import DtypeError, ShapeError
from purview._shapes import moveaxis, reshape, take
from purview._statistics import WithIndex

__all__ = """
    apply_along_axis choice map_axis max_with_index min_with_index random_exponential random_like random_normal random_uniform
    reduce_axis sample scan
""".split()


def numbers_of(what, results):
    """An array [n] of what a function gave for n arrays: numbers, or arrays of rank 0. ShapeError of others."""
    for each in results:
        if getattr(each, "ndim", 0):
            raise ShapeError(f"{what}: the function gave an array of shape {tuple(each.shape)} instead of a number")
    types = {getattr(each, "dtype", None) for each in results}
    return asarray(results, dtype=types.pop() if len(types) == 1 else None)


def _lanes(function, x, axis, what):
    """x with the axis last, and the function's result of each lane."""
    x = _core._in_memory(x)
    lanes = moveaxis(x, axis_of(axis, x.ndim, what), -1)
    return lanes, [function(lanes[i]) for i in itertools.product(*map(range, lanes.shape[:-1]))]


def _reduced(x, function, *, axis, what="reduce_axis"):
    lanes, results = _lanes(function, x, axis, what)
    return reshape(numbers_of(what, results), lanes.shape[:-1])


def _joined(what, lanes, results, axis):
    """Arrays of one shape and type, whose axes take the place of the axis."""
    results = [asarray(each) for each in results] or [lanes]
    first, *others = results
    for each in others:
        if each.shape != first.shape:
            raise ShapeError(f"{what}: the function gave arrays of shapes {first.shape} and {each.shape}")
        if each.dtype != first.dtype:
            raise DtypeError(f"{what}: the function gave arrays of {first.dtype.name} and {each.dtype.name}")
    lead = lanes.shape[:-1]
    if 0 in lead:
        return moveaxis(lanes, -1, axis)
    joined = empty((len(results), *first.shape), dtype=first.dtype)
    for i, each in enumerate(results):
        joined[i] = each
    rank = first.ndim
    places = range(len(lead), len(lead) + rank)
    axis = axis_of(axis, lanes.ndim, what)
    return moveaxis(reshape(joined, (*lead, *first.shape)), tuple(places), tuple(range(axis, axis + rank)))


def _mapped(x, function, *, axis, what="map_axis"):
    lanes, results = _lanes(function, x, axis, what)
    for each in results:
        if asarray(each).ndim != 1:
            raise ShapeError(f"{what}: the function gave an array of shape {asarray(each).shape} instead of a lane")
    return _joined(what, lanes, results, axis)


_reduced_over_dims = _dims._along("reduce_axis", _reduced, -1, 1)
_mapped_over_dims = _dims._along("map_axis", _mapped, -1, 1)


def reduce_axis(function, x, *, axis=-1):
    """What a function makes of each lane along an axis or a Dim, a view [n]: one number. The axis is gone.

    Computed now, a call for each lane, in order. An expression is computed first. ShapeError of what is no number."""
    if isinstance(axis, Dim):
        x, axis = _dims.order(x, axis), 0
    return _reduced_over_dims(x, function, axis=axis)


def map_axis(function, x, *, axis=-1):
    """The lanes that a function makes of each lane along an axis or a Dim, all of one length and type, which the axis then has.

    Otherwise as `reduce_axis`. ShapeError, DtypeError of lanes that differ."""
    return _mapped_over_dims(x, function, axis=axis)


def scan(x, function, init, *, axis=-1, dtype=None):
    """A running result along an axis: function(init, x[0]), then function(that, x[1]), and so on, in the shape of x.

    As itertools.accumulate: each lane begins with `init`; a call for each element, in order. The type is that of the results, or `dtype`.
    IndexError of an axis that x does not have."""
    function = getattr(function, "ctypes", function)  # a numba.cfunc
    x = asarray(x)
    lanes = moveaxis(x, axis_of(axis, x.ndim, "scan"), -1)
    rows = reshape(lanes, (-1, lanes.shape[-1])).tolist() if x.size else []
    results = [each for row in rows for each in itertools.islice(itertools.accumulate(row, function, initial=init), 1, None)]
    made = asarray(results, dtype=dtype) if results else empty((0,), dtype=type_or(dtype, x.dtype))
    return moveaxis(reshape(made, lanes.shape), -1, axis)


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """func1d(lane, …) of each lane along an axis: numbers, or arrays of any one shape, whose axes take the place of the axis. NumPy's."""
    lanes, results = _lanes(lambda lane: func1d(lane, *args, **kwargs), arr, axis, "apply_along_axis")
    if results and not any(asarray(each).ndim for each in results):
        return reshape(numbers_of("apply_along_axis", results), lanes.shape[:-1])
    return _joined("apply_along_axis", lanes, results, axis)


def max_with_index(x, *, axis=None, keepdims=False, nan="keep"):
    """The greatest elements over axes, and their indexes: what max and argmax give, each element looked at once. ShapeError of nothing."""
    return WithIndex(*_core._max_with_index(x, axis, keepdims, nan))


def min_with_index(x, *, axis=None, keepdims=False, nan="keep"):
    """The least elements over axes, and their indexes: what min and argmin give, each element looked at once. ShapeError of nothing."""
    return WithIndex(*_core._min_with_index(x, axis, keepdims, nan))


# What a seed decides is the same on every machine and for any number of threads.


def _float_or(dtype):
    of = type_or(dtype, _core.float64)
    if of not in (_core.float32, _core.float64):
        raise DtypeError(f"random numbers are float32 or float64, not {of.name}")
    return of


def random_uniform(shape, seed, *, dtype=None):
    """Numbers in [0, 1), float64 or float32. Lazy: element i is a function of the seed and i.

    In a function that is traced (`compile`, `grad`) a seed that is a number stays that of the trace, so that each call gives the same numbers. An argument of
    the function, an integer of rank 0, as the seed gives at each call what its number does.
    """
    return _core.random_uniform(shape, seed, 0, 0, _float_or(dtype))


def random_normal(shape, seed, average=0.0, deviation=1.0, *, dtype=None):
    """Normally distributed numbers, float64 or float32. Lazy. Error of a negative deviation. The seed as of `random_uniform`."""
    return _core.random_normal(shape, seed, average, deviation, _float_or(dtype))


def random_exponential(shape, seed, scale=1.0, *, dtype=None):
    """Exponentially distributed numbers of mean `scale`, float64 or float32. Lazy. Error of a negative scale. The seed as of `random_uniform`."""
    return _core.random_exponential(shape, seed, scale, 0, _float_or(dtype))


@named("random_like", "random_uniform")
def random_like(x, seed):
    """Numbers in [0, 1) in the shape of x, float32 of float32, else float64. Lazy. The seed as of `random_uniform`."""
    x = asarray(x)
    return random_uniform(x.shape, seed, dtype=x.dtype if x.dtype == _core.float32 else None)


def _first(x, what):
    x = asarray(x)
    if x.ndim == 0:
        raise ShapeError(f"{what}: an array of rank 0 has no places")
    return x


@named("sample", "argsample")
def sample(x, count, seed):
    """`count` places along the first axis of x, each at most once, in random order: a view. ShapeError unless 0 <= count <= len(x)."""
    x = _first(x, "sample")
    return x[_core.argsample(x.shape[0], count, seed)]


@named("choice", "argchoice")
def choice(x, count, seed, *, replace=True, weights=None):
    """`count` places along the first axis of x, as `argchoice` draws them: lazy."""
    x = _first(x, "choice")
    return take(x, _core.argchoice(x.shape[0], count, seed, replace=replace, weights=weights), axis=0)
