"""Loops of functions, and choices of one of two: a part of a function that is traced; elsewhere they run at once."""

import inspect

from purview import _core
from purview._compile import checked
from purview._errors import ArgumentError, ShapeError
from purview._trees import described, holds_arrays, join, names, split_as, split_several

__all__ = ["choose", "iterate", "iterate_while", "scan_over"]


class _Values:
    """States, inputs or arguments: one tree of arrays and numbers, or a tuple or list of several."""

    def __init__(self, what, name, given):
        leaves = []
        self._what = what
        self._form = split_several(given, leaves)
        self._is_several = self._form is not None and self._form[0] in (tuple, list)
        self._are_numbers = [isinstance(x, (bool, int, float)) and not hasattr(x, "dtype") for x in leaves]
        self.arrays = [_core._leaf(f"{what}: {each}", x) for each, x in zip(names(self._form, name), leaves)]

    def tree(self, arrays):
        """Arrays in the places of these."""
        return join(self._form, iter(arrays))

    def computed(self, arrays):
        """Arrays in memory in the places of these, as numbers where these were numbers."""
        return self.tree([x.item() if is_number else x for x, is_number in zip(arrays, self._are_numbers)])

    def are_numbers(self):
        return all(self._are_numbers)

    def one_by_one(self, tree):
        """What is in the places of these, as arguments of a function."""
        return tree if self._is_several else (tree,)

    def leaves_as(self, returned):
        """The leaves of what a step returns, which has the form of these."""
        wanted, parts = (self._form,), (returned,)
        if self._is_several:
            wanted, parts = self._form[2], _results(returned, isinstance(returned, list))
        elif self._form is None:
            parts = _results(returned, isinstance(returned, list) and holds_arrays(returned))
        if len(parts) != len(wanted):
            raise ShapeError(f"{self._what}: the step takes {len(wanted)} states, and returns {len(parts) if returned is not None else None}")
        leaves = []
        for i, (form, part) in enumerate(zip(wanted, parts)):
            split_as(form, part, leaves, f"{self._what}: what the step returns" + (f"[{i}]" if self._is_several else ""))
        return leaves


def _results(returned, is_list_of_several):
    """What a function returns, as several results: a tuple, but for a named one."""
    is_several = is_list_of_several or (isinstance(returned, tuple) and not hasattr(returned, "_fields"))
    return returned if is_several else (returned,)


def _takes_both(condition, count):
    """Whether a condition is of the states after and before a step, and not of `count` states after it alone."""
    try:
        parameters = inspect.signature(condition).parameters.values()
    except (TypeError, ValueError):  # of some builtin functions nothing is known
        return True
    by_place = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD) and each.default is each.empty]
    return len(by_place) > count or any(each.kind is each.VAR_POSITIONAL for each in parameters)


class _Loop:
    """A loop over states, and what came of it."""

    def __init__(self, what, state):
        self._what = what
        self.states = _Values(what, "state", state)

    def check_state(self):
        if not self.states.arrays:
            raise ArgumentError(f"{self._what}: there is no array in the state")

    def step(self, step):
        """A step as a function of leaves."""
        checked(self._what, step)
        states = self.states
        return lambda *arrays: states.leaves_as(step(*states.one_by_one(states.tree(arrays))))

    def condition(self, condition):
        checked(self._what, condition)
        states = self.states
        count = len(states.arrays)
        takes_both = _takes_both(condition, len(states.one_by_one(states.tree(states.arrays))))

        def of_leaves(*arrays):
            now, before = (states.one_by_one(states.tree(each)) for each in (arrays[:count], arrays[count:]))
            return [condition(*now, *before) if takes_both else condition(*now)]

        return of_leaves

    def run(self, step, *, condition=None, inputs=(), most=0, or_else="error", keep=0, every=1, call=None):
        if call is not None:
            checked(self._what, call)
        if not isinstance(or_else, str):
            raise TypeError(f"{self._what}: or_else is one of 'error', 'last', not {or_else!r}")
        counts = {"steps" if condition is None else "most": most, "keep": keep, "every": every}
        most, keep, every = [_core._count(f"{self._what}: {name}", given) for name, given in counts.items()]
        self._is_computed, (self.count, *self._arrays) = _core._loop(
            self._what, step, condition, self.states.arrays, inputs, most, or_else, keep, every, call and self._watch(call)
        )
        return self

    def _watch(self, call):
        states = self.states
        return lambda count, arrays: call(count, *states.one_by_one(states.computed(arrays)))

    def last(self):
        states = self._arrays[: len(self.states.arrays)]
        return self.states.computed(states) if self._is_computed else self.states.tree(states)

    def steps(self):
        return self.count.item() if self._is_computed else self.count

    def outputs(self, form):
        return join(form, iter(self._arrays[len(self.states.arrays) :]))


