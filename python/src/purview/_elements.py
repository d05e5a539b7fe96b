"""Functions of elements that are more than one call of the core."""

import builtins
import math

from purview import _core
from purview._common import complex_types, is_float
from purview._core import Array, asarray, where
from purview._creation import zeros_like
from purview._shapes import broadcast_to

__all__ = """
    acos asin atan bitwise_and bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift
    bitwise_xor clip cos cosh divide equal exp expm1 floor_divide greater greater_equal imag
    isfinite isinf isnan less less_equal log log10 log1p log2 logaddexp logical_and logical_not
    logical_or logical_xor not_equal positive pow real reciprocal remainder round sign sin sinh sqrt
    square tan tanh
""".split()


def _function(name, inner=None):
    """A function of elements, of complex numbers too."""
    call = getattr(_core, inner or name)

    def function(x, /):
        x = asarray(x)
        return _core._complex(name, x) if x.dtype in complex_types else call(x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = call.__doc__
    return function


sqrt, log, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, exp, expm1 = (
    _function(name) for name in "sqrt log sin cos tan asin acos atan sinh cosh tanh exp expm1".split()
)


def log1p(x, /):
    """log(1 + x) of each element, exact near 0: lazy."""
    x = asarray(x)
    if x.dtype not in complex_types:
        return _core.log1p(x)
    return log(1 + x)


def log2(x, /):
    """The logarithm to base 2 of each element, lazy."""
    x = asarray(x)
    return log(x) * (1 / math.log(2)) if x.dtype in complex_types else _core.log2(x)


def log10(x, /):
    """The logarithm to base 10 of each element, lazy."""
    x = asarray(x)
    return log(x) * (1 / math.log(10)) if x.dtype in complex_types else _core.log10(x)


def _operator(name, text):
    import operator

    call = getattr(operator, name)

    def function(x1, x2, /):
        return call(x1 if isinstance(x1, Array) else asarray_beside(x1, x2), x2)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{text} Of elements broadcast together, lazy."
    return function


def asarray_beside(x, other):
    """x where the other one is an array and x a number, else an array of x."""
    return x if isinstance(other, Array) and isinstance(x, (builtins.bool, int, float, complex)) else asarray(x)


divide = _operator("truediv", "x1 / x2.")
floor_divide = _operator("floordiv", "x1 / x2, rounded down.")
remainder = _operator("mod", "x1 % x2, with the sign of x2.")
pow = _operator("pow", "x1 to the power x2.")
equal = _operator("eq", "Whether x1 == x2.")
not_equal = _operator("ne", "Whether x1 != x2.")
less = _operator("lt", "Whether x1 < x2.")
less_equal = _operator("le", "Whether x1 <= x2.")
greater = _operator("gt", "Whether x1 > x2.")
greater_equal = _operator("ge", "Whether x1 >= x2.")
bitwise_and = _operator("and_", "x1 & x2.")
bitwise_or = _operator("or_", "x1 | x2.")
bitwise_xor = _operator("xor", "x1 ^ x2.")
bitwise_left_shift = _operator("lshift", "x1 << x2.")
bitwise_right_shift = _operator("rshift", "x1 >> x2.")


def bitwise_invert(x, /):
    """~x of integers and bools, bit by bit: lazy."""
    return ~asarray(x)


def positive(x, /):
    """The array x itself."""
    return asarray(x)


def _as_bool(x):
    x = asarray(x)
    return x if x.dtype == bool else x != 0


def logical_and(x1, x2, /):
    """Whether both elements are true, that is not zero: broadcast together, lazy."""
    return _as_bool(x1) & _as_bool(x2)


def logical_or(x1, x2, /):
    """Whether one of the elements is true, or both: broadcast together, lazy."""
    return _as_bool(x1) | _as_bool(x2)


def logical_xor(x1, x2, /):
    """Whether just one of the elements is true: broadcast together, lazy."""
    return _as_bool(x1) ^ _as_bool(x2)


def logical_not(x, /):
    """Whether each element is zero or false: lazy."""
    return ~_as_bool(x)


def _predicate(name, otherwise):
    call = getattr(_core, name)

    def function(x, /):
        x = asarray(x)
        if x.dtype in complex_types:
            parts = call(real(x)), call(imag(x))
            return parts[0] & parts[1] if name == "isfinite" else parts[0] | parts[1]
        if "64[" in x.dtype.name and name != "isinf":  # times
            return _core.isnat(x) if name == "isnan" else ~_core.isnat(x)
        if not is_float(x.dtype):
            return broadcast_to(asarray(otherwise), x.shape)
        return call(x)

    function.__doc__ = call.__doc__
    return function


isnan = _predicate("isnan", False)
isinf = _predicate("isinf", False)
isfinite = _predicate("isfinite", True)
real = _core.real


def imag(x, /):
    """The imaginary parts: lazy, and zeros for real numbers."""
    x = asarray(x)
    return _core.imag(x) if x.dtype in complex_types else zeros_like(x)


def reciprocal(x, /):
    """1 / x of each element, lazy."""
    x = asarray(x)
    return 1 / x if x.dtype in complex_types else _core.reciprocal(x)


def sign(x, /):
    """-1, 0 or 1 for each element, of complex numbers x / |x|: lazy."""
    x = asarray(x)
    if x.dtype not in complex_types:
        return _core.sign(x) + 0 if is_float(x.dtype) else _core.sign(x)
    size = _core.abs(x)
    return where(size == 0, 0j, x / where(size == 0, size + 1, size).astype(x.dtype))


def round(x, /):
    """Each element rounded to the nearest integer, halves to even: lazy. The type stays."""
    x = asarray(x)
    return _core._from_parts(_core.round(real(x)), _core.round(imag(x))) if x.dtype in complex_types else _core.round(x)


def square(x, /):
    """x * x of each element, lazy."""
    return _core.square(x)


def clip(x, /, min=None, max=None):
    """x between two bounds, each a number, an array or None: broadcast together, lazy, of the type of x."""
    x = asarray(x)
    result = x
    if min is not None:
        result = _core.maximum(result, min)
    if max is not None:
        result = _core.minimum(result, max)
    return result if result.dtype == x.dtype else result.astype(x.dtype, copy=False)


def logaddexp(x1, x2, /):
    """log(exp(x1) + exp(x2)) without overflow: broadcast together, lazy."""
    return _core.logaddexp(asarray_beside(x1, x2), x2)
