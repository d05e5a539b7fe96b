"""Dims: torchdim's examples and rules, each beside NumPy or loops."""

import itertools
import operator
from types import SimpleNamespace

import numpy as np
import pytest

import purview as pv
from purview._dims import targets_of

TYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 float32 float64 complex64 complex128".split()


def random(shape, name="float64", seed=0):
    rng = np.random.default_rng([seed, *shape])
    if name == "bool":
        return rng.random(shape) < 0.5
    if np.dtype(name).kind in "iu":
        return rng.integers(0, 100, shape).astype(name)
    x = rng.normal(size=shape)
    return (x + 1j * rng.normal(size=shape) if name.startswith("complex") else x).astype(name)


def layouts(x):
    """x as views of other memory."""
    yield x
    yield x.copy(order="F")
    yield np.repeat(x, 2, axis=-1)[..., ::2]
    yield np.repeat(x, 3, axis=0)[::3][::-1][::-1]


def same(ours, want):
    assert isinstance(ours, pv.Array)
    ours = np.asarray(ours)
    want = np.asarray(want)
    assert ours.shape == want.shape and ours.dtype == want.dtype, (ours.shape, want.shape, ours.dtype, want.dtype)
    if want.dtype.kind in "fc":
        eps = np.finfo(want.dtype).eps
        np.testing.assert_allclose(ours, want, rtol=200 * eps, atol=200 * eps)
    else:
        np.testing.assert_array_equal(ours, want)


def mm(a, b):
    i, j, k = pv.dims()
    return (a[i, k] * b[k, j]).sum(k).order(i, j)


def loops_mm(a, b):
    out = np.zeros((a.shape[0], b.shape[1]), np.sum(a[:1, :1] * b[:1, :1]).dtype)
    for i, j, k in itertools.product(range(a.shape[0]), range(b.shape[1]), range(a.shape[1])):
        out[i, j] += np.multiply(a[i : i + 1, k], b[k : k + 1, j])[0]  # narrow integers wrap
    return out


@pytest.mark.parametrize("name", TYPES)
def test_matrix_product(name):
    for seed, (n, m, k) in enumerate([(3, 4, 5), (1, 1, 1), (7, 2, 1), (4, 3, 0), (9, 8, 17)]):
        for a, b in zip(layouts(random((n, k), name, seed)), layouts(random((k, m), name, seed + 50))):
            same(mm(pv.asarray(a), pv.asarray(b)), loops_mm(a, b))


def test_products_are_contractions():
    a, b = (pv.asarray(random((n, m))) for n, m in [(300, 250), (250, 350)])
    i, j, k = pv.dims()
    assert "gemm 300x350x250" in (a[i, k] * b[k, j]).explain(sum=k)
    same((a[i, k] * b[k, j]).sum(k).order(i, j), np.asarray(a) @ np.asarray(b))
    same((a[i, k] * b[k, j]).sum(k).order(j, i), (np.asarray(a) @ np.asarray(b)).T)


def test_batched_by_a_dim_that_a_function_does_not_know():
    for shape in [(2, 3, 4, 5), (1, 1, 6, 2), (4, 2, 2, 2)]:
        n, r, k, c = shape
        a, b = random((n, r, k)), random((n, k, c))
        i = pv.dims()
        same(mm(pv.asarray(a)[i], pv.asarray(b)[i]).order(i), a @ b)
        weights = random((k,), seed=3)
        same(pv.maximum(pv.asarray(a)[i] @ weights, 0.25).order(i), np.maximum(a @ weights, 0.25))
        same((pv.asarray(a)[i] @ pv.asarray(b)[i]).order(i), a @ b)
        same((weights @ pv.asarray(b)[i]).order(i), weights @ b)


def test_gram_matrix():
    y = random((2, 3, 4, 5))
    t = pv.asarray(y)
    b, c, c2, h, w = pv.dims()
    r = (t[b, c, h, w] * t[b, c2, h, w]).sum((h, w)) / (h.size * w.size)
    same(r.order(b, c, c2), np.einsum("bchw,bdhw->bcd", y, y) / 20)


