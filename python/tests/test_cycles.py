"""Cycles of objects of Python and arrays over them are collected."""

import array
import collections
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

    def method(self, x):
        return x + self.number


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


def called(function, *arguments):
    """The compiled function, after a call: it has a program."""
    compiled = pv.compile(function)
    compiled(*arguments or (pv.ones(3),))
    return compiled


def over(array):
    """A compiled function that captures an array."""
    return called(lambda x: pv.sum(array) * x)


def seen_twice(reader):
    array = pv.from_reader(reader, "float64")
    return [called(lambda x: array[:3] * x + array[1]), array]


def with_two_programs(reader):
    compiled = over(pv.from_reader(reader, "float64"))
    compiled(pv.ones((2, 2)))
    return compiled


def returns_named(held):
    kind = collections.namedtuple("Both", "x y")
    kind.held = held
    return called(lambda x: kind(x, x + 1))


COMPILED = {
    "the function": lambda h: called(lambda x: x + h.number),
    "a method": lambda h: called(h.method),
    "a reader": lambda h: over(pv.from_reader(h, "float64")),
    "a reader made in the trace": lambda h: called(lambda x: pv.sum(pv.from_reader(h, "float64")) * x),
    "a reader in views of the trace": seen_twice,
    "a reader in an expression": lambda h: over(pv.sqrt(pv.from_reader(h, "float64")) * 2 + 1),
    "a reader in a gather": lambda h: over(pv.from_reader(h, "float64")[pv.asarray([1, 2])]),
    "two programs": with_two_programs,
    "two functions": lambda h: (lambda a: [over(a), over(a)])(pv.from_reader(h, "float64")),
    "a function of elements": lambda h: called(lambda x: pv.emap(h, x)),
    "one with a derivative": lambda h: called(pv.grad(lambda x: pv.sum(pv.emap(pv.with_derivative(h, h), x)))),
    "one on a captured array": lambda h: over(pv.emap(h, pv.ones(3))),
    "memory": lambda h: over(pv.asarray(h.memory)),
    "memory in a view": lambda h: over(pv.asarray(h.memory)[::-1]),
    "chunks": lambda h: over(chunks_of(h.chunks)),
    "chunks in others": lambda h: over(pv.chunked(chunks_of(h.chunks), (3,))),
    "chunks made in the trace": lambda h: called(lambda x: pv.sum(pv.chunked(chunks_of(h.chunks), (3,))) * x),
    "a gradient": lambda h: (lambda a: called(pv.grad(lambda x: pv.sum(a[:3] * x**2))))(pv.from_reader(h, "float64")),
    "the type of a result": returns_named,
}


def compiled_cycle(kind):
    held = Cyclic()
    held.number = 2.0
    held.memory = subclass("f8")
    held.chunks = CyclicChunks()
    held.memory.held = held.chunks.held = held
    held.compiled = COMPILED[kind](held)
    return held


def function_of(held):
    return held.compiled[0] if isinstance(held.compiled, list) else held.compiled


@pytest.mark.parametrize("kind", COMPILED)
def test_cycles_through_compiled_functions_are_collected(kind):
    held = compiled_cycle(kind)
    gone = weakref.ref(held)
    del held
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("kind", COMPILED)
def test_what_a_compiled_function_reaches_is_not_collected(kind):
    held = compiled_cycle(kind)
    compiled, kept = function_of(held), weakref.ref(held)
    program = compiled.traced(pv.ones(3))
    want = repr(compiled(pv.ones(3)))
    del held
    for _ in range(3):
        gc.collect()
        assert repr(compiled(pv.ones(3))) == want
    if kind not in ("the function", "a method"):  # these are not in the program
        del compiled
        for _ in range(3):
            gc.collect()
        assert kept() is not None and repr(program((pv.ones(3),))) == want
        assert function_of(kept()) is not None
    del program
    gc.collect()


@pytest.mark.parametrize("kind", COMPILED)
def test_compiled_functions_are_called_while_cycles_are_collected(kind):
    held = compiled_cycle(kind)
    compiled = function_of(held)
    want = repr(compiled(pv.ones(3)))
    got = []
    thread = threading.Thread(target=lambda: got.extend(repr(compiled(pv.ones(3))) for _ in range(100)))
    thread.start()
    while thread.is_alive():
        compiled_cycle(kind)
        gc.collect()
    assert got == [want] * 100


def test_an_array_outlives_the_compiled_function_that_captures_it():
    reader = Cyclic()
    array = reader.array = pv.from_reader(reader, "float64")
    compiled = over(array)
    kept = weakref.ref(reader)
    del reader, compiled
    gc.collect()
    assert kept() is not None and array.tolist() == [0, 1, 2, 3, 4]
    compiled = over(array)
    del array
    gc.collect()
    assert compiled(1.0) == 10
    del compiled
    gc.collect()
    assert kept() is None


def test_expressions_of_a_program_keep_what_it_captures():
    reader = Cyclic()
    program = reader.program = pv.compile(lambda x: pv.from_reader(reader, "float64") + x).traced(1.0)
    outer = pv.compile(lambda x: program.over((x,)) * 2)
    kept = weakref.ref(reader)
    want = outer(1.0).tolist()
    del reader, program
    gc.collect()
    assert kept() is not None and outer(1.0).tolist() == want == [2, 4, 6, 8, 10]


def test_a_captured_array_is_written_to_between_calls():
    memory = subclass("f8")
    captured = memory.array = pv.asarray(memory)
    compiled = pv.compile(lambda x: pv.sum(captured) * x)
    assert compiled(2.0) == 12
    captured[0] = 10
    memory[1] = 0
    assert compiled(2.0) == 30


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
