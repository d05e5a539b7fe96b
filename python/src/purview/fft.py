"""Fourier transforms: the Array API's extension, and what numpy.fft has beside it.

Of float32 and complex64 they are complex64, of other numbers complex128; computed now, in new memory, on all threads, O(n log n) of any length n. What
is larger than the memory limit, in chunks, goes by parts. A transform and its inverse are multiplied by 1 and 1 / n (norm="backward"), both by
1 / sqrt(n) ("ortho"), or by 1 / n and 1 ("forward"). `n`, and `s` of several axes, are lengths: an axis is cut off, or followed by zeros.

ShapeError of no points, IndexError of an axis that is not there, or given twice, DtypeError of what is no number, and, of rfft, of complex numbers;
KindError of sparse arrays.
"""

import operator

from purview import _core
from purview._common import axes_of, at_once
from purview._core import asarray, conj, pad, roll
from purview._creation import arange
from purview._errors import ShapeError

__all__ = """
    fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 irfftn rfft rfft2 rfftfreq rfftn
""".split()

_opposite = {None: "forward", "backward": "forward", "forward": "backward"}


def _along(what, transform, x, axis, n, norm):
    return _core._fourier(what, transform, asarray(x), [operator.index(axis)], None if n is None else operator.index(n), norm or "backward")


def fft(x, /, n=None, axis=-1, norm="backward"):
    """The discrete Fourier transform along an axis: element k is the sum of x[j] exp(-2 π i j k / n). Complex, of the shape of x."""
    return _along("fft", "fft", x, axis, n, norm)


def ifft(x, /, n=None, axis=-1, norm="backward"):
    """The inverse of fft: the sum of x[k] exp(2 π i j k / n), divided by n."""
    return _along("ifft", "ifft", x, axis, n, norm)


def rfft(x, /, n=None, axis=-1, norm="backward"):
    """The transform of real numbers: the first n // 2 + 1 elements of fft(x), as the others mirror them."""
    return _along("rfft", "rfft", x, axis, n, norm)


def irfft(x, /, n=None, axis=-1, norm="backward"):
    """The inverse of rfft: n real numbers, 2 (m - 1) of m elements if nothing is said."""
    return _along("irfft", "irfft", x, axis, n, norm)


def hfft(x, /, n=None, axis=-1, norm="backward"):
    """The transform, which is real, of what is Hermitian, of which x is the first half: n numbers, 2 (m - 1) of m if nothing is said."""
    return _along("hfft", "irfft", conj(asarray(x)), axis, n, _opposite.get(norm, norm))


def ihfft(x, /, n=None, axis=-1, norm="backward"):
    """The inverse of hfft: the first n // 2 + 1 elements."""
    return at_once(conj(_along("ihfft", "rfft", x, axis, n, _opposite.get(norm, norm))))


def _over(what, transform, x, s, axes, norm):
    """Along several axes; all but the last are cut off, or padded, before."""
    x = asarray(x)
    if axes is None:
        axes = range(x.ndim) if s is None else range(-len(s), 0)
    places = axes_of(axes, x.ndim, what)
    if s is None:
        return _core._fourier(what, transform, x, places, None, norm or "backward")
    lengths = [operator.index(n) for n in s]
    if len(lengths) != len(places):
        raise ShapeError(f"{what}: {len(lengths)} lengths for {len(places)} axes")
    cut, widths = [slice(None)] * x.ndim, [(0, 0)] * x.ndim
    for axis, n in zip(places[:-1], lengths[:-1], strict=True):
        if n < 1:
            raise ShapeError(f"{what}: {n} points along axis {axis}")
        cut[axis], widths[axis] = slice(n), (0, max(n - x.shape[axis], 0))
    x = x[tuple(cut)]
    if any(after for _, after in widths):
        x = pad(x, widths)
    return _core._fourier(what, transform, x, places, lengths[-1] if lengths else None, norm or "backward")


def fftn(x, /, s=None, axes=None, norm="backward"):
    """The transform along several axes, all if none are given, or the last len(s)."""
    return _over("fftn", "fft", x, s, axes, norm)


def ifftn(x, /, s=None, axes=None, norm="backward"):
    """The inverse of fftn."""
    return _over("ifftn", "ifft", x, s, axes, norm)


def rfftn(x, /, s=None, axes=None, norm="backward"):
    """The transform of real numbers along several axes: the last one named has the first n // 2 + 1 elements."""
    return _over("rfftn", "rfft", x, s, axes, norm)


def irfftn(x, /, s=None, axes=None, norm="backward"):
    """The inverse of rfftn."""
    return _over("irfftn", "irfft", x, s, axes, norm)


def fft2(x, /, s=None, axes=(-2, -1), norm="backward"):
    """fftn along the last two axes."""
    return _over("fft2", "fft", x, s, axes, norm)


def ifft2(x, /, s=None, axes=(-2, -1), norm="backward"):
    """ifftn along the last two axes."""
    return _over("ifft2", "ifft", x, s, axes, norm)


def rfft2(x, /, s=None, axes=(-2, -1), norm="backward"):
    """rfftn along the last two axes."""
    return _over("rfft2", "rfft", x, s, axes, norm)


def irfft2(x, /, s=None, axes=(-2, -1), norm="backward"):
    """irfftn along the last two axes."""
    return _over("irfft2", "irfft", x, s, axes, norm)


def _frequencies(what, n, d, dtype, device, first, count):
    n = operator.index(n)
    if n < 1:
        raise ShapeError(f"{what}: {n} points")
    steps = roll(arange(first, first + count), first)
    return at_once((steps * (1 / (n * d))).astype("float64" if dtype is None else dtype)).to_device(device or "cpu")


def fftfreq(n, /, d=1.0, *, dtype=None, device=None):
    """The frequencies of fft's elements, of n points d apart: 0, 1, …, -2, -1, divided by n d."""
    return _frequencies("fftfreq", n, d, dtype, device, -(operator.index(n) // 2), operator.index(n))


def rfftfreq(n, /, d=1.0, *, dtype=None, device=None):
    """The frequencies of rfft's elements: 0, 1, …, n // 2, divided by n d."""
    return _frequencies("rfftfreq", n, d, dtype, device, 0, operator.index(n) // 2 + 1)


def fftshift(x, /, axes=None):
    """With the frequency 0 in the middle of the axes, all if none are given. Lazy."""
    x = asarray(x)
    places = axes_of(axes, x.ndim, "fftshift")
    return roll(x, tuple(x.shape[a] // 2 for a in places), axis=places)


def ifftshift(x, /, axes=None):
    """The inverse of fftshift. Lazy."""
    x = asarray(x)
    places = axes_of(axes, x.ndim, "ifftshift")
    return roll(x, tuple(-(x.shape[a] // 2) for a in places), axis=places)
