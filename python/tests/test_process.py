"""Arrays and the interpreter: signals, threads, forks, memory."""

import array
import gc
import os
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import purview as pv


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)


def test_a_signal_ends_long_work():
    done = run(
        """
import signal, purview as pv
x = pv.broadcast_to(pv.ones((1,)), (40_000_000_000,))
signal.setitimer(signal.ITIMER_REAL, 0.3)
def handler(*_): raise KeyboardInterrupt
signal.signal(signal.SIGALRM, handler)
try:
    pv.sum(pv.sin(x) * pv.cos(x + 1))
except KeyboardInterrupt:
    print("interrupted", pv.sum(pv.ones((5_000_000,))).item())
"""
    )
    assert done.stdout == "interrupted 5000000.0\n", done.stderr


def test_forks_after_import_compute():
    x = pv.asarray(np.arange(100_000.0))
    assert pv.sum(x * 2).item() == 9999900000
    pid = os.fork()
    if pid == 0:
        ok = pv.sum(x * 2).item() == 9999900000 and (pv.ones((64, 64)) @ pv.ones((64, 64)))[0, 0].item() == 64
        os._exit(0 if ok else 1)
    assert os.waitpid(pid, 0)[1] == 0


def test_threads_compute_side_by_side():
    x = pv.asarray(np.arange(200_000.0))
    results = []

    def work():
        for _ in range(20):
            results.append(pv.sum(pv.sqrt(x) + 1).item())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 80 and len(set(results)) == 1


