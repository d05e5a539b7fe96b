"""pv.fft beside numpy.fft."""

import numpy as np
import pytest

import purview as pv

ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
SEVERAL = ["fftn", "ifftn", "rfftn", "irfftn", "fft2", "ifft2", "rfft2", "irfft2"]
OF_REAL = ("rfft", "ihfft", "rfftn", "rfft2")


def numbers(random, shape, dtype):
    x = random.normal(size=shape) * 10
    return (x + 1j * random.normal(size=shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def same(got, want):
    assert type(got) is pv.Array and got.shape == want.shape and got.dtype == want.dtype
    single = want.dtype in (np.float32, np.complex64)
    np.testing.assert_allclose(np.asarray(got), want, rtol=0, atol=(1e-6 if single else 1e-14) * np.abs(want).max(initial=1))


@pytest.mark.parametrize("name", ONE)
def test_along_an_axis(name):
    random = np.random.default_rng(1)
    for dtype in ("float64", "float32", "int16", "complex64", "complex128"):
        if np.dtype(dtype).kind == "c" and name in OF_REAL:
            continue
        for shape in ((8,), (3, 7), (4, 5, 6), (2, 2112)):
            x = numbers(random, shape, dtype)
            for options in ({}, {"axis": 0}, {"n": 5}, {"n": 12, "axis": -1}, {"norm": "ortho"}, {"norm": "forward"}, {"norm": None}):
                if shape[options.get("axis", -1)] < 3 and name in ("irfft", "hfft"):
                    continue
                if dtype == "int16" and "norm" in options:
                    continue
                same(getattr(pv.fft, name)(pv.asarray(x), **options), getattr(np.fft, name)(x, **options))
            same(getattr(pv.fft, name)(pv.asarray(x).T, 6, 0), getattr(np.fft, name)(x.T, 6, 0))


@pytest.mark.parametrize("name", SEVERAL)
def test_along_several_axes(name):
    random = np.random.default_rng(2)
    for dtype in ("float64", "float32", "complex64", "complex128"):
        if np.dtype(dtype).kind == "c" and name in OF_REAL:
            continue
        x = numbers(random, (4, 5, 6), dtype)
        for options in ({}, {"axes": (0, 2)}, {"axes": (1, 0), "norm": "ortho"}, {"s": (3, 9), "axes": (2, 1)}, {"s": (7, 4), "axes": (-2, -1)}):
            same(getattr(pv.fft, name)(pv.asarray(x), **options), getattr(np.fft, name)(x, **options))


def test_frequencies_and_shifts():
    for n in (1, 2, 7, 8):
        np.testing.assert_array_equal(pv.fft.fftfreq(n, d=0.1), np.fft.fftfreq(n, d=0.1))
        np.testing.assert_array_equal(pv.fft.rfftfreq(n, 0.5), np.fft.rfftfreq(n, 0.5))
        x = np.arange(n * 3).reshape(n, 3)
        for axes in (None, 0, (1,), (1, 0)):
            np.testing.assert_array_equal(pv.fft.fftshift(pv.asarray(x), axes=axes), np.fft.fftshift(x, axes=axes))
            np.testing.assert_array_equal(pv.fft.ifftshift(pv.asarray(x), axes=axes), np.fft.ifftshift(x, axes=axes))
    assert pv.fft.fftfreq(4, dtype=pv.float32).dtype == pv.float32


def test_functions_of_numpy_are_ours():
    x = np.random.default_rng(3).normal(size=(3, 8))
    t = pv.asarray(x)
    for code in "fft(x)|ifft(x, 5)|rfft(x, axis=0)|irfft(x)|fftn(x, (2, 3))|fft2(x)|fftshift(x)|hfft(x, norm='ortho')".split("|"):
        same(eval("np.fft." + code, {"np": np, "x": t}), eval("np.fft." + code, {"np": np, "x": x}))


def test_what_is_refused():
    with pytest.raises(pv.ShapeError, match="0 points"):
        pv.fft.fft(pv.zeros((3, 0)))
    with pytest.raises(IndexError, match="axis 2"):
        pv.fft.fft(pv.zeros((3, 4)), axis=2)
    with pytest.raises(pv.DtypeError, match="complex128"):
        pv.fft.rfft(pv.zeros(3, dtype="complex128"))
    with pytest.raises(ValueError, match="backward"):
        pv.fft.fft(pv.zeros(3), norm="other")
    with pytest.raises(pv.ShapeError, match="1 lengths for 2 axes"):
        pv.fft.fftn(pv.zeros((3, 4)), s=(2,), axes=(0, 1))
    with pytest.raises(pv.ShapeError, match="fftfreq: 0 points"):
        pv.fft.fftfreq(0)
    with pytest.raises(IndexError, match="twice"):
        pv.fft.fftn(pv.zeros((3, 4)), axes=(0, 0))
    with pytest.raises(pv.DtypeError, match="complex"):
        pv.grad(lambda x: pv.sum(pv.real(pv.sin(pv.fft.fft(x)))))(pv.ones(4))


def test_derivatives_and_traces():
    x = np.random.default_rng(4).normal(size=(3, 8))
    same(pv.compile(lambda t: pv.fft.rfft(t) * 2)(pv.asarray(x)), np.fft.rfft(x) * 2)
    # By Parseval's theorem the sum of squares is that of x times 8.
    power = pv.grad(lambda t: pv.sum(abs(pv.fft.fft(t)) ** 2))(pv.asarray(x))
    np.testing.assert_allclose(power, 16 * x, rtol=1e-12)
    weights = np.random.default_rng(5).normal(size=5)
    blurred = pv.grad(lambda t: pv.sum(pv.fft.irfft(pv.fft.rfft(t) * weights, n=8) ** 2))(pv.asarray(x))
    np.testing.assert_allclose(blurred, 2 * np.fft.irfft(np.fft.rfft(x) * weights**2, n=8), atol=1e-12)
