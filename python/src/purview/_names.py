"""NumPy's other names of functions, and those that leave NaN out."""

import functools

_aliases = """
    absolute abs, amax max, amin min, arccos acos, arccosh acosh, arcsin asin, arcsinh asinh, arctan atan, arctan2 atan2,
    arctanh atanh, around round, asanyarray asarray, ascontiguousarray asarray, bitwise_not bitwise_invert, concatenate concat,
    conjugate conj, deg2rad radians, fix trunc, invert bitwise_invert, left_shift bitwise_left_shift, mod remainder, power pow,
    promote_types result_type, rad2deg degrees, right_shift bitwise_right_shift, rint round, row_stack vstack, true_divide divide
"""
_leave_nan_out = "sum prod min max mean std var median argmin argmax quantile percentile cumsum cumprod".split()


def _without_nan(function):
    @functools.wraps(function)
    def result(x, /, *args, **options):
        return function(x, *args, **{"nan": "skip", **options})

    return result


def add_names(namespace):
    """Gives the functions of a module NumPy's names, too."""
    namespace.update({name: namespace[ours] for name, ours in map(str.split, _aliases.split(","))})
    for name in _leave_nan_out:
        function = namespace[f"nan{name}"] = _without_nan(namespace[name])
        function.__module__, function.__name__, function.__qualname__ = namespace["__name__"], f"nan{name}", f"nan{name}"
        function.__doc__ = f"{name} with NaN left out."
