#!/usr/bin/env python3
"""Writes the seeds of image_fuzz: small PNG files, good and bad, of every kind of colour and depth.

    make_image_fuzz.py [FOLDER]
"""

import struct
import sys
import zlib
from pathlib import Path

folder = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parent / "image_fuzz"


def chunk(kind, data=b""):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, depth, colour, rows, *between, interlaced=0):
    """Of rows that each begin with the byte of their filter, not compressed, so that pixels are bytes of the file."""
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + b"".join(between) \
        + chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND")


seeds = {
    "grey": png(2, 2, 8, 0, b"\0\1\2\1\3\4"),
    "grey_1_bit": png(9, 1, 1, 0, b"\0\xaa\x80"),
    "grey_16_bits": png(2, 1, 16, 0, b"\0\0\1\2\3"),
    "grey_opacity": png(1, 1, 8, 4, b"\0\1\2"),
    "grey_transparent": png(2, 1, 8, 0, b"\0\5\6", chunk(b"tRNS", b"\0\5")),
    "colours": png(1, 2, 8, 2, b"\2\1\2\3\4\4\5\6"),
    "colours_opacity_16_bits": png(1, 1, 16, 6, b"\0\0\1\0\2\0\3\0\4"),
    "palette": png(2, 1, 8, 3, b"\0\1\0", chunk(b"PLTE", b"\1\2\3\4\5\6"), chunk(b"tRNS", b"\7")),
    "interlaced": png(2, 2, 8, 0, b"\0\1\0\2\0\3\4", interlaced=1),
    "text": png(1, 1, 8, 0, b"\0\1", chunk(b"tEXt", b"Title\0x"), chunk(b"gAMA", b"\0\0\xb1\x8f")),
    "huge": png(0x7FFFFFFF, 0x7FFFFFFF, 16, 6, b"\0"),
    "outside_of_palette": png(1, 1, 8, 3, b"\0\7", chunk(b"PLTE", b"\1\2\3")),
    "short": png(4, 4, 8, 2, b"\0\1\2"),
}

folder.mkdir(parents=True, exist_ok=True)
for name, data in seeds.items():
    (folder / name).write_bytes(data)
