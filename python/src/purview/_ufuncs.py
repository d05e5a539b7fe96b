"""What `dtype=`, `casting=`, `out=` and `where=` of NumPy's functions of elements say of ours."""

import purview as pv

_numbers = (bool, int, float, complex)

# What `computed` takes of the options of a ufunc.
OF_TYPES = "order subok dtype casting signature sig".split()


def _is_weak(x):
    """Whether an operand is a number of Python's, which has no type: NumPy's float64 is one of Python's floats, too."""
    return isinstance(x, _numbers) and not hasattr(x, "dtype")


def _has_no_unit(x):
    """Whether an operand is NumPy's durations without a unit, which take that of the other operand."""
    dtype = getattr(x, "dtype", None)
    return getattr(dtype, "kind", None) == "m" and dtype.name == "timedelta64"


def _types(ufunc, operands, dtype, signature, casting):
    """The types that NumPy computes in, of operands and results. TypeError where it has none, or may not cast to them."""
    import numpy as np  # which calls us

    types = [type(x) if _is_weak(x) and type(x) is not bool else np.dtype(getattr(x, "dtype", "bool")) for x in operands]
    if dtype is not None:
        if signature is not None:
            raise TypeError(f"np.{ufunc.__name__}: dtype and signature are one or the other")
        signature = (None,) * ufunc.nin + (np.dtype(dtype),) * ufunc.nout
    given = {} if signature is None else {"signature": signature}
    return ufunc.resolve_dtypes((*types, *[None] * ufunc.nout), casting=casting, **given)


def _of_type(x, dtype):
    dtype = pv.dtype(dtype)
    return pv.asarray(x, dtype) if _is_weak(x) else x.astype(dtype, copy=False)


def computed(ufunc, function, inputs, options):
    """`function` of the operands of a ufunc. Where a type is asked for, the operands are cast to what NumPy then computes in."""
    options = {name: value for name, value in options.items() if name not in ("order", "subok")}
    dtype, casting = options.pop("dtype", None), options.pop("casting", "same_kind")
    signature = options.pop("signature", options.pop("sig", None))
    operands = [x if _is_weak(x) or _has_no_unit(x) else pv.asarray(x) for x in inputs]
    if dtype is None and signature is None and casting == "same_kind":
        if len(operands) == 2 and _is_weak(operands[0]):
            operands[0] = pv.asarray(operands[0], dtype=pv.result_type(operands[1], operands[0]))
        return function(*operands, **options)
    types = _types(ufunc, operands, dtype, signature, casting)
    result = function(*(_of_type(x, t) for x, t in zip(operands, types)), **options)
    if isinstance(result, tuple):
        return tuple(map(_of_type, result, types[ufunc.nin :]))
    return _of_type(result, types[-1])


def written(ufunc, result, out, where, casting):
    """Writes results to the arrays that are given for them, where a mask is true. TypeError of a type that a result is not cast to."""
    import numpy as np  # which calls us

    if out is None:
        raise TypeError(f"np.{ufunc.__name__}: where= is with out= for arrays of purview, or pv.where(condition, x, y)")
    several = isinstance(result, tuple)
    written = []
    for value, to in zip(result if several else (result,), out):
        if to is None:
            written.append(value)
            continue
        place = pv.asarray(to)
        if value.dtype != place.dtype:
            if not np.can_cast(np.dtype(value.dtype), np.dtype(place.dtype), casting):
                raise TypeError(f"np.{ufunc.__name__}: a result of {value.dtype.name} is not written to {place.dtype.name}, casting={casting!r}")
            value = value.astype(place.dtype)
        if where is not True:
            mask = pv.asarray(where)
            if mask.dtype != pv.bool:
                raise TypeError(f"np.{ufunc.__name__}: where is an array of bools, not of {mask.dtype.name}")
            value = pv.where(mask, value, place)
        place[...] = value
        written.append(to)
    return tuple(written) if several else written[0]
