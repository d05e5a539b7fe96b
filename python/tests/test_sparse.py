"""Sparse arrays against their dense twins, and those of other libraries."""

import copy
import pickle

import numpy as np
import pytest

import purview as pv

generator = np.random.default_rng(11)
TYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128".split()
SHAPES = [(30,), (7, 9), (4, 5, 6), (0, 5), (1, 1), ()]


def some(shape, name="float64", fill=0, density=0.3):
    """A dense array that mostly equals the fill."""
    values = generator.integers(1, 90, shape).astype(name)
    return np.where(generator.random(shape) < density, values, np.asarray(fill, dtype=name)).astype(name)


def both(shape, name="float64", fill=0):
    x = some(shape, name, fill)
    return x, pv.to_sparse(x, fill)


def check(t, x, is_sparse=True):
    assert t.is_sparse == is_sparse and t.shape == x.shape and t.dtype.name == x.dtype.name
    assert np.array_equal(np.asarray(t.to_dense()), x)


@pytest.mark.parametrize("name", TYPES)
def test_pairs(name):
    for shape in SHAPES:
        for fill in [0, 1]:
            x, t = both(shape, name, fill)
            check(t, x)
            stored = x != np.asarray(fill, dtype=name)
            assert t.nnz == stored.sum() and t.fill.item() == fill and t.fill.dtype.name == name
            assert np.array_equal(np.asarray(t.stored_indexes), np.flatnonzero(stored))
            assert np.array_equal(np.asarray(t.stored_values), x[stored]) and t.stored_values.dtype.name == name
            places = np.nonzero(stored) if x.ndim else ()
            assert len(t.coordinates) == x.ndim and all(np.array_equal(np.asarray(a), b) for a, b in zip(t.coordinates, places))
            check(pv.sparse_tensor(shape, t.stored_indexes, t.stored_values, t.fill), x)
            if x.ndim:
                check(pv.from_coo(shape, places, x[stored], fill), x)


def test_order_and_duplicates():
    t = pv.from_coo((3, 4), ([2, 0, 1], [3, 1, 0]), [1.0, 2.0, 3.0])
    assert t.tolist() == [[0, 2, 0, 0], [3, 0, 0, 0], [0, 0, 0, 1]] and t.stored_values.tolist() == [2, 3, 1]
    twice = ((3, 4), ([2, 0, 2], [3, 1, 3]), [1, 2, 3])
    with pytest.raises(pv.IndexError, match="duplicate"):
        pv.from_coo(*twice)
    assert pv.from_coo(*twice, duplicates="sum")[2, 3].item() == 4
    assert pv.from_coo(*twice, duplicates="last")[2, 3].item() == 3
    assert pv.sparse_tensor((5,), [4, 4], [1, 2], duplicates="sum").tolist() == [0, 0, 0, 0, 3]
    with pytest.raises(ValueError, match="error, last or sum"):
        pv.from_coo(*twice, duplicates="first")


def test_one_value_for_all():
    assert pv.from_coo((3,), [[0, 2]], 7).tolist() == [7, 0, 7]
    assert pv.from_coo((3,), [[]], [], 2).tolist() == [2, 2, 2]
    assert pv.sparse_zeros((2, 2), dtype="int8").tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize(
    "error, message, call",
    [
        (pv.IndexError, "index 4", lambda: pv.from_coo((3, 4), [[0], [4]], [1])),
        (pv.IndexError, "index -1", lambda: pv.from_coo((3, 4), [[0], [-1]], [1])),
        (pv.ShapeError, "1 lists", lambda: pv.from_coo((3, 4), [[0]], [1])),
        (pv.ShapeError, "1 coordinates for axis 1", lambda: pv.from_coo((3, 4), [[0, 1], [0]], [1, 2])),
        (pv.ShapeError, "2 indexes for 1 values", lambda: pv.from_coo((3, 4), [[0, 1], [0, 1]], [1])),
        (pv.ShapeError, "rank 1", lambda: pv.from_coo((3, 4), [[0], [0]], [[1]])),
        (pv.ShapeError, "rank 1", lambda: pv.from_coo((3, 4), [[[0]], [0]], [1])),
        (pv.ShapeError, "overflows", lambda: pv.sparse_zeros((2**40, 2**40))),
        (pv.ShapeError, "negative", lambda: pv.sparse_zeros((-1,))),
        (pv.DtypeError, "integers", lambda: pv.from_coo((3, 4), [[0.5], [0]], [1])),
        (pv.CastError, "the fill is no int64", lambda: pv.from_coo((3,), [[0]], [1], 2.5)),
        (pv.CastError, "300 .* does not fit int8", lambda: pv.to_sparse(np.zeros(3, dtype="int8"), 300)),
        (pv.DtypeError, "complex", lambda: pv.to_sparse([1.0, 2.0], 1j)),
        (pv.ShapeError, "one number", lambda: pv.to_sparse([1.0, 2.0], [1.0, 2.0])),
        (pv.DtypeError, "float16", lambda: pv.to_sparse(np.zeros(3, dtype="float16"))),
        (pv.KindError, "not sparse", lambda: pv.asarray([1.0, 2.0]).nnz),
    ],
)
def test_errors(error, message, call):
    with pytest.raises(error, match=message):
        call()


