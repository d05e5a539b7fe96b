"""Arrays and groups in files, as `open_zarr` and `open_hdf5` give them."""

import json
import re
from collections.abc import ItemsView, Mapping, ValuesView

from purview import _core
from purview._core import Array
from purview._errors import Error, FormatError

__all__ = """
    StoredArray StoredGroup UnreadableMember cf_decoded
""".split()


# A surrogate that JSON had escaped, as three bytes: these are no UTF-8, and so have become surrogates themselves.
_SURROGATE = re.compile("\udced[\udca0-\udcbf][\udc80-\udcbf]")


def _attributes_of(text):
    """The attributes in JSON as a dict; bytes that are no UTF-8 are surrogates, as in os.fsdecode, and so are those that JSON has escaped."""
    return json.loads(_SURROGATE.sub(lambda found: found[0].encode("utf-8", "surrogateescape").decode("utf-8", "surrogatepass"), text))


class StoredArray(Array):
    """An array in a file: its chunks are read when they are wanted. What is computed from it is an `Array`."""

    @property
    def chunks(self):
        """The shape of what is read at once."""
        return self._chunks

    @property
    def shards(self):
        """The shape of what is written at once."""
        return self._shards

    @property
    def dims(self):
        """The name of each axis, None for one without."""
        return self._dims

    @property
    def attrs(self):
        """What the file says of the array, by name: a dict."""
        return self._attrs

    @property
    def codecs(self):
        """How a chunk is encoded, as text."""
        return self._codecs


def array_of(stored):
    """The array of what the core has opened."""
    values, chunks, shards, names, attributes, codecs, missing = stored
    made = _core._array_of_class(StoredArray, values)
    made._chunks, made._shards, made._codecs, made._missing = chunks, shards, codecs, missing
    made._dims = tuple(name or None for name in names) or (None,) * len(values.shape)
    made._attrs = _attributes_of(attributes)
    return made


def cf_decoded(stored):
    """The numbers that an array of a file stands for by its `attrs`, as the CF conventions have them: NaN where an element is `_FillValue` (in
    Zarr's format 2 the fill value, where there is no such attribute, as in xarray) or one of `missing_value`, elsewhere x * `scale_factor` +
    `add_offset`. Integers whose `_Unsigned` is "true" or "false" are read as such first, and become float64; floats keep their type, float16
    becomes float32. What none of these is said of is as it is. Lazy.

    Numbers whose `units` are "days since 1850-01-01" and the like, from nanoseconds to days, become datetime64[us], of nanoseconds datetime64[ns], NaT
    where one is missing or NaN; CastError where one lies outside of these, once it is read. The `calendar` is the standard one, Julian before
    1582-10-15, or "proleptic_gregorian"; FormatError of others, of months and years, and of dates that are none, as of a `scale_factor` or `add_offset` that is no number."""
    if not isinstance(stored, StoredArray):
        raise TypeError(f"cf_decoded: takes an array of a file, as open_zarr and open_hdf5 give it, not {type(stored).__name__}")
    return _core._cf_decoded(stored, stored.attrs, stored._missing)


class UnreadableMember:
    """What `values()` and `items()` of a group or file have for a member that cannot be opened, as a damaged or compound one: `error` says why,
    and is what `group[name]` raises, and whatever takes this for an array."""

    def __init__(self, name, error):
        self.name, self.error = name, error

    def __array__(self, dtype=None, copy=None):
        raise self.error

    def __repr__(self):
        return f"UnreadableMember({self.name!r}, {self.error!r})"


def _member(group, name):
    try:
        return group[name]
    except Error as error:
        return UnreadableMember(name, error.with_traceback(None))


class MemberValues(ValuesView):
    """Members, or why they cannot be opened."""

    def __iter__(self):
        return (_member(self._mapping, name) for name in self._mapping)


class MemberItems(ItemsView):
    """Names with members, or with why they cannot be opened."""

    def __iter__(self):
        return ((name, _member(self._mapping, name)) for name in self._mapping)


class StoredGroup(Mapping):
    """The arrays and groups in a file by name, which may be a path: `group["surface/daily/t2m"]`. Looked up in the file each time. What cannot
    be opened raises the reason; `values()` and `items()` have an `UnreadableMember` there."""

    def __init__(self, group, name=""):
        self._group, self.name = group, name

    @property
    def attrs(self):
        """What the file says of the group, by name: a dict."""
        return _attributes_of(self._group.attributes())

    def arrays(self):
        """The names of the arrays right in the group, ascending: a list."""
        return self._group.arrays()

    def groups(self):
        """The names of the groups right in it, ascending: a list."""
        return self._group.groups()

    def _has(self, name):
        """Whether the group that a path leads to lists its last part, as an array and as a group."""
        parent, _, last = name.rpartition("/")
        try:
            group = self._group.group(parent) if parent else self._group
        except FormatError:
            return False, False
        return last in group.arrays(), last in group.groups()

    def __getitem__(self, name):
        if not isinstance(name, str) or not name:
            raise KeyError(name)
        try:
            return array_of(self._group.array(name))
        except FormatError as error:
            of_array = error
        try:
            return StoredGroup(self._group.group(name), f"{self.name}/{name}" if self.name else name)
        except FormatError as error:
            of_group = error
        is_array, is_group = self._has(name)
        if is_array or is_group:  # a damaged one
            raise of_array if is_array else of_group
        raise KeyError(name)

    def __contains__(self, name):
        return isinstance(name, str) and any(self._has(name))

    def __iter__(self):
        return iter(sorted(self.arrays() + self.groups()))

    def __len__(self):
        return len(self.arrays()) + len(self.groups())

    def values(self):
        return MemberValues(self)

    def items(self):
        return MemberItems(self)

    def __eq__(self, other):
        return self is other

    __hash__ = object.__hash__

    def __repr__(self):
        return f"StoredGroup({self.name!r}, arrays={self.arrays()}, groups={self.groups()})"


for _class in (StoredArray, StoredGroup, UnreadableMember):
    _class.__module__ = "purview"
