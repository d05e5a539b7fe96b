"""Random keys of dims, read, summed and written, beside the loops that they stand for."""

import itertools

import numpy as np
import pytest

import purview as pv

NAMES = "ijkl"
KINDS = "dim sum multiple slice integer ids product joint where".split()


def random_key(rng, dims, sizes, rank):
    """A shape, the parts of a key for it, the same as Python's text, and the names of their dims."""
    shape, key, text, used = [], [], [], set()
    for kind in rng.choice(KINDS, rank):
        c, d = (str(n) for n in rng.choice(list(NAMES), 2, replace=False))
        names = {c, d}
        if kind == "dim":
            part, names = (sizes[c], dims[c], c), {c}
        elif kind == "sum":
            part = sizes[c] + sizes[d] - 1, dims[c] + dims[d], f"{c}+{d}"
        elif kind == "multiple":
            m, o = (int(n) for n in rng.integers([1, -2], [3, 3]))
            part, names = (max(m * (sizes[c] - 1) + o + 1, -o, 1), m * dims[c] + o, f"{m}*{c}+{o}"), {c}
        elif kind == "slice":
            part, names = (int(rng.integers(2, 4)), slice(None, None, -1), "::-1"), set()
        elif kind == "integer":
            part, names = (3, -2, "-2"), set()
        elif kind == "ids":
            n = int(rng.integers(1, 5))
            ids = rng.integers(-n, n, (sizes[c], sizes[d]))
            part = n, pv.asarray(ids)[dims[c], dims[d]], f"np.array({ids.tolist()})[{c},{d}]"
        elif kind == "product":
            part = sizes[c] * sizes[d] + 1, dims[c] * dims[d], f"{c}*{d}"
        elif kind == "joint":
            part = sizes[c] * sizes[d], (dims[c], dims[d]), f"{c}*{sizes[d]}+{d}"
        else:
            i = dims[c]
            part, names = (sizes[c], pv.where(i + 1 < i.size, i + 1, 0), f"({c}+1 if {c}+1<{sizes[c]} else 0)"), {c}
        for values, value in zip((shape, key, text), part):
            values.append(value)
        used |= names
    return shape, tuple(key), ",".join(text) + ",", sorted(used)


@pytest.mark.parametrize("seed", range(150))
def test_keys(seed):
    rng = np.random.default_rng(seed)
    sizes = {c: int(rng.integers(1, 4)) for c in NAMES}
    dims = {c: pv.Dim(c, n) for c, n in sizes.items()}
    shape, key, text, used = random_key(rng, dims, sizes, rng.integers(1, 4))
    if not used:  # a key of NumPy's alone
        shape, key, text, used = [*shape, sizes["i"]], (*key, dims["i"]), text + "i,", ["i"]
    x = rng.integers(0, 100, shape).astype(rng.choice(["int64", "float64", "int32"]))
    x = [x, x.copy(order="F"), np.repeat(x, 2, axis=-1)[..., ::2]][seed % 3]

    def loops(names):
        return (dict(zip(names, at)) for at in itertools.product(*(range(sizes[c]) for c in names)))

    ours = pv.asarray(x)[key]
    order = [str(c) for c in rng.permutation(used)]
    assert {str(d) for d in ours.dims} == set(used)
    read = np.asarray(ours.order(*(dims[c] for c in order)))
    for at in loops(order):
        assert np.array_equal(read[tuple(at.values())], eval(f"x[{text}]", {"x": x, "np": np, **at}))
    same_sum = ours.sum(dims[order[0]]).order(*(dims[c] for c in order[1:]))
    assert np.array_equal(np.asarray(same_sum), read.sum(axis=0))

    of_values = [c for c in NAMES if rng.random() < 0.5] or ["i"]
    v = rng.integers(0, 9, [sizes[c] for c in of_values]).astype(x.dtype)
    outer = [str(d) for d in ours.dims]
    for how in ("=", "+=", "-="):
        written, want = x.copy(), x.copy()
        values = pv.asarray(v)[tuple(dims[c] for c in of_values)]
        exec(f"y[key] {how} values", {"y": pv.asarray(written), "key": key, "values": values})
        for at in loops(outer + [c for c in of_values if c not in outer]):
            exec(f"x[{text}] {how} v", {"x": want, "np": np, "v": v[tuple(at[c] for c in of_values)], **at})
        assert np.array_equal(written, want)