def test_owners_are_dropped_from_any_thread():
    x = np.arange(10_000.0)
    before = sys.getrefcount(x)
    arrays = [pv.asarray(x) + 1 for _ in range(100)]

    def drop():
        while arrays:
            arrays.pop().realise()

    threads = [threading.Thread(target=drop) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert sys.getrefcount(x) == before


@pytest.mark.parametrize("code", ["t[7]", "t + pv.ones((2,))", "pv.asarray([[1], [1, 2]])", "pv.asarray(object())", "t.astype('x')"])
def test_errors_keep_no_references(code):
    x = np.arange(3.0)
    t = pv.asarray(x)
    before = sys.getrefcount(x), sys.getrefcount(t)
    for _ in range(5):
        with pytest.raises(Exception):
            eval(code, {"pv": pv, "t": t})
    gc.collect()
    assert (sys.getrefcount(x), sys.getrefcount(t)) == before


def test_dlpack_producers_are_asked_and_released():
    class Producer:
        def __init__(self, x):
            self.x = x

        def __dlpack__(self, **options):
            return self.x.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.x.__dlpack_device__()

    x = np.arange(6.0).reshape(2, 3)
    before = sys.getrefcount(x)
    t = pv.asarray(Producer(x))
    t[0, 0] = 9
    assert x[0, 0] == 9 and np.shares_memory(np.asarray(t), x)
    del t
    gc.collect()
    assert sys.getrefcount(x) == before
    capsule = pv.asarray(x).__dlpack__(max_version=(1, 0))
    del capsule
    gc.collect()
    assert sys.getrefcount(x) == before


def test_nothing_is_left_at_exit():
    done = run(
        "import numpy as np, purview as pv; x = pv.asarray(np.arange(5.0)); y = np.asarray(x + 1); z = x.__dlpack__(); print(y.sum())"
    )
    assert done.stdout == "15.0\n" and done.stderr == "" and done.returncode == 0


INTERPRETERS = """
try:
    import _interpreters
    def refused():
        other = _interpreters.create(config)
        told = _interpreters.run_string(other, "import purview")
        _interpreters.destroy(other)
        return "ImportError" in str(told.type.__name__) + str(told)
except ImportError:
    import _xxsubinterpreters as _interpreters
    def refused():
        other = _interpreters.create(isolated=config == "isolated")
        try:
            _interpreters.run_string(other, "import purview")
        except _interpreters.RunFailedError as error:
            return "ImportError" in str(error)
        finally:
            _interpreters.destroy(other)
"""


@pytest.mark.parametrize("config", ["isolated", "legacy"])
def test_other_interpreters_are_refused(config):
    """An ImportError in them, before and after the main one imports the module, which works on."""
    use = "import purview as pv; print(pv.sum(pv.ones((3,)) + 1))"
    done = run(f"config = {config!r}{INTERPRETERS}print(refused())\n{use}\nprint(refused())\n{use}")
    assert done.stdout == "True\n6.\nTrue\n6.\n" and done.returncode == 0, done.stderr


DAEMONS = """
import threading, time
import numpy as np, purview as pv

class Reader:
    def __len__(self): return 5000
    def read(self, i): return float(i)

class HasArray:
    def __array__(self, **options):
        for _ in range(1000): pass
        return np.zeros(3)

def traced(x):
    for _ in range(100): x = pv.sin(x) * 2
    return pv.sum(x)

class Chunks:
    shape, dtype, chunks = (4000,), np.dtype("float64"), (2,)
    def __getitem__(self, key): return np.arange(4000.0)[key]

chunks = Chunks()
reader, x, y = pv.from_reader(Reader(), "float64"), pv.ones((100_000,)), pv.ones((3,))
unsorted, long = pv.asarray(np.random.rand(300_000)), pv.broadcast_to(pv.ones((1,)), (10_000_000,))

def work():
    while True:
        CODE

for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.1)
"""


@pytest.mark.parametrize(
    "code", ["y + y", "pv.sum(pv.sin(x))", "pv.sum(reader)", "pv.sum(pv.emap(lambda v: v + 1, x))", "pv.sort(unsorted)", "pv.sum(pv.sin(long))", "pv.asarray(HasArray())", "pv.fixed_rolling_window(x[:500], 3, lambda w: w[0])", "pv.grad(traced)(y)", "pv.compile(traced)(y)", "pv.compile(pv.value_and_grad(traced))(y)", "pv.sum(pv.from_chunks(chunks))"]
)
def test_daemon_threads_that_compute_at_the_end(code):
    """Before Python 3.14, a thread that asks for the lock of an ended interpreter is unwound, through C++."""
    for _ in range(4):
        done = run(DAEMONS.replace("CODE", code))
        assert done.returncode == 0 and done.stderr == "", done


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
from test_process import EXPORTERS, MADE
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


def test_a_program_refuses_another_number_of_arguments():
    program = pv.compile(lambda x: x + 1).traced([1.0])
    for arguments in ((), ([1.0], [2.0])):
        with pytest.raises(pv.ShapeError, match="has 1"):
            program(arguments)
    assert program(([1.0],)).tolist() == [2]


FORKED = """
import os, signal, threading, time
import numpy as np, purview as pv

class Slow:
    shape, dtype, chunks = (64,), np.dtype("float64"), (8,)
    parent = os.getpid()
    is_read = threading.Event()
    def __getitem__(self, key):
        if os.getpid() == self.parent:
            self.is_read.set()
            time.sleep(0.01)
        return np.arange(64.0)[key]

slow = Slow()
x = pv.from_chunks(slow)
def read():
    while True:
        pv.drop_cached_chunks()
        pv.sum(x)
threading.Thread(target=read, daemon=True).start()
ended = []
for _ in range(10):
    slow.is_read.clear()
    slow.is_read.wait()
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        os._exit(0 if pv.sum(x).item() == 2016 and pv.sum(x[:5] * 2).item() == 20 else 1)
    ended.append(os.waitpid(child, 0)[1])
print(ended == [0] * 10)
"""


def test_children_read_the_chunks_that_threads_of_their_parent_read():
    done = run(FORKED)
    assert done.stdout == "True\n", done


def test_cycles_are_collected_in_children_of_a_process_that_computes():
    done = run(
        """
import gc, os, threading, weakref
import numpy as np, purview as pv
class Reader:
    def __len__(self): return 5
    def read(self, i): return float(i)
long = pv.broadcast_to(pv.ones((1,)), (10_000_000,))
def work():
    while True: pv.sum(pv.sin(long))
for _ in range(2): threading.Thread(target=work, daemon=True).start()
for _ in range(8):
    pv.sum(pv.sin(long[:1_000_000]))
    child = os.fork()
    if child == 0:
        held = Reader()
        held.array = pv.from_reader(held, "float64")
        gone = weakref.ref(held)
        del held
        gc.collect()
        os._exit(0 if gone() is None else 1)
    assert os.waitpid(child, 0)[1] == 0
print("collected")
"""
    )
    assert done.stdout == "collected\n", done


INTERRUPTED = """
import signal, time
import numpy as np, purview as pv
class Slow:  # 4096 chunks, of 10 ms each
    shape, dtype, chunks = (8, 4096), np.dtype("float64"), (1, 8)
    def __getitem__(self, key):
        time.sleep(0.01)
        return np.ones(tuple(len(range(*k.indices(n))) for k, n in zip(key, self.shape)))
t, eye = pv.from_chunks(Slow()), pv.to_sparse(pv.eye(512))
r, x = pv.asarray(np.random.rand(10_000_000)), pv.ones((20_000_000,))
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.3)
begun = time.monotonic()
try:
    CODE
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - begun)
"""


@pytest.mark.parametrize(
    "code",
    [
        "pv.compensated_sum(pv.broadcast_to(pv.ones((1,)), (10_000_000_000,)))",
        "pv.argshuffle(300_000_000, 1)",
        "pv.expanding_window(r, 'median')",
        "pv.expanding_window(r[:100_000], 'variance')",
        "pv.sum(pv.emap(lambda v: v + 1, x))",
        "pv.sum(t)",
        "pv.sum(pv.sqrt(t) + 1, 0)",
        "pv.sort(t)",
        "pv.reshape(t, (64, -1)) @ eye.T",
        "pv.reshape(t, (64, -1)) @ pv.ones((512, 2))",
        "list(pv.blocks(t, (8, 64)))",
    ],
)
def test_a_signal_ends_work_of_every_kind(code):
    told = run(INTERRUPTED.replace("CODE", code)).stdout.split()
    assert told[0] == "interrupted" and float(told[1]) < 5, told  # a second, on a machine that is not busy
