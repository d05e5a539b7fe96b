"""The examples of torchdim's README, each written once for both: `api` is Purview, or torch with torchdim."""

from types import SimpleNamespace

import numpy as np
import purview as pv
from driver import case, peer


def product(api, A, B):
    i, j, k = api.dims(3)
    return (A[i, k] * B[k, j]).sum(k).order(i, j)


def batched_product(api, A, B):
    i = api.dims(1)
    return product(api, A[i], B[i]).order(i)


def gram_matrix(api, y):
    b, c, c2, h, w = api.dims(5)
    r = (y[b, c, h, w] * y[b, c2, h, w]).sum((h, w))
    return (r / (h.size * w.size)).order(b, c, c2)


def attention(api, K, Q, V):
    batch, channel, key, query = api.dims(4)
    k, q, v = K[batch, channel, key], Q[batch, channel, query], V[batch, channel, key]
    a = (k * q).sum(channel) * channel.size**-0.5
    a = a.softmax(dim=key) if api.name == "torch" else a.softmax(key)
    return api.concat(((v * a).sum(key).order(batch, channel, query), Q), 1)


def heads_with_positions(api, Q, K, V, D):
    batch, query, key, heads, features = api.dims(5)
    heads.size = 8
    q = Q[batch, query, [heads, features]]
    k, v = K[batch, key, [heads, features]], V[batch, key, [heads, features]]
    position = D[query - key + (Q.shape[1] - 1), features]
    scores = (q * k).sum(features) + (q * position).sum(features) + (k * position).sum(features)
    weights = scores.softmax(dim=key) if api.name == "torch" else scores.softmax(key)
    return (weights * v).sum(key).order(batch, query, [heads, features])


def pixel_shuffle(api, img):
    h2, w2, c, b, h, w = api.dims(6)
    h2.size = w2.size = 2
    return img[b, (c, h2, w2), h, w].order(b, c, (h, h2), (w, w2))


def embedding_bag(api, ids, table):
    batch, sequence, features = api.dims(3)
    return table[ids[batch, sequence], features].sum(sequence).order(batch, features)


def outer(api, a, b):
    i, j = api.dims(2)
    return (a[i] * b[j]).order(i, j)


def diagonal(api, a):
    i = api.dims(1)
    return a[i, i].order(i)


def identity(api, n):
    i, j = api.sized(n, n)
    return api.where(i == j, 1, 0).order(i, j)


def upper_triangle(api, a):
    i, j = api.sized(*a.shape)
    return api.where(i <= j, a[i, j], 0).order(i, j)


def differences(api, a):
    i = api.dims(1)
    d = a[i]  # gives i its size
    return api.where(i - 1 >= 0, d - a[i - 1], d).order(i)


def rolled(api, a):
    (i,) = api.sized(a.shape[0])
    return a[api.where(i + 1 < i.size, i + 1, 0)].order(i)


def flipped(api, a):
    (i,) = api.sized(a.shape[0])
    return a[i.size - i - 1].order(i)


def sequence_mask(api, values, length):
    j, i = api.dims(2)
    v, n = values[i, j], length[i]
    return api.where(j < n, v, 0).order(i, j)


def ours():
    def sized(*sizes):
        made = pv.dims(len(sizes))
        made = made if isinstance(made, tuple) else (made,)
        for dim, size in zip(made, sizes):
            dim.size = size
        return made

    return SimpleNamespace(
        name="purview", dims=pv.dims, sized=sized, where=pv.where, concat=lambda parts, axis: pv.concat(parts, axis=axis)
    )


def theirs():
    torch = peer("torch")
    try:
        from functorch.dim import dims
    except ImportError:
        return None

    # torchdim's `where` has no numbers before torch 1.12, nor dims alone: as the README does.
    def sized(*sizes):
        made = dims(len(sizes), list(sizes))
        return made if isinstance(made, tuple) else (made,)

    return SimpleNamespace(name="torch", dims=dims, sized=sized, where=torch.where, concat=torch.cat)


def cases():
    torch, both = peer("torch"), {"purview": ours(), "torchdim": theirs()}
    rng = np.random.default_rng(4)

    def real(*shape):
        return rng.random(shape, dtype="float32")

    def ids(top, *shape):
        return rng.integers(0, top, shape)

    for function, text, values in [
        (product, "8³", (real(8, 8), real(8, 8))),
        (product, "512³", (real(512, 512), real(512, 512))),
        (batched_product, "4 of 8³", (real(4, 8, 8), real(4, 8, 8))),
        (batched_product, "32 of 128³", (real(32, 128, 128), real(32, 128, 128))),
        (gram_matrix, "1×2×3×4", (real(1, 2, 3, 4),)),
        (gram_matrix, "8×64×32×32", (real(8, 64, 32, 32),)),
        (attention, "2×3×4", (real(2, 3, 4), real(2, 3, 4), real(2, 3, 4))),
        (attention, "8×64×256", (real(8, 64, 256), real(8, 64, 256), real(8, 64, 256))),
        (heads_with_positions, "1×4×16", (*(real(1, 4, 16) for _ in range(3)), real(7, 2))),
        (heads_with_positions, "4×128×512", (*(real(4, 128, 512) for _ in range(3)), real(255, 64))),
        (pixel_shuffle, "1×4×2×2", (real(1, 4, 2, 2),)),
        (pixel_shuffle, "8×64×64×64", (real(8, 64, 64, 64),)),
        (embedding_bag, "2×3 of 5×4", (ids(5, 2, 3), real(5, 4))),
        (embedding_bag, "256×64 of 10⁴×128", (ids(10_000, 256, 64), real(10_000, 128))),
        (outer, "5", (real(5), real(5))),
        (outer, "2000", (real(2000), real(2000))),
        (diagonal, "5", (real(5, 5),)),
        (diagonal, "2000", (real(2000, 2000),)),
        (identity, "5", (5,)),
        (identity, "1000", (1000,)),
        (upper_triangle, "5", (real(5, 5),)),
        (upper_triangle, "2000", (real(2000, 2000),)),
        (differences, "5", (real(5),)),
        (differences, "10⁶", (real(1_000_000),)),
        (rolled, "5", (real(5),)),
        (rolled, "10⁶", (real(1_000_000),)),
        (flipped, "5", (real(5),)),
        (flipped, "10⁶", (real(1_000_000),)),
        (sequence_mask, "5", (real(5, 5), ids(5, 5))),
        (sequence_mask, "2000", (real(2000, 2000), ids(2000, 2000))),
    ]:
        made = {
            "purview": [pv.asarray(value) if isinstance(value, np.ndarray) else value for value in values],
            "torchdim": torch and [torch.from_dlpack(value) if isinstance(value, np.ndarray) else value for value in values],
        }

        def call(who, function=function, made=made):
            arguments, api = made[who], both[who]
            if api is None:
                return None
            return (
                (lambda: np.ascontiguousarray(function(api, *arguments)))
                if who == "purview"
                else lambda: function(api, *arguments).contiguous()
            )

        yield case(
            f"{function.__name__.replace('_', ' ')}, {text}",
            "≤ 1.0 × torchdim",
            tolerance=1e-4,
            against=["torchdim"],
            **{who: call(who) for who in both},
        )
