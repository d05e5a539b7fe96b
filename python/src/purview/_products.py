"""Products of matrices."""

import builtins
import math
import operator

from purview import _core
from purview._common import axes_of, is_index
from purview._core import asarray, sum
from purview._errors import ShapeError
from purview._shapes import reshape

__all__ = """
    kron matmul tensordot vecdot
""".split()


def matmul(x1, x2, /):
    """The matrix product over the last two axes, the others broadcast together: computed now, by BLAS where that is faster."""
    return asarray(x1) @ asarray(x2)


def tensordot(x1, x2, /, axes=2):
    """The product summed over the last `axes` axes of x1 and the first of x2, or over two lists of axes: computed now, as a matrix product."""
    x1, x2 = asarray(x1), asarray(x2)
    if is_index(axes):
        axes = operator.index(axes)
        first, second = tuple(range(x1.ndim - axes, x1.ndim)), tuple(range(axes))
    else:
        first, second = (tuple(axes_of(a, x.ndim, "tensordot")) for a, x in zip(axes, (x1, x2)))
    if [x1.shape[a] for a in first] != [x2.shape[a] for a in second]:
        raise ShapeError(f"tensordot: axes {first} of {x1.shape} and {second} of {x2.shape} have other sizes")
    keep1 = [a for a in range(x1.ndim) if a not in first]
    keep2 = [a for a in range(x2.ndim) if a not in second]
    inner = math.prod(x1.shape[a] for a in first)
    outer1 = tuple(x1.shape[a] for a in keep1)
    outer2 = tuple(x2.shape[a] for a in keep2)
    a = reshape(_core.permute_dims(x1, (*keep1, *first)), (math.prod(outer1), inner))
    b = reshape(_core.permute_dims(x2, (*second, *keep2)), (inner, math.prod(outer2)))
    return reshape(a @ b, outer1 + outer2)


def vecdot(x1, x2, /, axis=-1):
    """The product summed over one axis of both, counted from the end, the first conjugated: computed now."""
    x1, x2, axis = asarray(x1), asarray(x2), operator.index(axis)
    if not -builtins.min(x1.ndim, x2.ndim) <= axis < 0:
        raise ValueError(f"vecdot: axis {axis} counts from the end, at most to the lesser rank")
    if x1.shape[axis] != x2.shape[axis]:
        raise ShapeError(f"vecdot: sizes {x1.shape[axis]} and {x2.shape[axis]} along axis {axis}")
    product = _core.conj(x1) * x2
    return sum(product, axis=axis, dtype=product.dtype)


def kron(x, y):
    """The Kronecker product, blocks of y times each element of x: [a, b] × [c, d] → [a c, b d], of any rank. In new memory."""
    if not _core._is_tracing():
        return _core.kron(x, y)
    x, y = asarray(x), asarray(y)
    rank = builtins.max(x.ndim, y.ndim)
    first, second = ((1,) * (rank - z.ndim) + z.shape for z in (x, y))
    blocks = reshape(x, [n for extent in first for n in (extent, 1)]) * reshape(y, [n for extent in second for n in (1, extent)])
    return reshape(blocks, [a * b for a, b in zip(first, second)])
