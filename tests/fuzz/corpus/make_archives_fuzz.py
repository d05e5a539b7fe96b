#!/usr/bin/env python3
"""Writes the seeds of archives_fuzz: indexes of many files, and kerchunk's references; good and bad.

    make_archives_fuzz.py [FOLDER]

The first byte of each says what the others are: even for an index (archives_fuzz.cpp).
"""

import json
import sys
from pathlib import Path

folder = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parent / "archives_fuzz"
folder.mkdir(exist_ok=True)
data = Path(__file__).parents[2] / "archives" / "data"

ABOUT = {"attributes": {"units": "K", "scale_factor": 0.5, "_FillValue": -1}, "dimension_names": ["time", "x"],
         "chunks": [1, 3], "shards": [1, 3], "codecs": "", "missing": None}


def index(files, shape, **other):
    return {"purview_index": 1, "shape": shape, "dimension_names": ["time", "x"], "new_axes": 0, "about": [ABOUT], "files": files} | other


def entry(begin, rows=2, dtype="int16", path="/nowhere/day.nc"):
    return [path, [rows, 3], [begin, 0], "t2m", 16018, 1764590000000000000, dtype, 0]


SEEDS = {
    "two_files": index([entry(0), entry(2)], [4, 3]),
    "missing_file": index([entry(0), [None, [2, 3], [2, 0]]], [4, 3]),
    "all_missing": index([[None, [2, 3], [0, 0]]], [2, 3]),
    "overlap": index([entry(0), entry(1)], [3, 3]),
    "gap": index([entry(0), entry(3)], [5, 3]),
    "no_files": index([], [0, 3]),
    "unknown_type": index([entry(0, dtype="int17")], [2, 3]),
    "text": index([entry(0, dtype="string")], [2, 3]),
    "large": index([entry(0, rows=2**40)], [2**40, 3]),
    "version_2": index([], [0], purview_index=2),
    "new_axis": index([entry(0)], [1, 2, 3], new_axes=1),
}
for name, seed in SEEDS.items():
    (folder / f"index_{name}").write_bytes(b"\0" + json.dumps(seed).encode())
for path in sorted(data.glob("*.json")):
    (folder / f"kerchunk_{path.stem}").write_bytes(b"\1" + path.read_bytes())
METADATA = json.dumps({"zarr_format": 2, "shape": [6], "chunks": [2], "dtype": "<i4", "order": "C", "compressor": None, "filters": None, "fill_value": 7})
REFERENCES = {".zgroup": '{"zarr_format":2}', "x/.zarray": METADATA, "x/.zattrs": {"units": "K"}, "x/0": ["/nowhere/data.bin", 3, 8], "x/1": "base64:AwAAAAQAAAA="}
(folder / "kerchunk_plain").write_bytes(b"\1" + json.dumps(REFERENCES).encode())
(folder / "kerchunk_templates").write_bytes(b"\1" + json.dumps({"version": 1, "templates": {"f": "/nowhere/{{c}}"}, "gen": [], "refs": REFERENCES}).encode())
