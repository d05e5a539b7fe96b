"""What xarray lacks for arrays of ours: `import purview.xarray`, once, and missing values, windows and pointwise indexing work.

xarray computes with arrays of the Array API by their own functions. But it asks only NumPy's element types which value stands for a
missing one, looks for sliding windows in `numpy.lib`, and indexes by points only NumPy's arrays; what has chunks it leaves to Dask and its
like. These places are told of ours here; arrays of others, they serve as before.
"""

import functools

import numpy
from xarray import conventions
from xarray.backends import common
from xarray.core import dataarray, dtypes, duck_array_ops, indexing, nputils, variable

import purview as pv
from purview._numpy import sliding_window_view

__all__ = []


def _of_numpy(dtype):
    return dtype.dtype if isinstance(dtype, pv.dtype) else dtype


def _is_ours(x):
    return isinstance(x, pv.Array)


def _by_numpys_type(function):
    """The function of an element type, of ours as well."""

    @functools.wraps(function)
    def result(dtype, *args, **options):
        return function(_of_numpy(dtype), *args, **options)

    return result


def _missing_value(function):
    """The type that holds a missing value as well, and that value: of times in their unit, which older versions leave out."""

    @functools.wraps(function)
    def result(dtype):
        promoted, missing = function(_of_numpy(dtype))
        return promoted, missing.astype(promoted) if isinstance(dtype, pv.dtype) and promoted.kind in "mM" else missing

    return result


def _without_out(function):
    """The function, which may be told out=None: `np.any` of a DataArray does."""

    @functools.wraps(function)
    def result(array, *args, out=None, **options):
        return function(array, *args, **options) if out is None else function(array, *args, out=out, **options)

    return result


def _windows(function):
    """sliding_window_view, of ours by views."""

    @functools.wraps(function)
    def result(array, window_shape, axis=None, **options):
        if not _is_ours(array):
            return function(array, window_shape, axis=axis, **options)
        return sliding_window_view(array, window_shape, axis)

    return result


def _at_points(function):
    """Indexing by points, of ours as of NumPy's."""

    @functools.wraps(function)
    def result(self, indexer):
        return indexing.NumpyIndexingAdapter._vindex_get(self, indexer) if _is_ours(self.array) else function(self, indexer)

    return result


def _write_points(function):
    @functools.wraps(function)
    def result(self, indexer, value):
        if not _is_ours(self.array):
            return function(self, indexer, value)
        nputils.NumpyVIndexAdapter(self.array)[indexer.tuple] = value

    return result


def _unchunked(function):
    """The data of a variable: what has chunks xarray leaves to Dask and its like, but ours read theirs by themselves."""

    @functools.wraps(function)
    def result(data, *args, **options):
        return function(data[...] if isinstance(data, pv.StoredArray) else data, *args, **options)

    return result


def _named(function):
    """A DataArray: its axes are called as in a file, or by numbers, and not as what is bound to an array of ours."""

    @functools.wraps(function)
    def result(self, data=dtypes.NA, coords=None, dims=None, *args, **options):
        if dims is None and _is_ours(data) and not all(data.dims or (None,)):
            dims = getattr(coords, "dims", None) or dataarray._infer_coords_and_dims(data.shape, coords, None)[1]
        return function(self, data, coords, dims, *args, **options)

    return result


def _loaded(function):
    """What is loaded is in memory: ours is computed where it lies in a file, or is lazy."""

    @functools.wraps(function)
    def result(self, **options):
        loaded = function(self, **options)
        if _is_ours(self._data) and not isinstance(getattr(self._data, "__array_interface__", {}).get("data"), tuple):
            self._data = self._data.realise()
        return loaded

    return result


def _as_numpys(function):
    """What is written to a file, for libraries that ask NumPy's types for the order of their bytes."""

    @functools.wraps(function)
    def result(self, source, *args, **options):
        return function(self, numpy.asarray(source) if _is_ours(source) else source, *args, **options)

    return result


def _encoded(function):
    """A variable as it is written to a file: what encodes it knows NumPy's types by their names and metadata."""

    @functools.wraps(function)
    def result(variable, *args, **options):
        data = variable._data
        return function(variable.copy(data=numpy.asarray(data)) if _is_ours(data) else variable, *args, **options)

    return result


for _place, _name, _wrapped in (
    (dataarray.DataArray, "__init__", _named),
    (conventions, "encode_cf_variable", _encoded),
    (variable.Variable, "load", _loaded),
    (common.ArrayWriter, "add", _as_numpys),
    (variable, "as_compatible_data", _unchunked),
    (dtypes, "maybe_promote", _missing_value),
    (dtypes, "isdtype", _by_numpys_type),
    (duck_array_ops, "array_any", _without_out),
    (duck_array_ops, "array_all", _without_out),
    (duck_array_ops, "sliding_window_view", _windows),
    (indexing.ArrayApiIndexingAdapter, "_vindex_get", _at_points),
    (indexing.ArrayApiIndexingAdapter, "_vindex_set", _write_points),
):
    if hasattr(_place, _name):  # not in all versions
        setattr(_place, _name, _wrapped(getattr(_place, _name)))
