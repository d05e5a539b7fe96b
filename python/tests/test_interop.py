"""Times, Arrow, DLPack."""

import numpy as np
import pytest

import purview as pv

UNITS = "ns us ms s m h D".split()


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("kind", ["datetime64", "timedelta64"])
def test_times_in_place(unit, kind):
    for x in [np.arange(-3, 5).astype(f"{kind}[{unit}]"), np.arange(12).astype(f"{kind}[{unit}]").reshape(3, 4)[:, ::-2]]:
        t = pv.asarray(x)
        assert t.dtype.name == x.dtype.name and t.shape == x.shape
        assert np.array_equal(np.asarray(t), x) and np.shares_memory(np.asarray(t), x)
        assert repr(t) == repr(x) and str(t) == str(x) and t.tolist() == x.tolist()
        assert np.array_equal(np.asarray(pv.sort(t)), np.sort(x)) and pv.max(t).item() == x.max().item()
        assert np.array_equal(np.asarray(t > t[0]), x > x[0]) and np.array_equal(np.asarray(t[::-1]), x[::-1])


def test_times_are_written():
    x = np.array(["2024-01-01", "2025-03-04"], dtype="M8[D]")
    t = pv.asarray(x)
    t[0] = t[1]
    assert x[0] == x[1]
    x.flags.writeable = False
    with pytest.raises(pv.ReadOnlyError):
        pv.asarray(x)[0] = t[1]


def test_times_without_a_type_of_ours():
    with pytest.raises(TypeError):
        pv.asarray(np.arange(3).astype("m8[Y]"))


def test_what_has_no_numbers():
    for x in [np.array([b"a"]), np.array([object()]), np.zeros(2, dtype=[("a", "i4")])]:
        with pytest.raises(TypeError):
            pv.asarray(x)


def test_arrow():
    pa = pytest.importorskip("pyarrow")
    for values in ([1, 2, 3], [1.5, 2.5], [True, False, True], []):
        arrow = pa.array(values, type=pa.float64() if not values else None)
        t = pv.asarray(arrow)
        assert t.tolist() == values
        back = pa.array(t)
        assert back.to_pylist() == values and back.type == arrow.type
    assert pa.array(pv.asarray([1.0, 2.0]) * 2).to_pylist() == [2, 4]
    times = pa.array(np.array(["2024-01-01T00:00:01"], dtype="M8[us]"))
    assert np.asarray(pv.asarray(times)) == np.array(["2024-01-01T00:00:01"], dtype="M8[us]")
    with pytest.raises(pv.FormatError, match="missing"):
        pv.asarray(pa.array([1, None]))
    values, missing = pv.from_arrow(pa.array([1, None, 3]))
    assert missing.tolist() == [False, True, False] and values[0].item() == 1
    with pytest.raises(pv.ShapeError):
        pa.array(pv.asarray(1.0))


def test_arrow_in_place():
    pa = pytest.importorskip("pyarrow")
    x = np.arange(1000.0)
    arrow = pa.array(x)
    assert np.asarray(pv.asarray(arrow)).ctypes.data == arrow.buffers()[1].address
    t = pv.asarray(x)
    assert pa.array(t).buffers()[1].address == x.ctypes.data


def test_dlpack():
    x = np.arange(6.0).reshape(2, 3)
    t = pv.from_dlpack(x)
    t[0, 0] = 5
    assert x[0, 0] == 5 and t.__dlpack_device__() == (1, 0)
    x.flags.writeable = False
    with pytest.raises(pv.ReadOnlyError):
        pv.from_dlpack(x)[0, 0] = 1
    assert not np.from_dlpack(pv.from_dlpack(x)).flags.writeable
    assert np.array_equal(np.from_dlpack(pv.asarray(x) * 2), x * 2)
    with pytest.raises(BufferError):
        t.__dlpack__(dl_device=(2, 0))
    with pytest.raises(AttributeError):
        pv.from_dlpack([1, 2])


def test_copies_as_asked_for():
    x = np.arange(4.0)
    assert np.shares_memory(np.asarray(pv.asarray(x, copy=False)), x)
    assert not np.shares_memory(np.asarray(pv.asarray(x, copy=True)), x)
    for value, options in [([1, 2], {}), (x, {"dtype": "float32"}), (3, {})]:
        with pytest.raises(ValueError):
            pv.asarray(value, copy=False, **options)
    assert np.array(pv.asarray(x), copy=True).tolist() == x.tolist()


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64", "bool"])
def test_numpys_own_type_of_several_alike(kind):
    """NumPy has two types of 64-bit integers, of which other libraries (zarr, Numba) know the one that int64 names."""
    x = np.ones(3, kind)
    for made in (np.asarray(pv.asarray(x)), np.asarray(pv.asarray(x) + pv.asarray(x)), np.asarray(memoryview(pv.asarray(x)))):
        assert type(made.dtype) is type(x.dtype) and made.dtype.char == x.dtype.char
