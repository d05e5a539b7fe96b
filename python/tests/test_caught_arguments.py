"""Where users of NumPy were caught: integers and bools of all kinds as arguments, results that may be written, buffers without strides."""

import ctypes
import hashlib
import inspect
import io
import socket
import struct

import numpy as np
import pytest

import purview as pv

# NumPy: every integer by `__index__`.


class Index:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


INTEGERS = [int, np.int8, np.uint8, np.int64, np.array, pv.asarray, Index]

CALLS = """
    pv.arange(n(5)) | pv.arange(n(2), n(9), n(3)) | pv.eye(n(3)) | pv.eye(n(3), n(4), n(1)) | pv.identity(n(2)) | pv.tri(n(3), n(2), n(1))
    pv.zeros(n(3)) | pv.zeros((n(3), n(2))) | pv.ones([n(2)]) | pv.full((n(2), 2), 7) | pv.empty((n(0), n(2))) | pv.linspace(n(0), n(1), n(5))
    pv.linspace(n(0), n(100), n(3)) | pv.logspace(0, n(2), n(3)) | pv.geomspace(n(1), n(100), n(3)) | pv.zeros_like(t, shape=(n(2), n(2)))
    t.reshape(n(3), n(4)) | t.reshape((n(3), -1)) | pv.reshape(t, (n(2), n(6))) | pv.reshape(t, n(12)) | pv.expand_dims(m, n(1))
    pv.expand_dims(m, (n(0), n(2))) | pv.moveaxis(m, n(0), n(1)) | pv.moveaxis(m, (n(0),), [n(1)]) | pv.squeeze(m[None], n(0))
    pv.permute_dims(m, (n(1), n(0))) | m.transpose(n(1), n(0)) | pv.swapaxes(m, n(0), n(1)) | pv.flip(m, n(1)) | pv.flip(m, (n(0), n(1)))
    pv.roll(t, n(2)) | pv.roll(m, n(1), n(1)) | pv.roll(m, (n(1), n(2)), (n(0), n(1))) | pv.tile(t, n(2)) | pv.tile(m, (n(2), n(1)))
    pv.repeat(t, n(2)) | pv.repeat(m, n(2), n(1)) | pv.repeat(m, [n(1), n(2), n(0)], n(0)) | pv.rot90(m, n(1)) | pv.rot90(m, n(1), (n(0), n(1)))
    pv.broadcast_to(t, (n(2), n(12))) | pv.broadcast_shapes(n(3), (n(2), n(1))) | pv.concat([m, m], n(1)) | pv.stack([m, m], n(1))
    pv.split(t, n(3)) | pv.split(t, [n(2), n(5)]) | pv.split(m, n(2), n(1)) | pv.array_split(t, n(5)) | pv.hsplit(m, n(2)) | pv.unstack(m, axis=n(1))
    pv.tensordot(m, m.T, n(1)) | pv.tensordot(m, m, axes=n(2)) | pv.tensordot(m, m, ((n(0),), (n(0),))) | pv.tensordot(m, m, (n(0), n(0)))
    pv.vecdot(m, m, axis=-1) | pv.trace(m, n(1)) | pv.diagonal(m, n(1)) | pv.diagonal(m, n(0), n(1), n(0)) | pv.diag(t, n(1)) | pv.diagflat(t, n(1))
    pv.tril(m, n(1)) | pv.triu(m, n(1)) | pv.take(m, n(1), n(1)) | pv.take(m, [0], axis=n(0)) | pv.take_along_axis(m, m.argsort(n(1)), axis=n(1))
    pv.sum(m, n(0)) | pv.mean(m, (n(0), n(1))) | pv.max(m, axis=n(1)) | m.min(n(0)) | pv.argmax(m, n(1)) | pv.std(m, n(1)) | pv.var(m, (n(0),))
    pv.median(m, n(1)) | pv.quantile(m, 0.5, n(1)) | pv.any(m, n(0)) | pv.count_nonzero(m, n(1)) | pv.ptp(m, n(1))
    pv.cumsum(m, n(1)) | pv.cumulative_sum(m, axis=n(1)) | pv.cumprod(m, n(0)) | pv.diff(m, n(1), n(1)) | pv.sort(m, n(0)) | pv.argsort(m, n(0))
    pv.topk(t, n(3)) | pv.argpartition(t, n(3), n(0)) | pv.partition(t, n(3)) | pv.arg_max_n(t, n(2)) | pv.histogram(t, n(4)) | pv.histogram(t, bins=n(4), range=(0, 8))
    pv.histogram_bin_edges(t, n(3)) | pv.histogram_density(t, n(3)) | pv.bincount(i, minlength=n(9)) | pv.pad(t, n(1)) | pv.pad(m, (n(1), n(2))) | pv.pad(m, ((n(1), n(0)), (n(0), n(2))))
    pv.average(m, n(0), [1, 2, 3]) | pv.gradient(m, axis=n(0)) | pv.trapezoid(m, axis=n(0)) | pv.unravel_index(i, n(9)) | pv.unravel_index(i, (n(3), n(3)))
    pv.ravel_multi_index((i, i), (n(4), n(4))) | pv.indices(n(3)) | pv.indices((n(2), n(2))) | pv.vander(t, n(2)) | pv.diag_indices(n(2), n(3)) | pv.tril_indices(n(3), n(1))
    pv.array(t, ndmin=n(3)) | pv.delete(m, n(1), n(0)) | pv.append(m, m, n(1)) | pv.round(t, n(1)) | pv.moment(m, n(2), n(1)) | pv.ranks(m, n(1))
    pv.random_uniform((n(2), n(2)), n(1)) | pv.random_normal(n(3), n(1)) | pv.argshuffle(n(5), n(1)) | pv.argsample(n(5), n(2), n(1)) | pv.sample(t, n(2), n(1))
    pv.fixed_rolling_window(t, n(3), "sum", axis=n(0), step=n(2)) | pv.variable_rolling_window(t, i, n(2), "sum") | pv.sliding_window(t, n(3), axis=n(0), step=n(2)) | pv.downsample(t, n(3))
    pv.softmax(m, n(1)) | pv.max_with_index(m, axis=n(0)) | pv.cross(m[:, :3], m[:, :3], n(1)) | m[n(1), n(2)] | m[n(1)] | t[n(2) : n(9) : n(2)] | m.shape[n(1)]
    np.sum(m, axis=n(0)) | np.expand_dims(m, n(0)) | np.moveaxis(m, n(0), n(1)) | np.repeat(t, n(2)) | np.tensordot(m, m, axes=n(2)) | np.split(t, n(3)) | np.roll(t, n(3))
    np.lib.stride_tricks.sliding_window_view(t, n(3)) | pv.sparse_tensor((n(5),), [1], [2.0]).realise() | t.item(n(3)) | m.item(n(1), n(2)) | pv.bitwise_left_shift(i, n(1)) | pv.size(m, n(1))
    pv.rearrange(t, "(a b) -> a b", a=n(3)) | pv.Dim("d", n(3)).size | pv.index_of(i, n(3)) | pv.linspace(n(0), n(100), n(3), endpoint=False) | pv.from_ticks([1, 2], "datetime64[s]")[n(1)]
"""


