"""NumPy's cases of complex numbers and of floats of 16 bits, and of memory that crosses: as those in cases.py."""

import numpy as np

from data import random


def complex_numbers():
    cases = {}
    for n in (10_000_000, 100_000, 1_000):
        for dtype, real in (("complex64", "float32"), ("complex128", "float64")):
            def inputs(out, n=n, dtype=dtype):
                w = random(n, 2, dtype, 4) + np.dtype(dtype).type(0.25)
                return {"z": random(n, 1, dtype), "w": w, "v": random(n, 3, dtype), "out": np.empty(n, out)}

            def into(statement, out, inputs=inputs):
                return lambda: (statement, inputs(out), "out")

            cases |= {
                f"complex_multiply_add/{n}/{dtype}": into("np.multiply(z, w, out=out); np.add(out, v, out=out)", dtype),
                f"complex_divide/{n}/{dtype}": into("np.divide(z, w, out=out)", dtype),
                f"complex_abs/{n}/{dtype}": into("np.abs(z, out=out)", real),
                f"complex_exp/{n}/{dtype}": into("np.exp(z, out=out)", dtype),
                f"complex_sum/{n}/{dtype}": lambda n=n, dtype=dtype: ("z.sum()", {"z": random(n, 1, dtype)}, "z.sum()"),
            }
    for n in (64, 256, 1024):
        for dtype in ("complex64", "complex128"):
            def product(n=n, dtype=dtype):
                a, b = random((n, n), 1, dtype), random((n, n), 2, dtype)
                return "np.matmul(a, b, out=out)", {"a": a, "b": b, "out": np.empty_like(a)}, "out"

            cases[f"complex_matmul/{n}/{dtype}"] = product
    return cases


def sixteen_bits():
    def halves(n, out):
        return {"h": random(n, 1, np.float16), "k": random(n, 2, np.float16), "out": np.empty(n, out)}

    def cast(n, source, to):
        return "np.copyto(out, x, casting='unsafe')", {"x": random(n, 1, source), "out": np.empty(n, to)}, "out"

    cases = {}
    for n in (10_000_000, 100_000):
        cases |= {
            f"half_add/{n}/float16": lambda n=n: (
                "np.add(h, k, out=out, dtype=np.float32)", halves(n, np.float32), "out"),
            f"half_update/{n}/float16": lambda n=n: (
                "np.multiply(h, np.float16(0.5), out=h); np.add(h, k, out=h)", halves(n, np.float16), "h"),
            f"half_sum/{n}/float16": lambda n=n: (
                "h.sum(dtype=np.float32)", halves(n, np.float32), "h.sum(dtype=np.float32)"),
            f"cast_float16_float32/{n}/float32": lambda n=n: cast(n, np.float16, np.float32),
            f"cast_float32_float16/{n}/float16": lambda n=n: cast(n, np.float32, np.float16),
        }
    return cases


def doors():
    return {f"door_{name}/4x6/float64": lambda statement=statement: (statement, {"x": random((4, 6), 1)}, statement)
            for name, statement in (("dlpack_unversioned", "np.from_dlpack(x)"), ("view_as", "x[..., np.newaxis].view('u1')"))}


def element_types():
    return complex_numbers() | sixteen_bits() | doors()
