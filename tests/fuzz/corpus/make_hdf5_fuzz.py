#!/usr/bin/env python3
"""Writes the seeds of hdf5_fuzz: chunks that went through each filter, and through several.

    make_hdf5_fuzz.py [FOLDER]

The length of a chunk in units of 4 bytes, the mask, how many filters there are, which, and the chunk (hdf5_fuzz.cpp).
"""

import struct
import sys
import zlib
from pathlib import Path

folder = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parent / "hdf5_fuzz"
GZIP, SHUFFLE, FLETCHER32, LZF, BLOSC, ZSTD = range(6)


def shuffled(data, width):
    count = len(data) // width
    return bytes(data[i * width + k] for k in range(width) for i in range(count)) + data[count * width :]


def fletcher32(data):
    low = high = 0
    for i in range(0, len(data), 2):
        low = (low + (data[i] << 8) + (data[i + 1] if i + 1 < len(data) else 0)) % 65535
        high = (high + low) % 65535
    return data + struct.pack("<I", high << 16 | low)


def zstd(data):
    """A frame of one block that is not compressed."""
    return b"\x28\xb5\x2f\xfd\x20" + bytes([len(data)]) + struct.pack("<I", len(data) << 3 | 1)[:3] + data


def blosc(data):
    """A buffer that is not compressed."""
    return bytes([2, 1, 2, 1]) + struct.pack("<III", len(data), len(data), len(data) + 16) + data


def seed(filters, chunk, length=96, mask=0):
    listed = b"".join(bytes([f, 4]) if f == SHUFFLE else bytes([f]) for f in filters)
    return bytes([length // 4, mask, len(filters)]) + listed + chunk


numbers = bytes(range(96))
seeds = {
    "plain": seed([], numbers),
    "gzip": seed([GZIP], zlib.compress(numbers)),
    "shuffle": seed([SHUFFLE], shuffled(numbers, 4)),
    "fletcher32": seed([FLETCHER32], fletcher32(numbers)),
    # Literals, then 64 zeros: one, and copies of it.
    "lzf": seed([LZF], bytes([31]) + numbers[:32] + bytes([0, 0, 7 << 5, 54, 0]), 96),
    "blosc": seed([BLOSC], blosc(numbers)),
    "zstd": seed([ZSTD], zstd(numbers)),
    "several": seed([SHUFFLE, GZIP, FLETCHER32], fletcher32(zlib.compress(shuffled(numbers, 4)))),
    "masked": seed([SHUFFLE, GZIP, FLETCHER32], zlib.compress(numbers), mask=5),
    "cut": seed([GZIP], zlib.compress(numbers)[:-5]),
    "too_long": seed([GZIP], zlib.compress(bytes(10000))),
}

folder.mkdir(parents=True, exist_ok=True)
for name, data in seeds.items():
    (folder / name).write_bytes(data)
