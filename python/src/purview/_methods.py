"""Methods of arrays that are functions of theirs."""

import copyreg
import pickle

import purview as pv
from purview import _core
from purview._core import Array
from purview._numpy import array_function, array_ufunc
from purview._print import html_of, text_of


def _of(name):
    function = getattr(pv, name)

    def method(self, axis=None, **options):
        return function(self, axis=axis, **options)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = function.__doc__
    return method


for _name in "sum prod min max mean std var any all argmin argmax".split():
    setattr(Array, _name, _of(_name))


def _reshape(self, *shape):
    """The elements in row-major order in another shape, one extent of which may be -1. A view."""
    return pv.reshape(self, shape[0] if len(shape) == 1 else shape)


def _transpose(self, *order, axes=None):
    """The axes in another order, reversed by default. A view."""
    if len(order) == 1 and not isinstance(order[0], int):
        order = order[0]
    return pv.permute_dims(self, tuple(order or axes or range(self.ndim)[::-1]))


def _flatten(self):
    """The elements in row-major order, in new memory."""
    return pv.reshape(self, -1).realise()


def _ravel(self):
    """The elements in row-major order. A view."""
    return pv.reshape(self, -1)


def _squeeze(self, axis=None):
    """The array without these axes, or without all axes of size 1. A view."""
    return pv.squeeze(self, axis)


def _clip(self, min=None, max=None):
    """The elements between two bounds: lazy."""
    return pv.clip(self, min, max)


def _round(self, decimals=0):
    """Each element rounded to as many decimals, halves to even: lazy."""
    if decimals == 0:
        return pv.round(self)
    power = 10.0 ** abs(decimals)
    result = pv.round(self * power) / power if decimals > 0 else pv.round(self / power) * power
    return result.astype(self.dtype, copy=False)


def _cumsum(self, axis=None):
    """The sums of the elements up to each, along an axis, or in row-major order."""
    return pv.cumulative_sum(self if axis is not None else pv.reshape(self, -1), axis=axis or 0)


def _formatted(self, how):
    """An element as Python formats numbers, `f"{x[0]:.2f}"`; of several the text."""
    return format(self.item(), how) if self.ndim == 0 else format(str(self), how)


def _contains(self, value):
    """Whether an element equals a value."""
    try:
        found = self == value
    except pv.DtypeError:  # a text among numbers
        return False
    return found if isinstance(found, bool) else pv.any(found).item()


for _method in (_squeeze, _clip, _round, _cumsum):
    setattr(Array, _method.__name__[1:], _method)
Array.__format__ = _formatted
Array.__contains__ = _contains
Array.reshape = _reshape
Array.transpose = _transpose
Array.flatten = _flatten
Array.ravel = _ravel
Array.__array_priority__ = 20
Array.__array_ufunc__ = array_ufunc
Array.__array_function__ = array_function
Array.__repr__ = lambda self: text_of(self, "array(", ")")
Array.__str__ = lambda self: text_of(self, "", "")
Array._repr_html_ = html_of


def _pickled_function(function):
    if getattr(function, "__module__", None) != "purview._core":
        raise TypeError(f"cannot pickle {function!r}")
    return _core_function, (function.__name__,)


def _core_function(name):
    """What `pickle` calls: a function of the core, by its name."""
    return getattr(_core, name)


copyreg.pickle(type(_core.asarray), _pickled_function)


def _reduced(self, protocol):
    """Pickles: by protocol 5 the memory itself, which may go out of band; of sparse arrays the pairs."""
    if self.dtype == pv.string:
        return _core._texts, (pv.reshape(self, -1).tolist(), self.shape)
    if "64[" in self.dtype.name:  # times
        return _core.from_ticks, (pv.ticks(self), self.dtype.name)
    if self.is_sparse:
        return pv.sparse_tensor, (self.shape, self.stored_indexes, self.stored_values, self.fill.item())
    memory = memoryview(self if self._is_contiguous else self.realise())
    pieces = pickle.PickleBuffer(memory) if protocol >= 5 else memory.tobytes()
    return _unpickled, (pieces, self.dtype.name, self.shape)


def _unpickled(memory, name, shape):
    """What `pickle` calls: the elements in place."""
    if 0 in shape:
        return pv.empty(shape, dtype=name)
    dtype = pv.dtype(name)
    flat = pv.asarray(memoryview(memory).cast("B"))
    return pv.reshape(pv.reshape(flat, (-1, dtype.itemsize))._view_as(dtype), shape)


Array.__reduce_ex__ = _reduced