def test_attention():
    K, Q, V = (random((2, 3, 4), seed=s) for s in range(3))
    batch, channel, key, query = pv.dims(4)
    k, q, v = pv.asarray(K)[batch, channel, key], pv.asarray(Q)[batch, channel, query], pv.asarray(V)[batch, channel, key]
    a = pv.softmax((k * q).sum(channel) * channel.size**-0.5, axis=key)
    r = pv.concat(((v * a).sum(key).order(batch, channel, query), pv.asarray(Q)), axis=1)
    want = np.empty((2, 3, 4))
    for n, x in itertools.product(range(2), range(4)):
        s = np.exp(np.array([K[n, :, y] @ Q[n, :, x] for y in range(4)]) / np.sqrt(3))
        want[n, :, x] = V[n] @ (s / s.sum())
    same(r, np.concatenate((want, Q), axis=1))


def test_multi_head_attention_with_relative_positions():
    B, L, H, F = 2, 5, 3, 4
    Q, K, V = (random((B, L, H * F), seed=s) for s in range(3))
    D = random((2 * L - 1, F), seed=9)
    batch, query, key, heads, features = pv.dims()
    heads.size = H
    q = pv.asarray(Q)[batch, query, [heads, features]]
    k, v = (pv.asarray(x)[batch, key, (heads, features)] for x in (K, V))
    position = pv.asarray(D)[query - key + (L - 1), features]
    scores = (q * k).sum(features) + (q * position).sum(features) + (k * position).sum(features)
    context = (scores.softmax(key) * v).sum(key).order(batch, query, [heads, features])
    want = np.empty((B, L, H * F))
    for n, h in itertools.product(range(B), range(H)):
        part = slice(h * F, (h + 1) * F)
        for x in range(L):
            s = np.array([Q[n, x, part] @ K[n, y, part] + (Q[n, x, part] + K[n, y, part]) @ D[x - y + L - 1] for y in range(L)])
            s = np.exp(s - s.max())
            want[n, x, part] = s / s.sum() @ V[n, :, part]
    same(context, want)


