#!/usr/bin/env python3
"""Writes the seeds of sparse_fuzz: an element type, a size, a fill, pairs in and out of order, and what is then written.

    make_sparse_fuzz.py [FOLDER]
"""

import random
import sys
from pathlib import Path

folder = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parent / "sparse_fuzz"
TYPES = {"float64": 0, "int16": 1, "bool": 2, "string": 3}
SIZES = {"12": 2, "60": 3, "2_62": 6}
WAYS = {"foreign": 0, "of_vectors": 1}


def pairs(choose, ordered, size):
    indexes = [choose.randrange(min(size, 200)) for _ in range(9)]
    if ordered:
        indexes = sorted(set(indexes))
    yield len(indexes)
    for index in indexes:
        at = index + 12
        yield at
        if at % 5 == 0:
            yield 0
        yield choose.randrange(256)


def seed(name, kind, size, way):
    choose = random.Random(name)
    yield TYPES[kind]
    yield SIZES[size]
    yield choose.randrange(4)
    yield from pairs(choose, WAYS[way] == 0, 12 if size == "12" else 60)
    yield WAYS[way]
    yield 1  # a stride, or the last of duplicates
    yield from (choose.randrange(256) for _ in range(150))


folder.mkdir(exist_ok=True)
for kind in TYPES:
    for size in SIZES:
        for way in WAYS:
            name = f"{kind}_{size}_{way}"
            (folder / name).write_bytes(bytes(seed(name, kind, size, way)))
