"""Loops of many steps: heat on a torus, gradients through its steps, and a recurrent network."""

import os

import numpy as np
import purview as pv
from driver import case, peer

THREADS = int(os.environ["OMP_NUM_THREADS"])
RATE = 0.2
UNITS = 64


def heat(api, u):
    return u + RATE * (api.roll(u, 1, 0) + api.roll(u, -1, 0) + api.roll(u, 1, 1) + api.roll(u, -1, 1) - 4 * u)


def by_numpy(start, steps):
    u = start
    for _ in range(steps):
        u = heat(np, u)
    return u


def by_jax(start, steps):
    jax = peer("jax")
    loop = jax and jax.jit(lambda u: jax.lax.fori_loop(0, steps, lambda _, v: heat(jax.numpy, v), u))
    given = jax and jax.numpy.asarray(start)
    return jax and (lambda: loop(given).block_until_ready())


def by_numba(start, steps):
    """Loops as one writes them, a pass over memory for each step, compiled for this processor."""
    numba = peer("numba")
    if not numba:
        return None
    numba.set_num_threads(min(THREADS, numba.config.NUMBA_NUM_THREADS))
    rate = start.dtype.type(RATE)

    @numba.njit(parallel=True)
    def step(u, out):
        n = u.shape[0]
        for i in numba.prange(n):
            above, row, below = u[i - 1], u[i], u[i + 1 if i + 1 < n else 0]  # -1 is the last one
            out[i, 0] = row[0] + rate * (above[0] + below[0] + row[n - 1] + row[1] - 4 * row[0])
            for j in range(1, n - 1):
                out[i, j] = row[j] + rate * (above[j] + below[j] + row[j - 1] + row[j + 1] - 4 * row[j])
            j = n - 1
            out[i, j] = row[j] + rate * (above[j] + below[j] + row[j - 1] + row[0] - 4 * row[j])

    places = np.empty_like(start), np.empty_like(start)

    def run():
        u = start
        for each in range(steps):
            step(u, places[each % 2])
            u = places[each % 2]
        return u

    return run


def by_devito(start, steps):
    """A grid with a margin, to which its borders are copied after each step; C that is compiled when it is first called."""
    devito = peer("devito")
    if not devito:
        return None
    devito.configuration["log-level"] = "ERROR"
    devito.configuration["language"] = "openmp" if THREADS > 1 else "C"
    n = start.shape[0]
    grid = devito.Grid(shape=(n + 2, n + 2), extent=(n + 1, n + 1), dtype=start.dtype.type)
    u = devito.TimeFunction(name="u", grid=grid, time_order=1, space_order=2)
    x, y = grid.dimensions
    t = grid.stepping_dim
    around = u.subs(x, x + x.spacing) + u.subs(x, x - x.spacing) + u.subs(y, y + y.spacing) + u.subs(y, y - y.spacing)
    inner = devito.Eq(u.forward, u + RATE * (around - 4 * u), subdomain=grid.interior)
    rows = [devito.Eq(u[t + 1, 0, y], u[t + 1, n, y]), devito.Eq(u[t + 1, n + 1, y], u[t + 1, 1, y])]
    columns = [devito.Eq(u[t + 1, x, 0], u[t + 1, x, n]), devito.Eq(u[t + 1, x, n + 1], u[t + 1, x, 1])]
    operator = devito.Operator([inner, *rows, *columns])
    wrapped = np.pad(start, 1, mode="wrap")

    def run():
        u.data[0] = wrapped
        operator.apply(time_m=0, time_M=steps - 1)
        return u.data[steps % 2, 1:-1, 1:-1]

    return run


def tori():
    for side, steps, dtype in ((1024, 100, "float64"), (4096, 20, "float64"), (4096, 20, "float32")):
        start = np.random.default_rng(6).random((side, side), dtype)
        yield case(
            f"heat on a torus, {steps} steps",
            "ahead of all",
            names={"np": np, "pv": pv, "heat": heat, "by_numpy": by_numpy, "start": start, "given": pv.asarray(start), "steps": steps},
            size=start.size,
            dtype=dtype,
            tolerance=1e-4 if dtype == "float32" else 1e-9,
            against=["numpy", "jax", "numba", "devito"],
            numpy="by_numpy(start, steps)" if side == 1024 else None,  # which takes seconds for a step of more
            jax=by_jax(start, steps),
            numba=by_numba(start, steps),
            devito=by_devito(start, steps),
            purview="pv.iterate(lambda u: heat(pv, u), given, steps)",
        )


