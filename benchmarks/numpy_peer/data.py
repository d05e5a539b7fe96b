"""Inputs and summaries: the twins of support/data.hpp and support/summary.hpp."""

import numpy as np


def random_bits(seed, index):
    with np.errstate(over="ignore"):
        bits = (index.astype(np.uint64) + np.uint64(seed << 40)) * np.uint64(0x9E3779B97F4A7C15)
        bits ^= bits >> np.uint64(32)
        bits *= np.uint64(0xD6E8FEB86659FD93)
        bits ^= bits >> np.uint64(32)
    return bits


def random(shape, seed, dtype=np.float64, scale=1):
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        parts = random((*np.atleast_1d(shape), 2), seed, f"f{dtype.itemsize // 2}", scale)
        return parts.view(dtype)[..., 0]
    if dtype == np.float16:
        return random(shape, seed, np.float32, scale).astype(dtype)
    bits = random_bits(seed, np.arange(int(np.prod(shape))))
    if dtype.kind == "f":
        kept = {8: 53, 4: 24}[dtype.itemsize]
        values = (bits >> np.uint64(64 - kept)).astype(dtype) * dtype.type(scale / 2**kept)
    else:
        values = (bits >> np.uint64(64 - 8 * dtype.itemsize)).astype(dtype)
    return values.reshape(shape)


def random_indexes(count, bound=None):
    return ((random_bits(9, np.arange(count)) >> np.uint64(32)) * np.uint64(bound or count)
            >> np.uint64(32)).astype(np.int64)


def coordinates(side, count, seed):
    """Rows, columns and values of the entries of a square matrix."""
    places = [((random_bits(s, np.arange(count)) >> np.uint64(32)) * np.uint64(side)
               >> np.uint64(32)).astype(np.int32) for s in (seed, seed + 1)]
    return *places, random(count, seed + 2)


def sorted_indexes(count):
    i = np.arange(count)
    choice = (random_bits(9, i // 2) >> np.uint64(62)).astype(np.int64)
    return i // 2 * 2 + np.where(i % 2 == 0, choice == 2, choice != 0)


def sparse_indexes(count, apart, seed):
    i = np.arange(count)
    return i * apart + ((random_bits(seed, i) >> np.uint64(32)) % np.uint64(apart)).astype(np.int64)


def summary(result):
    if isinstance(result, tuple):
        return [number for part in result for number in summary(part)]
    if np.iscomplexobj(result):
        parts = np.ascontiguousarray(np.atleast_1d(result)).view(result.real.dtype)
        return summary(parts) if np.ndim(result) else [float(part) for part in parts]
    if np.ndim(result) == 0:
        return [float(result)]
    values = np.asarray(result, dtype=np.float64).ravel()
    count = values.size
    sampled = [(k * 2654435761 + k) % count for k in range(32)] if count else []
    weighted = values @ (np.arange(count) % 1021).astype(np.float64)
    return [float(count), float(values.sum()), float(weighted)] + [float(values[i]) for i in sampled]