def plain(x):
    if isinstance(x, (tuple, list)):
        return [plain(each) for each in x]
    return (str(x.dtype), x.shape, x.tolist()) if isinstance(x, pv.Array) else x


CALLS = [each.strip() for line in CALLS.strip().splitlines() for each in line.split(" | ")]


@pytest.mark.parametrize("call", CALLS)
def test_integers_of_all_kinds_are_arguments(call):
    values = {"pv": pv, "np": np, "t": pv.arange(12.0), "m": pv.reshape(pv.asarray([5, 1, 9, 3, 7, 0, 2, 8, 6, 4, 11, 10]), (3, 4)), "i": pv.asarray([1, 3, 3, 2])}
    values["t"][3] = 100
    if "variable" in call:
        values.update(t=values["t"][:4], i=pv.asarray([1, 2, 4, 4]))
    want = plain(eval(call, {**values, "n": int}))
    for kind in INTEGERS:
        if kind is Index and any(each in call for each in ("item(", "shift", "pv.take(m, n(1)")):
            continue
        assert plain(eval(call, {**values, "n": kind})) == want, kind


def test_arguments_that_are_no_integers_are_refused():
    m = pv.zeros((2, 2))
    for call in "pv.zeros(x)|pv.eye(x)|pv.expand_dims(m, x)|pv.repeat(m, x)|pv.roll(m, x)|pv.sum(m, axis=x)|pv.reshape(m, (x, 2))|pv.tile(m, x)|pv.stack([m, m], x)".split("|"):
        for x in (2.0, np.float64(1), np.float32(1), pv.asarray(1.0), np.array(1.5), "1"):
            with pytest.raises((TypeError, pv.Error)):
                eval(call, {"pv": pv, "m": m, "x": x})


