#!/usr/bin/env python3
"""Writes the seeds of arrow_fuzz: bytes in the order in which it asks for them. They are in the public domain (CC0)."""

from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "arrow_fuzz"
ROWS = 9
BOOLS, NOTHING, TEXT, LARGE_TEXT, BYTES, FIXED, LIST, STRUCT, DICTIONARY, REFUSED = range(10)


def batch(*nodes, fill=0, spoilt=False, spoil=b""):
    # rows, fill, whether it is spoilt, null count, offset, no bitmap, columns
    return bytes([ROWS, fill, 0 if spoilt else 1, 0, 0, 0, len(nodes) - 1]) + b"".join(nodes) + spoil


def node(name, kind, *rest):
    """Nulls are not counted, the offset is 0, and there is a bitmap."""
    bitmap = b"" if kind == NOTHING else b"\x01\xb5\x03"
    return bytes([ord(name) - ord("a"), 0, 0, kind]) + bitmap + b"".join(rest)


def fixed(name, number, width):
    return node(name, FIXED, bytes([number]), bytes(range(ROWS * width)))


def texts(name, kind):
    return node(name, kind, b"\0", bytes(ROWS + 1), b"word" * 8)


SEEDS = {
    "numbers": batch(*(fixed("abcde"[i], n, w) for i, (n, w) in enumerate([(0, 1), (4, 4), (7, 8), (8, 2), (10, 8)])), fill=3),
    "times": batch(*(fixed("abcde"[i], n, w) for i, (n, w) in enumerate([(11, 4), (13, 8), (15, 8), (17, 4), (23, 8)]))),
    "texts": batch(texts("a", TEXT), texts("b", LARGE_TEXT), node("c", BOOLS, b"\x55\x01"), node("d", NOTHING)),
    "lists": batch(node("a", LIST, b"\x02", b"\0\0\0" + bytes([FIXED]) + b"\0" + b"\x09" + bytes(2 * ROWS * 4), b"\0"), fill=1),
    "dictionary": batch(node("a", DICTIONARY, b"\0", b"\x0b\0\0\0" + bytes([TEXT]) + b"\0\0", bytes(12) + b"word" * 9)),
    "struct": batch(node("a", STRUCT, b"\x01", fixed("b", 4, 4)), fixed("c", 6, 8)),
    "negative_length": batch(fixed("a", 4, 4), spoilt=True, spoil=b"\0\0\0\x05"),
    "refused": batch(node("a", REFUSED, b"\0")),
}

FOLDER.mkdir(exist_ok=True)
for name, seed in SEEDS.items():
    (FOLDER / name).write_bytes(seed)
