"""Where objects of other libraries were caught: array interfaces (Pillow), ctypes, bfloat16 (ml_dtypes), Arrow (Polars, pandas), NumPy's and SciPy's functions
that we do not have, signatures, bytes."""

import ctypes
import inspect
import pickle

import numpy as np
import pytest

import purview as pv


class Image:
    """What PIL.Image.Image has: an interface with bytes, and Arrow's, of other rows and channels."""

    def __init__(self, x):
        self.x = np.ascontiguousarray(x)

    @property
    def __array_interface__(self):
        return {"version": 3, "shape": self.x.shape, "typestr": self.x.dtype.str, "data": self.x.tobytes()}

    def __arrow_c_array__(self, requested_schema=None):
        return pv.asarray(np.arange(4.0)).__arrow_c_array__()

    def __arrow_c_schema__(self):
        raise AssertionError


class Struct:
    def __init__(self, x):
        self.x = x

    @property
    def __array_struct__(self):
        return self.x.__array_struct__


class Interface:
    def __init__(self, x):
        self.x = x

    @property
    def __array_interface__(self):
        return self.x.__array_interface__


def equal(t, x):
    assert t.dtype == x.dtype.newbyteorder("=") and t.shape == x.shape and np.array_equal(np.asarray(t), x)


# Pillow: __array_interface__ before __arrow_c_array__.


@pytest.mark.parametrize("dtype", ["u1", "<u2", ">u2", "<i4", "<f4", "|b1"])
def test_images_of_pillow(dtype):
    x = np.arange(24).reshape(2, 4, 3).astype(dtype)
    for each in (x, x[..., 0]):
        image = Image(each)
        equal(pv.asarray(image), each)
        assert pv.sum(image).item() == each.sum() and pv.asarray([image, image]).shape == (2, *each.shape)
        if dtype != "|b1":
            equal(pv.asarray(each) + image, (each + each).astype(dtype))
            assert pv.mean(image).item() == pytest.approx(each.mean())
    assert pv.mean(Image(np.full((2, 2, 3), 9, "u1"))).item() == 9


@pytest.mark.parametrize("wrap", [Struct, Interface])
def test_objects_with_one_interface_are_read_in_place(wrap):
    numbers = "? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16 >i4 >f8 >u2".split()
    for dtype in numbers:
        x = np.arange(12).reshape(3, 4).astype(dtype)
        for each in (x, x[::-1, ::2], x.T, x[1:1], x[0, 0, ...]):
            equal(pv.asarray(wrap(each)), each)
        assert pv.sum(wrap(x), axis=0).tolist() == x.sum(axis=0).tolist()
    x = np.zeros(3)
    pv.asarray(wrap(x))[1] = 7
    assert x[1] == 7
    x.flags.writeable = False
    with pytest.raises(pv.ReadOnlyError):
        pv.asarray(wrap(x))[1] = 8
    equal(pv.asarray(Interface(np.array(["2024-01-01", "NaT"], "M8[s]"))).astype("M8[s]")[:1], np.array(["2024-01-01"], "M8[s]"))


def test_interfaces_that_say_more_than_there_is():
    class Told:
        pass

    def told(**more):
        Told.__array_interface__ = {"version": 3, "typestr": "<i4", "shape": (3,), "data": b"\1\0\0\0" * 3, **more}
        return pv.asarray(Told())

    assert told().tolist() == [1, 1, 1] and told(offset=4, shape=(2,)).tolist() == [1, 1] and told(shape=(0,)).shape == (0,)
    assert told(strides=(0,), shape=(9,)).tolist() == [1] * 9 and told(offset=8, strides=(-4,)).tolist() == [1, 1, 1]
    for wrong in [{"shape": (4,)}, {"offset": 4}, {"offset": -4}, {"strides": (-4,)}, {"shape": (2**62, 2**62)}, {"strides": (2**62,)}]:
        with pytest.raises((ValueError, pv.ShapeError)):
            told(**wrong)
    for other in [{"typestr": "|V4"}, {"typestr": "x"}, {"typestr": "<f16"}, {"mask": np.zeros(3, bool)}]:
        with pytest.raises(TypeError):
            told(**other)


