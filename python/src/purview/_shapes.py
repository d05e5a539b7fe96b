"""Views of other shapes, and elements at indices."""

import builtins

from purview import _core
from purview._common import axes_of, axis_of, check_order, int64, integers_of, is_index
from purview._core import Array, asarray
from purview._errors import ShapeError

__all__ = """
    broadcast_arrays broadcast_shapes broadcast_to expand_dims matrix_transpose moveaxis repeat
    reshape squeeze take take_along_axis unstack
""".split()

broadcast_to = _core.broadcast_to


def reshape(x, /, shape, order=None, *, copy=None):
    """The elements in row-major order in another shape, one extent of which may be -1. A view."""
    check_order("reshape", order)
    result = _core.reshape(x, shape)
    return result.realise() if copy else result


def expand_dims(x, /, axis=0):
    """The array with new axes of size 1, at these places of the result: a view."""
    if is_index(axis):
        return _core.expand_dims(x, axis)
    x = asarray(x)
    rank = x.ndim + len(axis)
    axes = sorted(axis_of(a, rank, "expand_dims") for a in axis)
    if len(set(axes)) < len(axes):
        raise ShapeError(f"expand_dims: an axis twice in {tuple(axis)}")
    for a in axes:
        x = _core.expand_dims(x, a)
    return x


def squeeze(x, /, axis=None):
    """The array without these axes, or without all axes of size 1: a view. ShapeError for an axis of another size."""
    x = asarray(x)
    if axis is None:
        axis = tuple(a for a, extent in enumerate(x.shape) if extent == 1)
    return _core.squeeze(x, axis)


def moveaxis(x, source, destination, /):
    """The array with some axes at other places, the others in their order: a view."""
    x = asarray(x)
    source = axes_of(source, x.ndim, "moveaxis")
    destination = axes_of(destination, x.ndim, "moveaxis")
    if len(source) != len(destination):
        raise ValueError(f"moveaxis: {len(source)} axes and {len(destination)} places")
    order = [a for a in range(x.ndim) if a not in source]
    for to, a in sorted(zip(destination, source)):
        order.insert(to, a)
    return _core.permute_dims(x, tuple(order))


def matrix_transpose(x, /):
    """The array with its last two axes exchanged: a view. ShapeError for a rank below 2."""
    x = asarray(x)
    if x.ndim < 2:
        raise ShapeError(f"matrix_transpose: an array of rank {x.ndim} is no matrix")
    return _core.permute_dims(x, (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))


def broadcast_shapes(*shapes):
    """The shape that arrays of these shapes are broadcast to. ShapeError if there is none."""
    shapes = [integers_of(s) for s in shapes]
    result = []
    for axis in range(-builtins.max((len(s) for s in shapes), default=0), 0):
        extents = {s[axis] for s in shapes if len(s) >= -axis} - {1}
        if len(extents) > 1:
            raise ShapeError(f"shapes {' and '.join(map(str, shapes))} do not broadcast together")
        result.append(extents.pop() if extents else 1)
    return tuple(result)


def broadcast_arrays(*arrays):
    """Arrays at their common shape: views that only read, in a tuple."""
    arrays = [asarray(x) for x in arrays]
    shape = broadcast_shapes(*(x.shape for x in arrays))
    return tuple(broadcast_to(x, shape) for x in arrays)


def unstack(x, /, axis=0):
    """The parts of an array along an axis, a tuple of views without this axis."""
    x = asarray(x)
    axis = axis_of(axis, x.ndim, "unstack")
    return tuple(x[(slice(None),) * axis + (i, ...)] for i in range(x.shape[axis]))


def repeat(x, repeats, /, axis=None):
    """Each element repeated along an axis, or flattened: lazy. `repeats` is a number, or one for each element of the axis."""
    x = asarray(x)
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    axis = axis_of(axis, x.ndim, "repeat")
    counts = list(integers_of(repeats.tolist() if isinstance(repeats, Array) else repeats))
    if len(counts) == 1:
        counts *= x.shape[axis]
    if any(n < 0 for n in counts):
        raise ValueError(f"repeat: {min(counts)} times: a count is not negative")
    if len(counts) != x.shape[axis]:
        raise ShapeError(f"repeat: {len(counts)} counts for an axis of {x.shape[axis]}")
    return take(x, asarray([i for i, n in enumerate(counts) for _ in range(n)], dtype=int64), axis=axis)


def take(x, indices, /, axis=None, *, mode="raise"):
    """Elements at indices along an axis, or in row-major order, whose place the axes of the indices take: lazy. Indices below zero count
    from the end. Of those out of range mode="clip" makes the nearest, and "wrap" the remainder by the size."""
    x = asarray(x)
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    if mode not in ("raise", "clip", "wrap"):
        raise ValueError(f"take: mode is 'raise', 'clip' or 'wrap', not {mode!r}")
    if mode != "raise":
        size = x.shape[axis_of(axis, x.ndim, "take")]
        indices = asarray(indices).astype(int64, copy=False)
        indices = indices % size if mode == "wrap" else _core.minimum(_core.maximum(indices, 0), size - 1)
    return _core.take(x, indices, axis)


def take_along_axis(x, indices, /, axis=-1):
    """For each lane along an axis, its elements at the indices of that lane: lazy, of the shape of the indices."""
    x, indices = asarray(x), asarray(indices)
    shape = broadcast_shapes(
        *(tuple(1 if a == axis_of(axis, x.ndim, "take_along_axis") else n for a, n in enumerate(s.shape)) for s in (x, indices))
    )
    axis = axis_of(axis, x.ndim, "take_along_axis")
    fitted = lambda y: broadcast_to(y, tuple(y.shape[a] if a == axis else n for a, n in enumerate(shape)))
    return _core.take_along_axis(fitted(x), fitted(indices), axis)


def at_least(x, rank):
    """The array with axes of size 1, as NumPy's atleast_2d and atleast_3d add them."""
    x = asarray(x)
    return x if x.ndim >= rank else x[None] if rank == 1 or (x.ndim == 1 and rank == 2) else at_least(x, rank - 1)[(..., None)]
