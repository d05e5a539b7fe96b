"""Arrays in chunks: the cache and its limit, blocks, and what other libraries have in chunks."""

import gc
import itertools
import sys
import threading

import numpy as np
import pytest

import purview as pv

generator = np.random.default_rng(46)


@pytest.fixture(autouse=True)
def limit():
    before = pv.memory_limit()
    pv.drop_cached_chunks()
    pv.reset_chunk_statistics()
    yield
    pv.drop_cached_chunks()
    pv.set_memory_limit(before)


class Stored:
    """Elements in chunks that counts how often each is read."""

    def __init__(self, x, chunks):
        self.x, self.chunks, self.shape, self.dtype = x, chunks, x.shape, x.dtype
        self.reads = []

    def __getitem__(self, key):
        self.reads.append(key)
        return self.x[key]


def test_the_limit():
    pv.set_memory_limit(1 << 20)
    assert pv.memory_limit() == 1 << 20
    with pytest.raises(pv.ShapeError):
        pv.set_memory_limit(-1)
    with pytest.raises(TypeError):
        pv.set_memory_limit("many")
    x = pv.chunked(np.zeros(1 << 18), 1 << 18)
    with pytest.raises(pv.MemoryLimitError, match="2097152 bytes") as caught:
        pv.sum(x)
    assert isinstance(caught.value, MemoryError) and isinstance(caught.value, pv.Error)


def test_chunked_keeps_what_was_read():
    calls = []
    x = pv.emap(lambda i: calls.append(i) or i * i, np.arange(100))
    c = pv.chunked(x, (10,))
    assert not calls and c.shape == (100,) and c.dtype == x.dtype
    assert c[42].item() == 42 * 42
    once = len(calls)
    assert 10 <= once < 100 and c[41].item() == 41 * 41 and len(calls) == once
    assert pv.chunk_statistics().chunks_read == 1 and pv.chunk_statistics().cache_hits >= 1
    pv.reset_chunk_statistics()
    assert pv.chunk_statistics()[:4] == (0, 0, 0, 0)
    for shape in [(3, 3), (0,), (-1,)]:
        with pytest.raises(pv.ShapeError):
            pv.chunked(x, shape)


@pytest.mark.parametrize("name", "bool int8 uint16 int64 float16 float32 float64 complex64 complex128 datetime64[s] timedelta64[ms] >f8 <U5".split())
def test_anything_in_chunks(name):
    for shape, chunks in [((), ()), ((7,), (3,)), ((0, 3), (2, 2)), ((5, 6, 7), (2, 4, 9)), ((4, 4), None)]:
        x = generator.integers(0, 99, shape).astype(name)
        stored = Stored(np.asarray(x), chunks)
        t = pv.from_chunks(stored)
        assert not stored.reads and t.shape == shape
        assert t.tolist() == pv.asarray(stored.x).tolist()
        count = len(list(itertools.product(*(range(0, n, c) for n, c in zip(shape, chunks or (4, 4))))))
        assert len(stored.reads) == count == pv.chunk_statistics().chunks_read
        pv.reset_chunk_statistics()
        with pytest.raises(pv.ReadOnlyError):
            t[...] = 0


def test_each_chunk_is_read_once_and_within_the_limit():
    x = generator.random((60, 70, 80))
    stored = Stored(x, (20, 20, 20))
    pv.set_memory_limit(2 << 20)  # of 3 MiB of chunks
    t = pv.from_chunks(stored)
    for ours, want in [
        (lambda: pv.sum((t - 1) ** 2), ((x - 1) ** 2).sum()),
        (lambda: pv.mean(t, axis=0), x.mean(0)),
        (lambda: pv.max(t[::-1, 3:], axis=2), x[::-1, 3:].max(2)),
        (lambda: (t * 2).realise(), x * 2),
    ]:
        stored.reads.clear()
        pv.drop_cached_chunks()
        pv.reset_chunk_statistics()
        np.testing.assert_allclose(np.asarray(ours()), want, rtol=1e-12)
        assert len(stored.reads) == pv.chunk_statistics().chunks_read == 3 * 4 * 4
        assert pv.chunk_statistics().peak_bytes <= pv.memory_limit()


