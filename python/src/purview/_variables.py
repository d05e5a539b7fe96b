"""Variables: arrays with names, which traced functions read at each call."""

import functools
import operator

from purview import _core
from purview._core import Array, Variable

__all__ = ["Variable", "variable"]


def variable(value, name=""):
    """An array with a name, of a copy of a value: wherever an array may be given, it is one. Functions that are traced read its elements at each call, `save_computation`
    saves them under the name, and `load_computation` finds them by it. `w.update(value)`, and `w -= step`, put others in their place; `w.value` is the memory itself.

    Derivatives are by arguments: give it as one. SymbolError of an update in a function that is traced.
    """
    if not isinstance(name, str):
        raise TypeError(f"variable: the name is a text, and no {type(name).__name__}")
    return _core._variable(value, name)


def _forward(name):
    @functools.wraps(getattr(Array, name))
    def forward(self, *args, **options):
        return getattr(self._array(), name)(*args, **options)

    return forward


def _in_place(name):
    operation = getattr(operator, name)

    def change(self, other):
        self.update(operation(self._array(), other))
        return self

    change.__name__ = name
    return change


def _attribute(self, name):
    if name in ("__copy__", "__deepcopy__"):  # those of `__reduce__`
        raise AttributeError(name)
    return getattr(self._array(), name)


_in_place_names = "iadd isub imul itruediv ifloordiv imod ipow iand ior ixor ilshift irshift imatmul".split()


def _give_methods():
    """Gives the class the operators of arrays, and all else that these have."""
    own = {"__copy__", "__deepcopy__", "__new__", "__init__", "__repr__", "__str__", "__doc__", "__module__", "__class__", "__hash__", "__reduce__", "__reduce_ex__"}
    compared = ["__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"]
    in_place = [f"__{name}__" for name in _in_place_names]
    for name in {*dir(Array), *compared} - own - set(in_place) - (set(dir(object)) - set(compared)):
        if name.startswith("__") and callable(getattr(Array, name)):
            setattr(Variable, name, _forward(name))
    for name in in_place:
        setattr(Variable, name, _in_place(name))
    Variable.__getattr__ = _attribute
    Variable.__hash__ = None  # as of arrays
    Variable.__reduce__ = lambda self: (variable, (self.value, self.name))
    Variable.__repr__ = lambda self: f"variable({self.value!r}, name={self.name!r})"


_give_methods()