def test_the_interface_of_an_array():
    """As PIL.Image.fromarray reads it: shape, typestr, strides; the elements by the address, or as a buffer."""
    x = np.arange(24, dtype="u1").reshape(2, 4, 3)
    t = pv.asarray(x)
    described = t.__array_interface__
    assert described["data"] == (x.ctypes.data, False) and described["typestr"] == "|u1" and described["shape"] == (2, 4, 3)
    assert described["strides"] is None and t[:, ::2].__array_interface__["strides"] == x[:, ::2].strides
    for each in "? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16 M8[s] m8[ns]".split():
        assert pv.asarray(np.ones(2, each)).__array_interface__["typestr"] == np.ones(2, each).__array_interface__["typestr"]
    for lazy in (t * 1, pv.roll(t, 1), pv.asarray(x.astype(">i4"))):
        assert lazy.__array_interface__["data"] is None
        assert memoryview(lazy).shape == (2, 4, 3)
    for none in (pv.asarray(["a"]), pv.zeros(2, "bfloat16")):
        assert not hasattr(none, "__array_interface__")
    times = np.array(["2024-01-01", "NaT"], "M8[s]")
    assert np.shares_memory(np.asarray(pv.asarray(times)), times) and np.asarray(pv.asarray(times)[::-1][pv.asarray([0])]).dtype == "M8[s]"


# ctypes: buffers without strides.


@pytest.mark.parametrize("kind", "c_int c_double c_float c_bool c_short c_ubyte c_longlong c_ulong c_char".split())
def test_arrays_of_ctypes(kind):
    kind = getattr(ctypes, kind)
    values = [b"a", b"b", b"c"] if kind is ctypes.c_char else [1, 0, 1]
    memory = (kind * 3)(*values)
    t = pv.asarray(memory)
    assert t.shape == (3,) and t.tolist() == (list(b"abc") if kind is ctypes.c_char else values)
    t[0] = t[1]
    assert memory[0] == memory[1] and pv.sum(memory).item() == pv.sum(t).item()
    assert pv.asarray((kind * 3 * 2)()).shape == (2, 3) and pv.asarray((kind * 0)()).shape == (0,)


def test_other_objects_of_ctypes():
    assert pv.asarray(ctypes.c_double(2)).item() == 2 and pv.asarray((ctypes.c_int32.__ctype_be__ * 2)(1, 2)).tolist() == [1, 2]
    assert pv.asarray(np.datetime64("2024-01-01")).dtype.name == "datetime64[D]" and pv.asarray(np.timedelta64(3, "s")).shape == ()

    class Point(ctypes.Structure):
        _fields_ = [("x", ctypes.c_int)]

    with pytest.raises(TypeError):
        pv.asarray((Point * 2)())


# bfloat16.


def test_bfloat16_pickles_and_numpy():
    t = pv.asarray([1.5, -2, np.inf]).astype("bfloat16")
    for x in (t, t[::-1], pv.roll(t, 1), t.reshape(3, 1), t[:0]):
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            back = pickle.loads(pickle.dumps(x, protocol))
            assert back.dtype == pv.bfloat16 and back.shape == x.shape and back.tolist() == x.tolist()
        for dtype in ("f2", "f4", "f8", "c16"):
            assert np.asarray(x, dtype).dtype == dtype and np.asarray(x, dtype).tolist() == x.tolist()
        assert len(bytes(x)) == 2 * x.size
    assert np.array(t, "f4", copy=True).tolist() == t.tolist()


def test_bfloat16_of_a_type_that_was_added_to_numpy():
    """As ml_dtypes.bfloat16: bytes '<V2', and a dtype of that name."""

    class Added:
        def __init__(self, bits):
            self.bits = bits
            self.dtype = type("dtype", (), {"name": "bfloat16"})()

        @property
        def __array_interface__(self):
            return {**self.bits.__array_interface__, "typestr": "<V2"}

    bits = np.array([0x3FC0, 0xC000], "u2")
    t = pv.asarray(Added(bits))
    assert t.dtype == pv.bfloat16 and t.tolist() == [1.5, -2]
    t[0] = 1
    assert bits[0] == 0x3F80 and pv.sum(Added(bits)).item() == -1
    with pytest.raises(TypeError):
        pv.asarray(np.zeros(2, "V2"))


# Arrow: whatever has a protocol.


