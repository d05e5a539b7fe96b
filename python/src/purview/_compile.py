"""Functions that are traced once and called many times."""

import functools

from purview import _core
from purview._core import Array, asarray

__all__ = ["compile"]

_MOST = 32  # combinations of types and shapes that a function keeps


class _Compiled:
    """A function of arrays that runs as one program: see `compile`."""

    def __init__(self, function):
        functools.update_wrapper(self, function)
        self._function = function
        self._programs = {}
        self._last = None

    def __call__(self, *arrays):
        program = self._last
        if program is None or not program.fits(arrays):
            arrays = tuple(x if isinstance(x, Array) else asarray(x) for x in arrays)
            program = self._last = self.traced(*arrays)
        return program(arrays)

    def traced(self, *arrays):
        """The program for arrays of these types and shapes; its `str` says what it does."""
        key = tuple((x.dtype.name, x.shape) for x in map(asarray, arrays))
        program = self._programs.get(key)
        if program is None:
            program = _core._Traced(self._function, tuple(map(asarray, arrays)))
            while len(self._programs) >= _MOST:
                self._programs.pop(next(iter(self._programs)))
            self._programs[key] = program
        return program


def compile(function):
    """The function as a program: it is called once for each combination of types and shapes of its arguments, with symbols in their place, and what it
    does with them is compiled: equal parts are computed once, each reduction is one pass.

    Results are new memory. Numbers that the function captures are constants; arrays that it captures are read at each call. What needs elements while
    it is traced (an `if` on them, matmul, sorts) raises SymbolError. A decorator too.
    """
    if not callable(function):
        raise TypeError(f"compile: no function: {function!r}")
    return _Compiled(function)
