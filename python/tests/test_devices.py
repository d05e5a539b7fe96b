"""Arrays on devices: on one of OpenCL, which PoCL makes of the processor; where there is none, what is said then.

PURVIEW_FAKE_CUDA names a libcuda.so.1 over the host's memory (tests/gpu/fake_cuda): streams of CUDA are tried with that."""

import copy
import ctypes
import gc
import os
import pathlib
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import purview as pv

TYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split()
DEVICE = next((each for each in pv.devices() if each.startswith("opencl")), None)
on_device = pytest.mark.skipif(DEVICE is None, reason="there is no device of OpenCL")
HAS_GPU = pv._core._has_gpu
ADVICE = r'x\.to_device\("cpu"\)'


def there(x):
    return pv.to_device(x, "opencl")


def back(x):
    """NumPy's array of what lies on a device."""
    assert x.device == DEVICE
    return np.asarray(x.to_device("cpu"))


def same(x, want):
    """Asserts the type, the shape and the bits."""
    have = back(x)
    assert (have.dtype, have.shape) == (want.dtype, want.shape)
    np.testing.assert_array_equal(have, want)
    if want.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(have), np.signbit(want))


def sample(shape, dtype, seed=0):
    rng = np.random.default_rng([seed, *shape])
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if dtype.startswith("float"):
        return rng.normal(size=shape).astype(dtype)
    return rng.integers(1, 100, shape).astype(dtype)


# Without a device.


def test_the_processor_is_a_device():
    x = pv.asarray([1.0, 2.0])
    assert x.device == "cpu" == (x * 2).device
    assert np.shares_memory(np.asarray(x), np.asarray(x.to_device("cpu")))
    assert pv.to_device([1, 2], "cpu").tolist() == [1, 2]
    assert pv.zeros(2, device="cpu").device == "cpu"
    assert pv.__array_namespace_info__().devices() == ("cpu", *pv.devices())
    assert x.__dlpack_device__() == (1, 0)
    with pytest.raises(ValueError, match="no streams"):
        x.to_device("cpu", stream=1)
    with pytest.raises(TypeError, match="a device is a text"):
        x.to_device(1)


def test_a_device_that_there_is_not():
    names = [*pv.devices()]
    for call in (
        lambda: pv.to_device([1], "cuda:99"),
        lambda: pv.asarray([1], device="cuda:99"),
        lambda: pv.zeros(3, device="cuda:99"),
        lambda: pv.arange(3, device="cuda:99"),
        lambda: pv.astype([1], "int8", device="cuda:99"),
    ):
        with pytest.raises(pv.DeviceError) as caught:
            call()
        text = str(caught.value)
        assert "cuda:99" in text and all(each in text for each in names) if HAS_GPU else "built without purview::gpu" in text


