"""Traced functions in files."""

import os

from purview import _core
from purview._common import creatable, existing
from purview._compile import Compiled, checked
from purview._core import asarray

__all__ = ["load_computation", "save_computation"]


class _Loaded:
    """A function of arrays that was loaded: see `load_computation`."""

    def __init__(self, traced):
        self._traced = traced

    def __call__(self, *arrays):
        arrays = self._typed(arrays)
        return self._traced.over(arrays) if _core._is_recorded(arrays) else self._traced(arrays)

    def _typed(self, arrays):
        """Where there are as many as arguments, numbers and lists take the type of the argument."""
        if len(arrays) != len(self.arguments):
            return arrays
        return tuple([x if hasattr(x, "dtype") else asarray(x, dtype=t) for x, (t, _) in zip(arrays, self.arguments)])

    def _explained(self, *arrays):
        return self._traced.explain(self._typed(arrays))

    @property
    def arguments(self):
        """The type and shape of each argument, with None for an extent of any size."""
        return _core._arguments_of(self._traced)

    @property
    def variables(self):
        """The names of the trainable variables that it was saved with."""
        return _core._variables_of(self._traced)

    def value(self, name):
        """The value of a variable or persistent symbol. SymbolError names those that there are."""
        return _core._symbol_value(self._traced, name)

    def update(self, name, value):
        """Gives a variable or persistent symbol another value, of its type and shape, which later calls use. SymbolError names those that there are."""
        _core._update_symbol(self._traced, name, value)

    def __str__(self):
        return str(self._traced)


def save_computation(path, function, *arrays, values=True, largest_tensor=64 << 20, places=None):
    """Writes a function to a file, as C++ does: the program that `compile(function)` has for arrays of these types and shapes, with the elements of the arrays that it
    captures. It is read by `load_computation`, of C++ too, which needs neither the function nor what it captures. The file appears when it is complete.

    `function` may be what was loaded, or what `compile(f).traced(…)` gives, without arrays. Arguments that are dicts, lists, tuples or keywords are saved as the arrays
    in them, in order. `values`: whether those of variables are saved, too. A captured array of more than `largest_tensor` bytes is refused. `places`: a folder;
    arrays of mapped files in it are saved as the places of their elements.

    FormatError naming the node for what is not saved: functions of `emap`, times, text, large arrays.
    """
    traced = function._traced if isinstance(function, _Loaded) else function
    if not isinstance(traced, _core._Traced):
        compiled = function if isinstance(function, Compiled) else Compiled(checked("save_computation", function))
        traced = compiled.traced(*arrays)
    elif arrays:
        raise TypeError(f"save_computation: what was traced takes no arrays, and {len(arrays)} are given")
    _core._save_computation(creatable(path), traced, values, largest_tensor, "" if places is None else os.fsdecode(places))


def load_computation(path, *, places=None):
    """The function in a file of `save_computation`, of Python or C++: it takes arrays, and returns one, or a tuple of several. It is compiled when it is first called; it
    may be called in functions that are traced, so `grad` of it is its derivative. `arguments` says which types and shapes it takes, and its `str` what it does.

    Nothing is computed, and nothing opened but files in the folder `places` that were saved as places. FormatError for a file that is no computation.
    A call raises DtypeError and ShapeError naming the argument.
    """
    return _Loaded(_core._load_computation(existing(path), "" if places is None else os.fsdecode(places)))