def test_ranges_of_small_integers_do_not_wrap():
    assert pv.arange(np.int64(3)).dtype == pv.int64 and pv.eye(np.uint8(2)).tolist() == [[1, 0], [0, 1]]
    assert pv.arange(np.uint8(250), np.int64(260), np.uint8(5)).tolist() == [250, 255]
    assert pv.arange(np.int8(100), np.int8(-100), np.int8(-100)).tolist() == [100, 0]
    assert pv.linspace(np.int8(-100), np.int8(100), 3).tolist() == [-100, 0, 100] and pv.linspace(np.uint8(200), np.uint8(100), 3).tolist() == [200, 150, 100]
    assert pv.arange(np.float32(0), np.float32(1), np.float32(0.25)).tolist() == [0, 0.25, 0.5, 0.75]
    assert pv.zeros(np.array([2, 3])).shape == pv.zeros(pv.asarray([2, 3])).shape == (2, 3) and pv.zeros(range(2, 4)).shape == (2, 3)


# NumPy: every bool by its truth.

FLAGS = """
    pv.sum(m, 0, keepdims=b) | m.max(0, keepdims=b) | pv.any(m, axis=0, keepdims=b) | pv.mean(m, keepdims=b) | pv.median(m, 0, keepdims=b) | pv.std(m, 0, keepdims=b)
    pv.quantile(m, [0.5], 0, keepdims=b) | pv.quartiles(m, 0, keepdims=b) | pv.moment(m, 2, 0, keepdims=b) | pv.argmax(m, 0, keepdims=b) | pv.count_nonzero(m, axis=0, keepdims=b)
    pv.max_with_index(m, axis=0, keepdims=b) | pv.descriptive_statistics(m, ["mean"], 0, keepdims=b)["mean"] | pv.norm(m, keepdims=b) | pv.sort(m, descending=b) | pv.argsort(m, descending=b)
    pv.argpartition(m, 1, descending=b) | pv.isin(m, [3], invert=b) | pv.digitize(m, [2, 3], b) | pv.allclose(m, m, equal_nan=b) | pv.argchoice(9, 3, 1, replace=b) | m.astype("int64", copy=b)
    pv.histogram(m, 3, density=b)[0] | pv.unique(m, return_counts=b) | pv.linspace(0, 1, 3, endpoint=b) | pv.cumulative_sum(m[0], include_initial=b) | pv.average(m, 0, returned=b)
    np.sum(m, axis=0, keepdims=b) | pv.ptp(m, 0, keepdims=b) | pv.asarray(m, copy=b) | pv.distance(m, m, axis=0, keepdims=b) | pv.sum(m, 0, where=b)
"""
FLAGS = [each.strip() for line in FLAGS.strip().splitlines() for each in line.split(" | ")]


@pytest.mark.parametrize("call", FLAGS)
def test_bools_of_all_kinds_are_arguments(call):
    for truth in (True, False):
        if "copy=b" in call and not truth:
            continue
        values = {"pv": pv, "np": np, "m": pv.reshape(pv.arange(6.0), (2, 3))}
        want = plain(eval(call, {**values, "b": truth}))
        for kind in (np.bool_, np.array, pv.asarray):
            assert plain(eval(call, {**values, "b": kind(truth)})) == want, kind
    with pytest.raises((TypeError, ValueError)):
        pv.sum(pv.ones(2), keepdims="no")