def test_without_drivers():
    """The module is imported, and says that there is nothing."""
    code = """if True:
        import purview as pv
        assert pv.devices() == ()
        try:
            pv.to_device([1], "opencl")
        except pv.DeviceError as error:
            assert "no device" in str(error) or "without purview::gpu" in str(error), error
        else:
            raise AssertionError
        try:
            pv.from_dlpack(type("X", (), {"__dlpack_device__": lambda self: (2, 0), "__dlpack__": lambda self, **options: 1})())
        except pv.DeviceError as error:
            print(error)
    """
    hidden = {"OCL_ICD_VENDORS": "/nonexistent", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | hidden, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "cuda:0" in done.stdout or "without purview::gpu" in done.stdout


# With one.


@on_device
def test_what_devices_say():
    each = pv.devices()[0]
    assert isinstance(each, str) and each.name and each.memory_bytes > 0
    assert there([1.0]).device == DEVICE == there([1.0]).to_device(DEVICE).device


@on_device
@pytest.mark.parametrize("dtype", TYPES)
def test_there_and_back(dtype):
    for shape in [(), (0,), (7,), (3, 4), (2, 0, 3)]:
        h = sample(shape, dtype)
        same(there(h), h)
        same(pv.asarray(h, device=DEVICE), h)
    h = sample((6, 5), dtype)
    for view in (h[::-1], h.T, h[1::2, ::-2], np.broadcast_to(h[0], (3, 5))):
        same(there(view), view)
    same(there(pv.asarray(h)[::2].T), h[::2].T)
    assert there(h).to_device("cpu").tolist() == h.tolist() == there(h).tolist()


@on_device
@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8", "float32", "float64"])
def test_arithmetic_has_the_bits_of_numpy(dtype):
    a, b = sample((40, 33), dtype), sample((40, 33), dtype, 1)
    x, y = there(a), there(b)
    same(x + y, a + b)
    same(x - y, a - b)
    same(x * y, a * b)
    same(x[::-1] * 2, a[::-1] * a.dtype.type(2))
    same(x - y[0], a - b[0])
    if dtype.startswith("float"):
        same((x + y) / y, (a + b) / b)
        same(pv.where(x > y, x, -y), np.where(a > b, a, -b))
    same(x < y, a < b)


@on_device
def test_sums():
    a = sample((300, 41), "float32")
    x = there(a)
    for options in ({}, {"axis": 0}, {"axis": 1}, {"axis": 1, "keepdims": True}):
        want = np.asarray(pv.sum(pv.asarray(a), **options))
        same(pv.sum(x, **options), want)
    n = sample((300, 41), "int64")
    same(pv.sum(there(n), axis=0), n.sum(0))
    assert float(pv.max(x)) == a.max() and int(pv.sum(there(n))) == n.sum()
    assert bool(pv.all(x == x)) and pv.sum(x).device == DEVICE


@on_device
def test_slices_masks_and_indexes():
    a = sample((9, 7), "float64")
    x, i = there(a), there([2, 0, 5])
    same(x[1:7:2, ::-1], a[1:7:2, ::-1])
    same(x[x > 0], a[a > 0])
    same(x[there(a[:, 0] > 0)], a[a[:, 0] > 0])
    same(x[a[:, 0] > 0, 1], a[a[:, 0] > 0, 1])
    same(x[[3, 1]], a[[3, 1]])
    same(x[i], a[[2, 0, 5]])
    same(x[i, [0, 1, 2]], a[[2, 0, 5], [0, 1, 2]])
    same(x[i[0]], a[2])
    same(pv.take(x, [1, 0], axis=1), a[:, [1, 0]])
    assert a[i[0], 0] == a[2, 0] == x[2, 0].item() == float(x[2, 0])
    assert [row.device for row in x] == [DEVICE] * 9 and [float(v) for v in x[0]] == a[0].tolist()
    assert pv.asarray(a)[i].device == "cpu"


@on_device
def test_writing():
    a = sample((5, 4), "float64")
    x, h = there(a), a.copy()
    for array in (x, h):
        array[0] = 5
        array[1, 1] = 7
        array[array > 1] = 0
        array += 1
        array[2] = array[0] * 2
        array[3] = [1, 2, 3, 4]
        array[[0, 4]] = -1
        array[:, 1] = a[:, 1]
    same(x, h)
    here = pv.zeros((5, 4))
    here[...] = x
    np.testing.assert_array_equal(np.asarray(here), h)
    first = x[0, 0]
    x[0, 0] = 9
    assert first.item() == h[0, 0]


@on_device
def test_new_arrays():
    same(pv.zeros((2, 3), device=DEVICE), np.zeros((2, 3)))
    same(pv.full((2,), 7, dtype="float16", device="opencl"), np.full(2, 7, "float16"))
    same(pv.ones(3, dtype="bool", device=DEVICE), np.ones(3, "bool"))
    same(pv.arange(5, device=DEVICE), np.arange(5))
    same(pv.linspace(0, 1, 5, device=DEVICE), np.linspace(0, 1, 5))
    same(pv.eye(3, device=DEVICE), np.eye(3))
    same(pv.ones_like(there([1, 2])), np.ones(2, "int64"))
    assert pv.empty_like(there([1, 2])).device == DEVICE and pv.empty(3, device=DEVICE).shape == (3,)
    assert pv.zeros_like(there([1.0]), device="cpu").device == "cpu"
    assert copy.deepcopy(there([1.0])).device == there([1.0]).copy().device == DEVICE
    same(pv.asarray(there([1, 2]), dtype="float32"), np.array([1, 2], "float32"))


@on_device
def test_the_text_says_the_device():
    x = there(np.arange(3.0))
    assert repr(x) == f"array([0., 1., 2.], device='{DEVICE}')"
    assert str(x * 2) == "[0. 2. 4.]" and f"{x[1]:.1f}" == "1.0"
    assert repr(x[:0]) == f"array([], dtype=float64, device='{DEVICE}')"
    assert repr(there(np.arange(2000.0))).endswith(f"shape=(2000,), device='{DEVICE}')")
    assert DEVICE in x._repr_html_()


@on_device
@pytest.mark.parametrize(
    "call",
    [
        np.asarray,
        memoryview,
        pickle.dumps,
        bytes,
        lambda x: np.array(x * 2),
        lambda x: np.convolve(x, x),
        lambda x: np.add.at(x, [0], 1),
        lambda x: x.__array__(),
        lambda x: x.__arrow_c_array__(),
        lambda x: x + np.arange(4.0),
        lambda x: (x + np.arange(4.0)).tolist(),
        lambda x: pv.sort(x),
        lambda x: x.__dlpack__(dl_device=(1, 0), copy=False),
    ],
)
def test_refusals_say_what_to_do(call):
    with pytest.raises(pv.DeviceError, match=ADVICE):
        repr(call(there(np.arange(4.0))))


@on_device
def test_other_refusals(tmp_path):
    x = there(np.arange(4.0))
    with pytest.raises(pv.DeviceError, match=ADVICE):
        pv.save_npy(tmp_path / "x.npy", x)
    assert not list(tmp_path.iterdir())
    assert not hasattr(x, "__array_interface__")
    with pytest.raises(ValueError, match="without a copy"):
        pv.asarray(x, device="cpu", copy=False)
    for stream in (0, 1, -1):
        with pytest.raises(ValueError, match="None"):
            x.__dlpack__(stream=stream)
    with pytest.raises(BufferError, match="to_device"):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="copy=False"):
        (x * 2).__dlpack__(copy=False)
    with pytest.raises(pv.DtypeError, match="no form"):
        there(1 + 2j)


# DLPack.


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
        from test_devices import Producer
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
        from test_devices import Producer, managed_in
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
