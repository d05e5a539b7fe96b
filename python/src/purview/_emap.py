"""Functions of one's own, element by element."""

import ctypes

from purview import _core
from purview._core import asarray
from purview._types import result_type

__all__ = ["emap"]

_ctypes = {ctypes.c_double: "float64", ctypes.c_float: "float32", ctypes.c_int64: "int64", ctypes.c_int32: "int32", ctypes.c_bool: "bool"}


def emap(function, *arrays, dtype=None):
    """function(x, …) of the elements of one to three arrays, broadcast together. Lazy.

    The function is a `numba.cfunc`, or one of ctypes with argtypes and restype, whose arguments and result have one type: then it is called without
    the interpreter. Or it is a Python function: then each element costs its call, and `dtype` (that of the arrays by default) is the type of its
    arguments and result. It is called whenever elements are read, from any thread.
    """
    if not 1 <= len(arrays) <= 3:
        raise TypeError(f"emap: one to three arrays, not {len(arrays)}")
    arrays = [asarray(x) for x in arrays]
    address, types = None, ()
    if hasattr(function, "address") and hasattr(function, "_sig"):  # numba.cfunc
        address = function.address
        types = tuple(map(str, (*function._sig.args, function._sig.return_type)))
    elif hasattr(function, "argtypes") and hasattr(function, "restype"):
        address = ctypes.cast(function, ctypes.c_void_p).value
        types = tuple(_ctypes.get(each, str(each)) for each in (*(function.argtypes or ()), function.restype))
    elif not callable(function):
        raise TypeError(f"emap: no function: {function!r}")
    if address is not None:
        if len(types) != len(arrays) + 1 or len(set(types)) != 1:
            raise TypeError(f"emap: a function of {', '.join(types[:-1])} that gives {types[-1]}, for {len(arrays)} arrays and one type")
        dtype = types[0]
    return _core._emap(function, address, arrays, result_type(*arrays) if dtype is None else dtype)