def test_columns_that_have_a_protocol_of_arrow():
    pa = pytest.importorskip("pyarrow")

    class Series:  # as Polars' and pandas': nothing but a stream
        def __init__(self, chunks, **kind):
            self.chunks = pa.chunked_array(chunks, **kind)

        def __arrow_c_stream__(self, requested_schema=None):
            return self.chunks.__arrow_c_stream__(requested_schema)

    class Looks(Series):  # like pyarrow's
        num_chunks = 7
        column_names = ["x"]

    class One:
        def __arrow_c_array__(self, requested_schema=None):
            return pa.array([1, None]).__arrow_c_array__()

    for make in (Series, Looks):
        values, missing = pv.from_arrow(make([[1, None], [], [3]]))
        assert missing.tolist() == [False, True, False] and values[~missing].tolist() == [1, 3]
        assert pv.from_arrow(make([["a"], ["b"]]))[0].tolist() == ["a", "b"]
        assert pv.from_arrow(make([], type=pa.float64()))[0].dtype == pv.float64
        assert pv.asarray(make([[1.5], [2.5]])).tolist() == [1.5, 2.5]
    assert pv.from_arrow(One())[1].tolist() == [False, True]
    x = np.arange(5.0)
    assert np.asarray(pv.from_arrow(Series([pa.array(x)]))[0]).ctypes.data == x.ctypes.data

    class Table:
        def __arrow_c_stream__(self, requested_schema=None):
            return pa.table({"x": [1], "y": [2]}).__arrow_c_stream__()

    for function in (pv.asarray, pv.from_arrow):
        with pytest.raises(TypeError, match="of 'x', 'y'"):
            function(Table())


def test_what_only_looks_like_arrow():
    class Wrong:
        num_chunks = 1

        def __arrow_c_array__(self, requested_schema=None):
            return 3

    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return 3

    class Named:
        num_chunks = 1
        column_names = ["x"]

    for wrong in (Wrong(), Stream(), Named(), Wrong, 3, "x", None):
        with pytest.raises((TypeError, ValueError)):
            pv.from_arrow(wrong)
        if wrong not in (3, "x"):
            with pytest.raises((TypeError, ValueError)):
                pv.asarray(wrong)


def test_columns_of_pandas():
    pd = pytest.importorskip("pandas")
    for column, want in [(pd.Series([1.5, 2]), [1.5, 2]), (pd.Series(["a", "b"]), ["a", "b"]), (pd.Series([True, False]), [True, False])]:
        values, missing = pv.from_arrow(column)
        assert values.tolist() == want and not missing.tolist()[0]


# NumPy, SciPy, numba: what we do not have is computed on our memory.


def test_functions_of_numpy_that_we_do_not_have():
    x = np.array([3.0, 1.0, 2.0])
    t = pv.asarray(x.copy())
    first, second = np.atleast_1d(t, 2.0)
    assert type(first) is type(second) is pv.Array and first.tolist() == x.tolist() and second.tolist() == [2]
    for rank, function in enumerate((np.atleast_1d, np.atleast_2d, np.atleast_3d), 1):
        assert [a.shape for a in function(t, 2.0, [[1]])] == [a.shape for a in function(x, 2.0, [[1]])] and function(t).ndim == rank
    assert np.iscomplexobj(t) is False and np.iscomplexobj(t * 1j) is True and np.isrealobj(t) is True
    for code in """np.spacing(t)|np.fft.fft(t)|np.linalg.svd(np.outer(t, t))[1]|np.frexp(t)[0]|np.add.outer(t, t)|np.convolve(t, [1, 1])|np.add.reduceat(t, [0, 1])
        np.gcd(t.astype(int), 2)|np.piecewise(t, [t > 1], [5])|np.select([t > 1], [t])|np.sum(t, where=[True, False, True])|np.add.reduce(t, initial=2.0)
        np.subtract.reduce(t)|np.subtract.accumulate(t)|np.linalg.inv(np.outer(t, t) + np.eye(3))|np.apply_along_axis(np.sort, 0, t)|np.split(t, 3)[1]
        np.float_power(t, 2)|np.nan_to_num(t, posinf=3.0)|np.polyval([1, 2], t)""".replace("\n", "|").split("|"):
        want = eval(code, {"np": np, "t": x})
        got = eval(code, {"np": np, "t": t})
        assert type(got) is pv.Array and got.dtype == want.dtype, code
        np.testing.assert_allclose(got, want)
    lazy = t * 2
    assert np.spacing(lazy).tolist() == np.spacing(x * 2).tolist()


