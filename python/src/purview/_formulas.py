"""NumPy's functions that are one expression of others, by their names."""

import builtins
import functools
import math
import operator

from purview import _averages, _core
from purview._common import at_once, axis_of, check_order, complex_types, integers_of, is_index, named, python_number
from purview._core import abs, all, asarray, concat, equal, imag, isnan, logaddexp, maximum, minimum, pow, real, sin
from purview._core import stack, sum
from purview._creation import _by_parts, _geometric, arange, eye, linspace, ones, tril
from purview._errors import ShapeError
from purview._products import tensordot, vecdot
from purview._reductions import argsort, nonzero, unique_all, unique_values, where
from purview._shapes import at_least, moveaxis, reshape, squeeze, take, take_along_axis
from purview._types import result_type

__all__ = []


def _swapaxes(x, /, axis1, axis2):
    x = asarray(x)
    axis1, axis2 = axis_of(axis1, x.ndim, "swapaxes"), axis_of(axis2, x.ndim, "swapaxes")
    return moveaxis(x, (axis1, axis2), (axis2, axis1)) if axis1 != axis2 else x


def _at_least(rank, *arrays):
    made = tuple(at_least(x, rank) for x in arrays)
    return made if len(made) > 1 else made[0]


def _both(x, y):
    """Two operands as arrays, a number of Python's among them in the type that it has beside the other."""
    if type(x) in (int, float):
        return asarray(x, result_type(x, asarray(y))), asarray(y)
    x = asarray(x)
    return x, asarray(y, result_type(x, y) if type(y) in (int, float) else None)


def _double(x):
    x = asarray(x)
    return x.astype(_core.complex128 if x.dtype in complex_types else _core.float64, copy=False)


def _float(x):
    return asarray(x) * 1.0


_elements = {
    "angle": ("The angles of complex numbers, in radians or in degrees", lambda x, /, deg=False: _angle(x) * (180 / math.pi if deg else 1)),
    "degrees": ("Angles in degrees, from radians", lambda x, /: _float(x) * (180 / math.pi)),
    "radians": ("Angles in radians, from degrees", lambda x, /: _float(x) * (math.pi / 180)),
    "fabs": ("The absolute values as floats", lambda x, /: abs(_float(x))),
    "float_power": ("x1 to the power x2, in floats", lambda x1, x2, /: pow(*map(_double, (x1, x2)))),
    "fmax": ("The greater of each two, and of NaN and a number the number", lambda x1, x2, /: _but_nan(x1, x2, maximum)),
    "fmin": ("The lesser of each two, and of NaN and a number the number", lambda x1, x2, /: _but_nan(x1, x2, minimum)),
    "fmod": ("The remainder of x1 / x2 cut off, with the sign of x1", lambda x1, x2, /: _fmod(*_both(x1, x2))),
    "heaviside": ("0 below zero, 1 above, and x2 at zero", lambda x1, x2, /: _step(_float(x1), x2)),
    "iscomplex": ("Whether each element has an imaginary part", lambda x, /: imag(x) != 0),
    "isreal": ("Whether each element has no imaginary part", lambda x, /: imag(x) == 0),
    "isneginf": ("Whether each element is -inf", lambda x, /: _float(x) == -math.inf),
    "isposinf": ("Whether each element is inf", lambda x, /: _float(x) == math.inf),
    "logaddexp2": ("log2(2 ** x1 + 2 ** x2) without overflow", lambda x1, x2, /: _logaddexp2(*map(_float, _both(x1, x2)))),
    "sinc": ("sin(πx) / πx, and 1 of 0", lambda x, /: _sinc(_float(x) * math.pi)),
}


def _angle(x):
    return _core.atan2(_float(imag(x)), _float(real(x)))


def _but_nan(x, y, choose):
    x, y = _both(x, y)
    return where(isnan(x), y, where(isnan(y), x, choose(x, y)))


def _fmod(x, y):
    return _core.rem(x.astype(_core.int8) if x.dtype == y.dtype == _core.bool else x, y)


def _step(x, at_zero):
    return where(x == 0, at_zero, where(x < 0, 0.0, where(x > 0, 1.0, x)))