def iterate(step, state, steps, *, every=1, call=None, keep=0):
    """`step(step(… step(state)))`: a state, or a tuple of several, after so many steps.

    States are arrays and numbers, dicts of such, too; the step takes them one by one, and returns the next one, or a tuple. It is called once, with symbols, and
    compiled, whatever the number of steps is; a number is a symbol of int64, float64 or bool. Arrays that it captures are read where they lie. Results are new
    memory, and numbers where the state was one; in a function that is traced they are a part of it.

    `call(taken, …)` is called after each `every`-th step, with copies of the states. `keep`: how many states a gradient keeps, from which it computes the others
    again; 0 for the square root of the steps. ShapeError and DtypeError naming the state that the step changes, before a step is taken; an error of the library in
    a step names its number.
    """
    loop = _Loop("iterate", state)
    loop.check_state()
    return loop.run(loop.step(step), most=steps, keep=keep, every=every, call=call).last()


def iterate_while(step, state, condition, *, most=1_000_000, or_else="error", every=1, call=None, keep=0):
    """Steps as those of `iterate`, as long as `condition(now, …, before, …)` holds, or `condition(now, …)`: one bool of the states after a step and those before
    it. At least one step is taken. Returns the states that the condition refused, and the number of steps.

    Where it still holds after `most` steps, `or_else` says what is: "error", an ArgumentError, or "last" for the last states. Otherwise as `iterate`.
    """
    loop = _Loop("iterate_while", state)
    loop.check_state()
    loop.run(loop.step(step), condition=loop.condition(condition), most=most, or_else=or_else, keep=keep, every=every, call=call)
    return loop.last(), loop.steps()


def scan_over(cell, state, inputs, *, keep=0):
    """A state, or a tuple of several, carried along the first axis of inputs: `cell(state, input)` returns the pair of the next state and an output, for each
    `inputs[t]` in order. Tuples where there are several states, inputs or outputs. Returns the last state, and the outputs stacked along a new first axis.

    Otherwise as `iterate`. ShapeError for inputs without axes, or of other lengths than the first.
    """
    checked("scan_over", cell)
    loop = _Loop("scan_over", state)
    rows = _Values("scan_over", "inputs", inputs)
    if not rows.arrays:
        raise ArgumentError("scan_over: there is no array in the inputs")
    count = len(loop.states.arrays)
    form = None

    def step(*arrays):
        nonlocal form
        returned = cell(loop.states.tree(arrays[:count]), rows.tree(arrays[count:]))
        if not isinstance(returned, (tuple, list)) or len(returned) != 2:
            raise TypeError(f"scan_over: the cell returns a pair: the next state, and an output, not {described(returned)}")
        outputs = []
        form = split_several(returned[1], outputs)
        return loop.states.leaves_as(returned[0]) + outputs

    loop.run(step, inputs=rows.arrays, keep=keep)
    return loop.last(), loop.outputs(form)


def choose(condition, f, g, *x):
    """`f(*x)` where the condition, one bool, is true, else `g(*x)`: one of the two is run, where `where` computes both. They return the same number of results of
    the same types and shapes, and are both called once, with symbols. Of numbers alone, results without axes are numbers.

    ShapeError and DtypeError naming a result that differs.
    """
    given = _Values("choose", "x", x)
    form = None

    def on_leaves(function):
        checked("choose", function)

        def of_leaves(*arrays):
            nonlocal form
            returned = function(*given.tree(arrays))
            leaves = []
            own = split_several(returned, leaves)
            if form is None:
                form = (own, len(leaves))
            elif own != form[0] and len(leaves) == form[1]:
                leaves = []
                split_as(form[0], returned, leaves, "choose: what the other function returns")
            return leaves

        return of_leaves

    is_computed, results = _core._choice(condition, on_leaves(f), on_leaves(g), given.arrays)
    if is_computed and x and given.are_numbers():
        results = [each if each.ndim else each.item() for each in results]
    return join(form[0], iter(results))
