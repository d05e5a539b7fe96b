"""NumPy's functions of our arrays: `np.sqrt(t)`, `np.sum(t)`, `np.concatenate([t, t])` are ours, by their names.

What we do not have, NumPy computes on our memory, and what SciPy calls: its C and Fortran take NumPy's arrays alone."""

import functools
import inspect
import sys

import purview as pv
from purview._common import axes_of, integers_of
from purview._ufuncs import OF_TYPES, computed, written

__all__ = ["array_function", "array_ufunc"]

_reductions = {"add": "sum", "multiply": "prod", "minimum": "min", "maximum": "max", "logical_and": "all", "logical_or": "any"}


# Functions that only read, and give files, text, bools or NumPy's arrays: NumPy's own.
_readers = """
    save savez savez_compressed savetxt array2string array_repr array_str shares_memory may_share_memory
""".split()


# Functions that write to their first argument.
_writers = "copyto fill_diagonal place put put_along_axis putmask".split()


# Functions of matrices whose results have types and shapes by the elements: NumPy's own.
_by_elements = "eig eigvals lstsq matrix_rank".split()


def _in_numpy(x):
    """Arrays of ours, in lists too, as NumPy's on the same memory, or of what is computed."""
    import numpy as np  # which calls us

    if isinstance(x, pv.Array):
        return np.asarray(x)
    return type(x)(map(_in_numpy, x)) if type(x) in (list, tuple) else x


def _place_in_numpy(x, what):
    """NumPy's array on the memory of an array of ours, to write to. ReadOnlyError where that would be lost."""
    if isinstance(x, pv.Array) and x.device == "cpu":
        data = getattr(x, "__array_interface__", {}).get("data")
        if not isinstance(data, tuple) or data[1]:
            raise pv.ReadOnlyError(f"{what}: the array is computed, or only read: give x.copy()")
    return _in_numpy(x)


def _ours(x):
    """What NumPy has made, its arrays and numbers as arrays of ours where these have their type."""
    import numpy as np  # which calls us

    if type(x) is np.ndarray or (isinstance(x, np.generic) and x.dtype.kind in "biufcmM"):
        try:
            return pv.asarray(x)
        except TypeError:
            return x
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*map(_ours, x))
    return type(x)(map(_ours, x)) if type(x) in (list, tuple) else x


def _takes(function, arguments, options):
    """Whether a function of ours has such arguments."""
    try:
        inspect.signature(function).bind(*arguments, **options)
    except TypeError:
        return False
    except ValueError:  # it tells no signature
        pass
    return True


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """NumPy's windows, as views: an axis of them at the end for each axis that they move along."""
    lengths = integers_of(window_shape)
    axes = axes_of(axis, x.ndim, "sliding_window_view")
    if len(lengths) != len(axes):
        raise pv.ShapeError(f"sliding_window_view: {len(lengths)} lengths of windows for {len(axes)} axes")
    for length, each in zip(lengths, axes):
        x = pv.sliding_window(x, length, axis=each)
    return x


def _ufunc_of_numpy(ufunc, method, inputs, out, options):
    """A ufunc that we do not have, by NumPy (or SciPy, numba) on our memory."""
    what = f"np.{ufunc.__name__}"
    options = {name: _in_numpy(x) for name, x in options.items()}
    first = _place_in_numpy(inputs[0], f"{what}.at") if method == "at" else _in_numpy(inputs[0])
    if out is not None:
        options["out"] = tuple(_place_in_numpy(x, what) for x in out)
    result = getattr(ufunc, method)(first, *map(_in_numpy, inputs[1:]), **options)
    if out is None:
        return _ours(result)
    written = tuple(_ours(x) if to is None else to for x, to in zip(result if isinstance(result, tuple) else (result,), out))
    return written if isinstance(result, tuple) else written[0]


