"""Arrays of and for others: memory in place, views, writes, errors."""

import gc
import sys

import numpy as np
import pytest

import purview as pv

TYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()


def layouts(x):
    """x in other layouts of memory: views of NumPy's."""
    yield x
    yield x.copy(order="F")
    yield np.repeat(np.repeat(x, 2, axis=0), 2, axis=-1)[::2, ..., ::2] if x.ndim > 1 else np.repeat(x, 2)[::2]
    yield x[::-1]


@pytest.mark.parametrize("name", TYPES)
def test_numpy_in_place(name):
    for shape in [(5,), (3, 4), (2, 3, 4), (0, 3)]:
        values = np.arange(np.prod(shape)).reshape(shape).astype(name)
        for x in layouts(values):
            t = pv.asarray(x)
            assert t.shape == x.shape and str(t.dtype) == f"purview.{name}" and t.size == x.size and t.ndim == x.ndim
            back = np.asarray(t)
            assert back.dtype == x.dtype and np.array_equal(back, x)
            assert x.size == 0 or np.shares_memory(back, x)
            assert np.array_equal(np.from_dlpack(t), x)
            assert np.array_equal(np.asarray(memoryview(t)), x)


def test_writes_show_on_both_sides():
    x = np.arange(12.0).reshape(3, 4)
    t = pv.asarray(x)
    t[1, 2] = -1
    assert x[1, 2] == -1
    x[0, 0] = 7
    assert t[0, 0].item() == 7
    t[:, 1] = t[:, 0] * 2
    assert np.array_equal(x[:, 1], x[:, 0] * 2)
    t[t > 5] = 0
    assert not (x > 5).any()
    t += 1
    assert x[2, 3] == 1
    row = t[0]
    row[...] = [1, 2, 3, 4]
    assert x[0].tolist() == [1, 2, 3, 4]


def test_read_only_stays():
    x = np.arange(3.0)
    x.flags.writeable = False
    t = pv.asarray(x)
    with pytest.raises(pv.ReadOnlyError, match="can only be read"):
        t[0] = 1
    with pytest.raises(pv.ReadOnlyError):
        t += 1
    assert not np.asarray(t).flags.writeable
    assert pv.asarray(memoryview(b"xyz")).tolist() == [120, 121, 122]


def test_owners_live_as_long_as_views():
    x = np.arange(1000.0)
    before = sys.getrefcount(x)
    t = pv.asarray(x)
    part = (t + 1)[10:20]
    assert sys.getrefcount(x) > before
    del t
    gc.collect()
    assert part.tolist() == list(range(11, 21))
    del part
    gc.collect()
    assert sys.getrefcount(x) == before

    t = pv.asarray([1.0, 2.0, 3.0])
    back = np.asarray(t)
    del t
    gc.collect()
    assert back.tolist() == [1, 2, 3]


def test_lazy_results_are_the_consumers_own():
    t = pv.asarray([1.0, 2.0])
    back = np.asarray(t * 2)
    back[0] = 99
    assert (t * 2).tolist() == [2, 4]


def test_other_byte_order():
    x = np.arange(4, dtype=">f8")
    assert pv.asarray(x).tolist() == [0, 1, 2, 3]
    assert np.asarray(pv.asarray(x)).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "values", [3, 2.5, True, 1 + 2j, [1, 2], [[1.5, 2], [3, 4]], [True, False], [], [[], []], (1, 2j), range(4), [2**63]]
)
def test_numbers_and_lists(values):
    want = np.asarray(values)
    t = pv.asarray(values)
    assert t.shape == want.shape and t.tolist() == want.tolist()
    assert t.dtype == want.dtype


def test_conversions():
    t = pv.asarray([1.7, -2.2])
    assert t.astype("int32").tolist() == [1, -2]
    assert pv.asarray([1, 2], dtype=pv.float32).dtype == np.float32
    assert np.dtype(pv.float32) == np.float32
    assert float(t[0]) == 1.7 and int(t[1]) == -2 and complex(t[0]) == 1.7 and bool(t[0])
    assert [10, 20, 30][pv.asarray(1)] == 20
    with pytest.raises(TypeError):
        [1, 2][pv.asarray(1.0)]
    with pytest.raises(ValueError, match="one element"):
        float(t)


KEYS = [
    0,
    -1,
    slice(1, None),
    slice(None, None, -1),
    (0, 1),
    (slice(None), 2),
    (..., 1),
    (None, 0),
    [0, 2],
    [[0, 1], [2, 0]],
    (slice(None), [3, 1]),
    ([0, 1], [1, 2]),
    ([0, 2], slice(None), 1),
    (0, slice(None), [1, 2]),
    (slice(None), [1], [0, 2]),
    (slice(0, 0),),
    (),
    ([],),
    np.array([2, 0]),
    (1, ..., None),
]


