"""Safetensors files, in which models are published: arrays by name."""

from collections.abc import Mapping

from purview import _core
from purview._common import creatable, existing
from purview._core import asarray
from purview._stored import MemberItems, MemberValues

__all__ = """
    SafetensorsFile open_safetensors save_safetensors
""".split()


class SafetensorsFile(Mapping):
    """The arrays of a safetensors file by name, in the order in which they lie: read-only, over the mapped file. One of a type that there is
    none of here (F8_E4M3, ...) raises DtypeError; `values()` and `items()` have an `UnreadableMember` there."""

    def __init__(self, file):
        self._file, self._names, self._metadata = file, file.names(), file.metadata()

    @property
    def metadata(self):
        """The texts of the file by their names: a dict."""
        return dict(self._metadata)

    def __getitem__(self, name):
        if name not in self:
            raise KeyError(name)
        return self._file.array(name)

    def __contains__(self, name):
        return isinstance(name, str) and self._file.contains(name)

    def __iter__(self):
        return iter(self._names)

    def __len__(self):
        return len(self._names)

    def values(self):
        return MemberValues(self)

    def items(self):
        return MemberItems(self)

    def __eq__(self, other):
        return self is other

    __hash__ = object.__hash__

    def __repr__(self):
        return f"SafetensorsFile({self._names}, metadata={self._metadata})"


SafetensorsFile.__module__ = "purview"


def open_safetensors(path):
    """The arrays of a safetensors file, mapped: the header alone is read, and checked. FormatError says what is wrong with it."""
    return SafetensorsFile(_core._open_safetensors(existing(path)))


def save_safetensors(path, arrays, *, metadata=None):
    """Writes arrays, a dict of them by their names, and texts by theirs. Lazy arrays are evaluated block by block. Larger elements come first,
    so that all are aligned. The file appears when it is complete; DtypeError names an array of a type that the format does not have."""
    arrays, metadata = dict(arrays), dict(metadata or {})
    for name in arrays:
        if not isinstance(name, str):
            raise TypeError(f"save_safetensors: names of arrays are str, not {type(name).__name__}: {name!r}")
    for pair in metadata.items():
        for each in pair:
            if not isinstance(each, str):
                raise TypeError(f"save_safetensors: metadata are str by str, not {type(each).__name__}: {each!r}")
    _core._save_safetensors(creatable(path), {name: asarray(x) for name, x in arrays.items()}, metadata)
