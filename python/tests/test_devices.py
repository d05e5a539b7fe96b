"""Arrays on devices: on one of OpenCL; where there is none, what is said then."""

import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from device_samples import DEVICE, TYPES, on_device, same, sample, there

import purview as pv

HAS_GPU = pv._core._has_gpu
ADVICE = r'x\.to_device\("cpu"\)'


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
def test_beside_a_function_of_python():
    # Where one is alive, work of any length is done without the interpreter's lock.
    alive = pv.emap(lambda v: v + 1, pv.asarray([1.0, 2.0]))
    test_slices_masks_and_indexes()
    assert alive.tolist() == [2, 3]


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
    for size in (2**61, 2**61 + 4, 2**60):  # bytes that no integer counts
        for make in (pv.zeros, pv.empty, lambda n, device: pv.full(n, 2.5, device=device)):
            with pytest.raises(ValueError, match=str(size)):
                make(size, device=DEVICE)
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


@on_device
def test_what_has_a_form_and_what_has_none():
    """The list in docs/python.md; operands of both sides are named as they were written; indexes come along."""
    x = there(np.arange(6.0).reshape(2, 3))
    for f in (pv.sort, pv.median, pv.unique_values, pv.histogram, pv.nonzero, pv.cov, lambda t: pv.searchsorted(t[0], [1.0])):
        with pytest.raises(pv.DeviceError, match=ADVICE):
            f(x)
    for f in (pv.var, pv.argmax, pv.compile(lambda t: t * 2), pv.std):
        assert np.allclose(f(x).to_device("cpu"), f(x.to_device("cpu")))
    for index in ([2, 0], range(2), np.array([1, -1]), pv.arange(3)):
        assert np.array_equal(pv.take(x, index, axis=1).to_device("cpu"), np.arange(6.0).reshape(2, 3)[:, index])
    with pytest.raises(pv.DeviceError, match=r"shape \[3\] of float32 lies in the host's memory, an operand of shape \[2 3\] of float64 on the device"):
        float(pv.sum(x + np.ones(3, "f4")))
    with pytest.raises(pv.KindError, match=r"to_device: a sparse float64 of shape \[3 3\] would become dense: to_dense\(x\) first"):
        pv.to_device(pv.to_sparse(np.eye(3)), DEVICE)
    with pytest.raises(pv.DtypeError, match="complex128"):
        there(np.ones(2) * 1j)
