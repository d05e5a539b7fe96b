#!/usr/bin/env python3
"""Writes the seeds of npy_fuzz: small files, good and bad, of every version. Needs no NumPy.

    make_npy_fuzz.py [FOLDER]
"""

import struct
import sys
from pathlib import Path

folder = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parent / "npy_fuzz"


def npy(dict_text, data=b"", version=1, length=None):
    text = dict_text.encode()
    length = len(text) if length is None else length
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", length) + text + data


def header(descr, shape, column_major=False):
    return f"{{'descr': {descr}, 'fortran_order': {column_major}, 'shape': {shape}, }}"


seeds = {
    "float64": npy(header("'<f8'", "(2, 3)") + " " * 20 + "\n", bytes(range(48))),
    "int16_big_endian_column_major": npy(header("'>i2'", "(3, 2)", True), bytes(range(12))),
    "bool_version_2": npy(header("'|b1'", "(4,)"), b"\x00\x01\x02\xff", 2),
    "uint8_version_3": npy(header("'|u1'", "(1, 2, 1, 3, 1, 2, 2, 1)"), bytes(24), 3),
    "rank_0": npy(header("'<f4'", "()"), b"\x00\x00\x80\x3f"),
    "no_elements": npy(header("'<i8'", "(3, 0, 2)")),
    "python_2": npy(header("'<u4'", "(2L, 1L)"), bytes(8)),
    "other_order": npy('{"shape": (1,), "fortran_order": False, "descr": "=u8"}', bytes(8)),
    "structured": npy(header("[('a', '<i4'), ('b', '|S3')]", "(2,)"), bytes(14)),
    "complex": npy(header("'<c16'", "(1,)"), bytes(16)),
    "short": npy(header("'<f8'", "(1000000, 1000000)"), bytes(8)),
    "overflow": npy(header("'<f8'", "(4294967296, 4294967296)")),
    "negative": npy(header("'<f8'", "(2, -3)")),
    "lying_length": npy(header("'<f8'", "(2,)"), bytes(16), 2, 0xFFFFFFF0),
    "duplicate_key": npy("{'shape': (), 'shape': ()}"),
}
for name, data in seeds.items():
    (folder / name).write_bytes(data)