# NumPy: what a function computes may be written.


def results_of(x):
    """Arrays among what a function returned."""
    if isinstance(x, pv.Array):
        yield x
    elif isinstance(x, dict):
        yield from results_of(list(x.values()))
    elif isinstance(x, (tuple, list)):
        for each in x:
            yield from results_of(each)


ARGUMENTS = [
    ("x",), ("x", "x"), ("x", 1), ("m",), ("m", "m"), ("m", 1), ("n",), ("n", "n"), ("n", 2), ("x", "x", "x"), ("b",), ("b", "x"), ("b", "x", "x"), (3,), ((2, 3),), ((2, 3), 1),
    ("x", "n", 2), (5, 2, 1), ("n", ["x"]), (["x", "x"],), ("x", 3, "sum"), ("n", "x", "sum"), ("n", ("x", "sum")), ("x", "n", 2.0, "sum"), ("t",), ("x", 0.5), ("s",), ((4,), 1), (0, 1), ("z",), (1.0, 2.0),
]  # fmt: skip



def test_results_in_new_memory_may_be_written():
    make = lambda: {
        "x": pv.asarray([3.0, 1.0, 2.0, 1.0]), "m": pv.asarray([[1.0, 2.0, 4.0], [3.0, 1.0, 9.0]]), "n": pv.asarray([0, 1, 2, 1]), "b": pv.asarray([True, False, True, True]),
        "t": pv.asarray(np.array(["2024-01-01", "2024-01-03"], "datetime64[s]")), "s": pv.asarray(["a", "b"]), "z": pv.asarray([1 + 2j, 3.0]),
    }  # fmt: skip
    skipped = "asarray from_dlpack memmap load_npy open_npy from_arrow set_memory_limit set_temporary_limit".split()
    wrong, called = [], set()
    for name, function in vars(pv).items():
        if name.startswith("_") or name in skipped or inspect.isclass(function) or not callable(function) or isinstance(function, pv.dtype) or "load" in name or "save" in name:
            continue
        if any(word in (function.__doc__ or "").lower() for word in ("lazy", "only read", "a view", " itself")):
            continue  # an expression, or a view, says its text
        for arguments in ARGUMENTS:
            given = make()
            fill = lambda a: given[a] if isinstance(a, str) and a in given else type(a)(map(fill, a)) if isinstance(a, (tuple, list)) else a
            try:
                with np.errstate(all="ignore"):
                    found = list(results_of(function(*map(fill, arguments))))
            except Exception:
                continue
            called.add(name)
            for each in found:
                try:
                    is_new = each.size and not each.is_sparse and each.dtype != pv.string and is_new_memory(each, given.values())
                except pv.Error:
                    continue
                try:
                    if is_new:
                        each[...] = each.copy()
                except pv.ReadOnlyError:
                    wrong.append((name, arguments))
    assert sorted({name for name, _ in wrong}) == [], wrong
    assert len(called) > 100


def is_new_memory(x, given):
    """Whether an array lies in memory of its own: not over that of others, and no expression, of which each export is a copy."""
    first, second = np.asarray(x), np.asarray(x)
    return np.shares_memory(first, second) and not any(np.shares_memory(first, np.asarray(g)) for g in given if g.dtype != pv.string)


