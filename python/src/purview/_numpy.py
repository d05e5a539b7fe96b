"""NumPy's functions of our arrays: `np.sqrt(t)`, `np.sum(t)`, `np.concatenate([t, t])` are ours, by their names."""

import purview as pv

__all__ = ["array_function", "array_ufunc"]

# NumPy's names of functions that have other names here.
_names = """
    absolute abs|arccos acos|arccosh acosh|arcsin asin|arcsinh asinh|arctan atan|arctanh atanh|arctan2 atan2|bitwise_not bitwise_invert|
    invert bitwise_invert|conjugate conj|left_shift bitwise_left_shift|right_shift bitwise_right_shift|power pow|mod remainder|
    true_divide divide|rint round|concatenate concat|transpose permute_dims|amax max|amin min|around round|cumsum cumulative_sum|
    cumprod cumulative_prod|unique unique_values|degrees to_degrees|radians to_radians|product prod|array asarray|asanyarray asarray|ascontiguousarray asarray
"""
_ours = dict(pair.split() for pair in _names.replace("\n", "").split("|"))
_reductions = {"add": "sum", "multiply": "prod", "minimum": "min", "maximum": "max", "logical_and": "all", "logical_or": "any"}


def _named(name):
    return getattr(pv, _ours.get(name, name), None)


def _has_none(what, of="numpy"):
    name = f"{of.replace('numpy', 'np', 1)}.{what}"
    return TypeError(f"purview has no {what}: {name} of np.asarray(t) is NumPy's")


def array_ufunc(self, ufunc, method, *inputs, out=None, **options):
    """What `ufunc(…)` of NumPy does where one of its operands is an array of ours."""
    if method == "__call__":
        function = _named(ufunc.__name__)
    elif method == "reduce":
        function = _named(_reductions.get(ufunc.__name__, ""))
        options.setdefault("axis", 0)
    elif method == "accumulate":
        function = _named({"add": "cumulative_sum", "multiply": "cumulative_prod"}.get(ufunc.__name__, ""))
        options.setdefault("axis", 0)
    else:
        function = None
    if function is None:
        raise _has_none(ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}")
    where = options.pop("where", True)
    if where is not True:
        raise TypeError(f"np.{ufunc.__name__}: no where= for arrays of purview: pv.where(condition, x, y)")
    dtype = options.pop("dtype", None)
    operands = inputs if method != "__call__" else [x if isinstance(x, (bool, int, float, complex)) else pv.asarray(x) for x in inputs]
    if len(operands) == 2 and not isinstance(operands[0], pv.Array):
        operands = [pv.asarray(operands[0], dtype=pv.result_type(operands[1], operands[0])), operands[1]]
    result = function(*operands, **options)
    if dtype is not None:
        result = result.astype(dtype, copy=False)
    if out is None:
        return result
    (to,) = out
    pv.asarray(to)[...] = result
    return to


def array_function(self, function, types, arguments, options):
    """What `np.function(…)` does where one of its arguments is an array of ours."""
    import numpy as np  # which calls us

    if function in (np.shape, np.ndim, np.size) and len(arguments) == 1 and not options:
        return getattr(arguments[0], function.__name__)
    name, nan = _without_nan(function.__name__)
    ours = _named(name)
    if ours is None or function.__module__ not in ("numpy", "numpy.linalg"):
        raise _has_none(function.__name__, function.__module__)
    options = {name: value for name, value in options.items() if value is not None or name == "axis"}
    if options.get("out") is not None:
        raise TypeError(f"np.{function.__name__}: no out= for arrays of purview: pv.asarray(out)[...] = result")
    options = {_keywords.get(name, {}).get(option, _keywords[""].get(option, option)): value for option, value in options.items()}
    return _call(ours, name, list(arguments), options | nan)


# NumPy's keywords that have other names here: of a function, or of all.
_keywords = {
    "": {"ddof": "correction", "rtol": "relative", "atol": "absolute", "equal_nan": "nan_equal"},
    "bincount": {"minlength": "min_length"},
    "diag": {"k": "offset"},
    "nan_to_num": {"posinf": "positive_infinity", "neginf": "negative_infinity"},
    "norm": {"ord": "p"},
    "pad": {"pad_width": "widths", "constant_values": "value"},
    "rot90": {"k": "turns"},
}

# Functions whose second argument is an axis in NumPy, and named here.
_axis_second = set(
    "sum prod min max amin amax mean std var median any all argmin argmax cumsum cumprod sort argsort flip stack concatenate".split()
)
_leaves_nan_out = set("sum prod min max mean std var median argmin argmax quantile percentile".split())


def _without_nan(name):
    """A name of NumPy's such as nanmean without "nan", and the option that it stands for."""
    if name.startswith("nan") and name[3:] in _leaves_nan_out:
        return name[3:], {"nan": "skip"}
    return name, {}


def _call(function, name, arguments, options):
    if name in _axis_second and len(arguments) == 2:
        options["axis"] = arguments.pop()
    if name.endswith("_like") and len(arguments) == 2 + (name == "full_like"):
        options["dtype"] = arguments.pop()
    if name == "dot" and all(pv.asarray(x).ndim == 2 for x in arguments):
        function = pv.matmul
    if name == "transpose":
        return arguments[0].transpose(*arguments[1:], **options)
    if name in ("round", "around") and (len(arguments) == 2 or "decimals" in options):
        return arguments[0].round(options.pop("decimals", None) if len(arguments) == 1 else arguments[1])
    if name == "tensordot" and len(arguments) == 3:
        options["axes"] = arguments.pop()
    if name in ("cumsum", "cumprod") and options.get("axis") is None:  # NumPy's are of all elements
        arguments[0], options["axis"] = pv.reshape(arguments[0], -1), 0
    if name == "roll" and len(arguments) == 3:
        options["axis"] = arguments.pop()
    return function(*arguments, **options)
