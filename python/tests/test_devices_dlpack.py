"""Arrays on devices that others share by DLPack.

PURVIEW_FAKE_CUDA names a libcuda.so.1 over the host's memory (tests/gpu/fake_cuda): streams of CUDA are tried with that."""

import ctypes
import gc
import os
import pathlib
import subprocess
import sys
import threading

import numpy as np
import pytest
from device_samples import DEVICE, TYPES, on_device, same, sample, there

import purview as pv


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32), ("dtype", ctypes.c_uint8 * 4)]
    _fields_ += [("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64)]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Versioned(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32 * 2), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]
    _fields_ += [("flags", ctypes.c_uint64), ("tensor", Tensor)]


class Unversioned(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


def managed_in(capsule):
    """The structure in a capsule."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    if "versioned" in repr(capsule):
        return Versioned.from_address(pointer(capsule, b"dltensor_versioned"))
    return Unversioned.from_address(pointer(capsule, b"dltensor"))


class Producer:
    """Another library's array: one of ours behind DLPack alone. Counts what is called."""

    deleters = []  # which are called when their producer is gone, and keep it

    def __init__(self, array, is_versioned=True):
        self.array, self.is_versioned, self.asked, self.deleted = array, is_versioned, [], 0

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **options):
        if not self.is_versioned and "max_version" in options:
            raise TypeError("no max_version")
        self.asked.append(options)
        capsule = self.array.__dlpack__(**options)
        managed = managed_in(capsule)
        ours = DELETER(managed.deleter)

        @DELETER
        def deleter(itself):
            self.deleted += 1
            ours(itself)

        self.deleters.append(deleter)
        managed.deleter = ctypes.cast(deleter, ctypes.c_void_p).value
        return capsule


@on_device
@pytest.mark.parametrize("is_versioned", [True, False])
def test_dlpack_shares_the_memory(is_versioned):
    a = sample((6, 5), "float32")
    x = there(a)
    for view, want in ((x, a), (x[::-1], a[::-1]), (x.T, a.T), (x[1::2, 2:], a[1::2, 2:]), (x[2, 3:4], a[2, 3:4])):
        same(pv.from_dlpack(Producer(view, is_versioned)), want)
    y = pv.asarray(Producer(x, is_versioned))
    y[0, 0] = 77
    assert x[0, 0].item() == 77
    x[1, 1] = 78
    assert y[1, 1].item() == 78 and y.__dlpack_device__() == (4, int(DEVICE.partition(":")[2]))


@on_device
@pytest.mark.parametrize("dtype", TYPES)
def test_dlpack_of_all_types(dtype):
    h = sample((3, 4), dtype)
    same(pv.from_dlpack(Producer(there(h))), h)


@on_device
@pytest.mark.parametrize("is_versioned", [True, False])
def test_dlpack_calls_the_deleter_once(is_versioned):
    producer = Producer(there(np.arange(1000.0)), is_versioned)
    y = pv.from_dlpack(producer)
    producer.array = None  # the exchanged memory has it
    total = pv.sum(y)
    assert producer.deleted == 0 and total.item() == 499500
    twice = y * 2  # lazy, of the memory
    del y
    gc.collect()
    assert producer.deleted == 0 and twice[999].item() == 1998
    del twice
    for _ in range(100):  # it goes once what was begun is done
        there([1.0]).tolist()
    assert producer.deleted == 1
    # A capsule that nobody takes frees what it has, once.
    producer = Producer(there(np.arange(3.0)), is_versioned)
    capsule = producer.__dlpack__(**({"max_version": (1, 0)} if is_versioned else {}))
    del capsule
    gc.collect()
    assert producer.deleted == 1


@on_device
def test_memory_is_given_back():
    gc.collect()
    used = pv._core._bytes_used(DEVICE)
    x = there(np.arange(100_000.0))
    with_it = pv._core._bytes_used(DEVICE)
    assert with_it - used >= 800_000
    capsule = x.__dlpack__(max_version=(1, 0))
    producer = Producer(x)
    consumer = pv.from_dlpack(producer)
    del x, producer.array
    assert consumer[5].item() == 5 and pv._core._bytes_used(DEVICE) >= with_it
    del consumer
    for _ in range(100):  # the producer's part goes once what was begun is done
        there([1.0]).tolist()
    assert pv._core._bytes_used(DEVICE) >= with_it  # the capsule has it
    del capsule
    assert pv._core._bytes_used(DEVICE) == used
    for _ in range(3):
        with pytest.raises(pv.DeviceError):
            np.asarray(there(np.arange(100_000.0)))
        with pytest.raises(BufferError):
            there(np.arange(100_000.0)).__dlpack__(dl_device=(2, 0))
    gc.collect()
    assert pv._core._bytes_used(DEVICE) == used


@on_device
def test_threads():
    a = sample((100, 37), "float64")
    wrong = []

    def work(k):
        for _ in range(10):
            x = there(a + k)
            y = pv.from_dlpack(Producer(x * 2))
            have = (y[::-1] + x)[x > 0.5].to_device("cpu")
            if not np.array_equal(np.asarray(have), (((a + k) * 2)[::-1] + (a + k))[a + k > 0.5]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


@on_device
def test_after_a_fork_and_at_the_end():
    """A child says that it has no devices, and neither it nor its parent hangs or crashes with arrays left."""
    code = f"""if True:
        import os, sys
        sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
        import purview as pv
        from test_devices_dlpack import Producer
        x = pv.to_device([1.0, 2.0], "opencl")
        y = pv.from_dlpack(Producer(x))
        child = os.fork()
        if child == 0:
            try:
                (x + 1).tolist()
            except pv.DeviceError as error:
                sys.exit(7 if "fork" in str(error) else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        print((x + y).tolist())
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stdout == "[2.0, 4.0]\n", done.stderr


@on_device
def test_dlpack_of_what_is_computed_or_copied():
    a = np.arange(6.0)
    x = there(a)
    for given, options, is_copied in ((x, {}, 0), (x * 2, {}, 2), (x, {"copy": True}, 2), (x[[1, 0]], {}, 2), (x, {"dl_device": (1, 0)}, 2)):
        capsule = given.__dlpack__(max_version=(1, 0), **options)
        managed = managed_in(capsule)
        assert managed.flags & 2 == is_copied and managed.tensor.device[0] == (1 if options.get("dl_device") else 4)
    same(pv.from_dlpack(Producer(x * 2)), a * 2)
    copied = pv.from_dlpack(x, copy=True)
    copied[0] = 5
    assert x[0].item() == 0
    np.testing.assert_array_equal(np.from_dlpack(x, device="cpu"), a)
    assert pv.from_dlpack(Producer(x), device="cpu").device == "cpu"
    with pytest.raises((BufferError, RuntimeError)):
        np.from_dlpack(x)


@on_device
def test_dlpack_keeps_read_only():
    x = pv.broadcast_to(there([1.0]), (3,))
    y = pv.from_dlpack(Producer(x))
    assert y.tolist() == [1, 1, 1]
    with pytest.raises(pv.ReadOnlyError):
        y[0] = 2
    unversioned = pv.from_dlpack(Producer(x, is_versioned=False))  # which cannot say it: a copy
    unversioned[0] = 2
    assert unversioned.tolist() == [2, 1, 1] and x.tolist() == [1, 1, 1]


@on_device
def test_dlpack_asks_opencl_for_no_stream():
    producer = Producer(there([1.0]))
    pv.from_dlpack(producer)
    assert producer.asked == [{"max_version": (1, 0)}]


@pytest.mark.skipif("PURVIEW_FAKE_CUDA" not in os.environ, reason="PURVIEW_FAKE_CUDA names no library")
def test_streams_of_cuda():
    code = """if True:
        import purview as pv
        from test_devices_dlpack import Producer, managed_in
        assert pv.devices() == ("cuda:0",)
        x = pv.to_device([1.0, 2.0], "cuda")
        assert x.device == "cuda:0" and x.tolist() == [1, 2] and x.__dlpack_device__() == (2, 0)
        for stream in (None, 1, -1):
            capsule = x.__dlpack__(stream=stream, max_version=(1, 0))
            assert list(managed_in(capsule).tensor.device) == [2, 0]
            y = pv.to_device([3.0], "cuda", stream=stream)
            assert y.tolist() == [3]
        for stream, kind in ((0, ValueError), (-2, ValueError), (2**80, ValueError), ("1", TypeError), (1.0, TypeError), (True, TypeError)):
            try:
                x.__dlpack__(stream=stream)
            except kind as error:
                assert "stream" in str(error), error
            else:
                raise AssertionError(stream)
        for is_versioned in (True, False):
            producer = Producer(x, is_versioned)
            y = pv.from_dlpack(producer)
            assert y.tolist() == [1, 2]
            stream = producer.asked[-1]["stream"]
            assert stream not in (-1, 0, 1, 2, None)  # ours, by its address
            del y
            pv.to_device([1.0], "cuda").tolist()
            assert producer.deleted == 1
        z = pv.to_device(x, "cpu", stream=1)
        assert z.tolist() == [1, 2]
        print("done")
    """
    library = pathlib.Path(os.environ["PURVIEW_FAKE_CUDA"])
    paths = os.pathsep.join([str(pathlib.Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    alone = {"LD_LIBRARY_PATH": str(library.parent), "PURVIEW_NVRTC": str(library), "OCL_ICD_VENDORS": "/nonexistent"}
    alone |= {"PURVIEW_GPU_CACHE": "off", "PYTHONPATH": paths}
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | alone, capture_output=True, text=True)
    assert done.returncode == 0 and "done" in done.stdout, done.stderr