def test_views_stay_sparse():
    for fill in [0, 2]:
        x, t = both((6, 8), fill=fill)
        check(t[1:5, ::2], x[1:5, ::2])
        check(t[::-1, -3], x[::-1, -3])
        check(t.T, x.T)
        check(t.reshape(8, 6), x.reshape(8, 6))
        check(pv.roll(t, 3, axis=1), np.roll(x, 3, axis=1))
        check(t[[4, 0, 4]], x[[4, 0, 4]])
        check(pv.take(t, [5, 1], axis=1), x[:, [5, 1]])
        check(pv.concat([t, t]), np.concatenate([x, x]))
        check(t[:, None], x[:, None])
        assert np.array_equal(np.asarray(t[x > 3]), x[x > 3])
        assert all(t[i, j].item() == x[i, j] for i in range(6) for j in range(8))


def test_operations_stay_sparse():
    x, a = both((6, 8))
    y, b = both((6, 8), fill=3)
    for t, expected in [
        (a + b, x + y),
        (a - 2 * b, x - 2 * y),
        (a * b, x * y),
        (a / 4, x / 4),
        (a // b, x // y),
        (a % 7, x % 7),
        (a**2, x**2),
        (-a + 0, -x + 0),
        (abs(a), abs(x)),
        (a > b, x > y),
        (pv.exp(a), np.exp(x)),
        (np.sqrt(a), np.sqrt(x)),
        (pv.where(a > 5, a, b), np.where(x > 5, x, y)),
        (pv.minimum(a, b), np.minimum(x, y)),
        (a.astype("float32"), x.astype("float32")),
        (a.realise(), x),
        (pv.tril(a), np.tril(x)),
    ]:
        assert t.is_sparse and t.dtype.name == expected.dtype.name
        assert np.allclose(np.asarray(t), expected, rtol=1e-14)
        assert t.realise().is_sparse
    d = generator.random((6, 8))
    check(a * d, x * d, is_sparse=False)
    n, c = both((6, 8), "int64")
    whole = generator.integers(0, 9, (6, 8))
    check(c * whole, n * whole)
    assert (a.to_dense() == x).all() and not a.to_dense().is_sparse


@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "mean", "any", "all", "argmin", "argmax", "std"])
def test_reductions(name):
    for fill in [0, 2]:
        x, t = both((5, 6, 7), fill=fill)
        for axis in [None, 0, 1, 2, -1] + ([(0, 2)] if not name.startswith("arg") else []):
            expected = getattr(np, name)(x, axis=axis)
            result = getattr(pv, name)(t, axis=axis)
            assert np.allclose(np.asarray(result), expected, rtol=1e-12)
    assert pv.sum(t, axis=1).is_sparse


def test_products():
    x, a = both((6, 8))
    y, b = both((8, 5))
    assert (a @ b).is_sparse and np.array_equal(np.asarray(a @ b), x @ y)
    d = generator.integers(0, 9, (8, 5)).astype(float)
    assert not (a @ d).is_sparse and np.array_equal(np.asarray(a @ d), x @ d)
    assert np.array_equal(np.asarray(a @ d[:, 0]), x @ d[:, 0])
    with pytest.raises(pv.ShapeError):
        a @ a


def test_huge():
    t = pv.from_coo((10**9, 10**9), [[3, 70, 10**9 - 1], [5, 8, 1000]], [1.0, 2.0, 3.0])
    u = t + t.T * 2
    assert u.nnz == 6 and u.sum().item() == 18 and u[1000, 10**9 - 1].item() == 6 and (t @ t.T).nnz == 3
    assert pv.sum(t, axis=1).nnz == 3 and [a.tolist() for a in pv.nonzero(t)] == [[3, 70, 10**9 - 1], [5, 8, 1000]]
    assert repr(t) == "<sparse array of float64, shape=(1000000000, 1000000000), nnz=3, fill=0.0>"
    assert repr(t.sum()) == "array(6.)"
    for call in [lambda: np.asarray(t), t.tolist, lambda: pv.sort(t), lambda: pv.to_sparse(t, 1)]:
        with pytest.raises(pv.KindError):
            call()