def differentiated(name, size, dtype, tolerance, values, ours, torch_loss, jax_loss):
    """The value of a loss, and its value and gradients by all arguments but those that `values` has as data."""
    torch, jax = peer("torch"), peer("jax")
    data, by = values
    places = tuple(range(len(data), len(data) + len(by)))
    given = [pv.asarray(each) for each in (*data, *by)]
    shared = {"size": size, "dtype": dtype, "tolerance": tolerance, "against": ["torch", "jax"]}
    forward, backward = pv.compile(ours), pv.value_and_grad(ours, argnums=places)
    codes = {"purview": (lambda: forward(*given), lambda: backward(*given))}
    if torch:
        tensors = [torch.from_dlpack(np.asarray(each)) for each in (*data, *by)]
        leaves = tensors[len(data) :]

        def gradients():
            with torch.enable_grad():
                for leaf in leaves:
                    leaf.requires_grad_()
                loss = torch_loss(*tensors)
                return loss.detach(), torch.autograd.grad(loss, leaves)

        codes["torch"] = (lambda: torch_loss(*tensors), gradients)
    if jax:
        arrays = [jax.numpy.asarray(each) for each in (*data, *by)]
        once, both = jax.jit(jax_loss), jax.jit(jax.value_and_grad(jax_loss, argnums=places))
        codes["jax"] = (lambda: jax.block_until_ready(once(*arrays)), lambda: jax.block_until_ready(both(*arrays)))
    for kind, told in enumerate((name, f"{name}: value and gradient")):
        yield case(told, "ahead of all", **shared, **{who: code[kind] for who, code in codes.items()})


def rings():
    jax, steps = peer("jax"), 1000

    def step(api, u, k):
        return u + k * (api.roll(u, 1) - 2 * u + api.roll(u, -1))

    def by_torch(u, k):
        for _ in range(steps):
            u = u + k * (u.roll(1) - 2 * u + u.roll(-1))
        return u.square().sum()

    start = np.random.default_rng(7).random(1000)
    yield from differentiated(
        f"heat on a ring of 1000 points, {steps} steps",
        0,
        "float64",
        1e-9,
        ([], [start, np.float64(0.1)]),
        lambda u, k: pv.sum(pv.iterate(lambda v: step(pv, v, k), u, steps) ** 2),
        by_torch,
        jax and (lambda u, k: jax.numpy.sum(jax.lax.fori_loop(0, steps, lambda _, v: step(jax.numpy, v, k), u) ** 2)),
    )


def cell(api, logistic, of_input, of_seen, b):
    """Gates in the order of PyTorch's."""

    def one(state, row):
        seen, kept = state
        gates = of_input @ row + of_seen @ seen + b
        let_in, forget, new, out = (gates[UNITS * i : UNITS * (i + 1)] for i in range(4))
        kept = logistic(forget) * kept + logistic(let_in) * api.tanh(new)
        seen = logistic(out) * api.tanh(kept)
        return (seen, kept), seen

    return one


def recurrent_networks():
    torch, jax = peer("torch"), peer("jax")
    rng, zeros = np.random.default_rng(8), np.zeros(UNITS, "float32")
    sentence = rng.random((1000, UNITS), "float32")
    weights = [0.1 * rng.random(shape, "float32") for shape in ((4 * UNITS, UNITS), (4 * UNITS, UNITS), 4 * UNITS)]
    nothing = torch and torch.zeros(4 * UNITS), torch and torch.zeros(1, 1, UNITS)

    def ours(x, *given):
        outputs = pv.scan_over(cell(pv, pv.logistic, *given), (zeros, zeros), x)[1]
        return pv.mean((outputs - 0.5) ** 2)

    def by_torch(x, of_input, of_seen, b):
        bias, state = nothing
        outputs = torch.lstm(x[:, None], (state, state), (of_input, of_seen, b, bias), True, 1, 0.0, False, False, False)[0]
        return (outputs - 0.5).square().mean()

    def by_scan(x, *given):
        outputs = jax.lax.scan(cell(jax.numpy, jax.nn.sigmoid, *given), (zeros, zeros), x)[1]
        return jax.numpy.mean((outputs - 0.5) ** 2)

    yield from differentiated(f"LSTM, 1000 steps of {UNITS} units", 0, "float32", 1e-4, ([sentence], weights), ours, by_torch, by_scan)


def cases():
    yield from tori()
    yield from rings()
    yield from recurrent_networks()
