"""Writing over dims, the rest of what is over dims, errors, and how long things live."""

import copy
import gc
import sys
import threading
import weakref

import numpy as np
import pytest
from test_dims import TYPES, layouts, random, same

import purview as pv


@pytest.mark.parametrize("name", [n for n in TYPES if n not in ("bool", "complex64", "complex128")])
def test_scatter_adds_each_time(name):
    for seed in range(3):
        ids, v = np.random.default_rng(seed).integers(-5, 5, 8), random((8, 3), name, seed)
        for e in layouts(random((5, 3), name, seed + 9)):
            want = e.copy()
            np.add.at(want, ids, v)
            E, i, f = pv.asarray(e), pv.Dim("i"), pv.Dim("f")
            E[pv.asarray(ids)[i], f] += pv.asarray(v)[i, f]
            same(pv.asarray(e), want)
            np.subtract.at(want, ids, 2 * v)
            E[pv.asarray(ids)[i], f] -= 2 * pv.asarray(v)[i, f]
            same(pv.asarray(e), want)


def test_writes_go_through():
    e = np.zeros((3, 4))
    E = pv.asarray(e)
    i, j, short = pv.dims(sizes=[None, None, 3])
    E[i, j] = 10 * i + j
    assert np.array_equal(e, 10 * np.arange(3)[:, None] + np.arange(4))
    E[i, j] *= 2
    assert np.array_equal(e, 20 * np.arange(3)[:, None] + 2 * np.arange(4))
    E[i] = np.arange(4.0)  # positional values, for each i
    assert (e == np.arange(4)).all()
    E[i, 1:3] = pv.asarray(np.array([7.0, 8, 9]))[i, None]
    assert np.array_equal(e, [[0, 7, 7, 3], [0, 8, 8, 3], [0, 9, 9, 3]])
    view = E[i, j].order(j, i)
    view[0] = -1
    assert (e[:, 0] == -1).all()
    E[short, short + 0] = 100
    assert (np.diag(e) == 100).all() and e[0, 1] == 7
    d = E[i, j]
    d += 1
    assert e[0, 0] == 101 and e[2, 3] == 4
    d = d + 1
    assert e[0, 0] == 101
    E[i, j] /= 2
    assert e[0, 0] == 50.5
    before = e.copy()
    E[i, j] = E[i, j] + E[i, j].sum(j)  # read before it is written
    assert np.array_equal(e, before + before.sum(axis=1, keepdims=True))
    n, m = pv.dims(sizes=[2, 2])
    E[n - 1, m + 0] = E[n + 0, m + 2]  # row -1 for n = 0, and row 0 for n = 1
    assert np.array_equal(e[2, :2], e[0, 2:]) and np.array_equal(e[0, :2], e[1, 2:])
    E[pv.asarray([1, 1])[n], 0] = pv.asarray([5.0, 6.0])[n]
    assert e[1, 0] == 6  # the last one stays
    narrow = np.zeros((2, 2), "int8")
    pv.asarray(narrow)[n, m] = pv.asarray([[1.5, 2.5], [3.5, 260.0]])[n, m]  # as NumPy casts
    assert narrow.tolist() == [[1, 2], [3, 4]]


def test_masks_over_dims():
    for name in ("float64", "int32"):
        x = random((4, 3), name)
        i, j = pv.dims()
        t = pv.asarray(x)
        same(t[i, j, i > j], x[np.tril_indices(4, -1, 3)])


@pytest.mark.parametrize("seed", range(60))
def test_expressions_beside_numpy(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, 4)
    dims = pv.dims(sizes=sizes.tolist())
    ours, full = [], []
    for n in range(3):
        axes = rng.permutation(4)[: rng.integers(1, 5)]
        name = rng.choice(["float64", "int64", "int32"]) if seed % 2 else "float64"
        x = random(tuple(sizes[axes]), name, seed + n)
        x = list(layouts(x))[rng.integers(4)]
        ours.append(pv.asarray(x)[tuple(dims[a] for a in axes)])
        shape = [sizes[a] if a in axes else 1 for a in range(4)]
        full.append(x.transpose(np.argsort(axes)).reshape(shape))
    r, want = ours[0] * ours[1] - ours[2] * dims[3], full[0] * full[1] - full[2] * np.arange(sizes[3])
    want = np.broadcast_to(want, np.broadcast_shapes(want.shape, (1, 1, 1, sizes[3])))
    left = [a for a in range(4) if dims[a] in r.dims]
    over = [a for a in left if rng.random() < 0.5]
    stay = [a for a in rng.permutation(left) if a not in over]
    want = want.sum(axis=tuple(a for a in range(4) if a in over or a not in left))
    kept = [a for a in left if a not in over]
    if over:
        r = r.sum(tuple(dims[a] for a in over))
    same(r.order(*(dims[a] for a in stay)), want.transpose([kept.index(a) for a in stay]))
    joined = tuple(dims[a] for a in stay)
    if len(joined) > 1:
        same(r.order(joined), want.transpose([kept.index(a) for a in stay]).reshape(-1))