def _logaddexp2(x, y):
    return logaddexp(x * math.log(2), y * math.log(2)) / math.log(2)


def _sinc(x):
    return where(x == 0, 1.0, sin(x) / x)


def _joined(arrays, rank, axis):
    return concat([at_least(x, rank) for x in arrays], axis)


def _flat(x):
    return reshape(x, (-1,))


def _ravel(x, order=None):
    check_order("ravel", order)
    return _flat(x)


def _parts(what, x, places, axis, equal_parts=False):
    x = asarray(x)
    size = x.shape[axis_of(axis, x.ndim, what)]
    if is_index(places):
        places = operator.index(places)
        if places < 1 or (equal_parts and size % places):
            raise ShapeError(f"{what}: an axis of {size} makes no {places} equal parts")
        places = [i * (size // places) + builtins.min(i, size % places) for i in range(1, places)]
    before = (slice(None),) * axis_of(axis, x.ndim, what)
    return [x[before + (slice(begin, end),)] for begin, end in zip([0, *places], [*places, None])]


@named("diagonal", "moveaxis")
def _diagonal(x, /, offset=0, axis1=0, axis2=1):
    offset = operator.index(offset)
    x = moveaxis(x, (axis1, axis2), (-2, -1))
    rows, columns = x.shape[-2:]
    i = arange(builtins.max(0, builtins.min(rows + builtins.min(offset, 0), columns - builtins.max(offset, 0))))
    return x[..., i - builtins.min(offset, 0), i + builtins.max(offset, 0)]


def _dot(x, y, *, inner=False):
    x, y = asarray(x), asarray(y)
    if x.ndim == 0 or y.ndim == 0:
        return x * y
    if x.ndim == 1 == y.ndim:
        return _core.dot(x, y)
    return tensordot(x, y, axes=((-1,), (-1 if inner or y.ndim == 1 else -2,)))


def _cross(x, y, axis=-1):
    x, y = asarray(x), asarray(y)
    if x.shape[axis] != 3 or y.shape[axis] != 3:
        raise ShapeError(f"cross: vectors have 3 elements, not {x.shape[axis]} and {y.shape[axis]}")
    roll = lambda z: _core.roll(z, -1, axis)
    return roll(x * roll(y) - roll(x) * y)


def _unique(x, return_index=False, return_inverse=False, return_counts=False):
    found = unique_all(x)
    chosen = [each for each, wanted in zip(found, (True, return_index, return_inverse, return_counts)) if wanted]
    return tuple(chosen) if len(chosen) > 1 else chosen[0]


def _only(x, others, inside):
    x = unique_values(x)
    found = _core.isin(x, others)
    return x[found if inside else ~found]


def _array_equal(x, y, equal_nan=False):
    x, y = asarray(x), asarray(y)
    if x.shape != y.shape:
        return False
    same = equal(x, y)
    return builtins.bool(all(same | (isnan(x) & isnan(y)) if equal_nan else same))


def _select(conditions, choices, default=0):
    return functools.reduce(lambda rest, each: where(each[0], each[1], rest), list(zip(conditions, choices))[::-1], default)


def _check_indices(what, indices, extent, of):
    """Raises ValueError for the first index that is not in [0, extent)."""
    wrong = _flat(indices)
    wrong = wrong[(wrong < 0) | (wrong >= extent)]
    if wrong.size:
        raise ValueError(f"{what}: index {wrong[0].item()} is out of range for {of}")


def _unravelled(indices, shape):
    shape, result = integers_of(shape), []
    _check_indices("unravel_index", indices, math.prod(shape), f"an array of shape {shape}")
    for extent in reversed(shape):
        result.append(indices % extent)
        indices = indices // extent
    return tuple(reversed(result))


def _ravelled(indices, shape):
    shape, indices = integers_of(shape), [asarray(x) for x in indices]
    if len(shape) != len(indices):
        raise ValueError(f"ravel_multi_index: {len(indices)} arrays of indexes for an array of rank {len(shape)}")
    for axis, (extent, each) in enumerate(zip(shape, indices)):
        _check_indices("ravel_multi_index", each, extent, f"axis {axis} of size {extent}")
    return functools.reduce(lambda flat, each: flat * each[0] + each[1], zip(shape, indices), 0)


def _deleted(x, places, axis=None):
    x, axis = (_flat(x), 0) if axis is None else (asarray(x), axis)
    keep = ones(x.shape[axis], _core.bool)
    keep[places] = False
    return take(x, nonzero(keep)[0], axis)


def _lexsorted(keys):
    order = argsort(keys[0])
    for key in keys[1:]:
        order = take(order, argsort(take(key, order))).realise()
    return order


def _new(x, rank):
    rank = operator.index(rank)
    return x if x.ndim >= rank else reshape(x, (1,) * (rank - x.ndim) + x.shape)


def _grid(shape):
    shape = integers_of(shape)
    return [_core.broadcast_to(reshape(arange(n), (-1,) + (1,) * (len(shape) - 1 - a)), shape) for a, n in enumerate(shape)]


def _vander(x, columns):
    return x[:, None] ** arange(x.size if columns is None else columns)[::-1]


def _polyval(p, x):
    return functools.reduce(lambda y, c: y * x + c, p, x * 0)


def _write(x, values, condition):
    x[...] = values if condition is True else where(condition, values, x)


def _tri(rows, columns=None, k=0, dtype=None):
    return tril(ones((rows, rows if columns is None else columns), dtype), k).realise()


_functions = {
    # New arrays.
    "array": (
        "New memory with the elements of anything that is an array; copy=False as asarray",
        lambda obj, dtype=None, *, copy=True, ndmin=0: _new(asarray(obj, dtype, copy=copy or None), ndmin),
    ),
    "copy": ("New memory with the elements, computed now", lambda x, /, order=None: asarray(x).copy(order)),
    "identity": ("A square matrix of zeros with ones on its diagonal", lambda n, dtype=None: eye(n, dtype=dtype)),
    "tri": ("Ones on diagonal k of a matrix and below it, zeros above", lambda N, M=None, k=0, dtype=None: _tri(N, M, k, dtype)),
    "logspace": (
        "Powers of a base whose exponents are evenly spaced",
        lambda start, stop, num=50, endpoint=True, base=10.0: (base ** linspace(start, stop, num, endpoint=endpoint)).realise(),
    ),
    "geomspace": (
        "Numbers of one sign from start to stop, each the same multiple of the one before",
        lambda start, stop, num=50, endpoint=True: _geometric(python_number(start), python_number(stop), num, endpoint),
    ),
    "diag": (
        "A square matrix with the elements of x [n] on a diagonal, or the diagonal of a matrix: lazy",
        lambda x, k=0: _by_parts(_core.diag, asarray(x), k),
    ),
    "diagflat": ("A square matrix with all elements of x on a diagonal: lazy", lambda x, k=0: _by_parts(_core.diag, _flat(x), k)),
    "indices": ("The indexes along each axis of a shape, [rank, …]: lazy", lambda shape: stack(_grid(shape))),
    "fromfunction": (
        "A function of the indexes along each axis of a shape, which are floats unless a type is given",
        lambda function, shape, dtype=float: function(*(x.astype(dtype) for x in _grid(shape))),
    ),
    "vander": ("The powers of x [n] from the (N - 1)th down: lazy", lambda x, N=None: _vander(asarray(x), N)),
    "polyval": ("A polynomial of coefficients, the highest power first, at x: lazy", lambda p, x: _polyval(p, asarray(x))),
    "ix_": (
        "Lists of indexes shaped so that together they select a grid",
        lambda *lists: tuple(
            reshape(nonzero(x)[0] if asarray(x).dtype == _core.bool else x, (1,) * i + (-1,) + (1,) * (len(lists) - 1 - i))
            for i, x in enumerate(lists)
        ),
    ),
    "diag_indices": ("The indexes of the main diagonal of a cube", lambda n, ndim=2: (arange(n),) * operator.index(ndim)),
    "tril_indices": ("The indexes on diagonal k of a matrix and below it", lambda n, k=0, m=None: nonzero(_tri(n, m, k))),
    "triu_indices": ("The indexes on diagonal k of a matrix and above it", lambda n, k=0, m=None: nonzero(_tri(n, m, k - 1) == 0)),
    # Shapes.
    "ndim": ("The number of axes of what is an array", lambda x, /: asarray(x).ndim),
    "shape": ("The number of elements along each axis", lambda x, /: asarray(x).shape),
    "size": (
        "The number of elements, of all or along an axis",
        lambda x, /, axis=None: asarray(x).size if axis is None else asarray(x).shape[axis],
    ),
    "transpose": ("The axes in another order, reversed by default: a view", lambda x, axes=None: asarray(x).transpose(axes=axes)),
    "swapaxes": (
        "The array with two axes exchanged: a view",
        _swapaxes,
    ),
    "ravel": ("The elements in row-major order: a view", _ravel),
    "atleast_1d": ("The array, of rank 1 where it was 0: a view; of several arrays a tuple", lambda x, /, *more: _at_least(1, x, *more)),
    "atleast_2d": ("The array as one row where its rank was below 2: a view; of several arrays a tuple", lambda x, /, *more: _at_least(2, x, *more)),
    "atleast_3d": ("The array with axes of size 1 up to rank 3: a view; of several arrays a tuple", lambda x, /, *more: _at_least(3, x, *more)),
    "vstack": ("Arrays below each other, those of rank 1 as rows: lazy", lambda arrays, /: _joined(arrays, 2, 0)),
    "hstack": (
        "Arrays beside each other along axis 1, or 0 of rank 1: lazy",
        lambda arrays, /: _joined(arrays, 1, builtins.min(1, asarray(arrays[0]).ndim - 1) if asarray(arrays[0]).ndim else 0),
    ),
    "dstack": ("Arrays behind each other along axis 2: lazy", lambda arrays, /: _joined(arrays, 3, 2)),
    "column_stack": (
        "Arrays beside each other, those of rank 1 as columns: lazy",
        lambda arrays, /: concat([x[:, None] if x.ndim < 2 else x for x in (at_least(x, 1) for x in arrays)], 1),
    ),
    "append": ("An array and another behind it, flattened without an axis: lazy", lambda x, values, axis=None: concat([x, values], axis)),
    "divmod": ("x1 // x2 and x1 % x2: lazy", lambda x1, x2, /: (asarray(x1) // x2, asarray(x1) % x2)),
    "delete": ("The array without the elements at indexes along an axis: lazy", _deleted),
    "array_split": (
        "As many parts as equal as can be, or parted at indexes: views",
        lambda x, n, axis=0: _parts("array_split", x, n, axis),
    ),
    "split": ("As many equal parts, or parted at indexes: views", lambda x, n, axis=0: _parts("split", x, n, axis, True)),
    "vsplit": ("split along axis 0, as views", lambda x, n: _parts("vsplit", x, n, 0, True)),
    "hsplit": ("split along axis 1, or 0 of rank 1", lambda x, n: _parts("hsplit", x, n, builtins.min(1, asarray(x).ndim - 1), True)),
    "dsplit": ("split along axis 2, as views", lambda x, n: _parts("dsplit", x, n, 2, True)),
    "fliplr": ("The elements of axis 1 in reversed order: a view", lambda x, /: _core.flip(x, 1)),
    "flipud": ("The elements of axis 0 in reversed order: a view", lambda x, /: _core.flip(x, 0)),
    "diagonal": ("The diagonals of the matrices in two axes, as the last axis: a view", _diagonal),
    # Elements and their places.
    "argwhere": ("The indexes of elements that are not zero: int64 [k, rank]", lambda x, /: stack(nonzero(x), 1).realise()),
    "flatnonzero": ("The row-major indexes of elements that are not zero", lambda x, /: nonzero(_flat(x))[0]),
    "compress": (
        "The places of an axis where a condition [n] is true",
        lambda condition, x, axis=None: take(x, nonzero(condition)[0], axis),
    ),
    "extract": ("The elements where a condition is true", lambda condition, x: take(x, nonzero(_flat(condition))[0])),
    "select": ("Of each place the first choice whose condition is true: lazy", _select),
    "unravel_index": (
        "The indexes along each axis of row-major indexes in a shape",
        lambda indices, shape: _unravelled(asarray(indices), shape),
    ),
    "ravel_multi_index": (
        "The row-major indexes in a shape of indexes along each axis",
        _ravelled,
    ),
    "copyto": ("Writes values to an array, or where a condition is true", lambda x, values, where=True: _write(x, values, where)),
    "putmask": (
        "Writes a value, or values of its shape, to an array where a mask is true",
        lambda x, mask, values: _write(x, values, mask),
    ),
    "fill_diagonal": (
        "Writes a value to the diagonal of a matrix",
        lambda x, value: x.__setitem__((arange(builtins.min(x.shape)),) * x.ndim, value),
    ),
    "lexsort": ("The indexes that sort by several keys [n], the last one first", _lexsorted),
    "partition": (
        "The elements of an axis with the kth where sorting puts it",
        lambda x, kth, axis=-1: take_along_axis(x, _core.argpartition(x, kth, axis), axis).realise(),
    ),
    # Sets.
    "unique": ("Each element once, in order, and more if asked as by NumPy. NaNs are one element, the last", _unique),
    "union1d": ("The elements of either array, once, in order", lambda x, y: unique_values(concat([x, y], None))),
    "intersect1d": ("The elements of both arrays, once, in order", lambda x, y: _only(x, y, True)),
    "setdiff1d": ("The elements of x that are not in y, once, in order", lambda x, y: _only(x, y, False)),
    "setxor1d": (
        "The elements of just one of two arrays, once, in order",
        lambda x, y: unique_values(concat([_only(x, y, False), _only(y, x, False)])),
    ),
    "array_equal": ("Whether two arrays have one shape and equal elements: a bool", _array_equal),
    # Products.
    "dot": ("The product over the last axis of x and the last but one of y: computed now", lambda x, y, /: _dot(x, y)),
    "inner": ("The product over the last axes of both: computed now", lambda x, y, /: _dot(x, y, inner=True)),
    "vdot": ("The sum of the products of all elements, those of x conjugated", lambda x, y, /: vecdot(_flat(x), _flat(y))),
    "cross": ("The vector product of vectors of 3 elements along an axis", _cross),
    "trace": (
        "The sums of diagonals over two axes, as diagonal",
        named("trace", "diagonal")(lambda x, /, offset=0, axis1=0, axis2=1: sum(_diagonal(x, offset, axis1, axis2), -1)),
    ),
    # Statistics.
    "average": ("The mean over axes, by weights of the shape of x or of one axis", _averages.average),
    "ptp": ("The greatest less the least over axes", lambda x, /, axis=None, keepdims=False: _span(asarray(x), axis, keepdims)),
    "cov": ("The covariances of the rows of x and y, divided by n - ddof", _averages.cov),
    "corrcoef": (
        "Pearson's r of each two rows of x and y",
        lambda x, y=None, rowvar=True: squeeze(_core.correlation_matrix(_averages.rows(x, y, rowvar))),
    ),
    "histogram_bin_edges": (
        "The edges of the bins that histogram would use",
        lambda x, bins=10, range=None: _core._histogram(x, bins, range)[1],
    ),
    "gradient": (
        "The slope along each axis, or along those that are named; a spacing is a number, or the places of the elements",
        _averages.gradient,
    ),
    "trapezoid": ("The integral of y along an axis by the trapezoidal rule", _averages.trapezoid),
    "convolve": (
        "The convolution of two arrays [n] and [k]",
        lambda x, y, mode="full": _core.convolve1d(*((x, y) if len(x) >= len(y) else (y, x)), mode=mode),
    ),
    "correlate": ("The correlation of two arrays [n] and [k]", lambda x, y, mode="valid": _core.correlate1d(x, _core.conj(y), mode=mode)),
}


def _span(x, axis, keepdims):
    return at_once(_core.max(x, axis, keepdims=keepdims) - _core.min(x, axis, keepdims=keepdims))


for _table, _end in ((_elements, ": of each element, lazy."), (_functions, ".")):
    for _name, (_text, _function) in _table.items():
        _function.__name__ = _function.__qualname__ = _name
        _function.__doc__ = _text + _end
        globals()[_name] = _function
        __all__.append(_name)
ELEMENTWISE = list(_elements)
