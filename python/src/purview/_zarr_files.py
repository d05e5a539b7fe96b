"""Arrays in Zarr's formats, where the module was built with purview::zarr."""

import json
import operator
import os
import re

from purview import _core
from purview._common import existing, integers_of
from purview._core import asarray
from purview._errors import FormatError
from purview._stored import StoredGroup, array_of

__all__ = """
    append_zarr create_zarr create_zarr_group open_zarr open_zarr_group save_zarr
""".split()


def open_zarr(path, *, access="read_only"):
    """The array in a folder or a zip file in Zarr's format 2 or 3. Reads metadata alone: chunks are read when they are wanted, and kept within
    `memory_limit()`. `access` is "read_only", "read_write" (writes reach the store), or "in_memory" for a copy that can be written."""
    return array_of(_core._open_zarr(existing(path), access))


def open_zarr_group(path):
    """The group in a folder or a zip file in Zarr's format 2 or 3: arrays and groups by name."""
    return StoredGroup(_core._open_zarr_group(existing(path)))


def _codec(given):
    """A codec of its name, or of a tuple of the name and what follows it: a level; of "blosc" a compressor, a level and what it shuffles."""
    name, *rest = (given,) if isinstance(given, str) else given
    compressor, level, shuffle = "zstd", None, "bytes"
    if name == "blosc":
        compressor, level, shuffle = (*rest, *(compressor, level, shuffle)[len(rest) :])
    elif rest:
        (level,) = rest
    return _core._ZarrCodec(name, level, compressor, shuffle)


_HALF = re.compile("[\ud800-\udbff]")  # of a character, before another half, if any: no text of JSON's


def _refuse_halves(what, value):
    """Raises FormatError naming what has such a half, in lists and dicts too."""
    if isinstance(value, str) and (found := _HALF.search(value)):
        raise FormatError(f"{what} has the surrogate {found[0]!a}, and JSON has no text for it: {value!a}")
    if isinstance(value, dict):
        for key, each in value.items():
            _refuse_halves(f"the name of {what}[{key!a}]", key)
            _refuse_halves(f"{what}[{key!a}]", each)
    elif isinstance(value, (list, tuple)):
        for i, each in enumerate(value):
            _refuse_halves(f"{what}[{i}]", each)


def _json(attrs):
    """Attributes as text. Numbers of NumPy's, and arrays, are what their `tolist` gives."""
    _refuse_halves("attrs", attrs)

    def plain(value):
        if hasattr(value, "tolist"):
            return value.tolist()
        raise TypeError(f"attrs: a {type(value).__name__} is no value of JSON")

    return json.dumps(attrs or {}, default=plain)


def _options(chunks, shards, codecs, fill, dims, attrs, format, overwrite):
    if codecs is not None:
        codecs = [_codec(each) for each in (codecs if isinstance(codecs, list) else [codecs])]
    names = [] if dims is None else [name or "" for name in dims]
    _refuse_halves("dims", names)
    extents = [() if given is None else integers_of(given) for given in (chunks, shards)]
    return _core._ZarrOptions(*extents, codecs, fill, names, _json(attrs), operator.index(format), bool(overwrite))


def save_zarr(path, x, *, chunks=None, shards=None, codecs=None, fill=None, dims=None, attrs=None, format=3, overwrite=False):
    """Stores an array as a new one in Zarr's format 3 or 2. What is lazy is evaluated chunk by chunk, within `memory_limit()`. Metadata is
    written last. `chunks` are of about 2 MiB unless they are given; `shards` hold several in one file. `codecs` is one, or a list: "zstd",
    "gzip", "zlib", "lz4", "crc32c", or a tuple of the name and a level, ("zstd", 5); ("blosc", "lz4", 5, "bits"). An empty list stores
    bytes as they are. `fill` is what elements are that no chunk has, zeros by default; in format 2, where xarray takes it for missing, it is
    written only if it is given. Folders above that are missing become groups. `dims` are names of axes, `attrs` a dict. FormatError where there is an array already, unless `overwrite`."""
    _core._save_zarr(os.fsdecode(path), asarray(x), _options(chunks, shards, codecs, fill, dims, attrs, format, overwrite))


def create_zarr(path, shape, dtype, *, chunks=None, shards=None, codecs=None, fill=None, dims=None, attrs=None, format=3, overwrite=False):
    """A new array whose elements are the fill, 0 by default, until they are written: `x[...] = values` stores them. Options are those of
    `save_zarr`."""
    options = _options(chunks, shards, codecs, fill, dims, attrs, format, overwrite)
    _core._create_zarr(os.fsdecode(path), integers_of(shape), dtype, options)
    return open_zarr(path, access="read_write")


def create_zarr_group(path, attrs=None, *, format=3):
    """A group with its attributes, a dict, in Zarr's format 3 or 2; groups above that are missing are made. Of one that is there, which keeps
    its format, the attributes are replaced, and what lies in it stays. FormatError where there is an array."""
    return StoredGroup(_core._create_zarr_group(os.fsdecode(path), _json(attrs), operator.index(format)))


def append_zarr(path, x, *, axis=0):
    """Makes an array longer by another one, along an axis. Its elements are stored first, then the new shape, so that who opens it meanwhile
    sees it as it was. Arrays that are open keep their shape."""
    _core._append_zarr(existing(path), asarray(x), operator.index(axis))
