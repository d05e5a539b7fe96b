"""Cycles of objects of Python and arrays over them are collected."""

import array
import gc
import os
import threading
import weakref

import numpy as np
import pytest
from processes import run

import purview as pv


class Cyclic:
    def __len__(self):
        return 5

    def read(self, i):
        return float(i)

    def __call__(self, x):
        return x + 1


class Subclass(np.ndarray):
    pass


class CyclicChunks:
    shape, dtype, chunks = (4,), np.dtype("float64"), (2,)

    def __getitem__(self, key):
        return np.arange(4.0)[key]


def chunks_of(held):
    return pv.from_chunks(held)


def subclass(dtype):
    return np.arange(4).astype(dtype).view(Subclass)


CYCLES = {
    "a reader": (Cyclic, lambda r: pv.from_reader(r, "float64")),
    "a reader in a view": (Cyclic, lambda r: pv.from_reader(r, "float64")[1:]),
    "a reader in an expression": (Cyclic, lambda r: [pv.sqrt(pv.from_reader(r, "float64")) * 2 + 1]),
    "a reader in a gather": (Cyclic, lambda r: pv.from_reader(r, "float64")[pv.asarray([1, 2])]),
    "a function": (Cyclic, lambda f: pv.emap(f, pv.ones(3))),
    "a function in an expression": (Cyclic, lambda f: -pv.emap(f, pv.ones(3))),
    "a subclass": (lambda: subclass("f8"), pv.asarray),
    "a subclass in a view": (lambda: subclass("f8"), lambda x: pv.asarray(x)[::-1]),
    "a subclass of times": (lambda: subclass("M8[s]"), pv.asarray),
    "a memoryview of a subclass": (lambda: subclass("f8"), lambda x: pv.asarray(memoryview(x))),
    "chunks": (CyclicChunks, chunks_of),
    "chunks in others": (CyclicChunks, lambda a: pv.chunked(chunks_of(a), (3,))),
    "chunks of an expression": (CyclicChunks, lambda a: pv.chunked(pv.sqrt(pv.chunked(chunks_of(a), (3,))), (1,)) + 1),
    "chunks beside others": (CyclicChunks, lambda a: pv.concat([chunks_of(a), pv.ones(3)])),
}


@pytest.mark.parametrize("kind", CYCLES)
def test_cycles_through_arrays_are_collected(kind):
    make, over = CYCLES[kind]
    held = make()
    held.array = over(held)
    gone = weakref.ref(held)
    del held
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("kind", CYCLES)
def test_what_is_reached_in_another_way_is_not_collected(kind):
    make, over = CYCLES[kind]
    held = make()
    array = held.array = over(held)
    kept = weakref.ref(held)
    view = (array[0] if isinstance(array, list) else array)[1:]
    want = view.tolist()
    del held
    gc.collect()
    assert kept() is not None and view.tolist() == want
    del array
    gc.collect()
    assert view.tolist() == want and kept().array is not None  # by a view alone
    sums = []
    thread = threading.Thread(target=lambda: sums.extend(view.tolist() for _ in range(200)))
    thread.start()
    while thread.is_alive():
        gc.collect()
    assert sums == [want] * 200


def test_cycles_through_blocks_are_collected():
    held = CyclicChunks()
    held.blocks = pv.blocks(chunks_of(held), (2,))
    assert next(held.blocks)[1].tolist() == [0, 1]
    gone = weakref.ref(held)
    kept = held.blocks
    del held
    gc.collect()
    assert gone() is not None and next(kept)[1].tolist() == [2, 3]
    del kept
    gc.collect()
    assert gone() is None


EXPORTERS = {
    "bytes": lambda: bytearray(80),
    "numpy": lambda: np.arange(10.0),
    "a subclass": lambda: subclass("f8"),
    "an array": lambda: pv.ones(10),
    "an expression": lambda: pv.ones(10) + 1,
    "array.array": lambda: array.array("d", [1, 2]),
}
MADE = {
    "an array": lambda a: a,
    "a view": lambda a: a[1:],
    "an expression": lambda a: pv.sqrt(a) + 1,
    "two": lambda a: [a, pv.asarray(memoryview(a))],
}


@pytest.mark.parametrize("exporter", EXPORTERS)
@pytest.mark.parametrize("made", MADE)
def test_memoryviews_and_their_arrays_in_a_cycle(exporter, made):
    """The collector clears the memoryview while the array has its memory: NumPy's arrays have one of their own as well."""
    done = run(
        f"""
import array, gc, sys, weakref
sys.path.insert(0, {os.path.dirname(__file__)!r})
import numpy as np, purview as pv
from test_cycles import EXPORTERS, MADE
class Witness: pass
for ends in (False, True):
    view = memoryview(EXPORTERS[{exporter!r}]())
    cycle = [view, MADE[{made!r}](pv.asarray(view)), Witness()]
    gone = weakref.ref(cycle[2])
    cycle.append(cycle)
    if not ends:
        del view, cycle
        gc.collect()
        print(gone() is None)
"""
    )
    assert done.stdout == "True\n" and done.returncode == 0, done


def test_memory_of_a_memoryview_stays_when_that_is_released():
    owner = bytearray(8)
    view = memoryview(owner)
    x = pv.asarray(view)
    view.release()
    x[3] = 7
    assert owner[3] == 7
    with pytest.raises(BufferError):
        owner.append(1)
    del x
    owner.append(1)
