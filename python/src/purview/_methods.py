"""Methods of arrays that are functions of theirs."""

import copyreg
import functools
import pickle

import purview as pv
from purview import _core
from purview._arrow import arrow_array
from purview._common import check_order, is_index
from purview._core import Array
from purview._numpy import array_function, array_ufunc
from purview._print import html_of, text_of

for _name in """
    std var cumsum cumprod argsort searchsorted nonzero take repeat
    round clip squeeze swapaxes diagonal trace dot
""".split():
    setattr(Array, _name, getattr(pv, _name))


def _reshape(self, *shape, order=None):
    """The elements in row-major order in another shape, one extent of which may be -1. A view."""
    return pv.reshape(self, shape[0] if len(shape) == 1 else shape, order)


def _transpose(self, *order, axes=None):
    """The axes in another order, reversed by default. A view."""
    if len(order) == 1 and not is_index(order[0]):
        order = order[0] if order[0] is not None else ()
    order = tuple(order) or (() if axes is None else tuple(axes))
    return pv.permute_dims(self, order or tuple(range(self.ndim)[::-1]))


def _flatten(self, order=None):
    """The elements in row-major order, in new memory."""
    check_order("flatten", order)
    return pv.reshape(self, -1).realise()


def _ravel(self, order=None):
    """The elements in row-major order. A view."""
    check_order("ravel", order)
    return pv.reshape(self, -1)


def _copied(self, order=None):
    """New memory with the elements, computed now."""
    check_order("copy", order)
    return _copy_of(self)


def _sort(self, axis=-1):
    """Sorts the elements along an axis in place, NaN last, as NumPy's method does: `pv.sort(x)` is another array."""
    self[...] = pv.sort(self, axis)


def _argpartition(self, kth, axis=-1, *, descending=False):
    """Indexes along an axis such that the kth is where sorting puts it, and those before it sort before it."""
    return pv.argpartition(self, kth, axis, descending=descending)


def _conj(self):
    """The complex conjugates, lazy; of real numbers the array itself."""
    return pv.conj(self)


def _put(self, indices, values):
    """Writes values to row-major indexes."""
    self.flat[indices] = values


def _item(self, *index):
    """An element as a Python number: the only one, or that at a row-major index, or at an index for each axis."""
    if len(index) == 1 and not isinstance(index[0], tuple):
        return _item_of(self.flat[index[0]])
    return _item_of(self[index if len(index) != 1 else index[0]] if index else self)


def _memory(self):
    """The memory of the elements in row-major order, theirs or of a copy: of bfloat16, of which there are no buffers, the bits."""
    memory = self if self._is_contiguous else self.realise()
    return memoryview(memory._view_as(pv.uint16) if self.dtype == pv.bfloat16 else memory)


def _tobytes(self):
    """The bytes of the elements in row-major order."""
    return _memory(self).tobytes()


def _fill(self):
    """Of a sparse array the element that it does not store. Of another, as NumPy's method: `x.fill(value)` writes it to all."""
    return _fill_of(self) if self.is_sparse else functools.partial(self.__setitem__, ...)


def _formatted(self, how):
    """An element as Python formats numbers, `f"{x[0]:.2f}"`; of several the text."""
    return format(self.item(), how) if self.ndim == 0 else format(str(self), how)


def _rounded(self, decimals=None):
    """What `round` makes: of an element an integer, unless decimals are given; else an array."""
    return round(self.item()) if decimals is None and self.ndim == 0 else pv.round(self, decimals or 0)


def _contains(self, value):
    """Whether an element equals a value."""
    try:
        found = self == value
    except pv.DtypeError:  # a text among numbers
        return False
    return found if isinstance(found, bool) else pv.any(found).item()


_item_of, _fill_of, _copy_of = Array.item, Array.fill.fget, Array.copy
for _method in (_reshape, _transpose, _flatten, _ravel, _sort, _argpartition, _put, _conj, _item, _tobytes):
    setattr(Array, _method.__name__[1:], _method)
    _method.__name__ = _method.__name__[1:]
    _method.__qualname__ = f"Array.{_method.__name__}"
_copied.__name__, _copied.__qualname__ = "copy", "Array.copy"
Array.copy = _copied
Array.fill = property(_fill)
Array.conjugate = _conj
Array.real = property(pv.real, doc="The real parts: lazy.")
Array.imag = property(pv.imag, doc="The imaginary parts: lazy.")
Array.flat = property(_ravel)
Array.compress = lambda self, condition, axis=None: pv.compress(condition, self, axis)
Array.__divmod__ = lambda self, other: (self // other, self % other)
Array.__rdivmod__ = lambda self, other: (other // self, other % self)
Array.__bytes__ = _tobytes
Array.__format__ = _formatted
Array.__contains__ = _contains
Array.__round__ = _rounded
Array.__array_priority__ = 20
Array.__arrow_array__ = lambda self, type=None: arrow_array(self, type)
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
    memory = _memory(self)
    pieces = pickle.PickleBuffer(memory) if protocol >= 5 else memory.tobytes()
    return _unpickled, (pieces, self.dtype.name, self.shape)


def _unpickled(memory, name, shape):
    """What `pickle` calls: the elements in place, of bytes, which cannot be written, in a copy."""
    if 0 in shape:
        return pv.empty(shape, dtype=name)
    dtype = pv.dtype(name)
    if isinstance(memory, bytes):
        memory = bytearray(memory)
    flat = pv.asarray(memoryview(memory).cast("B"))
    return pv.reshape(pv.reshape(flat, (-1, dtype.itemsize))._view_as(dtype), shape)


Array.__reduce_ex__ = _reduced
Array.__copy__ = lambda self: self.copy()
Array.__deepcopy__ = lambda self, memo: self.copy()
