#!/usr/bin/env python3
"""Writes the seeds of mtx_fuzz: small files, good and bad, of every layout, field and symmetry.

    make_mtx_fuzz.py [FOLDER]
"""

import sys
from pathlib import Path

folder = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parent / "mtx_fuzz"


def mtx(kind, *lines):
    return "\n".join([f"%%MatrixMarket matrix {kind}", *lines, ""])


seeds = {
    "real": mtx("coordinate real general", "% comment", "3 4 2", "1 1 1.5", "3 4 -2e300"),
    "integer_symmetric": mtx("coordinate integer symmetric", "2 2 2", "1 1 7", "2 1 -3"),
    "skew": mtx("coordinate real skew-symmetric", "3 3 1", "3 1 nan"),
    "pattern": mtx("coordinate pattern general", "2 2 2", "1 2", "", "2 1"),
    "array": mtx("array real general", "2 2", "1", "2", "3", "4"),
    "array_symmetric": mtx("array integer symmetric", "2 2", "1", "2", "3"),
    "complex": mtx("coordinate complex hermitian", "1 1 1", "1 1 1 0"),
    "lying": mtx("coordinate real general", "9 9 9000000000000000000", "1 1 1"),
    "wide": mtx("coordinate real general", "4611686018427387904 1 1", "4611686018427387904 1 1"),
    "overflow": mtx("array real general", "4611686018427387904 4", "1"),
    "outside": mtx("coordinate real general", "2 2 1", "3 0 1"),
    "crlf": mtx("coordinate real general", "1 1 1", "1 1 1e-400").replace("\n", "\r\n"),
}

folder.mkdir(exist_ok=True)
for name, text in seeds.items():
    (folder / name).write_bytes(text.encode())