def array_ufunc(self, ufunc, method, *inputs, out=None, **options):
    """What `ufunc(…)` of NumPy does where one of its operands is an array of ours."""
    import numpy as np  # which calls us

    function, given = None, dict(options)
    if getattr(np, ufunc.__name__, None) is not ufunc:  # SciPy's, or one's own, of any name
        pass
    elif method == "__call__":
        function = getattr(pv, ufunc.__name__, None)
    elif method == "reduce":
        function = getattr(pv, _reductions.get(ufunc.__name__, ""), None)
        options.setdefault("axis", 0)
    elif method == "accumulate":
        function = getattr(pv, {"add": "cumulative_sum", "multiply": "cumulative_prod"}.get(ufunc.__name__, ""), None)
        options.setdefault("axis", 0)
    if function is None:
        return _ufunc_of_numpy(ufunc, method, inputs, out, given)
    if method == "__call__":
        where, casting = options.pop("where", True), options.get("casting", "same_kind")
        more = {name: x for name, x in options.items() if name not in OF_TYPES}
        if more and not _takes(function, inputs, more):
            return _ufunc_of_numpy(ufunc, method, inputs, out, given)
        result = computed(ufunc, function, inputs, options)
        return result if out is None and where is True else written(ufunc, result, out, where, casting)
    if method == "reduce" and "dtype" in options and function not in (pv.sum, pv.prod):
        dtype = options.pop("dtype")
        inputs = inputs if dtype is None else [pv.asarray(x).astype(dtype, copy=False) for x in inputs]
    try:
        result = function(*inputs, **options)
    except TypeError:
        if _takes(function, inputs, options):
            raise
        return _ufunc_of_numpy(ufunc, method, inputs, out, given)
    return result if out is None else written(ufunc, result, out, True, "same_kind")


def _is_called_by_scipy():
    """Whether it is SciPy that calls a function of NumPy, which asked `array_function`."""
    return sys._getframe(2).f_globals.get("__name__", "").partition(".")[0] == "scipy"


def _function_of_numpy(function, arguments, options, made=_ours):
    """A function that we do not have, by NumPy on our memory."""
    what = f"np.{function.__name__}"
    arguments, places = list(arguments), {}
    if function.__name__ in _writers and arguments:
        arguments[0] = _place_in_numpy(arguments[0], what)
    out = options.get("out")
    if out is not None:
        places["out"] = tuple(_place_in_numpy(x, what) for x in out) if isinstance(out, tuple) else _place_in_numpy(out, what)
    result = function(*map(_in_numpy, arguments), **{name: _in_numpy(x) for name, x in options.items()} | places)
    return made(result) if out is None else out


def _of_ours(function):
    """Our function that is called as one of NumPy's; None where there is none."""
    if function.__module__ == "numpy.linalg":
        return None if function.__name__ in _by_elements else getattr(pv.linalg, function.__name__, None)
    if function.__module__ == "numpy.fft":
        return getattr(pv.fft, function.__name__, None)
    return getattr(pv, function.__name__, None) if function.__module__ == "numpy" else None


@functools.cache
def _singular():
    """The class of errors that are ours and NumPy's."""
    import numpy as np  # which calls us

    return type("LinAlgError", (pv.LinAlgError, np.linalg.LinAlgError), {"__module__": "purview"})


def array_function(self, function, types, arguments, options):
    """What `np.function(…)` does where one of its arguments is an array of ours."""
    import numpy as np  # which calls us

    if function in (np.shape, np.ndim, np.size) and len(arguments) == 1 and not options:
        return getattr(arguments[0], function.__name__)
    if function is np.lib.stride_tricks.sliding_window_view:
        return sliding_window_view(*arguments, **options)
    if _is_called_by_scipy():
        return _function_of_numpy(function, arguments, options, made=lambda result: result)
    testing = function.__module__.startswith("numpy.testing")
    if (
        testing
        or (function.__module__ == "numpy" and function.__name__ in _readers)
        or (function is np.copyto and type(arguments[0]) is np.ndarray)
    ):
        return function(*map(_in_numpy, arguments), **{name: _in_numpy(x) for name, x in options.items()})
    if function in (np.iscomplexobj, np.isrealobj) and len(arguments) == 1:
        return function(np.empty(0, np.dtype(arguments[0].dtype)))  # without the elements
    ours = _of_ours(function)
    if ours is None or options.get("out") is not None:
        return _function_of_numpy(function, arguments, options)
    memory = ("order", "subok") if function.__name__.endswith("_like") else ()  # theirs is in row-major order
    own = {name: value for name, value in options.items() if name not in memory and (value is not None or name == "axis")}
    own = {name: value for name, value in own.items() if value is not np._NoValue}
    try:
        return ours(*arguments, **own)
    except pv.LinAlgError as error:
        raise _singular()(str(error)) from None
    except TypeError:
        if _takes(ours, arguments, own):
            raise
    return _function_of_numpy(function, arguments, options)
