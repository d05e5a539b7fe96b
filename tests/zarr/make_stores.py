#!/usr/bin/env python3
"""Makes tests/zarr/data/arrays.zip by zarr-python 3 (pip install zarr): a group of small arrays, one for each codec, type, fill and key encoding.

Element i of an array, row-major, is (37 * i) % 101 in its type; of one whose name has "holes", the fill, 7, in the chunk at the origin.
"""

import sys
import warnings
from pathlib import Path

import numcodecs
import numpy as np
import zarr
from zarr.codecs import BloscCodec, BytesCodec, Crc32cCodec, GzipCodec, ShardingCodec, TransposeCodec, ZstdCodec

warnings.simplefilter("ignore")
SHAPE, CHUNKS = (5, 7, 3), (3, 4, 2)
path = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "data" / "arrays.zip")
path.unlink(missing_ok=True)
store = zarr.storage.ZipStore(path, mode="w")
root = zarr.create_group(store, zarr_format=3, attributes={"title": "arrays", "numbers": [1, 2.5], "nothing": float("nan")})


def elements(dtype, shape=SHAPE):
    numbers = np.arange(np.prod(shape, dtype=int)).reshape(shape) * 37 % 101
    if np.dtype(dtype).kind in "mM":
        return numbers.astype("i8").view(np.dtype(dtype).newbyteorder("=")).astype(dtype)
    if np.dtype(dtype).kind in "SU":
        return np.vectorize(str)(numbers).astype(dtype)
    return (numbers + 1j * (numbers + 1) if np.dtype(dtype).kind == "c" else numbers % 2 if dtype == "bool" else numbers).astype(dtype)


def fill(array, dtype, holes):
    data = elements(dtype)
    if holes:
        array[3:], array[:3, 4:], array[:3, :4, 2:] = data[3:], data[:3, 4:], data[:3, :4, 2:]
    else:
        array[...] = data


def add(name, dtype="float32", version=3, holes=False, **options):
    options.setdefault("chunks", CHUNKS)
    if version == 3:
        serializer = options.pop("serializer", "auto")
        array = zarr.create_array(store, name=f"v3/{name}", shape=SHAPE, dtype=dtype, zarr_format=3, fill_value=7 if holes else None,
                                  serializer=serializer, **options)
    else:
        options.setdefault("compressors", None)
        array = zarr.create_array(store, name=f"v2/{name}", shape=SHAPE, dtype=dtype, zarr_format=2, fill_value=7 if holes else None, **options)
    fill(array, dtype, holes)


zarr.create_group(store, path="v3", zarr_format=3)
zarr.create_group(store, path="v2", zarr_format=2)
TYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128 datetime64[s] timedelta64[ms]".split()
for dtype in TYPES:
    word = dtype.replace("[", "_").replace("]", "")
    add(word, dtype)
    add(f"{word}_big", dtype, serializer=BytesCodec(endian="big"), compressors=None)
    if dtype != "bool":
        add(f"{word}_big", np.dtype(dtype).newbyteorder(">"), version=2)
    add(word, dtype, version=2)
for name, codec in {"zstd": ZstdCodec(level=3), "gzip": GzipCodec(level=5), "crc32c": Crc32cCodec(), "none": None,
                    **{f"blosc_{c}_{s}": BloscCodec(cname=c, shuffle=s) for c in ("lz4", "zstd", "zlib", "lz4hc", "blosclz")
                       for s in ("noshuffle", "shuffle", "bitshuffle")}}.items():
    add(f"codec_{name}", compressors=codec, holes=name == "zstd")
add("zstd_crc32c", compressors=[ZstdCodec(), Crc32cCodec()])
add("transposed", filters=[TransposeCodec(order=(2, 0, 1))], compressors=ZstdCodec())
add("keys_dot", chunk_key_encoding={"name": "default", "separator": "."})
add("keys_v2", chunk_key_encoding={"name": "v2", "separator": "."})
add("keys_v2_slash", chunk_key_encoding={"name": "v2", "separator": "/"})
add("large_chunks", chunks=(16, 16, 16))
add("sharded_holes", shards=(6, 8, 4), holes=True)
add("sharded_start", chunks=(6, 8, 4), compressors=None, serializer=ShardingCodec(chunk_shape=CHUNKS, codecs=[BytesCodec(), ZstdCodec()], index_location="start"))
add("sharded_nested", chunks=(12, 16, 8), compressors=None, serializer=ShardingCodec(
    chunk_shape=(6, 8, 4), codecs=[ShardingCodec(chunk_shape=CHUNKS, codecs=[BytesCodec(), BloscCodec()])]))
add("sharded_compressed", chunks=(6, 8, 4), compressors=[ZstdCodec()], serializer=ShardingCodec(chunk_shape=CHUNKS, codecs=[BytesCodec()]))
add("sharded_transposed", chunks=(6, 8, 4), compressors=None, filters=[TransposeCodec(order=(1, 2, 0))],
    serializer=ShardingCodec(chunk_shape=(2, 2, 2), codecs=[BytesCodec()]))
for name, codec in {"zlib": numcodecs.Zlib(1), "gzip": numcodecs.GZip(1), "zstd": numcodecs.Zstd(1), "lz4": numcodecs.LZ4(),
                    "blosc": numcodecs.Blosc(), "blosc_bits": numcodecs.Blosc("zstd", 5, numcodecs.Blosc.BITSHUFFLE)}.items():
    add(f"codec_{name}", version=2, compressors=codec, holes=name == "zlib")
add("order_f", version=2, order="F")
add("keys_slash", version=2, chunk_key_encoding={"name": "v2", "separator": "/"})
add("shuffle", version=2, filters=[numcodecs.Shuffle(4)], compressors=numcodecs.Zlib(1))
add("delta", "int16", version=2, filters=[numcodecs.Delta("<i2")], compressors=numcodecs.Zlib(1))
add("delta_wide", "int32", version=2, filters=[numcodecs.Delta("<i4", "<i2")], compressors=numcodecs.Zlib(1))
add("fixedscaleoffset", "float64", version=2, filters=[numcodecs.FixedScaleOffset(offset=50, scale=10, dtype="<f8", astype="<i2")], compressors=numcodecs.Zlib(1))
add("text_U", "<U3", version=2)
add("text_U_big", ">U3", version=2)
add("text_S", "|S3", version=2)
add("text_U", "<U3")
add("text_S", "|S3")
text = elements("<U3").astype(object)
for version in (2, 3):
    array = zarr.create_array(store, name=f"v{version}/text", shape=SHAPE, chunks=CHUNKS, dtype=str, zarr_format=version)
    array[...] = text
    scalar = zarr.create_array(store, name=f"v{version}/scalar", shape=(), chunks=(), dtype="int32", zarr_format=version)
    scalar[...] = 42
    zarr.create_array(store, name=f"v{version}/empty", shape=(0, 4), chunks=(2, 2), dtype="float32", zarr_format=version)
named = zarr.create_array(store, name="v3/named", shape=SHAPE, chunks=CHUNKS, dtype="float32", dimension_names=["time", None, "x"], fill_value=float("nan"),
                          attributes={"units": "K", "scale_factor": 0.5, "nothing": float("nan")})
named[...] = elements("float32")
old = zarr.create_array(store, name="v2/named", shape=SHAPE, chunks=CHUNKS, dtype="float32", zarr_format=2, attributes={"_ARRAY_DIMENSIONS": ["t", "y", "x"]})
old[...] = elements("float32")
store.close()
print(path, path.stat().st_size)
