"""Functions that are traced once and called many times."""

import functools

from purview import _core
from purview._core import Array, asarray
from purview._trees import on_leaves, split_call

__all__ = ["compile"]

_MOST = 32  # combinations of types and shapes that a function keeps


class Compiled:
    """A function of arrays that runs as one program: see `compile`."""

    def __init__(self, function):
        functools.update_wrapper(self, function, updated=())
        self._function = function
        self._programs = {}
        self._last = None  # the program that was last called with arrays alone
        self._last_of_form = (), None

    def __call__(self, *arguments, **named):
        program = self._last
        if program is not None and not named:
            results = program.called(arguments)
            if results is not None:
                return results
        form, arrays = _split(arguments, named)
        if _core._is_tracing():  # a part of the function that is traced
            return on_leaves(self._function, form)(*arrays)
        last_form, program = self._last_of_form
        if form == last_form and (results := program.called(arrays)) is not None:
            return results
        program = self._program(form, arrays)
        self._last_of_form = form, program
        if not named and not any(form[0]):
            self._last = program
        return program(arrays)

    def traced(self, *arguments, **named):
        """The program for arrays of these types and shapes; its `str` says what it does."""
        return self._program(*_split(arguments, named))

    def _program(self, form, arrays):
        key = (form, *[(x.dtype.name, x.shape) for x in arrays])
        program = self._programs.get(key)
        if program is None:
            program = _core._Traced(on_leaves(self._function, form), arrays)
            for oldest in list(self._programs)[: -_MOST + 1]:
                self._programs.pop(oldest, None)  # another thread may have done so
            self._programs[key] = program
        return program


def _split(arguments, named):
    form, leaves = split_call(arguments, named)
    return form, tuple([x if isinstance(x, Array) else asarray(x) for x in leaves])


def compile(function):
    """The function as a program: it is called once for each combination of types and shapes of its arguments, with symbols in their place, and what it
    does with them is compiled: equal parts are computed once, each reduction is one pass.

    Arguments, by place or by keyword, are arrays, or dicts, lists and tuples of such in one another (a list or tuple of numbers alone is one array), and so
    are results, where a tuple is always several. Results are new memory. Numbers that the function captures, seeds too, are constants; arrays that it captures are read at each call.
    What needs elements while it is traced (an `if` on them, sorts) raises SymbolError. A decorator too.
    """
    return Compiled(checked("compile", function))


def checked(what, function):
    """The function. Raises TypeError for what is none."""
    if not callable(function):
        raise TypeError(f"{what}: no function: {function!r}")
    return function