def test_chunks_as_dask_tells_them():
    x = generator.random((5, 7))
    stored = Stored(x, ((3, 2), (4, 3)))
    assert np.array_equal(np.asarray(pv.from_chunks(stored)), x) and len(stored.reads) == 4


def test_what_is_no_array_in_chunks():
    with pytest.raises(AttributeError):
        pv.from_chunks(3)
    with pytest.raises(pv.ShapeError):
        pv.from_chunks(Stored(np.zeros((3, 3)), (3,)))
    with pytest.raises(pv.ShapeError):
        pv.from_chunks(Stored(np.zeros((3, 3)), (3, 0)))
    with pytest.raises(pv.DtypeError):
        pv.from_chunks(Stored(np.zeros(3, dtype="S3"), (3,)))


def test_errors_come_through_on_any_thread():
    class Broken(Stored):
        def __getitem__(self, key):
            raise LookupError(f"no chunk at {key[0].start}")

    class Short(Stored):
        def __getitem__(self, key):
            return self.x[key][:-1]

    t = pv.from_chunks(Broken(np.zeros((40, 10)), (4, 10)))
    for _ in range(3):
        with pytest.raises(LookupError, match="no chunk at"):
            pv.sum(t)
    found = []

    def read():
        try:
            pv.sum(t, axis=1)
        except LookupError as error:
            found.append(error)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    with pytest.raises(pv.ShapeError, match="from_chunks"):
        pv.sum(pv.from_chunks(Short(np.zeros(10), (5,))))


def test_threads_that_want_one_chunk():
    x = generator.random((64, 64))
    for _ in range(20):
        pv.drop_cached_chunks()
        stored = Stored(x, (64, 64))
        t = pv.from_chunks(stored)
        found = []
        reads = [
            lambda: found.append(float(pv.sum(t))),
            lambda: found.append(t[3, 4].item()),
            lambda: found.append(float(t[5:6, 6:7])),
            lambda: found.append(t[7].tolist()[8]),
        ]
        threads = [threading.Thread(target=read) for read in reads]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(found) == pytest.approx(sorted([x.sum(), x[3, 4], x[5, 6], x[7, 8]]))
        assert len(stored.reads) == 1


def test_what_is_read_is_kept_and_let_go():
    stored = Stored(np.arange(5.0), (2,))
    before = sys.getrefcount(stored)
    t = pv.from_chunks(stored) + 1
    assert sys.getrefcount(stored) > before and t.tolist() == [1, 2, 3, 4, 5]
    del t
    gc.collect()
    assert sys.getrefcount(stored) == before


def test_cycles_are_collected():
    import weakref

    stored = Stored(np.arange(5.0), (2,))
    stored.array = pv.from_chunks(stored)
    gone = weakref.ref(stored)
    del stored
    gc.collect()
    assert gone() is None


def test_explain_says_how_a_call_would_read_chunks():
    stored = Stored(np.arange(120_000.0), (3000,))
    x = pv.from_chunks(stored)
    before = pv.memory_limit()
    pv.set_memory_limit(1 << 18)
    try:
        assert pv.explain(lambda: pv.sort(x)).startswith("sort: ")
        assert "intervals of keys" in pv.explain(lambda: pv.median(x))
        assert "segments" in pv.explain(lambda: pv.cumsum(x))

        def catching():
            try:
                return pv.sum(x)
            except Exception:
                return None

        assert "in cells of" in pv.explain(catching)
        with pytest.raises(ZeroDivisionError):
            pv.explain(lambda: 1 / 0)
        assert pv.explain(lambda: pv.sort([2, 1])) == "no chunks are read\n"
        assert not stored.reads
    finally:
        pv.set_memory_limit(before)
    assert pv.sum(x).item() == 119_999 * 60_000


