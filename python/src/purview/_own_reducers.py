"""Reductions of one's own: a state, and functions that change it."""

from math import prod

from purview import _core
from purview._core import Reducer, approximate_distinct, approximate_quantile, asarray

__all__ = "Reducer approximate_distinct approximate_quantile reducer".split()


class _Functions:
    """Functions of arrays, as functions of bytes."""

    def __init__(self, np, name, state, element, result, fold, join, finish):
        self.np, self.name, self.state, self.element, self.result = np, name, state, element, result
        self.functions = fold, join, finish

    def _array(self, state):
        return self.np.ndarray((), self.state, bytearray(state))

    def _changed(self, what, function, state, other):
        array = self._array(state)
        returned = function(array, other)
        if returned is not None and returned is not array:
            raise TypeError(f"{self.name}: {what} changes its state in place, and returns nothing")
        return array.tobytes()

    def fold(self, state, block):
        return self._changed("fold", self.functions[0], state, self.np.frombuffer(block, self.element))

    def join(self, left, right):
        return self._changed("join", self.functions[1], left, self._array(right))

    def finish(self, state):
        made = self.np.asarray(self.functions[2](self._array(state)), self.result.base)
        if made.shape != self.result.shape:
            raise ValueError(f"{self.name}: finish gives the shape {made.shape}, not {self.result.shape}")
        return made.tobytes()


def reducer(name, state_dtype, init, fold, join, finish, *, dtype="float64", result="float64", commutes=False):
    """A reduction of one's own, for reduce, group_by_reduce and windows.

        spread = pv.reducer("spread", [("least", "f8"), ("most", "f8")], (np.inf, -np.inf), fold, join, finish)

    State is an array of rank 0 of `state_dtype`, which begins as `init`. `fold(state, block)` adds a block, an array [n] of `dtype`,
    `join(state, next)` the state of the elements that follow; both change the state in place. `finish(state)` gives a `result`, or
    with result="3f8" three, which are an axis in front. Elements of other dtypes have to convert without loss. Joins are in the order of
    the elements, unless it commutes.
    """
    import numpy as np

    state, element, made = np.dtype(state_dtype), np.dtype(dtype).newbyteorder("="), np.dtype(result).newbyteorder("=")
    if state.hasobject:
        raise TypeError(f"reducer: a state is copied as bytes, and has no objects: {state}")
    if state.itemsize == 0:
        raise ValueError(f"reducer: a state of no bytes: {state}")
    if made.ndim > 1 or made.shape == (0,):
        raise ValueError(f"reducer: a result is a number or a list of them, not of shape {made.shape}")
    initial = np.empty((), state)
    initial[...] = init
    functions = _Functions(np, name, state, element, made, fold, join, finish)
    functions.arguments = (name, state_dtype, init, fold, join, finish), {"dtype": dtype, "result": result, "commutes": commutes}
    width = made.shape[0] if made.shape else 0
    return _core._reducer(name, initial.tobytes(), element, made.base, width, commutes, functions)


def _made_again(arguments, options):
    return reducer(*arguments, **options)


def _pickled(self):
    """What pickle makes it of again: its functions have to be importable by a name, or be pickled by cloudpickle, as Dask does."""
    if self._functions is not None:
        return _made_again, self._functions.arguments
    return "approximate_distinct" if self._quantiles is None else (approximate_quantile, (self._quantiles,))


def _axes(axis, rank):
    if axis is None:
        return tuple(range(rank))
    return tuple(sorted(each % rank for each in (axis if isinstance(axis, (tuple, list)) else (axis,))))


def _grouped(x, axis):
    """Axes that are reduced last, in two axes, and the shape of the result that keeps them."""
    axes = _axes(axis, x.ndim)
    kept = tuple(a for a in range(x.ndim) if a not in axes)
    groups = prod(x.shape[a] for a in kept)
    shape = tuple(1 if a in axes else n for a, n in enumerate(x.shape))
    return x.transpose(*kept, *axes), groups, shape, axes


def _chunk(self, x, axis=None, keepdims=True, computing_meta=False):
    """The states of a chunk, as `chunk` of `dask.array.reduction`: NumPy's array of bytes, whose reduced axes have one element."""
    if computing_meta:  # Dask would cast states to numbers
        import numpy as np

        return np.empty((0,) * x.ndim)
    moved, groups, shape, _ = _grouped(asarray(x), axis)
    return _states_in(self, self._states(moved, groups), shape)


def _states_in(self, states, shape):
    import numpy as np

    return np.frombuffer(states, np.dtype((np.void, self._state_bytes))).reshape(shape)


def _joined(self, states, axis):
    moved, groups, shape, axes = _grouped(states, axis)
    return self._joined(moved.tobytes(), groups) if groups else b"", shape, axes


def _combine(self, states, axis=None, keepdims=True):
    """The states of several chunks as one, as `combine` of `dask.array.reduction`."""
    joined, shape, _ = _joined(self, states, axis)
    return _states_in(self, joined, shape)


def _aggregate(self, states, axis=None, keepdims=False):
    """The results of the states of chunks, as `aggregate` of `dask.array.reduction`."""
    joined, shape, axes = _joined(self, states, axis)
    shape = shape if keepdims else tuple(n for a, n in enumerate(shape) if a not in axes)
    import numpy as np

    results = np.asarray(self._results(joined))
    return results.reshape(shape) if results.ndim == 1 else np.moveaxis(results.reshape(*shape, -1), -1, 0)


Reducer.__reduce__ = _pickled
Reducer.chunk, Reducer.combine, Reducer.aggregate = _chunk, _combine, _aggregate
