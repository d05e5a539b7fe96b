"""Arrays for tests: of random shapes and types, and views of them."""

import numpy as np

import purview as pv

TYPES = ["float64", "float32", "int64", "int32", "uint8", "bool"]
SHAPES = [(7,), (1,), (5, 4), (3, 1, 6), (2, 3, 4, 5), (40, 33)]


def values(shape, dtype="float64", seed=0):
    """Random elements, many of them equal where the type has few."""
    rng = np.random.default_rng([seed, *shape])
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if dtype.startswith("float"):
        return rng.normal(size=shape).astype(dtype)
    return rng.integers(0, 50, shape).astype(dtype)


def views(x):
    """The array itself, reversed, strided, transposed, broadcast."""
    yield x
    yield x[::-1]
    yield np.repeat(x, 2, axis=-1)[..., ::2]
    yield x.T
    yield np.broadcast_to(x, (2, *x.shape))


def arrays(types=TYPES, shapes=SHAPES):
    """Arrays of all types and shapes, and views of each."""
    for shape in shapes:
        for dtype in types:
            yield from views(values(shape, dtype))


def axes(x):
    """None, and each axis."""
    return [None, *range(x.ndim)]


def same(ours, want, rtol=1e-12, dtype=None):
    """Asserts that an array has the shape and the elements of another one, and its type, or `dtype`."""
    assert isinstance(ours, pv.Array)
    want = np.asarray(want)
    assert ours.shape == want.shape
    assert ours.dtype == (want.dtype if dtype is None else dtype)
    narrow = ours.dtype == pv.float32
    np.testing.assert_allclose(np.asarray(ours), want, rtol=2e-5 if narrow else rtol, atol=1e-6 if narrow else 1e-12)


def with_nan(shape, dtype="float64", share=0.2, seed=1):
    """Random floats of which some are NaN."""
    x = values(shape, dtype, seed)
    x[np.random.default_rng(seed).random(shape) < share] = np.nan
    return x
