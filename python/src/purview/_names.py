"""NumPy's other names of functions, and those that leave NaN out."""

import functools

from purview._common import complex_types

_aliases = """
    absolute abs, amax max, amin min, arccos acos, arccosh acosh, arcsin asin, arcsinh asinh, arctan atan, arctan2 atan2,
    arctanh atanh, around round, asanyarray asarray, ascontiguousarray asarray, bitwise_not bitwise_invert, concatenate concat,
    conjugate conj, deg2rad radians, fix trunc, invert bitwise_invert, left_shift bitwise_left_shift, mod remainder, power pow,
    promote_types result_type, rad2deg degrees, right_shift bitwise_right_shift, rint round, row_stack vstack, true_divide divide
"""
_leave_nan_out = "sum prod min max mean std var median argmin argmax quantile percentile cumsum cumprod".split()


_neutral = {"sum": 0, "prod": 1, "cumsum": 0, "cumprod": 1, "mean": 0}


def _without_nan(name, namespace):
    function = namespace[name]

    @functools.wraps(function)
    def result(x, /, *args, **options):
        if name not in _neutral or getattr(x, "dtype", None) not in complex_types:
            return function(x, *args, **{"nan": "skip", **options})
        missing = namespace["isnan"](x)
        filled = namespace["where"](missing, _neutral[name], x)
        if name != "mean":
            return function(filled, *args, **options)
        return namespace["sum"](filled, *args, **options) / namespace["sum"](~missing, *args, **{**options, "dtype": None})

    return result


def add_names(namespace):
    """Gives the functions of a module NumPy's names, too."""
    namespace.update({name: namespace[ours] for name, ours in map(str.split, _aliases.split(","))})
    for name in _leave_nan_out:
        function = namespace[f"nan{name}"] = _without_nan(name, namespace)
        function.__module__, function.__name__, function.__qualname__ = namespace["__name__"], f"nan{name}", f"nan{name}"
        function.__doc__ = f"{name} with NaN left out."


_of_components = {
    "sparse": "load_mtx load_sparse_npz save_mtx save_sparse_npz",
    "image": "load_image save_image",
    "zarr": "append_zarr create_zarr open_zarr open_zarr_group save_zarr",
    "hdf5": "open_hdf5",
    "arrow": "open_arrow_file save_arrow_file",
    "archives": "open_index open_kerchunk open_many save_index",
}


def missing(name):
    """What to say of a name that a module lacks."""
    for component, names in _of_components.items():
        if name in names.split():
            return f"purview.{name}: the module was built without purview::{component}"
    return f"module 'purview' has no attribute '{name}'"
