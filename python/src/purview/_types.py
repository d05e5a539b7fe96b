"""Element types."""

import builtins
from collections import namedtuple

from purview import _core
from purview._common import bool, complex_types, float64, placed, real_types, signed, unsigned
from purview._core import Array, asarray, dtype
from purview._creation import empty
from purview._errors import DtypeError

__all__ = """
    astype can_cast finfo iinfo isdtype result_type
""".split()


def astype(x, dtype, /, *, copy=True, device=None):
    """The elements converted to another type, in new memory. Integers wrap, floats are cut off. copy=False keeps what has the type."""
    return placed(asarray(x).astype(dtype, copy=copy), device)


def _new_of_type(self, obj=0, /):
    """An array of this type: `float32(3)`, `int8([1, 2])`, as NumPy's types make scalars and arrays."""
    return asarray(obj, self, copy=True)


_core.dtype.__call__ = _new_of_type


def _type_of(x):
    """The type that an array has, of ours or NumPy's, or that a type is."""
    return x.dtype if isinstance(x, Array) else dtype(x if isinstance(x, (_core.dtype, type)) else getattr(x, "dtype", x))


def result_type(*arrays_and_dtypes):
    """The type that arithmetic of these arrays, types and Python numbers has; of numbers alone that of arrays of them.
    DtypeError for a bool beside numbers."""
    types, numbers = [], []
    for each in arrays_and_dtypes:
        if isinstance(each, (builtins.bool, int, float, complex)) and not hasattr(each, "dtype"):  # NumPy's are of a type
            numbers.append(each)
        else:
            types.append(_type_of(each))
    if not types and not numbers:
        raise ValueError("result_type: an array or a dtype is needed")
    types = types or [asarray(numbers.pop()).dtype]
    result = empty((), dtype=types[0])
    for each in types[1:]:
        if each != result.dtype:
            if bool in (result.dtype, each):
                raise DtypeError(f"result_type: {result.dtype} and {each} are not promoted")
            result = empty((), dtype=(result + empty((), dtype=each)).dtype)
    for number in numbers:
        result = result if isinstance(number, builtins.bool) else empty((), dtype=(result + number).dtype)
    return result.dtype


def can_cast(from_, to, /):
    """Whether a type is promoted to another without loss."""
    source = from_.dtype if isinstance(from_, Array) else dtype(from_)
    to = dtype(to)
    if source == to:
        return True
    try:
        return result_type(source, to) == to
    except DtypeError:
        return False


_kinds = {
    "bool": (bool,),
    "signed integer": signed,
    "unsigned integer": unsigned,
    "integral": signed + unsigned,
    "real floating": real_types,
    "complex floating": complex_types,
    "numeric": signed + unsigned + real_types + complex_types,
}


def isdtype(dtype, kind):
    """Whether a type is of a kind, or one of several kinds and types."""
    if isinstance(kind, tuple):
        return builtins.any(isdtype(dtype, each) for each in kind)
    if isinstance(kind, str):
        if kind not in _kinds:
            raise ValueError(f"isdtype: no kind {kind!r}; there are {', '.join(_kinds)}")
        return dtype in _kinds[kind]
    return dtype == kind


finfo_object = namedtuple("finfo_object", "bits eps max min smallest_normal dtype")
iinfo_object = namedtuple("iinfo_object", "bits max min dtype")


def finfo(type, /):
    """The limits of a type of floats, float32 or float64, or of their complex types. DtypeError for others."""
    t = type.dtype if isinstance(type, Array) else dtype(type)
    t = {_core.complex64: _core.float32, _core.complex128: float64}.get(t, t)
    if t == _core.float32:
        return finfo_object(32, 2.0**-23, (2 - 2.0**-23) * 2.0**127, -(2 - 2.0**-23) * 2.0**127, 2.0**-126, t)
    if t == float64:
        import sys

        f = sys.float_info
        return finfo_object(64, f.epsilon, f.max, -f.max, f.min, t)
    raise DtypeError(f"finfo: {t} is no type of floats")


def iinfo(type, /):
    """The limits of a type of integers. DtypeError for others."""
    t = type.dtype if isinstance(type, Array) else dtype(type)
    bits = 8 * t.itemsize
    if t in signed:
        return iinfo_object(bits, 2 ** (bits - 1) - 1, -(2 ** (bits - 1)), t)
    if t in unsigned:
        return iinfo_object(bits, 2**bits - 1, 0, t)
    raise DtypeError(f"iinfo: {t} is no type of integers")
