"""Children of processes that compute."""

import os

import numpy as np
from processes import run

import purview as pv


def test_forks_after_import_compute():
    x = pv.asarray(np.arange(100_000.0))
    assert pv.sum(x * 2).item() == 9999900000
    pid = os.fork()
    if pid == 0:
        ok = pv.sum(x * 2).item() == 9999900000 and (pv.ones((64, 64)) @ pv.ones((64, 64)))[0, 0].item() == 64
        os._exit(0 if ok else 1)
    assert os.waitpid(pid, 0)[1] == 0


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
