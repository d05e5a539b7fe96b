"""The cases of gpu.cpp in CuPy, PyTorch (eager, compiled) and JAX, on the same device. Prints as it goes, one JSON object a line to $OUT/peers_NAME.jsonl.
Each library in a process of its own: peers.py NAME."""
import json, os, sys, time

out = open(os.path.join(os.environ.get("OUT", "."), "peers_%s.jsonl" % sys.argv[1]), "w")
small = bool(os.environ.get("BENCH_SMALL"))
N, SIDE = (10**6, 512) if small else (10**8, 16384)
name = sys.argv[1]
budget = time.time() + float(os.environ.get("PEER_SECONDS", "60"))


def row(case, ms, bytes_=0):
    print("%-14s %-40s %9.4f ms %8.0f GB/s" % (name, case, ms, bytes_ / ms / 1e6), flush=True)
    out.write(json.dumps({"lib": name, "case": case, "ms": ms, "GBs": bytes_ / ms / 1e6}) + "\n")
    out.flush()


def note(**k):
    print(name, k, flush=True)
    out.write(json.dumps({"lib": name, **k}) + "\n")
    out.flush()


if name.startswith("torch"):
    import torch

    assert torch.cuda.is_available() or small
    dev = "cuda" if torch.cuda.is_available() else "cpu"
    types = {"float32": torch.float32, "float64": torch.float64}
    rand = lambda shape, t: torch.rand(shape, dtype=types[t], device=dev) * 2 - 1
    sync = torch.cuda.synchronize if dev == "cuda" else (lambda: None)
    compiled = name == "torch.compile"
    wrap = (lambda f: torch.compile(f, dynamic=False)) if compiled else (lambda f: f)
    tr = lambda a: a.t()
    xp_exp, xp_tanh = torch.exp, torch.tanh
    xsum = lambda a, ax=None: a.sum() if ax is None else a.sum(ax)
    softmax = lambda a: torch.softmax(a, 1)
    roll = lambda a: torch.roll(a, 1)
    rev = lambda a: torch.flip(a, (0,))
    clone = (lambda a: a + 1) if compiled else (lambda a: a.clone(memory_format=torch.contiguous_format))
    copy = clone

    def timed(f):
        if dev == "cpu":
            t = time.perf_counter(); f(); return (time.perf_counter() - t) * 1e3
        a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        a.record(); f(); b.record(); b.synchronize()
        return a.elapsed_time(b)
elif name.startswith("cupy"):
    import cupy as cp

    types = {"float32": cp.float32, "float64": cp.float64}
    rand = lambda shape, t: (cp.random.random(shape, dtype=types[t]) * 2 - 1).astype(types[t])
    sync = cp.cuda.Device().synchronize
    wrap = (lambda f: cp.fuse(kernel_name="fused")(f)) if name == "cupy.fuse" else (lambda f: f)
    tr = lambda a: a.T
    xp_exp, xp_tanh = cp.exp, cp.tanh
    xsum = lambda a, ax=None: cp.sum(a, axis=ax)

    def softmax(a):
        e = cp.exp(a - cp.max(a, axis=1, keepdims=True))
        return e / cp.sum(e, axis=1, keepdims=True)
    roll = lambda a: cp.roll(a, 1)
    rev = lambda a: a[::-1]
    clone = lambda a: cp.ascontiguousarray(a)
    copy = lambda a: a.copy()

    def timed(f):
        a, b = cp.cuda.Event(), cp.cuda.Event()
        a.record(); f(); b.record(); b.synchronize()
        return cp.cuda.get_elapsed_time(a, b)
else:
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax, jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    types = {"float32": jnp.float32, "float64": jnp.float64}
    rand = lambda shape, t: jax.random.uniform(jax.random.key(1), shape, dtype=types[t], minval=-1, maxval=1)
    wrap = jax.jit
    tr = lambda a: a.T
    xp_exp, xp_tanh = jnp.exp, jnp.tanh
    xsum = lambda a, ax=None: jnp.sum(a, axis=ax)
    softmax = lambda a: jax.nn.softmax(a, axis=1)
    roll = lambda a: jnp.roll(a, 1)
    rev = lambda a: a[::-1]
    clone = lambda a: a + 1  # a copy alone may be left out
    copy = clone
    last = None

    def sync():
        if last is not None:
            jax.block_until_ready(last)

    def timed(f):
        t = time.perf_counter(); r = f(); jax.block_until_ready(r)
        return (time.perf_counter() - t) * 1e3


