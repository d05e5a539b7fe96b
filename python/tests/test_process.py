"""Arrays and the interpreter: signals, threads, forks, memory."""

import gc
import sys
import threading

import numpy as np
import pytest
from processes import run

import purview as pv


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
    "code", ["y + y", "pv.sum(pv.sin(x))", "pv.sum(reader)", "pv.sum(pv.emap(lambda v: v + 1, x))", "pv.sort(unsorted)", "pv.sum(pv.sin(long))", "pv.asarray(HasArray())", "pv.fixed_rolling_window(x[:500], 3, lambda w: w[0])", "pv.grad(traced)(y)", "pv.compile(traced)(y)", "pv.compile(pv.value_and_grad(traced))(y)", "pv.sum(pv.from_chunks(chunks))", "pv.iterate(lambda u: pv.emap(lambda v: v + 1, u) + pv.sum(u), y, 50, call=lambda *now: None)"]
)
def test_daemon_threads_that_compute_at_the_end(code):
    """Before Python 3.14, a thread that asks for the lock of an ended interpreter is unwound, through C++."""
    for _ in range(4):
        done = run(DAEMONS.replace("CODE", code))
        assert done.returncode == 0 and done.stderr == "", done


def test_a_program_refuses_another_number_of_arguments():
    program = pv.compile(lambda x: x + 1).traced([1.0])
    for arguments in ((), ([1.0], [2.0])):
        with pytest.raises(pv.ShapeError, match="has 1"):
            program(arguments)
    assert program(([1.0],)).tolist() == [2]


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
        "memoryview(t)",
        "np.asarray(t)",
        "np.array(pv.sqrt(t), 'f4')",
        "np.sum([t, t])",
    ],
)
def test_a_signal_ends_work_of_every_kind(code):
    told = run(INTERRUPTED.replace("CODE", code)).stdout.split()
    assert told[0] == "interrupted" and float(told[1]) < 5, told  # a second, on a machine that is not busy
