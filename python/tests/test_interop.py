"""Times, Arrow, DLPack."""

import builtins
import datetime

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


def arrow_types(pa):
    units = "s ms us ns".split()
    yield from map(pa.timestamp, units)
    yield from map(pa.duration, units)
    yield from [pa.timestamp("us", tz="UTC"), pa.date32(), pa.date64(), pa.time32("s"), pa.time64("us")]
    yield from [pa.bool_(), pa.string(), pa.null(), pa.binary(3), pa.dictionary(pa.int32(), pa.int64())]
    yield from map(pa.from_numpy_dtype, "i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8".split())


@pytest.mark.parametrize(
    "x",
    [
        np.array([True, False]),
        *[np.array(["2020-01-01", "NaT", "1969-12-31"], f"M8[{unit}]") for unit in ("D", "s", "ms", "us", "ns")],
        np.array(["2020-01-01T00:00:01.5", "2500-01-01"], "M8[ms]"),
        *[np.array([3000, "NaT", -1000], f"m8[{unit}]") for unit in ("s", "ms", "us", "ns")],
        np.array([1500], "m8[ms]"),
        np.array([2**60], "m8[s]"),
    ],
    ids=lambda x: f"{x.dtype} {x[0]}",
)
def test_arrow_of_a_type_that_is_asked_for(x):
    """As pyarrow makes it of NumPy's arrays, and with its errors."""
    pa = pytest.importorskip("pyarrow")
    for t in (pv.asarray(x), pv.asarray(x[::-1])[::-1]):
        for type in arrow_types(pa):
            try:
                want = pa.array(x, type=type)
            except pa.ArrowException as error:
                with pytest.raises(builtins.type(error)) as raised:
                    pa.array(t, type=type)
                assert str(raised.value) == str(error)
            else:
                made = pa.array(t, type=type)
                assert made.type == type and made.equals(want)


def test_arrow_of_other_elements_of_a_type_that_is_asked_for():
    pa = pytest.importorskip("pyarrow")
    for x in (np.array([0, 1, 2]), np.array([0.0, 1.5])):
        for type in (pa.bool_(), pa.timestamp("s"), pa.duration("ms"), pa.date32(), pa.string()):
            try:
                want = pa.array(x, type=type)
            except pa.ArrowException as error:
                with pytest.raises(builtins.type(error)):
                    pa.array(pv.asarray(x), type=type)
            else:
                assert pa.array(pv.asarray(x), type=type).equals(want)
    texts = pv.asarray(["a", "", "gr\u00fc\u00df"])
    for type in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())):
        made = pa.array(texts, type=type)
        assert made.type == type and made.to_pylist() == texts.tolist()
    assert pa.array(texts, type=pa.binary()).to_pylist() == [each.encode() for each in texts.tolist()]
    for type in (pa.int64(), pa.bool_(), pa.timestamp("s")):  # as of a list of texts
        with pytest.raises(pa.ArrowException):
            pa.array(texts, type=type)
    hours = pv.asarray(np.array([1, 2], "m8[h]"))  # of which pyarrow has none
    assert pa.array(hours, type=pa.duration("ms")).to_pylist() == [datetime.timedelta(hours=1), datetime.timedelta(hours=2)]
    rows = pv.asarray([[1, 2], [3, 4]])
    assert pa.array(rows, type=pa.list_(pa.int64())).to_pylist() == [[1, 2], [3, 4]]
    assert pa.table({"x": rows[0], "y": hours}).schema.types == [pa.int64(), pa.duration("s")]
    assert pa.chunked_array([rows[0]], type=pa.timestamp("s")).type == pa.timestamp("s")
