"""Arrays in chunks, which are read when they are wanted, and kept within a limit."""

from collections import namedtuple

from purview import _core
from purview._common import integers_of
from purview._core import asarray, dtype
from purview._errors import ShapeError

__all__ = """
    blocks chunk_statistics chunked from_chunks
""".split()

ChunkStatistics = namedtuple("ChunkStatistics", "chunks_read chunks_written cache_hits bytes_read peak_bytes")

_BYTES_OF_CHUNK = 2 << 20


def chunk_statistics():
    """What happened to chunks since `reset_chunk_statistics()`: a named tuple of `chunks_read`, `chunks_written`, `cache_hits`, `bytes_read`
    (as they are stored, where that is known) and `peak_bytes`, the most that the limit has counted."""
    return ChunkStatistics(*_core._chunk_statistics())


def chunked(x, chunks):
    """The elements of an array or expression in chunks of a shape, which keep what x was when they were read: a cache, within
    `memory_limit()`, for what is dear to compute. Lazy. Extents beyond an axis mean all of it."""
    return _core._chunked(asarray(x), integers_of(chunks))


def _rows(shape, itemsize):
    """Whole rows, of two MiB at most where a row is not longer: what lies side by side in a file that is not in chunks."""
    chunk, left = list(shape), max(1, _BYTES_OF_CHUNK // max(1, itemsize))
    for axis in reversed(range(len(shape))):
        chunk[axis] = max(1, min(shape[axis], left))
        left = max(1, left // chunk[axis])
    return tuple(chunk)


def _element_type(a):
    """The type of the elements that `a[...]` gives: texts of all kinds are strings."""
    return _core.string if getattr(a.dtype, "kind", None) in ("U", "T") else dtype(a.dtype)


def from_chunks(a):
    """An array over anything that has `shape`, `dtype`, `chunks` and `a[slices]`, on any store: an array of Zarr's or of h5py's, for one.
    Its chunks are read when they are wanted, by several threads, one at a time that has the interpreter's lock, and kept within
    `memory_limit()`. Where `chunks` is None, whole rows of about two MiB are read."""
    shape = tuple(map(int, a.shape))
    chunks, of_elements = getattr(a, "chunks", None), _element_type(a)
    if chunks is None:
        chunks = _rows(shape, of_elements.itemsize)
    # Dask has the extents of all chunks along each axis.
    chunks = tuple(max(each, default=1) if isinstance(each, tuple) else int(each) for each in chunks)
    if len(chunks) != len(shape):
        raise ShapeError(f"from_chunks: the shape {shape} has chunks of the shape {chunks}")
    return _core._from_chunks(a, of_elements, shape, chunks)


def blocks(x, shape):
    """Iterates over an array in blocks of a shape, in row-major order: pairs of where a block begins, a tuple, and its elements in memory.
    Those at the end of an axis are smaller. What the next one needs is read ahead, where it is in chunks."""
    made = _core._Blocks(asarray(x), integers_of(shape))
    return (made.block(i) for i in range(made.count))
