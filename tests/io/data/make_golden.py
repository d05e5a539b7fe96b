#!/usr/bin/env python3
"""Writes the golden .npy files of this folder, with NumPy. The tests do not run it.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install numpy
    /tmp/venv/bin/python make_golden.py [FOLDER]
"""

import sys
from pathlib import Path

import numpy as np

folder = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parent

# element i of the global order is (7 * i - 9), wrapped; of bool, i % 3 == 1; of floats, a quarter more
TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]


def values(dtype, shape):
    i = np.arange(np.prod(shape, dtype=np.int64))
    if dtype == "bool":
        v = i % 3 == 1
    elif dtype.startswith("float"):
        v = 7 * i - 9 + 0.25
    else:
        v = 7 * i - 9
    return v.astype(dtype).reshape(shape)


for dtype in TYPES:
    np.save(folder / f"{dtype}.npy", values(dtype, (2, 3)))
    if np.dtype(dtype).itemsize == 1:
        continue
    big = values(dtype, (2, 3)).astype(np.dtype(dtype).newbyteorder(">"))
    np.save(folder / f"{dtype}_big_endian.npy", big)
np.save(folder / "column_major.npy", np.asfortranarray(values("float32", (2, 3, 4))))
np.save(folder / "column_major_big_endian.npy", np.asfortranarray(values("int16", (3, 2)).astype(">i2")))
np.save(folder / "rank_0.npy", values("float64", ()))
np.save(folder / "rank_1.npy", values("int32", (5,)))
np.save(folder / "rank_8.npy", values("uint8", (1, 2, 1, 3, 1, 2, 2, 1)))
np.save(folder / "no_elements.npy", values("int64", (3, 0, 2)))
for version in (2, 3):
    with open(folder / f"version_{version}.npy", "wb") as file:
        np.lib.format.write_array(file, values("float64", (2, 2)), version=(version, 0))
