"""First-class dimensions, as torchdim has them: `A[i, k]` is an array over the dims i and k."""

import dis
import functools
import math
import sys

from purview import _core, _print
from purview._common import axis_of
from purview._core import Array, Dim, DimArray, IndexExpression
from purview._errors import DimError, ShapeError

__all__ = "Dim DimArray IndexExpression dims einsum rearrange softmax".split()

_kinds = (Dim, IndexExpression, DimArray)
_types = frozenset(_kinds)


# Instructions that store one of two values, or two variables: from Python 3.13 on.
_ONE_OF_TWO = "STORE_FAST_LOAD_FAST"
_VARIABLES = ("STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF", "STORE_FAST_STORE_FAST", _ONE_OF_TWO)


def targets_of(instructions):
    """To how many variables a value on the stack is assigned, and the names that can be told: (None, ()) if to none."""
    count, names = None, []
    for x in instructions:
        if x.opname in ("CACHE", "EXTENDED_ARG", "NOP", "COPY", "DUP_TOP"):  # copies: of what is assigned twice
            continue
        if count is None and x.opname == "UNPACK_SEQUENCE":
            count = x.argval
            continue
        if x.opname not in _VARIABLES:
            break
        names += x.argval[:1] if x.opname == _ONE_OF_TWO else x.argval if isinstance(x.argval, tuple) else (x.argval,)
        if len(names) >= (count or 1):
            return count or 1, tuple(names[: count or 1])
    return count, ()


@functools.lru_cache(maxsize=4096)
def _targets(code, at):
    """The same of the call at an offset of bytecode."""
    return targets_of(x for x in dis.get_instructions(code) if x.offset > at)


def dims(n=None, sizes=None):
    """As many new dims as there are variables on the left side, named after these: `i, j = dims()`.

    Elsewhere `n`, or the length of `sizes`, tells how many; one of them is a Dim, several are a tuple. A size may be None.
    """
    frame = sys._getframe(1)
    count, names = _targets(frame.f_code, frame.f_lasti)
    if sizes is not None:
        sizes = list(sizes)
        if n is not None and n != len(sizes):
            raise DimError(f"dims: {n} dims have {len(sizes)} sizes")
        n = len(sizes)
    if n is None:
        n = count
    if n is None:
        raise DimError("dims: how many? Nothing is assigned here that would tell: dims(3)")
    if n < 1:
        raise DimError(f"dims: {n} dims")
    return _core._dims(names if names and n == count else ("",) * n, sizes)


class Dims(tuple):
    """The dims of an array: equal where they are the same objects."""

    __slots__ = ()

    def __contains__(self, dim):
        return any(each is dim for each in self)

    def index(self, dim):
        for k, each in enumerate(self):
            if each is dim:
                return k
        raise ValueError(f"{dim!r} is not among the dims {self!r}")

    def __eq__(self, other):
        return isinstance(other, tuple) and len(self) == len(other) and all(a is b for a, b in zip(self, other))

    def __ne__(self, other):
        return not self == other

    __hash__ = tuple.__hash__


def _has_dims(x):
    return isinstance(x, _kinds)


def _names_dims(axis):
    return isinstance(axis, Dim) or isinstance(axis, (tuple, list)) and any(isinstance(a, Dim) for a in axis)


def over_dims(function):
    """The function of elements, of arrays with dims as well."""

    @functools.wraps(function)
    def lifted(*args, **options):
        if _types.isdisjoint(map(type, args)):
            return function(*args, **options)
        return _core._map_over_dims(functools.partial(function, **options) if options else function, args)

    return lifted


def _reducing(name, function):
    """The reduction, which takes dims for axes."""

    @functools.wraps(function)
    def lifted(x, /, axis=None, dtype=None, *, keepdims=False, **options):
        if type(x) in _types or (axis is not None and type(axis) is not int and _names_dims(axis)):
            if options or dtype is not None:
                raise TypeError(f"{name}: no {', '.join(options) or 'dtype'} for an array with dims")
            return _core._reduce_over_dims(name, x, axis, keepdims)
        return function(x, axis=axis, dtype=dtype, keepdims=keepdims, **options)

    return lifted


def _along(name, function, default, place):
    """The function of an axis, which may be a Dim, for each combination of the other dims."""

    @functools.wraps(function)
    def lifted(x, /, *args, **options):
        if len(args) > place:
            args, options = args[:place], {**options, "axis": args[place]}
        axis = options.get("axis", default)
        if isinstance(axis, Dim):
            result = lifted(order(x, axis), *args, **{**options, "axis": 0})
            return result[axis] if result.shape[0] == axis.size else result
        x = _core._settled(x) if _has_dims(x) else x
        if not _has_dims(x) or (axis is None and x.ndim != 1):
            return function(x, *args, **options)
        last = axis_of(axis or 0, x.ndim, name) - x.ndim  # counted from the end, as dims come first
        return _core._map_over_dims(lambda a: function(a, *args, **{**options, "axis": last}), (x,))

    return lifted


_ELEMENTWISE = ["astype", "clip", "round", "stop_gradient"]
# The default axis, and its place among the arguments after the first.
_ALONG = {"sort": (-1, 0), "argsort": (-1, 0), "diff": (-1, 1), "cumulative_sum": (None, 0), "cumulative_prod": (None, 0)}
_ALONG |= {"cumsum": (None, 0), "cumprod": (None, 0), "flip": (None, 0), "roll": (None, 1)}