def median(f, keep=True):
    """ms of one call: several in a row, so that launches overlap; of JAX by the host's clock around a batch."""
    global last
    for _ in range(3):
        last = f()
    sync()
    one = max(timed(f), 1e-3)
    n = max(1, min(200, int(10 / one)))
    times = []
    for _ in range(7):
        if name == "jax":
            t = time.perf_counter()
            for _ in range(n):
                last = f()
            jax.block_until_ready(last)
            times.append((time.perf_counter() - t) * 1e3 / n)
        else:
            times.append(timed(lambda: [f() for _ in range(n)] and None) / n)
    return sorted(times)[3]


def case(title, f, bytes_, *args):
    if time.time() > budget:
        note(skipped=title)
        return
    try:
        g = wrap(f)
        t = time.perf_counter()
        r = g(*args)
        sync() if name != "jax" else jax.block_until_ready(r)
        first = (time.perf_counter() - t) * 1e3
        del r
        row(title, median(lambda: g(*args)), bytes_)
        note(first_call=title, first_ms=round(first, 1))
    except Exception as e:  # one failure must not end the rest
        note(error=title, text=str(e)[:300])


chain = lambda a: (((((a + 4) * 2) - 3) / 2) + 6) * 4
for t, s in (("float32", 4), ("float64", 8)):
    n = N
    x, y = rand((n,), t), rand((n,), t)
    if name != "cupy.fuse":
        case("copy " + t, copy, 2 * s * n, x)
    case("chain of six " + t, chain, 2 * s * n, x)
    case("x + y " + t, lambda a, b: a + b, 3 * s * n, x, y)
    case("exp(x) " + t, lambda a: xp_exp(a), 2 * s * n, x)
    case("tanh(x) * y " + t, lambda a, b: xp_tanh(a) * b, 3 * s * n, x, y)
    case("sum((x-y)^2) " + t, lambda a, b: xsum((a - b) * (a - b)), 2 * s * n, x, y)
    if name != "cupy.fuse":
        case("max(x) " + t, lambda a: a.max(), s * n, x)
        case("x + rotate(x, 1) " + t, lambda a: a + roll(a), 2 * s * n, x)
        case("x[::-1] * 2 " + t, lambda a: rev(a) * 2, 2 * s * n, x)
        case("x[::2] + y[::2] " + t, lambda a, b: a[::2] + b[::2], 2.5 * s * n, x, y)
    del y
    m = SIDE if t == "float32" else SIDE // 2
    a = rand((m, m), t)
    z = " %d^2 %s" % (m, t)
    case("a + transpose(a)" + z, lambda p: p + tr(p), 3 * s * m * m, a)
    if name != "cupy.fuse":
        case("clone of transpose(a)" + z, lambda p: clone(tr(p)), 2 * s * m * m, a)
        case("a - row[None, :]" + z, lambda p: p - p[0], 2 * s * m * m, a)
        case("five-point stencil" + z, lambda p: p[1:-1, 1:-1] * 4 - p[:-2, 1:-1] - p[2:, 1:-1] - p[1:-1, :-2] - p[1:-1, 2:], 2 * s * m * m, a)
        case("sum over axis 1" + z, lambda p: xsum(p, 1), s * m * m, a)
        case("sum over axis 0" + z, lambda p: xsum(p, 0), s * m * m, a)
        case("softmax of rows" + z, softmax, 2 * s * m * m, a)
        if name in ("torch", "cupy"):
            for k in (256, 4096):
                b = rand((k, k), t)
                case("matmul %d %s" % (k, t), lambda p: p @ p, 0, b)
    del a, x
for n in (1000, 10000, 100000, 1000000):
    x, y = rand((n,), "float32"), rand((n,), "float32")
    for title, f, args in (("chain of six", chain, (x,)), ("sum((x-y)^2)", lambda a, b: xsum((a - b) * (a - b)), (x, y))):
        try:
            g = wrap(f)
            dev_us = median(lambda: g(*args)) * 1e3
            sync()
            k = 1000
            t0 = time.perf_counter()
            for _ in range(k):
                last = g(*args)
            host = (time.perf_counter() - t0) * 1e6 / k
            sync()
            t0 = time.perf_counter()
            for _ in range(200):
                last = g(*args)
                sync()
            wait = (time.perf_counter() - t0) * 1e6 / 200
            note(small=title, n=n, device_us=round(dev_us, 2), host_us=round(host, 2), wait_us=round(wait, 2))
        except Exception as e:
            note(error=title, text=str(e)[:300])
        if time.time() > budget + 15:
            note(skipped="small"); sys.exit(0)