def test_no_sparse_form():
    x, t = both((6, 8))
    for call in [lambda: pv.sort(t), lambda: pv.cumulative_sum(t, axis=0), lambda: pv.unique_values(t)]:
        with pytest.raises(pv.KindError, match="to_dense"):
            call()
    assert np.array_equal(np.asarray(pv.sort(t.to_dense())), np.sort(x))


def test_small_ones_as_numpy():
    x, t = both((6, 8), "int16", fill=4)
    assert np.array_equal(np.asarray(t), x) and t.tolist() == x.tolist() and (t == x).all()


def test_writes():
    x, t = both((6, 8))
    t[2, 3] = 7
    t[4] = 0
    t[:, 1] = np.arange(6.0)
    x[2, 3], x[4], x[:, 1] = 7, 0, np.arange(6.0)
    check(t, x)
    t += t
    check(t, x + x)
    assert pv.prune(t).nnz == np.count_nonzero(x)
    with pytest.raises(pv.KindError):
        pv.prune(pv.asarray([1.0]))


@pytest.mark.parametrize("name", ["int32", "complex64"])
def test_copies(name):
    x, t = both((6, 8), name, fill=2)
    for each in [pickle.loads(pickle.dumps(t)), copy.deepcopy(t), t.copy(), pv.asarray(t, copy=True)]:
        check(each, x)
        each[0, 0] = 77
        assert t[0, 0].item() == x[0, 0] and each.fill.item() == 2
    check(pickle.loads(pickle.dumps(t * 2)), x * 2)


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "lil", "dok"])
def test_scipy(format):
    scipy_sparse = pytest.importorskip("scipy.sparse")
    for name in ["bool", "int8", "int64", "float32", "float64", "complex128"]:
        x = some((6, 8), name)
        for theirs in [scipy_sparse.coo_array(x).asformat(format), scipy_sparse.coo_matrix(x).asformat(format)]:
            t = pv.asarray(theirs)
            check(t, x)
            back = t.to_scipy(format)
            assert back.format == format and back.dtype == x.dtype and np.array_equal(back.toarray(), x)
    x = some((6, 8))
    theirs = scipy_sparse.coo_array(x).asformat(format)
    assert np.array_equal(np.asarray(pv.asarray(x) + theirs), x + x)
    check(pv.asarray(theirs) + theirs, x + x)
    check(pv.asarray(theirs, dtype="float32"), x.astype("float32"))
    assert (pv.asarray(theirs) * 2).to_scipy().nnz == np.count_nonzero(x)


def test_scipy_more():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    repeated = scipy_sparse.coo_array(([1.0, 2.0, 3.0], ([0, 0, 1], [1, 1, 2])), shape=(2, 3))
    assert pv.asarray(repeated).tolist() == [[0, 3, 0], [0, 0, 3]]
    line = pv.to_sparse([0.0, 5.0, 0.0])
    assert line.to_scipy("coo").toarray().tolist() == [0, 5, 0]
    assert pv.sparse_zeros((0, 3)).to_scipy().shape == (0, 3)
    with pytest.raises(pv.KindError, match="fill is 1"):
        pv.to_sparse([[1.0, 2.0]], 1).to_scipy()
    with pytest.raises(pv.ShapeError, match="rank 1 or 2"):
        pv.sparse_zeros((2, 2, 2)).to_scipy()
    with pytest.raises(pv.KindError):
        pv.asarray([[1.0, 2.0]]).to_scipy()


def test_pydata_sparse():
    sparse = pytest.importorskip("sparse")
    for shape in [(5,), (4, 6), (3, 4, 5)]:
        for fill in [0, 3]:
            x = some(shape, "float64", fill)
            theirs = sparse.COO.from_numpy(x, fill_value=fill)
            t = pv.asarray(theirs)
            check(t, x)
            assert t.fill.item() == fill
            back = (t + 1).to_pydata()
            assert back.fill_value == fill + 1 and back.nnz == t.nnz and np.array_equal(back.todense(), x + 1)
    check(pv.asarray(sparse.GCXS.from_numpy(x, fill_value=3)), x)