def test_functions_of_axes():
    x = random((3, 4, 5))
    for view in layouts(x):
        i, j = pv.dims()
        t = pv.asarray(view)[i, :, j]
        for name, other in {"sort": np.sort, "argsort": np.argsort, "cumulative_sum": np.cumsum, "diff": np.diff, "flip": np.flip}.items():
            call = getattr(pv, name)
            same(call(t, axis=0).order(i, j), other(x, axis=1).transpose(0, 2, 1))
            at_dim = call(t, axis=j)
            want = other(x, axis=2)
            same(at_dim.order(i, j) if j in at_dim.dims else at_dim.order(i), want.transpose(0, 2, 1))
        same(pv.roll(t, 2, axis=i).order(i, j), np.roll(x, 2, axis=0).transpose(0, 2, 1))
    with pytest.raises(pv.IndexError, match="sort: axis 1"):
        pv.sort(t, axis=1)
    n = pv.Dim("n")
    with pytest.raises(pv.DimError, match="'n'"):
        pv.sort(n + 0 > 1, axis=n)


def test_index_puts_a_value_in_the_place_of_a_dim():
    x = random((3, 4))
    i, j, n = pv.dims()
    t = pv.asarray(x)[i, j]
    same(t.index(i, 1).order(j), x[1])
    same(t.index(j, pv.asarray([2, 0])[n]).order(n, i), x[:, [2, 0]].T)
    same(pv.asarray(x)[i, 1].order(i), x[:, 1])
    same(pv.asarray(x).order(1, 0), x.T)
    assert pv.asarray(x).dims == () and t.dims.index(j) == 1 and i in t.dims and n not in t.dims
    assert t.dims != (j, i) and t.dims == (i, j) and t.dims[0] is i


def test_einsum_and_rearrange():
    a, b = random((2, 3, 4)), random((2, 4, 5), seed=1)
    A, B = pv.asarray(a), pv.asarray(b)
    same(pv.einsum("bik,bkj->bij", A, B), a @ b)
    same(pv.einsum("ik,kj->ij", A[0], b[0]), a[0] @ b[0])
    same(pv.einsum("iij", pv.asarray(random((3, 3, 2)))), np.einsum("iij", random((3, 3, 2))))
    n = pv.dims()
    same(pv.einsum("ik,kj->ji", A[n], B[n]).order(n), (a @ b).transpose(0, 2, 1))
    same(pv.rearrange(A, "b h (w p) -> p b (h w)", p=2), a.reshape(2, 3, 2, 2).transpose(3, 0, 1, 2).reshape(2, 2, 6))
    same(pv.rearrange(a, "b h w -> w (b h)"), a.reshape(6, 4).T)
    same(pv.rearrange(A[n], "h w -> w h").order(n), a.transpose(0, 2, 1))
    pv.rearrange(A, "b h w -> w h b")[0] = 7
    assert (a[..., 0] == 7).all() and (a[..., 1:] != 7).all()
    with pytest.raises(pv.FormatError):
        pv.einsum("i>j", A)
    with pytest.raises(pv.DimError, match="'w' stands on the left"):
        pv.rearrange(A, "b h w -> b h z")
    with pytest.raises(TypeError, match="einsum"):
        pv.einsum("->")


