"""What the modules of functions share."""

import builtins
import errno
import functools
import operator
import os

from purview import _core
from purview._core import dtype
from purview._errors import Error, IndexError

bool = _core.bool
int64 = _core.int64
float64 = _core.float64
signed = (_core.int8, _core.int16, _core.int32, _core.int64)
unsigned = (_core.uint8, _core.uint16, _core.uint32, _core.uint64)
real_types = (_core.float16, _core.bfloat16, _core.float32, _core.float64)
complex_types = (_core.complex64, _core.complex128)

default_types = {builtins.bool: bool, int: int64, float: float64, complex: _core.complex128}


def is_integer(t):
    """Whether a type is one of integers."""
    return t in signed or t in unsigned


def is_float(t):
    """Whether a type is one of real or complex numbers."""
    return t in real_types or t in complex_types


def named(name, *inner):
    """The function, whose errors name it in the place of the functions that it calls."""

    def decorate(function):
        @functools.wraps(function)
        def call(*args, **options):
            try:
                return function(*args, **options)
            except (Error, MemoryError, TypeError) as error:
                other, colon, text = str(error).partition(":")
                if other not in inner:
                    raise
                raise type(error)(name + colon + text.replace(f"and {other} with", f"and {name} with")) from None

        return call

    return decorate


def type_or(of, default):
    """A type that was given, or the default."""
    return default if of is None else dtype(of)


def at_once(x):
    """The elements in new memory, computed now; where a function is traced, the expression."""
    return x if _core._is_tracing() else x.realise()


def placed(x, device):
    """The array, on the device that a function is given, if it is."""
    return x if device is None else x.to_device(device)


def check_order(what, order):
    """Raises ValueError for another order than the row-major one, which all new arrays have."""
    if order not in (None, "C", "K", "A"):
        raise ValueError(f"{what}: order is 'C', row-major, not {order!r}")


def creatable(path, ending=""):
    """The text of the path of a file to write, which ends so. Raises FileNotFoundError if its folder is missing."""
    path = os.fsdecode(path)
    path = path if path.endswith(ending) else path + ending
    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    return path


def existing(path):
    """The text of the path of a file. Raises FileNotFoundError."""
    os.stat(path)
    return os.fsdecode(path)


def is_index(x):
    """Whether an object is one integer, by `__index__`: one of Python's or NumPy's, or an array of rank 0."""
    if isinstance(x, int):
        return True
    if getattr(x, "ndim", 0):
        return False
    try:
        operator.index(x)
    except TypeError:
        return False
    return True


def integers_of(x):
    """One integer, or several, as a tuple of Python's."""
    return (operator.index(x),) if is_index(x) else tuple(map(operator.index, x))


def python_number(x):
    """A number of NumPy's, or an array of rank 0, as Python's, which does not wrap; other objects as they are."""
    if type(x) not in (int, float) and getattr(x, "ndim", None) == 0 and hasattr(x, "item"):
        return x.item()
    return operator.index(x) if is_index(x) else x


def axis_of(axis, ndim, what):
    """An axis as its number from 0. Raises IndexError."""
    try:
        axis = operator.index(axis)
    except TypeError:
        raise TypeError(f"{what}: an axis is an integer, not {' '.join(repr(axis).split())}") from None
    if not -ndim <= axis < ndim:
        raise IndexError(f"{what}: axis {axis} is out of range for rank {ndim}")
    return axis % ndim


def axes_of(axis, ndim, what):
    """One axis, several, or all for None. Raises IndexError."""
    if axis is None:
        return tuple(range(ndim))
    axes = (axis,) if is_index(axis) else tuple(axis)
    return tuple(axis_of(a, ndim, what) for a in axes)
