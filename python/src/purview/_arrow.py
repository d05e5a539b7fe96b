"""What `pyarrow.array(x, type=…)` makes of our arrays."""

import purview as pv

_NUMPY_UNITS = ("[D]", "[s]", "[ms]", "[us]", "[ns]")  # that pyarrow takes

_TEXTS = ("string", "large_string", "binary", "large_binary", "dictionary<values=string")


class _Exported:
    """An array with Arrow's protocol alone, asked for elements of a type."""

    def __init__(self, x, type):
        self._x, self._schema = x, None if type is None else type.__arrow_c_schema__()

    def __arrow_c_array__(self, requested_schema=None):
        return self._x.__arrow_c_array__(self._schema)


def arrow_array(x, type=None):
    """The array of pyarrow's. Numbers become those of a type that is asked for in our way, what has another type is what pyarrow makes of it, as of NumPy's arrays."""
    import pyarrow as pa  # which calls us

    made = pa.array(_Exported(x, type))
    if type is None or made.type == type:
        return made
    name = x.dtype.name
    if name == "string":  # of NumPy's, pyarrow cuts what becomes bytes
        is_text = str(type).startswith(_TEXTS)
        return made.cast(type) if is_text else pa.array(x.tolist(), type=type)
    in_numpy = x.ndim == 1 and ("64[" not in name or name.endswith(_NUMPY_UNITS))
    return pa.array(x.__array__(), type=type) if in_numpy else made.cast(type)
