"""Averages, covariances, slopes and integrals, by NumPy's names."""

import math

from purview import _core
from purview._common import at_once, integers_of, is_index
from purview._core import asarray, concat, sum
from purview._errors import ShapeError
from purview._reductions import diff
from purview._shapes import at_least, moveaxis, reshape, squeeze
from purview._statistics import slope_at


def average(x, axis=None, weights=None, returned=False, *, keepdims=False):
    x = asarray(x)
    if returned:
        result = average(x, axis, weights, keepdims=keepdims)
        weights = _core.broadcast_to(asarray(1.0), x.shape) if weights is None else _weights_like(x, axis, asarray(weights))
        total = sum(weights, axis, keepdims=keepdims)
        return result, total.astype(result.dtype, copy=False)
    if weights is None:
        return _core.mean(x, axis, keepdims=keepdims)
    weights = _weights_like(x, axis, asarray(weights))
    return at_once(sum(x * weights, axis, keepdims=keepdims) / sum(weights, axis, keepdims=keepdims))


def _weights_like(x, axis, weights):
    if weights.shape == x.shape:
        return weights
    if weights.ndim != 1 or not is_index(axis):
        raise ShapeError(f"average: weights of shape {weights.shape} for an array of shape {x.shape} and axis {axis}")
    return _core.broadcast_to(moveaxis(reshape(weights, (-1,) + (1,) * (x.ndim - 1)), 0, axis), x.shape)


def rows(x, y, rowvar):
    parts = [z if rowvar or z.shape[0] == 1 else z.T for z in (at_least(z, 2) for z in (x, y) if z is not None)]
    return concat(parts)


def cov(x, y=None, rowvar=True, bias=False, ddof=None):
    all_rows = rows(x, y, rowvar)
    n, ddof = all_rows.shape[1], (0 if bias else 1) if ddof is None else ddof
    return squeeze(at_once(_core.covariance_matrix(all_rows) * (n / (n - ddof) if n > ddof else math.nan)))


def gradient(x, *spacing, axis=None, edge_order=1):
    if edge_order != 1:
        raise ValueError(f"gradient: edge_order is 1, not {edge_order!r}")
    x = asarray(x)
    axes = range(x.ndim) if axis is None else integers_of(axis)
    spacing = spacing * len(axes) if len(spacing) == 1 else spacing or (1.0,) * len(axes)
    if len(spacing) != len(axes):
        raise ShapeError("gradient: a spacing is one, or one for each axis: a number, or the places of the elements")
    spacing = [asarray(h, _core.float64) for h in spacing]
    slopes = [slope_at(x, h, a) if h.ndim else _core.gradient1d(x, h.item(), a) for h, a in zip(spacing, axes)]
    return slopes[0] if len(slopes) == 1 else tuple(slopes)


def trapezoid(y, x=None, dx=1.0, axis=-1):
    y = moveaxis(y, axis, -1)
    widths = dx if x is None else diff(x) if asarray(x).ndim == 1 else moveaxis(diff(x, 1, axis), axis, -1)
    return sum((y[..., 1:] + y[..., :-1]) * widths / 2.0, -1)