def test_blocks():
    for shape, block in [((5, 7), (2, 3)), ((4, 4), (4, 9)), ((3,), (1,)), ((), ()), ((0, 3), (2, 2)), ((2, 3, 4), (1, 2, 3))]:
        x = generator.random(shape)
        t = pv.asarray(x) * 2
        told = list(pv.blocks(t, block))
        want = list(itertools.product(*(range(0, n, b) for n, b in zip(shape, block))))
        assert [begin for begin, _ in told] == want
        for begin, values in told:
            part = x[tuple(slice(b, b + n) for b, n in zip(begin, block))] * 2
            assert values.shape == part.shape and np.array_equal(np.asarray(values), part)
    for block in [(2,), (0, 1), (-1, 2)]:
        with pytest.raises(pv.ShapeError):
            pv.blocks(np.zeros((3, 3)), block)


def test_blocks_are_memory_of_their_own():
    x = np.arange(6.0)
    for begin, values in pv.blocks(x, 3):
        values[...] = 0
    assert x.sum() == 15 and begin == (3,)
    stored = Stored(np.arange(12.0), (4,))
    blocks = pv.blocks(pv.from_chunks(stored), 4)
    assert not stored.reads
    next(blocks)
    assert len(stored.reads) == 1
    assert [begin for begin, _ in blocks] == [(4,), (8,)] and len(stored.reads) == 3


def test_functions_of_components_that_are_missing_are_named():
    from purview import _names

    for component, names in _names._of_components.items():
        for name in names.split():
            assert hasattr(pv, name) or f"purview::{component}" in _names.missing(name)
            assert _names.missing(name) == f"purview.{name}: the module was built without purview::{component}"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        pv.nothing


def test_what_is_larger_than_memory():
    size = 600_000
    x = generator.integers(0, 1000, size) / 8.0
    x[::77] = np.nan
    keys = generator.integers(0, 50, size)
    stored = pv.from_chunks(Stored(x, (50_000,)))
    chunked_keys = pv.from_chunks(Stored(keys, (50_000,)))
    pv.set_memory_limit(2 << 20)
    np.testing.assert_array_equal(pv.sort(stored), np.sort(x))
    np.testing.assert_array_equal(pv.argsort(stored), np.argsort(x, kind="stable"))
    np.testing.assert_array_equal(pv.unique_values(stored), np.unique(x))
    values, counts = pv.unique_counts(stored)
    np.testing.assert_array_equal(values, np.unique(x))
    np.testing.assert_array_equal(counts, np.unique(x, return_counts=True)[1])
    assert pv.median(stored, nan="skip").item() == np.nanmedian(x)
    plane = pv.from_chunks(Stored(x.reshape(3000, 200), (250, 200)))
    np.testing.assert_array_equal(pv.sort(plane, axis=0), np.sort(x.reshape(3000, 200), axis=0))
    medians = pv.median(plane, axis=0, nan="skip")
    np.testing.assert_array_equal(medians, np.nanmedian(x.reshape(3000, 200), axis=0))
    groups, sums = pv.group_by_reduce(chunked_keys, chunked_keys, "sum")
    np.testing.assert_array_equal(groups, np.unique(keys))
    np.testing.assert_array_equal(sums, np.bincount(keys, keys).astype(np.int64))
    assert pv.chunk_statistics().peak_bytes <= 2 << 20


def test_temporary_files():
    assert isinstance(pv.temporary_directory(), str)
    before = pv.temporary_limit()
    pv.set_temporary_limit(1000)
    assert pv.temporary_limit() == 1000
    x = pv.from_chunks(Stored(np.arange(60_000.0), (1000,)))
    pv.set_memory_limit(100_000)
    with pytest.raises(pv.MemoryLimitError, match="temporary files"):
        pv.sort(x)
    with pytest.raises(pv.ShapeError):
        pv.set_temporary_limit(-1)
    pv.set_temporary_limit(before)
