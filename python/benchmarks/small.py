"""Calls whose work is nothing, chains of six operations, and what crosses between libraries."""

import numpy as np
import purview as pv
from driver import case, peer

CHAIN = "sqrt((x - 0.5)**2 + 1) * 2 + x"


def calls():
    a, b, n, m = np.arange(3.0), np.arange(3.0) + 1, np.arange(10.0), np.arange(12.0).reshape(3, 4)
    names = {"a": a, "b": b, "n": n, "m": m, "np": np, "pv": pv}
    names |= {upper: pv.asarray(names[lower]) for lower, upper in zip("abnm", "ABNM")}
    t = peer("torch")
    names |= {f"t{key}": t.from_dlpack(names[key]) for key in "abnm"} if t else {}
    limit = {"names": names, "against": ["numpy"], "most": 1.2}
    told = "≤ 1.2 × NumPy"
    for name, numpy, ours, torch in [
        ("`a + b` of 3, lazy", "a + b", "A + B", "ta + tb"),
        ("`a + b` of 3, realised", "a + b", "(A + B).realise()", "ta + tb"),
        ("`a + 1` of 3, realised", "a + 1", "(A + 1).realise()", "ta + 1"),
        ("`sqrt(a)` of 3, realised", "np.sqrt(a)", "pv.sqrt(A).realise()", "ta.sqrt()"),
        ("view `a[1:]`", "a[1:]", "A[1:]", "ta[1:]"),
        ("view `m[1]`", "m[1]", "M[1]", "tm[1]"),
        ("view `m.T`", "m.T", "M.T", "tm.T"),
        ("scalar index `a[1]`", "a[1]", "A[1]", "ta[1]"),
        ("`a[1]` as a Python number", "a[1].item()", "A[1].item()", "ta[1].item()"),
        ("`n.sum()` of 10", "n.sum()", "N.sum()", "tn.sum()"),
        ("`n.max()` of 10", "n.max()", "N.max()", "tn.max()"),
    ]:
        yield case(name, told, numpy=numpy, purview=ours, torch=torch if t else None, **limit)


def crossing():
    a = np.arange(3.0)
    t = peer("torch")
    names = {"a": a, "A": pv.asarray(a), "np": np, "pv": pv, "torch": t, "t": t and t.from_dlpack(a)}
    limit = {"names": names, "against": [], "most": 1000}
    yield case("`asarray(numpy)`", "≤ 1 µs", purview="pv.asarray(a)", torch="torch.from_dlpack(a)" if t else None, **limit)
    yield case("`np.asarray(t)`", "≤ 1 µs", purview="np.asarray(A)", torch="np.from_dlpack(t)" if t else None, **limit)


def chains():
    numexpr, torch, jax = (peer(name) for name in ("numexpr", "torch", "jax"))
    jitted = jax and jax.jit(lambda x: jax.numpy.sqrt((x - 0.5) ** 2 + 1) * 2 + x)
    for dtype in ("float32", "float64"):
        for size in (1000, 100_000, 10_000_000):
            x = np.random.default_rng(1).random(size).astype(dtype)
            names = {"x": x, "X": pv.asarray(x), "np": np, "pv": pv, "ne": numexpr, "out": np.empty_like(x), "jitted": jitted}
            names |= {"T": torch.from_dlpack(x)} if torch else {}
            names |= {"J": jax.numpy.asarray(x)} if jax else {}
            if numexpr:  # checks and the plan are made once
                numexpr.evaluate(CHAIN, {"x": x}, out=names["out"], casting="same_kind")
            yield case(
                f"`{CHAIN}`",
                "ahead of all",
                names=names,
                size=size,
                dtype=dtype,
                tolerance=1e-5 if dtype == "float32" else 1e-12,
                moved=2 * x.nbytes if size >= 10_000_000 else 0,
                numpy="np.sqrt((x - 0.5)**2 + 1) * 2 + x",
                numexpr="ne.re_evaluate()" if numexpr else None,
                torch="((T - 0.5)**2).add_(1).sqrt_().mul_(2).add_(T)" if torch else None,
                jax="jitted(J).block_until_ready()" if jax else None,
                purview="(pv.sqrt((X - 0.5)**2 + 1) * 2 + X).realise()",
            )
