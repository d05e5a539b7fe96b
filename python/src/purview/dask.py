"""Purview's arrays as chunks of Dask's: `import purview.dask`, then `pv.dask.from_dask(x)` or `x.map_blocks(pv.asarray)`.

Dask joins element-wise operations on the same chunks into one task. In it they are expressions of ours, which are computed in one pass
where the task ends in a reduction, is written or sent to another process.
"""

import dask.array as da
import numpy as np
from dask.array.chunk_types import register_chunk_type
from dask.array.core import concatenate_lookup, einsum_lookup, tensordot_lookup
from dask.array.dispatch import nannumel_lookup
from dask.array.percentile import percentile_lookup
from dask.base import normalize_token
from dask.sizeof import sizeof

import purview as pv

__all__ = ["from_dask"]


def from_dask(x: da.Array) -> da.Array:
    """The same Dask array, whose chunks are arrays of ours: over the memory of its chunks, without a copy."""
    return x.map_blocks(pv.asarray, meta=pv.empty((0,) * x.ndim, dtype=x.dtype), dtype=x.dtype)


def _concatenated(arrays, axis=0):
    return pv.concat([pv.asarray(x) for x in arrays], axis=axis)


def _tensordot(a, b, axes=2):
    return pv.tensordot(pv.asarray(a), pv.asarray(b), axes=axes)


def _einsum(*operands, **options):
    options.pop("dtype", None)
    return pv.asarray(np.einsum(*(np.asarray(x) if isinstance(x, pv.Array) else x for x in operands), **options))


def _percentile(a, q, method="linear"):
    from dask.array.percentile import _percentile as of_numpy

    return of_numpy(np.asarray(a), np.asarray(q), method)


def _number_count(x, **options):
    """How many elements are not NaN: as NumPy's array, which Dask writes into."""
    return np.sum(~np.isnan(np.asarray(x)), **options)


def _size_of(x):
    return x.nbytes


def _token(x):
    return normalize_token(np.asarray(x))


register_chunk_type(pv.Array)
concatenate_lookup.register(pv.Array, _concatenated)
tensordot_lookup.register(pv.Array, _tensordot)
einsum_lookup.register(pv.Array, _einsum)
percentile_lookup.register(pv.Array, _percentile)
nannumel_lookup.register(pv.Array, _number_count)
sizeof.register(pv.Array, _size_of)
normalize_token.register(pv.Array, _token)
