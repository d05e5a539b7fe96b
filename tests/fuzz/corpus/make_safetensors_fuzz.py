#!/usr/bin/env python3
"""Writes the seeds of safetensors_fuzz: small files, good and bad. Needs no package.

    make_safetensors_fuzz.py [FOLDER]
"""

import struct
import sys
from pathlib import Path

folder = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parent / "safetensors_fuzz"


def file(header, data=b"", length=None):
    text = header.encode() if isinstance(header, str) else header
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def array(name, dtype, shape, begin, end):
    return f'"{name}":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[{begin},{end}]}}'


def arrays(*each):
    return "{" + ",".join(each) + "}"


seeds = {
    "float32": file(arrays(array("x", "F32", [2, 3], 0, 24)), bytes(range(24))),
    "several": file(arrays('"__metadata__":{"format":"pt","a":"\\u00e9\\ud83d\\ude00\\n"}', array("w", "F64", [1], 0, 8),
                           array("b", "BOOL", [3], 8, 11), array("n", "I16", [], 11, 13)) + "   ", bytes(range(13))),
    "halves": file(arrays(array("h", "F16", [2], 0, 4), array("b", "BF16", [2], 4, 8), array("c", "C64", [1], 8, 16)), bytes(16)),
    "empty": file("{}"),
    "no_elements": file(arrays(array("x", "I64", [3, 0, 2], 0, 0))),
    "other_order": file('{"x":{"data_offsets":[0,1],"more":{"a":[1.5e3,null,true]},"shape":[1],"dtype":"U8"}}', b"x"),
    "float8": file(arrays(array("x", "F8_E4M3", [2], 0, 2), array("y", "F4", [4], 2, 4), array("z", "U8", [1], 4, 5)), bytes(5)),
    "new_type": file(arrays(array("x", "F128", [2], 0, 32)), bytes(32)),
    "hole": file(arrays(array("x", "U8", [1], 0, 1), array("y", "U8", [1], 2, 3)), bytes(3)),
    "overlap": file(arrays(array("x", "U8", [2], 0, 2), array("y", "U8", [2], 1, 3)), bytes(3)),
    "left_over": file(arrays(array("x", "U8", [2], 0, 2)), bytes(3)),
    "short": file(arrays(array("x", "F64", [1000000, 1000000], 0, 8000000000000)), bytes(8)),
    "overflow": file(arrays(array("x", "F64", [4294967296, 4294967296], 0, 0))),
    "negative": file(arrays(array("x", "U8", [2, -3], 0, 6)), bytes(6)),
    "twice": file(arrays(array("x", "U8", [1], 0, 1), array("x", "U8", [1], 1, 2)), bytes(2)),
    "lying_length": file("{}", length=0xFFFFFFFFFFFFFFF0),
    "long_length": file("{}", length=100_000_000),
    "no_utf8": file(b'{"\xff":{}}'),
    "deep": file('{"x":{"y":' + "[" * 100),
}

folder.mkdir(parents=True, exist_ok=True)
for name, content in seeds.items():
    (folder / name).write_bytes(content)
print(f"{len(seeds)} files in {folder}")