def errors():
    a = pv.asarray(random((3, 4)))
    i, j, k = pv.dims()
    t = a[i, j]
    yield pv.DimError, "'i' is given twice", lambda: t.order(i, i)
    yield pv.DimError, "'j' is given twice", lambda: t.sum((j, j))
    yield pv.DimError, r"no Dim 'k', its dims are \(i, j\)", lambda: t.sum(k)
    yield pv.DimError, "no Dim 'k'", lambda: t.order(i, j, k)
    yield pv.DimError, "no Dim 'k'", lambda: a.sum(k)
    yield pv.DimError, "no Dim 'k'", lambda: pv.mean(a, axis=(0, k))
    yield pv.DimError, "'j' is bound to size 4 and cannot bind to size 3", lambda: a[j, i]
    yield pv.DimError, "'k'", lambda: k.order(k)
    yield pv.DimError, "'k'", lambda: k.size
    yield pv.DimError, "'k'", lambda: a[k + 1].order(k)
    yield pv.DimError, "does not divide the axis of size 4", lambda: a[:, (i, k)]
    yield pv.DimError, "'k' and .* are not known", lambda: a[(k, pv.Dim()), 0]
    yield pv.IndexError, "3 axes", lambda: a[i, j, k]
    yield pv.IndexError, "1 axes.*0 positional", lambda: t[0]
    yield pv.IndexError, "range", lambda: t.sum(0)
    yield pv.IndexError, "index 3 is out of range", lambda: a[pv.asarray([0, 3])[pv.Dim()], j].sum(j)
    yield pv.IndexError, "'x'", lambda: a["x", i]
    yield pv.IndexError, "an index is", lambda: a[a[i, 0], 1]
    yield pv.IndexError, "an index is", lambda: a[True, i]
    yield pv.ShapeError, r"\[4\] and \[3\]", lambda: a[i] + np.zeros(3)
    yield pv.ShapeError, "broadcast", lambda: a.__setitem__((i, slice(1)), a)
    for needs_an_array in (
        pv.asarray,
        np.asarray,
        pv.tril,
        bool,
        float,
        lambda x: pv.reshape(x, (-1,)),
        lambda x: np.zeros(3) @ pv.asarray(x),
    ):
        yield pv.DimError, r"the dims \(i, j\) of this array are bound", lambda call=needs_an_array: call(t)
    yield pv.DimError, r"dims \(i,\).*bound", lambda: a.__setitem__(0, a[i, 0])
    yield pv.DimError, r"dims \(i,\).*bound", lambda: pv.asarray(np.zeros(4)).__iadd__(a[i])
    yield pv.ReadOnlyError, "computed", lambda: (a + 1).__setitem__((i, j), 0)
    yield pv.ReadOnlyError, "computed", lambda: (t + 1).__setitem__(..., 0)
    yield pv.ReadOnlyError, "read", lambda: pv.asarray(np.broadcast_to(np.zeros(4), (3, 4))).__setitem__((i, j), 0)
    yield pv.DtypeError, "float64.*int64", lambda: pv.asarray(np.zeros(3, "int64"))[i].__iadd__(0.5)
    yield pv.DtypeError, "complex128", lambda: pv.asarray(np.zeros(3, complex))[pv.asarray([1, 1])[pv.Dim()]].__iadd__(1)
    yield pv.CastError, "300", lambda: pv.asarray(np.zeros(3, "int8")).__setitem__(i, 300)
    yield TypeError, "an axis is a Dim", lambda: t.sum(0.5)
    yield TypeError, "DimArray", lambda: t + "x"
    yield TypeError, r"len\(\)", lambda: len(t)
    yield TypeError, "no dtype", lambda: pv.sum(t, axis=i, dtype="int8")
    yield TypeError, "np.add", lambda: np.add.reduce(t)


@pytest.mark.parametrize("error, text, call", list(errors()))
def test_errors(error, text, call):
    with pytest.raises(error, match=text):
        call()


def test_an_error_binds_no_size():
    a = pv.asarray(random((3, 4)))
    i, j = pv.dims(sizes=[None, 5])
    with pytest.raises(pv.DimError):
        a[i, j]
    assert not i.is_bound
    a[i]
    assert i.size == 3


def test_dims_and_arrays_outlive_one_another():
    x = random((3, 4))
    i, j = pv.dims()
    t = pv.asarray(x.copy())[i, j] * 2
    gc.collect()
    same(t.order(i, j), 2 * x)
    assert repr(t.dims) == "(i, j)" and t.dims[1] is j
    del i, j
    gc.collect()
    first, second = t.dims
    assert (first.name, second.size) == ("i", 4)
    same(t.order(second, first), 2 * x.T)
    k = pv.dims()
    assert copy.copy(k) is k and copy.deepcopy([k])[0] is k


def test_nothing_stays_behind():
    class Memory(np.ndarray):
        pass

    memory = random((3, 4)).view(Memory)
    i, j = pv.dims()
    t = pv.asarray(memory)
    t[i, j] += 1
    held = [t[i, j], t[pv.asarray([0, 2])[pv.Dim("n")], j] + i, t[i].sum(i), t[i, j].order(j, i)]
    alive = weakref.ref(memory)
    del memory, t
    gc.collect()
    assert alive() is not None
    del held
    gc.collect()
    assert alive() is None
    dims = [weakref.ref(d) for d in (i, j)]
    del i, j
    gc.collect()
    assert [d() for d in dims] == [None, None]

    def function(x):
        return x + 1

    n = pv.Dim("n")
    before = sys.getrefcount(function)
    waiting = pv._core._map_over_dims(function, (n,))
    assert sys.getrefcount(function) == before + 1
    n.size = 3
    same(waiting.order(n), np.arange(1, 4))
    del waiting
    assert sys.getrefcount(function) == before
    x = pv.asarray(np.zeros((3, 4)))
    counts = []
    for _ in range(3):
        for _ in range(50):
            a, b = pv.dims()
            x[a, b] += x[a, b] * a
            with pytest.raises(pv.DimError):
                x[b, a]
        gc.collect()
        counts.append((sys.getrefcount(x), len(gc.get_objects())))
    assert counts[1][0] == counts[2][0] and counts[2][1] - counts[1][1] < 20


def test_threads():
    x = random((200, 200))
    t = pv.asarray(x)
    found = []

    def work():
        for _ in range(5):
            i, j, k = pv.dims()
            found.append(np.asarray((pv.where(i <= k, t[i, k], 0) * t[k, j]).sum(k).order(i, j)))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(found) == 20
    for r in found:
        np.testing.assert_allclose(r, np.triu(x) @ x, rtol=1e-10, atol=1e-10)