def test_results_named_by_the_issue_may_be_written():
    x, m = pv.asarray([3.0, 1.0, 2.0, 1.0]), pv.asarray([[1.0, 2.0, 4.0], [3.0, 1.0, 9.0]])
    calls = [
        pv.searchsorted(x, x), *pv.unique_all(x), *pv.unique_counts(x), *pv.unique_inverse(x), pv.unique_values(x), *pv.unique(x, True, True, True), *pv.histogram(x), *pv.histogram_density(x),
        *pv.weighted_histogram(x, x), pv.union1d(x, x), pv.intersect1d(x, x), pv.setdiff1d(x, [1.0]), pv.setxor1d(x, [1.0]), pv.correlation_matrix(m), pv.covariance_matrix(m), pv.sample_covariance_matrix(m),
        pv.corrcoef(m), pv.cov(m), *pv.max_with_index(m, axis=0), *pv.min_with_index(m), *pv.topk(x, 2), pv.bincount([1, 2]), pv.argshuffle(4, 1), pv.argsample(4, 2, 1), pv.argchoice(4, 2, 1), pv.digitize(x, [1, 2]),
        *pv.fill_range(x, 0.5), pv.IndexSet([1, 3]).to_array(), pv.nonzero(x)[0], pv.argwhere(x), pv.pearson(x, x), *pv.linear_regression(x, x), *pv.arggroup([1, 2, 1]).indexes, pv.arggroup([1, 2, 1]).keys,
        pv.unique_values(pv.asarray([1j, 2])), *pv.outlier_fences(x)[:0], pv.interp(x, [1.0, 2], [3.0, 4]), pv.gaussian1d(x, 1.0), pv.convolve1d(x, [1.0]), pv.quantile(x, 0.5), pv.sort(x), pv.cumsum(x),
    ]  # fmt: skip
    for each in calls:
        each[...] = 0
        assert not each.dtype.name.startswith("f") or pv.sum(each).item() == 0


# NumPy: a buffer without strides is of contiguous memory.


class Buffer(ctypes.Structure):
    _fields_ = [
        ("buf", ctypes.c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t), ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("suboffsets", ctypes.c_void_p), ("internal", ctypes.c_void_p),
    ]  # fmt: skip


def exports(x, flags):
    buffer = Buffer()
    try:
        ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(x), ctypes.byref(buffer), flags)
    except (BufferError, ValueError):  # NumPy's of memory that cannot be written
        return False
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(buffer))
    return True


def test_buffers_are_given_as_numpys_are():
    a = np.arange(24, dtype="u1").reshape(2, 3, 4)
    fixed = a.copy()
    fixed.flags.writeable = False
    views = [a, a[::-1], a[:, ::2], a.T, a[:, 1], a[0, 0], a[0, 0, ::2], a[:1, :1, :1], a[:0], a[::2, ::3], a.transpose(1, 0, 2), a.reshape(-1)[::-1], fixed, fixed[::-1], fixed.T]
    simple, writable, fmt, nd, strides = 0, 1, 4, 8, 0x18
    for x in views:
        t = pv.asarray(x)
        for flags in (simple, writable, fmt, nd, nd | writable, strides, strides | writable, 0x38, 0x58, 0x98, 0x38 | writable, 0x58 | fmt, 0x98 | fmt | writable, 0x118, 0x11C, 0x11D):
            assert exports(t, flags) == exports(x, flags), (x.shape, x.strides, hex(flags))


def test_what_is_written_to_a_buffer_is_not_lost():
    a = np.zeros(8, "u1")
    t = pv.asarray(a)
    assert io.BytesIO(b"\1\2\3\4").readinto(t[:4]) == 4 and a[:4].tolist() == [1, 2, 3, 4]
    struct.pack_into("B", t, 7, 9)
    assert a[7] == 9
    left, right = socket.socketpair()
    with left, right:
        left.send(b"12")
        for x in (t[::-1], t[::2], t + 1, pv.flip(t), pv.roll(t, 1), t[[1, 0]], t.reshape(2, 4).T, t.astype("u2") >> 1, pv.broadcast_to(t, (2, 8))):
            before = a.tolist()
            for write in (lambda: io.BytesIO(b"\1\2").readinto(x), lambda: struct.pack_into("B", x, 0, 1), lambda: right.recv_into(x)):
                with pytest.raises((BufferError, TypeError)):  # struct: "a read-write bytes-like object"
                    write()
            assert a.tolist() == before
    assert hashlib.sha1(t + 0).digest() == hashlib.sha1(a).digest() and io.BytesIO().write(t) == 8
    with pytest.raises(BufferError, match="copy"):
        hashlib.sha1(t[::-1])
    with pytest.raises(BufferError, match="copy"):
        io.BytesIO().write(t[::2])
    assert bytes(memoryview(t[::-1])) == a[::-1].tobytes() and memoryview(t + 1).tolist() == (a + 1).tolist() and t[::-1].tobytes() == a[::-1].tobytes()