@pytest.mark.parametrize("key", KEYS, ids=map(repr, range(len(KEYS))))
def test_indexing_as_numpy(key):
    x = np.arange(60).reshape(3, 4, 5)
    t = pv.asarray(x.copy())
    assert np.array_equal(np.asarray(t[key]), x[key]) and t[key].shape == x[key].shape
    want = x.copy()
    want[key] = -7
    t[key] = -7
    assert np.array_equal(np.asarray(t), want)


def test_masks():
    x = np.arange(24).reshape(4, 6)
    t = pv.asarray(x)
    assert np.array_equal(np.asarray(t[t % 3 == 0]), x[x % 3 == 0])
    assert np.array_equal(np.asarray(t[np.array([True, False, True, False])]), x[[0, 2]])
    assert t[True].shape == x[True].shape and t[False].shape == x[False].shape
    for one in (np.bool_(True), np.bool_(False), np.array(True), np.array(False), pv.asarray(True), x[0, 0] > 1e9):
        assert np.array_equal(np.asarray(t[one]), x[np.asarray(one)]) and t[one].shape == x[np.asarray(one)].shape
    y, s = np.arange(3.0), pv.asarray(np.arange(3.0))
    s[np.bool_(True)] = 5
    s[np.bool_(False)] = 7
    y[np.bool_(True)] = 5
    assert s.tolist() == y.tolist()


@pytest.mark.parametrize(
    "error, base, code",
    [
        ("IndexError", IndexError, "t[7]"),
        ("IndexError", IndexError, "t[0, 0, 0]"),
        ("IndexError", IndexError, "t['a']"),
        ("IndexError", IndexError, "t[[0.5]]"),
        ("ShapeError", ValueError, "t + pv.asarray([1, 2, 3])"),
        ("ShapeError", ValueError, "pv.asarray([[1, 2], [3]])"),
        ("ShapeError", ValueError, "pv.asarray([1, [2]])"),
        ("ShapeError", ValueError, "pv.reshape(t, (5, 5))"),
        ("ArithmeticError", ZeroDivisionError, "(pv.asarray([1, 2]) // 0).tolist()"),
        ("CastError", OverflowError, "pv.asarray([1], dtype='int8') + 1000"),
        ("CastError", OverflowError, "pv.asarray(2**70)"),
        ("DtypeError", TypeError, "pv.asarray([1], dtype='int3')"),
        ("DtypeError", TypeError, "pv.asarray([1], dtype='uint64') + pv.asarray([1])"),
    ],
)
def test_errors(error, base, code):
    t = pv.asarray(np.arange(12.0).reshape(3, 4))
    with pytest.raises(getattr(pv, error)) as raised:
        eval(code, {"pv": pv, "t": t})
    assert isinstance(raised.value, base) and isinstance(raised.value, pv.Error)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("code", ["pv.asarray(b'abc')", "pv.asarray(object())", "t + 'x'", "t + None", "pv.asarray([b'a'])"])
def test_wrong_types(code):
    with pytest.raises(TypeError) as raised:
        eval(code, {"pv": pv, "t": pv.asarray([1.0])})
    assert "\n" not in str(raised.value)


def test_hashes_and_types():
    assert {pv.int8: 1}[pv.dtype("int8")] == 1
    assert pv.float64 == "float64" and pv.float64 != "float32" and pv.float64 != None and pv.bool == bool  # noqa: E711
    with pytest.raises(TypeError):
        hash(pv.asarray(1))


@pytest.mark.filterwarnings("ignore")
def test_an_object_without_an_array():
    x = pv.Array.__new__(pv.Array)
    for use in (
        lambda: x + 1,
        lambda: -x,
        lambda: x[0],
        lambda: x.__setitem__(0, 1),
        lambda: pv.sum(x),
        lambda: 1 < x,
        lambda: iter(x).__next__(),
    ):
        with pytest.raises(TypeError):
            use()


@pytest.mark.parametrize("dtype", ["float64", "int64", "float32", "int8", "bool"])
@pytest.mark.parametrize("value", [0, 7, 2.5, -1, True, 2**53, 2**53 + 1, 2**62, 2**80, float("inf"), 1j, "x", None])
def test_one_element_is_written_as_several_are(dtype, value):
    """A number goes to memory directly, several through the engine: with the same result, or the same error."""

    def written(key):
        x = pv.zeros((2, 3), dtype=dtype)
        try:
            x[key] = value
        except (ValueError, TypeError, OverflowError) as error:
            return type(error)
        return x[1, 2].item()

    assert written((1, 2)) == written((slice(1, 2), slice(2, 3)))
