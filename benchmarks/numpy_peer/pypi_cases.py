"""What is no package of Debian: JAX, Numba, NumPy of today and MKL, as a user of theirs would write the cases; of the
same form as those in cases.py."""

import glob
import os
import sys

import numpy as np

from cases import coo, of_matrices
from data import random

HEAT = ((32, 2048, "float64"), (100, 4096, "float64"), (50, 8192, "float32"))  # steps, side: as in support/loop_data.hpp
WAVES = ((16, 256), (20, 512))


def box_factors(radius):
    """Weights of what lies around an element, as box_factor of support/loop_data.hpp has them."""
    offsets = np.arange(-radius, radius + 1)
    parts = 1 / (1 + offsets[:, None] ** 2 + offsets[None, :] ** 2)
    return parts / parts.sum()


def jax():
    """On as many processors as there are threads, which XLA asks the system for before it is loaded."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:int(os.environ.get("BENCH_THREADS", "1"))])
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax
    import jax.numpy as jnp
    jax.config.update("jax_enable_x64", True)

    def heat_step(k, axes):
        def step(u):
            around = sum(jnp.roll(u, shift, axis) for axis in axes for shift in (1, -1))
            return u + k * (around - 2 * len(axes) * u)
        return step

    def wave_step(states):
        u, before = states
        around = sum(jnp.roll(u, shift, axis) for axis in range(3) for shift in (1, -1)) - 6 * u
        return 2 * u - before + np.float32(0.1) * around, u

    def box_step(radius):
        factors = box_factors(radius).astype(np.float32)
        return lambda u: sum(factors[i + radius, j + radius] * jnp.roll(u, (-i, -j), (0, 1))
                             for i in range(-radius, radius + 1) for j in range(-radius, radius + 1))

    def called(function, *arguments, result="f(*x)"):
        def case():
            return "jax.block_until_ready(f(*x))", {"jax": jax, "f": jax.jit(function), "x": arguments_of(arguments)}, result
        return case

    def arguments_of(arguments):
        return tuple(jnp.asarray(argument()) for argument in arguments)

    def loop(step, steps, start, chosen=lambda state: state):
        return called(lambda *x: chosen(jax.lax.fori_loop(0, steps, lambda _, state: step(state), x if len(x) > 1 else x[0])), *start)

    def network(sentence, of_input, of_seen, b):
        def cell(state, row):
            seen, kept = state
            gate = jnp.split(of_input @ row + of_seen @ seen + b, 4)
            after = jax.nn.sigmoid(gate[1]) * kept + jax.nn.sigmoid(gate[0]) * jnp.tanh(gate[2])
            output = jax.nn.sigmoid(gate[3]) * jnp.tanh(after)
            return (output, after), output
        zeros = jnp.zeros(64, np.float32)
        return jnp.mean(jnp.square(jax.lax.scan(cell, (zeros, zeros), sentence)[1] - np.float32(0.5)))

    def ring(steps):
        def loss(start, k):
            # Of a fixed number of steps `fori_loop` is a scan, which can be gone through backwards.
            last = jax.lax.fori_loop(0, steps, lambda _, u: heat_step(k, (0,))(u), start)
            return jnp.sum(jnp.square(last))
        return loss

    def slopes(loss, by):
        def both(*x):
            value, gradients = jax.value_and_grad(loss, by)(*x)
            return value, *gradients
        return both

    # Of large states those of a quick run, as a step of others takes a tenth of a second.
    cases = {}
    for steps, side, dtype in HEAT[:1]:
        cases[f"iterate_heat/{steps}_of_{side}x{side}/{dtype}"] = loop(
            heat_step(np.dtype(dtype).type(0.2), (0, 1)), steps, [lambda side=side, dtype=dtype: random((side, side), 1, dtype)])
    for steps, side in WAVES[:1]:
        cube = lambda side=side: random((side, side, side), 1, np.float32)
        cases[f"iterate_wave/{steps}_of_{side}x{side}x{side}/float32"] = loop(wave_step, steps, [cube, cube], lambda states: states[0])
    cases["iterate_25_points/16_of_2048x2048/float32"] = loop(box_step(2), 16, [lambda: random((2048, 2048), 1, np.float32)])
    start, k = lambda: random(1000, 1), lambda: 0.1
    cases["iterate_ring/200_of_1000/float64"] = loop(heat_step(0.1, (0,)), 200, [start])
    cases["forward_heat/200_of_1000/float64"] = called(ring(200), start, k)
    cases["gradient_heat/200_of_1000/float64"] = called(slopes(ring(200), (1,)), start, k)
    cases["forward_iterate/1000_of_1000/float64"] = called(ring(1000), start, k)
    cases["gradient_iterate/1000_of_1000/float64"] = called(slopes(ring(1000), (0, 1)), start, k)
    weights = [lambda: random((1000, 64), 1, np.float32), lambda: random((256, 64), 2, np.float32, 0.1),
               lambda: random((256, 64), 3, np.float32, 0.1), lambda: random(256, 4, np.float32, 0.1)]
    cases["forward_lstm/1000_of_64/float32"] = called(network, *weights)
    cases["gradient_lstm/1000_of_64/float32"] = called(slopes(network, (1, 2, 3)), *weights)
    return cases


def numba():
    """Loops over memory as they are written for it, the edges of a torus apart, in parallel."""
    import numba

    numba.set_num_threads(min(int(os.environ.get("BENCH_THREADS", "1")), numba.config.NUMBA_NUM_THREADS))

    @numba.njit(parallel=True)
    def heat(u, after, k, steps):
        rows, columns = u.shape
        for _ in range(steps):
            for i in numba.prange(rows):
                above, below = u[i - 1], u[(i + 1) % rows]
                here, to = u[i], after[i]
                to[0] = here[0] + k * (above[0] + below[0] + here[-1] + here[1] - 4 * here[0])
                for j in range(1, columns - 1):
                    to[j] = here[j] + k * (above[j] + below[j] + here[j - 1] + here[j + 1] - 4 * here[j])
                to[-1] = here[-1] + k * (above[-1] + below[-1] + here[-2] + here[0] - 4 * here[-1])
            u, after = after, u
        return u

    @numba.njit(parallel=True)
    def wave(u, before, speed, steps):
        planes, rows, columns = u.shape
        two, six = np.float32(2), np.float32(6)
        for _ in range(steps):
            for i in numba.prange(planes):
                for j in range(rows):
                    a, b = u[i - 1, j], u[(i + 1) % planes, j]
                    c, d = u[i, j - 1], u[i, (j + 1) % rows]
                    here, to = u[i, j], before[i, j]
                    for k in (0, columns - 1):
                        around = a[k] + b[k] + c[k] + d[k] + here[k - 1] + here[(k + 1) % columns] - six * here[k]
                        to[k] = two * here[k] - to[k] + speed * around
                    for k in range(1, columns - 1):
                        around = a[k] + b[k] + c[k] + d[k] + here[k - 1] + here[k + 1] - six * here[k]
                        to[k] = two * here[k] - to[k] + speed * around
            u, before = before, u
        return u

    def heat_case(steps, side, dtype):
        def case():
            u = random((side, side), 1, dtype)
            names = {"f": heat, "u": u, "k": u.dtype.type(0.2), "n": steps}
            return "r = f(u.copy(), np.empty_like(u), k, n)", names, "f(u.copy(), np.empty_like(u), k, n)"
        return case

    def wave_case(steps, side):
        def case():
            names = {"f": wave, "u": random((side, side, side), 1, np.float32), "k": np.float32(0.1), "n": steps}
            return "r = f(u.copy(), u.copy(), k, n)", names, "f(u.copy(), u.copy(), k, n)"
        return case

    return ({f"iterate_heat/{steps}_of_{side}x{side}/{dtype}": heat_case(steps, side, dtype)
             for steps, side, dtype in HEAT} |
            {f"iterate_wave/{steps}_of_{side}x{side}x{side}/float32": wave_case(steps, side)
             for steps, side in WAVES})


def numpy2():
    """Its sort is x86-simd-sort."""
    n = 10_000_000

    def in_order(dtype):
        return lambda: ("np.sort(x)", {"x": random((n,), 1, dtype)}, "np.sort(x)")

    return {f"sort/{n}/{dtype}": in_order(dtype) for dtype in ("float64", "float32", "int64")}


def mkl():
    os.environ["MKL_RT"] = glob.glob(os.path.join(sys.prefix, "lib", "libmkl_rt.so*"))[0]
    os.environ["MKL_NUM_THREADS"] = os.environ.get("BENCH_THREADS", "1")
    from sparse_dot_mkl import dot_product_mkl

    return {"csr_product/100000x10/float64": lambda: of_matrices(
        "mkl(a, b)", 10**5, a=coo(10**5, 10**6, 1).tocsr(), b=coo(10**5, 10**6, 4).tocsr(), mkl=dot_product_mkl)}
