"""Fourier transforms: the Array API's extension, and what numpy.fft has beside it."""

# Written by hand. python/tests/test_types.py compares it with the module.
from collections.abc import Sequence
from typing import Literal, SupportsIndex

from purview import Array
from purview import _ArrayLike, _Axes, _Device, _DTypeLike

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

_Norm = Literal["backward", "ortho", "forward"] | None

def fft(x: _ArrayLike, /, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> Array: ...
def fft2(
    x: _ArrayLike, /, s: Sequence[SupportsIndex] | None = None, axes: Sequence[SupportsIndex] = ..., norm: _Norm = "backward"
) -> Array: ...
def fftfreq(
    n: SupportsIndex, /, d: float = 1.0, *, dtype: _DTypeLike | None = None, device: _Device | None = None
) -> Array: ...
def fftn(
    x: _ArrayLike, /, s: Sequence[SupportsIndex] | None = None, axes: Sequence[SupportsIndex] | None = None, norm: _Norm = "backward"
) -> Array: ...
def fftshift(x: _ArrayLike, /, axes: _Axes | None = None) -> Array: ...
def hfft(x: _ArrayLike, /, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> Array: ...
def ifft(x: _ArrayLike, /, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> Array: ...
def ifft2(
    x: _ArrayLike, /, s: Sequence[SupportsIndex] | None = None, axes: Sequence[SupportsIndex] = ..., norm: _Norm = "backward"
) -> Array: ...
def ifftn(
    x: _ArrayLike, /, s: Sequence[SupportsIndex] | None = None, axes: Sequence[SupportsIndex] | None = None, norm: _Norm = "backward"
) -> Array: ...
def ifftshift(x: _ArrayLike, /, axes: _Axes | None = None) -> Array: ...
def ihfft(x: _ArrayLike, /, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> Array: ...
def irfft(x: _ArrayLike, /, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> Array: ...
def irfft2(
    x: _ArrayLike, /, s: Sequence[SupportsIndex] | None = None, axes: Sequence[SupportsIndex] = ..., norm: _Norm = "backward"
) -> Array: ...
def irfftn(
    x: _ArrayLike, /, s: Sequence[SupportsIndex] | None = None, axes: Sequence[SupportsIndex] | None = None, norm: _Norm = "backward"
) -> Array: ...
def rfft(x: _ArrayLike, /, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> Array: ...
def rfft2(
    x: _ArrayLike, /, s: Sequence[SupportsIndex] | None = None, axes: Sequence[SupportsIndex] = ..., norm: _Norm = "backward"
) -> Array: ...
def rfftfreq(
    n: SupportsIndex, /, d: float = 1.0, *, dtype: _DTypeLike | None = None, device: _Device | None = None
) -> Array: ...
def rfftn(
    x: _ArrayLike, /, s: Sequence[SupportsIndex] | None = None, axes: Sequence[SupportsIndex] | None = None, norm: _Norm = "backward"
) -> Array: ...
