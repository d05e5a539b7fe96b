"""Functions of one's own, element by element."""

import ctypes
import functools

from purview import _core
from purview._core import asarray
from purview._types import result_type

__all__ = ["emap", "with_derivative"]

_ctypes = {ctypes.c_double: "float64", ctypes.c_float: "float32", ctypes.c_int64: "int64", ctypes.c_int32: "int32", ctypes.c_bool: "bool"}


class _WithDerivative:
    """A function of elements with its derivatives: see `with_derivative`."""

    def __init__(self, function, derivatives):
        functools.update_wrapper(self, function, updated=())
        self.function, self.derivatives = function, derivatives

    def __call__(self, *elements):
        return self.function(*elements)


def with_derivative(function, *derivatives):
    """A function for `emap`, as it takes them, with its derivative by each operand, functions of the same elements, which may have derivatives of their own:
    `grad` of what calls it takes them. `emap(with_derivative(math.sin, math.cos), x)`."""
    if not derivatives:
        raise TypeError("with_derivative: no derivative of the function is given, and there is one by each of its operands")
    for each in (function, *derivatives):
        if not callable(each) and not hasattr(each, "address"):
            raise TypeError(f"with_derivative: no function: {each!r}")
    return _WithDerivative(function, derivatives)


def emap(function, *arrays, dtype=None):
    """function(x, …) of the elements of one to three arrays, broadcast together. Lazy.

    The function is a `numba.cfunc`, or one of ctypes with argtypes and restype, whose arguments and result have one type: then it is called without
    the interpreter. Or it is a Python function: then each element costs its call, and `dtype` (that of the arrays by default) is the type of its
    arguments and result. It is called whenever elements are read, from any thread. `with_derivative` gives it derivatives.
    """
    if not 1 <= len(arrays) <= 3:
        raise TypeError(f"emap: one to three arrays, not {len(arrays)}")
    arrays = [asarray(x) for x in arrays]
    types = set()
    described = _described(function, len(arrays), types)
    if len(types) > 1:
        raise TypeError(f"emap: the function and its derivatives are of several types: {', '.join(sorted(types))}")
    return _core._emap(described, arrays, types.pop() if types else result_type(*arrays) if dtype is None else dtype)


def _described(function, count, types):
    """(function, its address or None, its derivatives). What has an address puts the name of its type to a set."""
    derivatives = ()
    if isinstance(function, _WithDerivative):
        function, derivatives = function.function, function.derivatives
        if len(derivatives) != count:
            raise TypeError(f"emap: a function with derivatives by {len(derivatives)} operands, for {count} arrays")
    address, own = None, ()
    if hasattr(function, "address") and hasattr(function, "_sig"):  # numba.cfunc
        address = function.address
        own = tuple(map(str, (*function._sig.args, function._sig.return_type)))
    elif hasattr(function, "argtypes") and hasattr(function, "restype"):
        address = ctypes.cast(function, ctypes.c_void_p).value
        own = tuple(_ctypes.get(each, str(each)) for each in (*(function.argtypes or ()), function.restype))
    elif not callable(function):
        raise TypeError(f"emap: no function: {function!r}")
    if address is not None:
        if len(own) != count + 1 or len(set(own)) != 1:
            raise TypeError(f"emap: a function of {', '.join(own[:-1])} that gives {own[-1]}, for {count} arrays and one type")
        types.add(own[0])
    return function, address, [_described(each, count, types) for each in derivatives]
