"""Functions that are traced once and called many times."""

import functools
import weakref

from purview import _core
from purview._core import Array, asarray
from purview._trees import on_leaves, split_call

__all__ = ["compile", "explain"]

_MOST = 32  # combinations of types and shapes that a function keeps


class Compiled:
    """A function of arrays that runs as one program: see `compile`."""

    def __init__(self, function):
        functools.update_wrapper(self, function, updated=())
        self._function = function
        self._programs = {}
        self._methods = {}  # by the id of an object: a weak reference to it, and the function of the other arguments
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

    def _explained(self, *arguments, **named):
        form, arrays = _split(arguments, named)
        return self._program(form, arrays).explain(arrays)

    def __get__(self, instance, owner=None):
        """The method of an object, which is what the function captures: it has programs of its own."""
        function = self._traced_function()
        if instance is None or isinstance(function, staticmethod) or not hasattr(type(function), "__get__"):
            return self
        key = id(instance)
        known, compiled = self._methods.get(key, (None, None))
        if known is None or known() is not instance:
            try:
                known = weakref.ref(instance, lambda gone: self._forget(key, gone))
            except TypeError:
                kind = type(instance).__name__
                raise TypeError(
                    f"{getattr(self, '__name__', 'compile')}: a compiled method of an object without weak references: give {kind}.__slots__ a '__weakref__', or compile a function of it: "
                    f"pv.compile(lambda x: object.{self.__name__}(x))"
                ) from None
            compiled = self._of_function(_bound(function, known))
            self._methods[key] = known, compiled
        return _Method(compiled, instance)

    def _forget(self, key, gone):
        if self._methods.get(key, (None,))[0] is gone:
            del self._methods[key]

    def _traced_function(self):
        return self._function

    def _of_function(self, function):
        """The same of another function."""
        return type(self)(function)

    def _program(self, form, arrays):
        key = (form, *[(x.dtype.name, x.shape) for x in arrays])
        program = self._programs.get(key)
        if program is None:
            program = _core._Traced(on_leaves(self._function, form), arrays)
            for oldest in list(self._programs)[: -_MOST + 1]:
                self._programs.pop(oldest, None)  # another thread may have done so
            self._programs[key] = program
        return program


class _Method:  # the doc is the function's
    def __init__(self, compiled, instance):
        self._compiled, self.__self__ = compiled, instance

    def __call__(self, *arguments, **named):
        return self._compiled(*arguments, **named)

    def _explained(self, *arguments, **named):
        return self._compiled._explained(*arguments, **named)

    def __getattr__(self, name):  # `traced`, and what functions have
        return getattr(self._compiled, name)

    @property
    def __doc__(self):
        return self._compiled.__doc__

    @property
    def __wrapped__(self):
        return self._compiled.__wrapped__.__wrapped__.__get__(self.__self__)


def _bound(function, known):
    """The method of an object that is kept alive only while it is called."""

    @functools.wraps(function)
    def call(*arguments, **named):
        return function.__get__(known())(*arguments, **named)

    return call


def _split(arguments, named):
    form, leaves = split_call(arguments, named)
    return form, tuple([x if isinstance(x, Array) else asarray(x) for x in leaves])


def compile(function):
    """The function as a program: it is called once for each combination of types and shapes of its arguments, with symbols in their place, and what it
    does with them is compiled: equal parts are computed once, each reduction is one pass.

    Arguments, by place or by keyword, are arrays, or dicts, lists and tuples of such in one another (a list or tuple of numbers alone is one array), and so
    are results, where a tuple is always several. Results are new memory. Numbers that the function captures, seeds too, are constants; arrays that it captures are read at each call.
    What needs elements while it is traced (an `if` on them, sorts) raises SymbolError. A decorator too, of methods as well: an object, `self`,
    has programs of its own, and is what the function captures.
    """
    return Compiled(checked("compile", function))


def explain(call, /, *arguments, **named):
    """How `call(*arguments, **named)` would be done, as text; nothing is computed or written by what it tells of.

    Of a function of `compile`, of derivatives, or of `load_computation`: the nodes and stages of its program, and how each is done, the steps of loops too. Of any other
    function: how the first loop or choice is done that it comes to, as of `lambda: pv.iterate(step, x, 100)`, or a compiled function with such, or how it would read
    arrays in chunks, as of `lambda: pv.median(x)`, in a line; it is made as far as that. Raises what the call raises before.
    """
    checked("explain", call)
    if hasattr(type(call), "_explained"):
        return call._explained(*arguments, **named)
    return _core._explain_call(lambda: call(*arguments, **named))


def checked(what, function):
    """The function. Raises TypeError for what is none."""
    if not callable(function):
        raise TypeError(f"{what}: no function: {function!r}")
    return function
