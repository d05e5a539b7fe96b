#!/usr/bin/env python3
"""Writes the seeds of zarr_fuzz: metadata with a chunk, chunks of each codec, shards, zip files; good and bad.

    make_zarr_fuzz.py [FOLDER]

The first byte of each says what the others are (zarr_fuzz.cpp).
"""

import gzip
import io
import json
import struct
import sys
import zipfile
import zlib
from pathlib import Path

folder = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parent / "zarr_fuzz"
stores = zipfile.ZipFile(Path(__file__).parents[2] / "zarr" / "data" / "arrays.zip")

ZARR_JSON, ZARRAY, ZMETADATA, ZIP, CHUNKS_3 = range(5)
CHUNKS_2 = CHUNKS_3 + 18
MISSING = (2**64 - 1, 2**64 - 1)


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return struct.pack("<I", crc ^ 0xFFFFFFFF)


def zstd(data):
    """A frame of one block that is not compressed."""
    return b"\x28\xb5\x2f\xfd\x20" + bytes([len(data)]) + struct.pack("<I", len(data) << 3 | 1)[:3] + data


def lz4(data):
    """The length, and literals."""
    return struct.pack("<I", len(data)) + b"\xf0" + bytes([len(data) - 15]) + data


def blosc(data):
    """A buffer that is not compressed."""
    return bytes([2, 1, 2, 1]) + struct.pack("<III", len(data), len(data), len(data) + 16) + data


def texts(words):
    return struct.pack("<I", len(words)) + b"".join(struct.pack("<I", len(w.encode())) + w.encode() for w in words)


def index(entries, order="<"):
    return struct.pack(f"{order}{2 * len(entries)}Q", *(word for entry in entries for word in entry))


def shard(chunks, begin=0):
    """Chunks one after the other, None: missing; where they lie."""
    data, entries = b"", []
    for chunk in chunks:
        entries.append(MISSING if chunk is None else (begin + len(data), len(chunk)))
        data += chunk or b""
    return data, entries


def shard_at_end(chunks):
    data, entries = shard(chunks)
    return data + index(entries)


def shard_at_start(chunks, order="<", tail=lambda words: b""):
    data, entries = shard(chunks, 16 * len(chunks) + len(tail(b"")))
    words = index(entries, order)
    return words + tail(words) + data


def zip_file(members, method):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, value in members.items():
            archive.writestr(zipfile.ZipInfo(name), value, method)
    return file.getvalue()


numbers = bytes(range(96))  # of a chunk of [3 4 2], 4 bytes each
wide = bytes(range(192))
words = ["", "a", "wörter", "日本"] * 6
v3 = {
    "zstd": stores.read("v3/codec_zstd/c/1/0/0"),
    "gzip": stores.read("v3/codec_gzip/c/1/0/0"),
    "blosc": stores.read("v3/codec_blosc_zstd_bitshuffle/c/1/0/0"),
    "lz4": stores.read("v2/codec_lz4/1.0.0"),
    "zlib": zlib.compress(numbers),
    "crc32c": numbers + crc32c(numbers),
    "transposed": wide,
    "booleans": bytes([0, 1, 2] * 8),
    "texts": texts(words),
    "texts_compressed": gzip.compress(zstd(texts(words)), mtime=0),
    "code_points": struct.pack(">48I", *[0x41, 0, 0xE4, 0x1F600] * 12),
    "byte_texts": b"a\0\0abc\xe4b" * 9,
    "shard": shard_at_end([numbers[:24], None, numbers[24:48], numbers[:24]]),
    "shard_at_start": shard_at_start([zstd(numbers[:16])] * 5 + [None], ">", lambda words: crc32c(words)),
    "shard_nested": shard_at_end([shard_at_start([numbers[:4]] * 5 + [None]), None]),
    "shard_compressed": gzip.compress(shard_at_end([numbers[:12], None, numbers[:12], None]), mtime=0),
    "shard_transposed": shard_at_end([numbers[:24], None, numbers[:24], numbers[:24]]),
    "shard_of_texts": shard_at_end([texts(words[:6]), None, texts(words[6:12]), texts(words[:6])]),
}
v2 = {
    "shuffle": zlib.compress(numbers),
    "delta": numbers[:48],
    "delta_wide": lz4(bytes(8) * 24),
    "delta_of_floats": struct.pack("<24d", *[1.0, -2.0, float("nan"), 1e300] * 6),
    "fixedscaleoffset": numbers[:24],
    "fixedscaleoffset_of_floats": struct.pack("<24f", *[1.0, -2.0, float("inf"), 1e30] * 6),
    "vlen_utf8": blosc(texts(words)),
    "times": zstd(wide),
    "code_points_big": gzip.compress(wide, mtime=0),
}
seeds = {f"v3_{name}": bytes([CHUNKS_3 + i]) + data for i, (name, data) in enumerate(v3.items())}
seeds |= {f"v2_{name}": bytes([CHUNKS_2 + i]) + data for i, (name, data) in enumerate(v2.items())}
for codec in "blosclz lz4 lz4hc zlib".split():
    seeds[f"v3_blosc_{codec}"] = bytes([CHUNKS_3 + 2]) + stores.read(f"v3/codec_blosc_{codec}_shuffle/c/1/0/0")

