"""NumPy's functions of our arrays: `np.sqrt(t)`, `np.sum(t)`, `np.concatenate([t, t])` are ours, by their names."""

import purview as pv
from purview._common import axes_of, integers_of
from purview._ufuncs import computed, written

__all__ = ["array_function", "array_ufunc"]

_reductions = {"add": "sum", "multiply": "prod", "minimum": "min", "maximum": "max", "logical_and": "all", "logical_or": "any"}


# Functions that only read, and give files, text, bools or NumPy's arrays: NumPy's own.
_readers = """
    save savez savez_compressed savetxt array2string array_repr array_str shares_memory may_share_memory
""".split()


def _in_numpy(x):
    import numpy

    return numpy.asarray(x) if isinstance(x, pv.Array) else x


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """NumPy's windows, as views: an axis of them at the end for each axis that they move along."""
    lengths = integers_of(window_shape)
    axes = axes_of(axis, x.ndim, "sliding_window_view")
    if len(lengths) != len(axes):
        raise pv.ShapeError(f"sliding_window_view: {len(lengths)} lengths of windows for {len(axes)} axes")
    for length, each in zip(lengths, axes):
        x = pv.sliding_window(x, length, axis=each)
    return x


def _has_none(what, of="numpy"):
    name = f"{of.replace('numpy', 'np', 1)}.{what}"
    return TypeError(f"purview has no {what}: {name} of np.asarray(t) is NumPy's")


def array_ufunc(self, ufunc, method, *inputs, out=None, **options):
    """What `ufunc(…)` of NumPy does where one of its operands is an array of ours."""
    if method == "__call__":
        function = getattr(pv, ufunc.__name__, None)
    elif method == "reduce":
        function = getattr(pv, _reductions.get(ufunc.__name__, ""), None)
        options.setdefault("axis", 0)
    elif method == "accumulate":
        function = getattr(pv, {"add": "cumulative_sum", "multiply": "cumulative_prod"}.get(ufunc.__name__, ""), None)
        options.setdefault("axis", 0)
    else:
        function = None
    if function is None:
        raise _has_none(ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}")
    if method == "__call__":
        where, casting = options.pop("where", True), options.get("casting", "same_kind")
        result = computed(ufunc, function, inputs, options)
        return result if out is None and where is True else written(ufunc, result, out, where, casting)
    if method == "reduce" and "dtype" in options and function not in (pv.sum, pv.prod):
        dtype = options.pop("dtype")
        inputs = inputs if dtype is None else [pv.asarray(x).astype(dtype, copy=False) for x in inputs]
    result = function(*inputs, **options)
    return result if out is None else written(ufunc, result, out, True, "same_kind")


def array_function(self, function, types, arguments, options):
    """What `np.function(…)` does where one of its arguments is an array of ours."""
    import numpy as np  # which calls us

    if function in (np.shape, np.ndim, np.size) and len(arguments) == 1 and not options:
        return getattr(arguments[0], function.__name__)
    if function is np.lib.stride_tricks.sliding_window_view:
        return sliding_window_view(*arguments, **options)
    testing = function.__module__.startswith("numpy.testing")
    if (
        testing
        or (function.__module__ == "numpy" and function.__name__ in _readers)
        or (function is np.copyto and type(arguments[0]) is np.ndarray)
    ):
        return function(*map(_in_numpy, arguments), **{name: _in_numpy(x) for name, x in options.items()})
    ours = getattr(pv, function.__name__, None)
    if ours is None or function.__module__ not in ("numpy", "numpy.linalg"):
        raise _has_none(function.__name__, function.__module__)
    memory = ("order", "subok") if function.__name__.endswith("_like") else ()  # theirs is in row-major order
    options = {name: value for name, value in options.items() if name not in memory and (value is not None or name == "axis")}
    options = {name: value for name, value in options.items() if value is not np._NoValue}
    if options.get("out") is not None:
        raise TypeError(f"np.{function.__name__}: no out= for arrays of purview: pv.asarray(out)[...] = result")
    return ours(*arguments, **options)
