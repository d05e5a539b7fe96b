"""Functions that are traced once and called many times, and their derivatives."""

import functools
import operator

from purview import _core
from purview._common import named
from purview._core import Array, asarray
from purview._errors import ArgumentError

__all__ = ["compile", "grad", "hessian", "jacobian", "value_and_grad"]

_MOST = 32  # combinations of types and shapes that a function keeps


class _Compiled:
    """A function of arrays that runs as one program: see `compile`."""

    def __init__(self, function):
        functools.update_wrapper(self, function, updated=())
        self._function = function
        self._programs = {}
        self._last = None

    def __call__(self, *arrays):
        program = self._last
        if program is None or not program.fits(arrays):
            arrays = tuple(x if isinstance(x, Array) else asarray(x) for x in arrays)
            if _core._is_tracing():  # a part of the function that is traced
                return self._function(*arrays)
            program = self._last = self.traced(*arrays)
        return program(arrays)

    def traced(self, *arrays):
        """The program for arrays of these types and shapes; its `str` says what it does."""
        key = tuple((x.dtype.name, x.shape) for x in map(asarray, arrays))
        program = self._programs.get(key)
        if program is None:
            program = _core._Traced(self._function, tuple(map(asarray, arrays)))
            for oldest in list(self._programs)[: -_MOST + 1]:
                self._programs.pop(oldest, None)  # another thread may have done so
            self._programs[key] = program
        return program


def compile(function):
    """The function as a program: it is called once for each combination of types and shapes of its arguments, with symbols in their place, and what it
    does with them is compiled: equal parts are computed once, each reduction is one pass.

    Results are new memory. Numbers that the function captures are constants; arrays that it captures are read at each call. What needs elements while
    it is traced (an `if` on them, sorts) raises SymbolError. A decorator too.
    """
    return _Compiled(_checked("compile", function))


def _checked(what, function):
    if not callable(function):
        raise TypeError(f"{what}: no function: {function!r}")
    return function


class _Differentiated(_Compiled):
    """A function of the same arguments that returns derivatives, compiled: see `grad`."""

    def __init__(self, what, function, argnums):
        super().__init__(_checked(what, function))
        self._what, self._differentiated = what, function
        self._is_one = hasattr(argnums, "__index__")
        self._argnums = (operator.index(argnums),) if self._is_one else tuple(map(operator.index, argnums))
        self._function = named(what, "gradient")(self._traced_once)

    def _traced_once(self, *arrays):
        count = len(arrays)
        for i in self._argnums:
            if not -count <= i < count:
                raise ArgumentError(f"{self._what}: argnums has {i}, and there are {count} arguments")
        by = [i % count for i in self._argnums]
        if len(set(by)) < len(by):
            raise ArgumentError(f"{self._what}: argnums names an argument twice: {self._argnums}")
        value, derivatives = _core._differentiated(self._what, self._differentiated, arrays, by)
        if self._what == "hessian":
            derivatives = tuple(self._one_or_all(derivatives[i : i + len(by)]) for i in range(0, len(derivatives), len(by)))
        derivatives = self._one_or_all(derivatives)
        return (value, derivatives) if self._what == "value_and_grad" else derivatives

    def _one_or_all(self, derivatives):
        return derivatives[0] if self._is_one else derivatives


def grad(function, argnums=0):
    """The function that returns the derivatives of a number, `function` of the same arguments, by some of these: one array for an int, a tuple for a tuple
    of ints. Of several results, the first is differentiated.

    It is traced and compiled as by `compile`, and may be called in a function that is traced, and differentiated itself. Derivatives have the shapes and
    types of the arguments, float32 for 16-bit floats; a float of Python is one of float64. DtypeError where an argument of these is not of floats, or the result;
    ShapeError where that has axes; SymbolError of functions without derivatives.
    """
    return _Differentiated("grad", function, argnums)


def value_and_grad(function, argnums=0):
    """The function that returns `(value, derivatives)`: what `function` returns, and what `grad` of it does."""
    return _Differentiated("value_and_grad", function, argnums)


def jacobian(function, argnums=0):
    """The derivatives of each element of the result by each of an argument, of both shapes, the result's first. Otherwise as `grad`."""
    return _Differentiated("jacobian", function, argnums)


def hessian(function, argnums=0):
    """The second derivatives of a number, of the shapes of two arguments; for a tuple of ints a tuple of tuples. Otherwise as `grad`."""
    return _Differentiated("hessian", function, argnums)