@pytest.mark.parametrize("name", TYPES)
def test_pixel_shuffle(name):
    img = random((2, 12, 3, 5), name)
    for x in layouts(img):
        h2, w2, c, b, h, w = pv.dims()
        h2.size = w2.size = 2
        r = pv.asarray(x)[b, (c, h2, w2), h, w].order(b, c, (h, h2), (w, w2))
        want = np.empty((2, 3, 6, 10), name)
        for n, d, y, z in itertools.product(range(2), range(3), range(6), range(10)):
            want[n, d, y, z] = img[n, (d * 2 + y % 2) * 2 + z % 2, y // 2, z // 2]
        same(r, want)
        same(pv.rearrange(pv.asarray(x), "b (c h2 w2) h w -> b c (h h2) (w w2)", h2=2, w2=2), want)


@pytest.mark.parametrize("name", "int64 int32 uint8 int8".split())
def test_embedding_bag(name):
    table, ids = random((9, 4)), random((3, 6), name, 1) % 9
    batch, sequence, features = pv.dims()
    for x in layouts(ids.astype(name)):
        r = pv.asarray(table)[pv.asarray(x)[batch, sequence], features].sum(sequence)
        assert r.dims == (batch, features)
        same(r.order(batch, features), table[ids].sum(axis=1))
    same(pv.asarray(table)[pv.asarray(ids)[batch, sequence]].order(sequence, batch), table[ids].swapaxes(0, 1))


def test_puzzles():
    a, b, square = random((5,), "int64"), random((5,), "int64", 1), random((4, 4), "int64")
    A, B, S = pv.asarray(a), pv.asarray(b), pv.asarray(square)
    i, j = pv.dims()
    same((A[i] * B[j]).order(i, j), np.outer(a, b))
    i = pv.dims(1)
    same(S[i, i].order(i), np.diag(square))
    assert S[i, i].sum(i).item() == np.trace(square)
    i, j = pv.dims(sizes=[4, 4])
    same(pv.where(i == j, 1, 0).order(i, j), np.eye(4, dtype="int64"))
    same(pv.where(i <= j, 1, 0).order(i, j), np.triu(np.ones((4, 4), "int64")))
    i, j = pv.dims()  # sizes come later
    same(pv.where(i <= j, S[i, j], 0).order(i, j), np.triu(square))
    i = pv.dims()
    same(pv.where(i - 1 >= 0, A[i] - A[i - 1], A[i]).order(i), np.append(a[:1], np.diff(a)))
    v, i = pv.dims(sizes=[2, None])
    same(pv.where(v == 0, A[i], B[i]).order(v, i), np.vstack((a, b)))
    i = pv.dims(sizes=[5])
    same(A[pv.where(i + 1 < i.size, i + 1, 0)].order(i), np.roll(a, -1))
    same(A[i.size - i - 1].order(i), a[::-1])
    length = np.array([1, 4, 0, 2])
    j, i = pv.dims()
    same(pv.where(j < pv.asarray(length)[i], S[i, j], 0).order(i, j), np.where(np.arange(4) < length[:, None], square, 0))


def test_convolution_is_a_window():
    for n, m in [(8, 3), (5, 5), (6, 1)]:
        signal, kernel = random((n,)), random((m,), seed=1)
        i, k = pv.dims(sizes=[n - m + 1, m])
        same((pv.asarray(signal)[i + k] * pv.asarray(kernel)[k]).sum(k).order(i), np.correlate(signal, kernel, "valid"))
    image, kernel = random((2, 6, 7)), random((3, 2, 3, 2), seed=1)
    co, ci, y, x, dy, dx = pv.dims(sizes=[3, 2, 4, 6, 3, 2])
    r = (pv.asarray(image)[ci, y + dy, x + dx] * pv.asarray(kernel)[co, ci, dy, dx]).sum((ci, dy, dx)).order(co, y, x)
    want = np.zeros((3, 4, 6))
    for o, p, q in itertools.product(range(3), range(4), range(6)):
        want[o, p, q] = (image[:, p : p + 3, q : q + 2] * kernel[o]).sum()
    same(r, want)


def test_how_dims_are_named_and_sized():
    i, other = pv.dims()
    assert (repr(i), other.name, i.is_bound) == ("i", "other", False)
    only = pv.dims()
    assert isinstance(only, pv.Dim) and only.name == "only"
    a, b, c, d = four = pv.dims(4)
    assert four == (a, b, c, d) and len({a, b, c, d}) == 4
    box = SimpleNamespace()
    box.x, box.y = pv.dims()  # no variables: as many, without their names
    assert box.x.name != "x" and box.x is not box.y
    globals()["made"] = [pv.dims(3), pv.dims(sizes=[2, None])]
    assert [len(x) for x in made] == [3, 2] and made[1][0].size == 2 and not made[1][1].is_bound  # noqa: F821
    space = {"pv": pv}
    exec("u, v = pv.dims()\ndef f():\n    global g, h\n    g, h = pv.dims()\n    return lambda: (g, h)\nf()", space)
    assert [space[n].name for n in "uvgh"] == list("uvgh")
    for wrong in (lambda: len(pv.dims()), lambda: pv.dims(0), lambda: pv.dims(2, sizes=[1])):
        with pytest.raises(pv.DimError, match="dims"):
            wrong()
    i = pv.Dim("i", 5)
    assert i.size == 5 and i.is_bound
    i.size = 5
    with pytest.raises(pv.DimError, match="'i'.*5.*3"):
        i.size = 3
    with pytest.raises(pv.DimError, match="'n'"):
        pv.Dim("n").size  # noqa: B018
    with pytest.raises(pv.DimError):
        pv.Dim("n", -1)
    assert pv.Dim("i") is not pv.Dim("i") and hash(i) == hash(i)


def test_names_in_the_bytecode_of_other_versions():
    def of(*steps):
        return targets_of(SimpleNamespace(opname=op, argval=value) for op, value in steps)

    fast, two, mixed = "STORE_FAST", "STORE_FAST_STORE_FAST", "STORE_FAST_LOAD_FAST"
    rest = ("LOAD_FAST", "A")
    assert of(("UNPACK_SEQUENCE", 2), (fast, "i"), (fast, "j"), rest) == (2, ("i", "j"))  # 3.10
    assert of(("CACHE", 0), ("UNPACK_SEQUENCE", 2), ("CACHE", 0), (fast, "i"), (fast, "j"), rest) == (2, ("i", "j"))  # 3.11
    assert of(("UNPACK_SEQUENCE", 3), (two, ("i", "j")), (mixed, ("k", "A"))) == (3, ("i", "j", "k"))  # 3.13
    assert of((mixed, ("i", "A"))) == (1, ("i",))
    assert of(("UNPACK_SEQUENCE", 2), ("EXTENDED_ARG", 1), ("STORE_DEREF", "i"), ("STORE_GLOBAL", "j")) == (2, ("i", "j"))
    assert of(("UNPACK_SEQUENCE", 2), rest, ("STORE_ATTR", "x")) == (2, ())
    assert of(rest, (fast, "i")) == (None, ())


KEYS = "i,j,k|i,:,k|...,k|i,None,j|0,i|i,1:3|:,-1,i|i,::2,::-1|i,[2,0],j|i+1,j|2*i,j,k|i,(j,k)|(i,j),k|i,i,j".split("|")


@pytest.mark.parametrize("key", KEYS)
def test_keys_beside_loops(key):
    for name, x in [(name, x) for name in ("float64", "int16", "bool") for x in layouts(random((4, 4, 6), name))]:
        i, j, k = pv.dims()
        if "(" in key:
            j.size = 2
        if "+" in key or "2*" in key:
            i.size = 2
        ours = eval(f"pv.asarray(x)[{key}]")
        bound = tuple(d for d in (i, j, k) if d in ours.dims)
        assert set(ours.dims) == set(bound) and isinstance(ours, pv.DimArray) and ours.dtype == pv.asarray(x).dtype
        sizes = [d.size for d in bound]
        made = ours.order(*bound)
        assert made.shape == (*sizes, *ours.shape)
        split = key.replace("(i,j)", "i*2+j").replace("(j,k)", "j*2+k")
        for at in itertools.product(*map(range, sizes)):
            want = eval(f"x[{split}]", {"x": x}, {str(d): n for d, n in zip(bound, at)})
            assert np.array_equal(np.asarray(made[at]), want) and np.asarray(made[at]).shape == want.shape


@pytest.mark.parametrize("name", "sum mean max min prod var std any all argmax argmin".split())
def test_reductions(name):
    for dtype in ["float64", "float32", "int32", "uint8", "bool"]:
        if dtype == "bool" and name not in ("any", "all", "sum"):
            dtype = "int64"
        for x in layouts(random((3, 4, 5), dtype)):
            i, j = pv.dims()
            t = pv.asarray(x)[i, j]
            call = getattr(t, name)
            same(call(j).order(i), getattr(np, name)(x, axis=1))
            same(call().order(j, i), getattr(np, name)(x, axis=2).T)
            same(getattr(pv, name)(t, axis=i).order(j), getattr(np, name)(x, axis=0))
            same(call(0, keepdims=True).order(i, j), getattr(np, name)(x, axis=2, keepdims=True))
            same(call(j, keepdims=True).order(i), getattr(np, name)(x, axis=1))  # a Dim goes: names broadcast by themselves
            if not name.startswith("arg"):
                same(call((i, -1)).order(j), getattr(np, name)(x, axis=(0, 2)))
                same(pv.asarray(call([i, j, 0])), getattr(np, name)(x))
            elif dtype != "bool":
                same(call((j, i)).order(), getattr(np, name)(x.transpose(2, 1, 0).reshape(5, -1), axis=1))


@pytest.mark.parametrize("name", "add sub mul truediv floordiv mod pow lt le gt ge eq ne".split())
def test_operators_over_the_union_of_dims(name):
    call = getattr(operator, name)
    for dtype in "float64 float32 int64 int16 uint8".split():
        of_integers = np.dtype(dtype).kind in "iu"
        x, y = random((3, 4), dtype) % 5 + 1, random((4, 2), dtype, 1) % 5 + 1
        i, j, k = pv.dims()
        a, b = pv.asarray(x)[i, k], pv.asarray(y)[k, j]
        r = call(a, b)
        assert r.dims == (i, k, j) and r.ndim == 0
        typed = (lambda z: z.astype("float64")) if of_integers and name == "truediv" else np.asarray  # NumPy: float16 of int8
        same(r.order(i, k, j), typed(call(x[:, :, None], y[None])))
        row = random((5,), dtype, 2) % 5 + 1  # positional axes, of NumPy too
        for other in (row, pv.asarray(row)):
            same(call(a, other).order(i, k), typed(call(x[..., None], row)))
            same(call(other, a).order(i, k), typed(call(row, x[..., None])))
        two = np.asarray(2, dtype)
        same(call(a, 2).order(i, k), typed(call(x, two)))
        same(call(2, a).order(i, k), typed(call(two, x)))
        if dtype in ("float64", "int64"):
            places = np.arange(1, 4).astype(dtype)[:, None]
            same(call(i + 1, a).order(i, k), call(places, x))
            same(call(a, i + 1).order(i, k), call(x, places))


def test_functions_of_elements():
    x = np.abs(random((3, 4))) + 0.1
    i, j = pv.dims()
    t = pv.asarray(x)[i, j]
    for name in "sqrt exp log sin cos tanh floor ceil square isnan isfinite sign negative".split():
        same(getattr(pv, name)(t).order(i, j), getattr(np, name)(x))
        same(getattr(np, name)(t).order(j, i), getattr(np, name)(x).T)
    same(pv.clip(t, 0.3, 0.9).order(i, j), np.clip(x, 0.3, 0.9))
    same(abs(-t).order(i, j), x)
    same((~(t > 1)).order(i, j), x <= 1)
    same(((t > 0.5) & (i < j)).order(i, j), (x > 0.5) & (np.arange(3)[:, None] < np.arange(4)))
    same(pv.hypot(t, i).order(i, j), np.hypot(x, np.arange(3.0)[:, None]))
    same(t.astype("float32").order(i, j), x.astype("float32"))
    same(t.softmax((i, j)).order(i, j), np.exp(x) / np.exp(x).sum())
    same(pv.softmax(pv.asarray(x), axis=-1), np.exp(x) / np.exp(x).sum(axis=1, keepdims=True))
    same(pv.where(t > 1, 1, t[...]).order(i, j), np.where(x > 1, 1, x))


def test_a_dim_is_its_indexes():
    i, j = pv.dims(sizes=[3, 4])
    same((2 * i - j + 7).order(i, j), 2 * np.arange(3)[:, None] - np.arange(4) + 7)
    same((i * j).order(i, j), np.outer(np.arange(3), np.arange(4)))
    same((10 - i).order(i), 10 - np.arange(3))
    same((-i).order(i), -np.arange(3))
    same((j / 2).order(j), np.arange(4) / 2)
    same((j % 2 * 1.5).order(j), np.arange(4) % 2 * 1.5)
    same(i.order(i), np.arange(3))
    same(j.sum(j).order(), np.int64(6))
    assert repr(2 * i - j + 1) == "2*i - j + 1" and i.dims == (i,) and (i + j).dims == (i, j)
    assert repr(i <= j).splitlines()[-1] == "with dims=(i, j) sizes=(3, 4)"
    x = pv.asarray(random((3, 2)))
    assert repr(x[i]).endswith("with dims=(i, 0) sizes=(3, 2)") and repr(i + 1 > 0).endswith("dims=(i,) sizes=(3,)")
    u, v = pv.dims()
    assert "over the dims (u, v)" in repr(u < v)
    assert (u < v).dtype == pv.bool and (u / v).dtype == pv.float64 and (u < v).ndim == 0
    u.size, v.size = 2, 3
    same((u < v).order(u, v), np.arange(2)[:, None] < np.arange(3))