def lift(namespace, more):
    """Makes the functions of a module take arrays with dims."""
    lifted = {name: over_dims(namespace[name]) for name in (*_ELEMENTWISE, *more)}
    lifted |= {name: _reducing(name, namespace[name]) for name in ("var", "std")}
    lifted |= {name: _along(name, namespace[name], *where) for name, where in _ALONG.items()}
    lifted["matmul"] = _with_products(namespace["matmul"])
    for name, function in lifted.items():
        function.__module__, function.__qualname__ = namespace["__name__"], name  # where pickles find it
    namespace.update(lifted)


def _with_products(matmul):
    @functools.wraps(matmul)
    def lifted(x1, x2, /):
        return _matmul(x1, x2) if _has_dims(x1) or _has_dims(x2) else matmul(x1, x2)

    return lifted


def _matmul(x, y):
    """The matrix product over positional axes, for each combination of the dims."""
    x, y = (a if isinstance(a, (Array, DimArray)) else _core.asarray(a) for a in (x, y))
    if x.ndim == 0 or y.ndim == 0:
        raise ShapeError(f"matmul: the operands have {x.ndim} and {y.ndim} positional axes")
    row, column, inner = Dim("row"), Dim("column"), Dim("inner")
    left = x[..., inner] if x.ndim == 1 else x[..., row, inner]
    right = y[inner] if y.ndim == 1 else y[..., inner, column]
    product = (left * right).sum(inner)
    batch = product.ndim
    return product.order(*range(batch), *[row] * (x.ndim > 1), *[column] * (y.ndim > 1))


def _of_axis(name):
    def method(self, axis=None, keepdims=False):
        return _core._reduce_over_dims(name, self, axis, keepdims)

    method.__name__ = name
    method.__doc__ = f"{name} over dims and positional axes, `(i, 0)`; over all positional ones by default."
    return method


def order(self, *axes):
    """Positional axes of dims, on the left; `(j, k)` becomes one axis. An Array where no dim stays bound. A view."""
    return _core._order(self, axes)


def _converted(self, dtype, copy=True):
    """The elements in another type."""
    return _core._map_over_dims(lambda x: x.astype(dtype, copy=copy), (self,))


def _index(self, axis, value):
    """The array with a value in the place of a Dim, an axis or several: an integer, another Dim, an array of integers."""
    return _core._index_dim(self, axis, value)


def _explained(self, sum=None):
    """How the elements are computed; with `sum=k`, how the sum over k is."""
    return _core._explain(self) if sum is None else _core._explain_sum(self, sum)


def _length(self):
    if self.ndim == 0:
        raise TypeError("len() of an array without positional axes")
    return self.shape[0]


def _to_numpy(self, dtype=None, copy=None):
    import numpy  # which is who asks

    return numpy.asarray(_core._plain(self), dtype)


def _ufunc(self, ufunc, method, *inputs, out=None, **options):
    import purview

    function = getattr(purview, ufunc.__name__, None)
    if method != "__call__" or function is None or out is not None or options:
        raise TypeError(f"purview has no np.{ufunc.__name__} of this kind for arrays with dims")
    return function(*(x if isinstance(x, (bool, int, float, complex, *_kinds)) else purview.asarray(x) for x in inputs))


def _text(self):
    bound = Dims(_core._dims_of(self))
    unsized = [str(d) for d in bound if not d.is_bound]
    if unsized:
        return f"an array of {self.dtype.name} over the dims ({', '.join(map(str, bound))}), computed once {', '.join(unsized)} has a size"
    plain = _core._order(self, bound)
    names = [*map(str, bound), *map(str, range(self.ndim))]
    comma = "," if len(names) == 1 else ""
    sizes = ", ".join(map(str, plain.shape))
    return f"{_print.text_of(plain, 'array(', ')')}\nwith dims=({', '.join(names)}{comma}) sizes=({sizes}{comma})"


for _class in _kinds:
    for _name in ("var", "std"):
        setattr(_class, _name, _of_axis(_name))
    _class.__matmul__ = lambda self, other: _matmul(self, other)
    _class.__rmatmul__ = lambda self, other: _matmul(other, self)
    _class.__array__ = _to_numpy
    _class.__array_ufunc__ = _ufunc
    _class.__dlpack__ = lambda self, **options: _core._plain(self).__dlpack__(**options)
    _class.__bool__ = lambda self: bool(_core._plain(self))
    _class.order = order
    _class.astype = _converted
    _class.softmax = lambda self, axis: _core.softmax(self, axis)
    _class.index = _index
    _class.explain = _explained
    _class.dims = property(lambda self: Dims(_core._dims_of(self)))

for _class in (Dim, IndexExpression):
    _class.ndim = 0
    _class.shape = ()
    _class.dtype = _core.int64

for _name in "int float complex index".split():
    setattr(DimArray, f"__{_name}__", lambda self, _name=_name: getattr(_core._plain(self), f"__{_name}__")())
DimArray.size = property(lambda self: math.prod(self.shape), doc="The number of elements for each combination of the dims.")
DimArray.__len__ = _length
DimArray.realise = lambda self: _core._map_over_dims(lambda x: x.realise(), (self,))
DimArray.item = lambda self: _core._plain(self).item()
DimArray.tolist = lambda self: _core._plain(self).tolist()
DimArray.__repr__ = _text
DimArray.__hash__ = None
IndexExpression.__hash__ = None
Dim.__copy__ = lambda self: self
Dim.__deepcopy__ = lambda self, memo: self
Array.dims = property(lambda self: Dims())
Array.order = order
einsum, rearrange, softmax = _core.einsum, _core.rearrange, _core.softmax