# Whole arrays: metadata, and what each of its chunks is.
for name in """bool int16_big uint64 float16 complex128 bfloat16 datetime64_s text text_S text_U keys_v2_slash scalar empty named transposed
               sharded_nested sharded_start sharded_transposed zstd_crc32c""".split():
    if f"v3/{name}/zarr.json" not in stores.namelist():
        continue
    metadata = json.loads(stores.read(f"v3/{name}/zarr.json"))
    values = [key for key in stores.namelist() if key.startswith(f"v3/{name}/") and not key.endswith("zarr.json")]
    seeds[f"array_3_{name}"] = bytes([ZARR_JSON]) + json.dumps(metadata).encode() + b"\0" + (stores.read(values[0]) if values else b"")
for name in "bool int16_big complex64 datetime64_s delta_wide fixedscaleoffset shuffle order_f text text_S text_U keys_slash scalar".split():
    metadata = json.loads(stores.read(f"v2/{name}/.zarray"))
    values = [key for key in stores.namelist() if key.startswith(f"v2/{name}/") and "/.z" not in key]
    seeds[f"array_2_{name}"] = bytes([ZARRAY]) + json.dumps(metadata).encode() + b"\0" + (stores.read(values[0]) if values else b"")

small_3 = json.loads(stores.read("v3/int16/zarr.json"))
small_2 = json.loads(stores.read("v2/int16/.zarray"))
group = {"zarr_format": 3, "node_type": "group", "attributes": {"a": float("nan"), "b": [1, 2.5], "c": "text"}}
inner = dict(group, attributes={})
consolidated = {"kind": "inline", "must_understand": False, "metadata": {"a": small_3, "g": inner, "g/b": small_3, "../c": inner}}
seeds["group_3"] = bytes([ZARR_JSON]) + json.dumps(group | {"consolidated_metadata": consolidated}).encode() + b"\0" + numbers[:48]
consolidated = {".zgroup": {"zarr_format": 2}, ".zattrs": {"a": 1}, "a/.zarray": small_2, "a/.zattrs": {"scale_factor": 2}, "g/.zgroup": {}}
seeds["group_2"] = bytes([ZMETADATA]) + json.dumps({"zarr_consolidated_format": 1, "metadata": consolidated}).encode() + b"\0" + numbers[:48]
members = {"zarr.json": json.dumps(group), "a/zarr.json": json.dumps(small_3), "a/c/0/0/0": stores.read("v3/int16/c/1/0/0"), "../b": "x"}
seeds["zip"] = bytes([ZIP]) + zip_file(members, zipfile.ZIP_DEFLATED)
seeds["zip_of_array"] = bytes([ZIP]) + zip_file({".zarray": json.dumps(small_2), "0.0.0": numbers[:48]}, zipfile.ZIP_STORED)

folder.mkdir(parents=True, exist_ok=True)
for name, data in seeds.items():
    (folder / name).write_bytes(data)
