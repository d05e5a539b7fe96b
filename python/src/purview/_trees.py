"""Arguments as trees: dicts, lists and tuples of arrays, in one another.

The form of a tree is None for a leaf, and (class, keys, forms) for what holds others: a value that is hashed and compared.
"""

from purview._core import Array, Variable
from purview._errors import ArgumentError

_none = type(None)


def holds_arrays(x):
    """Whether there is an array or a dict in a list or tuple, or in one in it: others are numbers, of one array."""
    kinds = set(map(type, x))  # of a long list of numbers one
    if any(issubclass(each, (Array, Variable, dict)) or hasattr(each, "__dlpack__") for each in kinds):  # numbers of NumPy's have none
        return True
    return any(issubclass(each, (list, tuple)) for each in kinds) and any(holds_arrays(each) for each in x if isinstance(each, (list, tuple)))


def _parts(x):
    """The class, keys and values of what holds others; nothing of a leaf, as a list of numbers alone is."""
    if isinstance(x, dict):
        return dict, tuple(x), x.values()
    if isinstance(x, (list, tuple)):
        if hasattr(x, "_fields"):
            return type(x), x._fields, x
        if holds_arrays(x):
            return list if isinstance(x, list) else tuple, range(len(x)), x
    return (_none, (), ()) if x is None else None


def split(x, leaves):
    """The form of a tree, whose leaves are put behind those of a list."""
    parts = _parts(x)
    if parts is None:
        leaves.append(x)
        return None
    kind, keys, values = parts
    return kind, keys, tuple([split(each, leaves) for each in values])


def split_several(x, leaves):
    """The same of one tree, or of a tuple of several, which numbers alone are, too."""
    if type(x) is not tuple:
        return split(x, leaves)
    return tuple, range(len(x)), tuple([split(each, leaves) for each in x])


def split_as(form, x, leaves, what):
    """The same of a tree that has a form. Raises ArgumentError where it has another one."""
    if form is None:
        leaves.append(x)
        return
    kind, keys, forms = form
    if kind is dict:
        fits = isinstance(x, dict) and x.keys() == set(keys)
    else:
        fits = x is None if kind is _none else isinstance(x, (list, tuple)) and len(x) == len(keys)
    if not fits:
        wanted = "None" if kind is _none else f"a dict of {list(keys)}" if kind is dict else f"a {kind.__name__} of {len(keys)}"
        raise ArgumentError(f"{what} has to be {wanted}, and is {described(x)}")
    for key, inner in zip(keys if kind is dict else range(len(keys)), forms):
        split_as(inner, x[key], leaves, f"{what}[{key!r}]")


def described(x):
    """What stands in the place of a tree of another form, in words."""
    if x is None:
        return "None"
    if isinstance(x, dict):
        return f"a dict of {list(x)}"
    return f"a {type(x).__name__} of {len(x)}" if isinstance(x, (list, tuple)) else f"a {type(x).__name__}"


def join(form, leaves):
    """The tree of a form, of the next leaves of an iterator."""
    if form is None:
        return next(leaves)
    kind, keys, forms = form
    values = [join(each, leaves) for each in forms]
    if kind is dict:
        return dict(zip(keys, values))
    if kind is _none:
        return None
    return kind._make(values) if hasattr(kind, "_make") else kind(values)


def names(form, name):
    """How each leaf of an argument is written."""
    if form is None:
        return [name]
    kind, keys, forms = form
    return [
        each for key, inner in zip(keys, forms) for each in names(inner, f"{name}.{key}" if hasattr(kind, "_fields") else f"{name}[{key!r}]")
    ]


def split_call(arguments, named):
    """The form of a call, whose arguments are trees, and its leaves."""
    leaves = []
    forms = tuple([split(each, leaves) for each in arguments])
    return (forms, tuple(named), tuple([split(each, leaves) for each in named.values()])), leaves


def on_leaves(function, form):
    """The function of leaves that calls one with arguments of a form."""
    forms, keys, of_named = form

    def call(*leaves):
        rest = iter(leaves)
        arguments = [join(each, rest) for each in forms]
        return function(*arguments, **{key: join(each, rest) for key, each in zip(keys, of_named)})

    return call
