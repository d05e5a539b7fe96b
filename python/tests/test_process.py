"""Arrays and the interpreter: signals, threads, forks, memory."""

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
    "code", ["y + y", "pv.sum(pv.sin(x))", "pv.sum(reader)", "pv.sum(pv.emap(lambda v: v + 1, x))", "pv.sort(unsorted)", "pv.sum(pv.sin(long))", "pv.asarray(HasArray())", "pv.fixed_rolling_window(x[:500], 3, lambda w: w[0])"]
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


INTERRUPTED = """
import signal, time
import numpy as np, purview as pv
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
    ],
)
def test_a_signal_ends_work_of_every_kind(code):
    told = run(INTERRUPTED.replace("CODE", code)).stdout.split()
    assert told[0] == "interrupted" and float(told[1]) < 5, told  # a second, on a machine that is not busy