def test_functions_of_numpy_that_write():
    t = pv.asarray([1.0, 2.0, 3.0])
    np.add.at(t, [0, 0], 1)
    np.put(t, [1], 9)
    np.copyto(t[2:], 7)
    assert t.tolist() == [3, 9, 7]
    np.putmask(t, t > 8, 0)
    assert t.tolist() == [3, 0, 7]
    out = pv.zeros(3)
    assert np.spacing(t, out=out) is out and out[0].item() == np.spacing(3.0)
    assert np.cumsum(t, out=out) is out and out.tolist() == [3, 3, 10]
    for lost in (lambda: np.add.at(t * 1, [0], 1), lambda: np.put(t * 1, [0], 1), lambda: np.spacing(t, out=t * 1), lambda: np.put(pv.broadcast_to(t, (2, 3)), [0], 1)):
        with pytest.raises(pv.ReadOnlyError):
            lost()


def test_ufuncs_of_others_are_not_taken_for_ours_of_that_name():
    t = pv.asarray([1.0, 2.0])

    def add(x, y):
        return x - y

    own = np.frompyfunc(add, 2, 1)
    assert list(own(t, 1)) == [0, 1]
    assert np.vectorize(lambda x: x + 1)(t).tolist() == [2, 3]


def test_ufuncs_of_scipy():
    special = pytest.importorskip("scipy.special")
    x = np.array([0.5, 1.5])
    for name in ("erf", "gamma", "expit", "logit", "ndtr", "exp1"):
        got = getattr(special, name)(pv.asarray(x))
        assert type(got) is pv.Array and np.array_equal(got, getattr(special, name)(x), equal_nan=True)


# Signatures, bytes, axes, archives.


def test_every_function_has_a_signature():
    for name in dir(pv):
        function = getattr(pv, name)
        if callable(function) and not isinstance(function, type) and not name.startswith("__"):
            assert isinstance(inspect.signature(function), inspect.Signature), name
    for name in dir(pv.Array):
        if callable(getattr(pv.Array, name)) and not name.startswith("__"):
            inspect.signature(getattr(pv.Array, name))
    assert list(inspect.signature(pv.add).parameters) == ["x1", "x2"]
    assert all(p.kind == p.POSITIONAL_ONLY for p in inspect.signature(pv.add).parameters.values())
    assert inspect.signature(pv.asarray).parameters["copy"].default is None
    assert list(inspect.signature(pv.ones(3).astype).parameters) == ["dtype", "copy"]


def test_bytes_swapped_axes_and_empty_members(tmp_path):
    for x in (np.arange(6.0).reshape(2, 3), np.array([], "i4"), np.array(3, "u1"), np.arange(4)[::-2]):
        assert bytes(pv.asarray(x)) == x.tobytes() == pv.asarray(x).tobytes()
    x = np.zeros((2, 3, 4))
    for a in range(-3, 3):
        for b in range(-3, 3):
            assert pv.swapaxes(pv.asarray(x), a, b).shape == np.swapaxes(x, a, b).shape
    arrays = {"y": np.zeros(0), "z": np.zeros((0, 3), "M8[s]"), "i": np.zeros((2, 0), "i2"), "full": np.arange(3)}
    for compressed in (False, True):
        pv.save_npz(tmp_path / "a.npz", compressed=compressed, **arrays)
        with np.load(tmp_path / "a.npz") as back:
            assert all(back[name].dtype == x.dtype and np.array_equal(back[name], x) for name, x in arrays.items())
        assert {name: x.shape for name, x in pv.load_npz(tmp_path / "a.npz").items()} == {name: x.shape for name, x in arrays.items()}


def test_the_array_api_of_2025():
    """array-api-tests 2026.02."""
    x = pv.arange(6.0).reshape(2, 3)
    grid, several = pv.meshgrid(pv.arange(2), pv.arange(3)), pv.broadcast_arrays(x, pv.ones(3))
    assert type(grid) is tuple and type(several) is tuple and [a.shape for a in grid] == [(3, 2)] * 2
    assert pv.expand_dims(x, (0, -1)).shape == (1, 2, 3, 1) and pv.expand_dims(x, axis=(2, 1)).shape == np.expand_dims(np.asarray(x), (2, 1)).shape
    with pytest.raises(IndexError):
        pv.expand_dims(x, (0, 5))
    with pytest.raises(pv.ShapeError):
        pv.expand_dims(x, (0, -4))
