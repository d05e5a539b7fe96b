"""What the Array API asks of a namespace."""

from purview import _core
from purview._devices import devices

__array_api_version__ = "2025.12"

_types = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
_types["integral"] = _types["signed integer"] + _types["unsigned integer"]
_types["numeric"] = _types["integral"] + _types["real floating"] + _types["complex floating"]


class __array_namespace_info__:
    """What the namespace has."""

    def capabilities(self):
        """What it can do that not every namespace does."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self):
        """The device of new arrays."""
        return "cpu"

    def devices(self):
        """All devices, a tuple."""
        return ("cpu", *devices())

    def default_dtypes(self, *, device=None):
        """The types of Python numbers."""
        return {
            "real floating": _core.float64,
            "complex floating": _core.complex128,
            "integral": _core.int64,
            "indexing": _core.int64,
        }

    def dtypes(self, *, device=None, kind=None):
        """The types of a kind, by their names."""
        kinds = ("bool", "numeric") if kind is None else (kind,) if isinstance(kind, str) else kind
        return {name: getattr(_core, name) for each in kinds for name in _types[each]}
