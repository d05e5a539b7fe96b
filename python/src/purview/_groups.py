"""Rows grouped by equal keys."""

from collections import namedtuple

from purview import _core
from purview._core import IndexSet, asarray
from purview._shapes import reshape
from purview._times import nanoseconds_of

__all__ = """
    argfilter arggroup arggroup_by argpartition_by as_of group_by group_by_reduce unordered_group_by_reduce
""".split()

Groups = namedtuple("Groups", "keys indexes")
Run = namedtuple("Run", "key begin end")
_DIRECTIONS = ("backward", "forward", "nearest")


def _is_reduction(by):
    return isinstance(by, (str, _core.Reducer)) or callable(by) or (isinstance(by, tuple) and len(by) == 2 and isinstance(by[0], str))


def _is_column(given):
    return isinstance(given, tuple) and len(given) > 1 and all(map(_is_reduction, given[1:]))


def _grouped(keys, given, ordered, nan, what):
    keys = keys if isinstance(keys, tuple) else (keys,)
    columns = given if given and all(map(_is_column, given)) else [given]
    if not keys or not all(map(_is_column, columns)):
        raise TypeError(f"{what}(keys, values, 'sum', …), or {what}((k, l), (values, 'sum'), (others, 'min', 'max'))")
    keys, results = _core._group_by_reduce(keys, [(values, by) for values, *by in columns], ordered, nan)
    return (*keys, *results)


def group_by_reduce(keys, *values_and_reductions, nan="keep"):
    """The values of equal keys reduced: a tuple of the keys in order, [groups], and the results of each reduction, [groups].

        shops, totals, sizes = group_by_reduce(shop, sales, "sum", "group_size")
        shops, hours, totals, least = group_by_reduce((shop, hour), (sales, "sum"), (price, "min"))

    Reductions are names, ("quantile", 0.9), or functions of an array of the values of a group. sum, prod, mean, min, max and group_size are computed while rows are read, O(rows);
    others of the values of each group. NaNs are one group, the last. ShapeError of arrays of different shapes, DtypeError."""
    return _grouped(keys, values_and_reductions, True, nan, "group_by_reduce")


def unordered_group_by_reduce(keys, *values_and_reductions, nan="keep"):
    """The same with groups in the order in which their keys appear first."""
    return _grouped(keys, values_and_reductions, False, nan, "unordered_group_by_reduce")


def arggroup(keys):
    """The keys in the order in which they appear first, [groups], or a tuple of those for a tuple of arrays; and a list of the
    row-major indexes of each group, ascending, int64. O(rows). ShapeError of arrays of different shapes."""
    several = isinstance(keys, tuple)
    found, indexes = _core._arggroup(keys if several else (keys,))
    return Groups(tuple(found) if several else found[0], indexes)


def as_of(left, right, *, direction="backward", tolerance=None, allow_exact_matches=True, left_by=(), right_by=()):
    """For each key on the left the row of the last key on the right that is not after it, int64 [left rows]; -1 where there is none. As pandas' merge_asof.

        row = pv.as_of(trade_time, quote_time, tolerance=np.timedelta64(2, "s"), left_by=trade_symbol, right_by=quote_symbol)
        bid = pv.where(row >= 0, pv.take(quote_bid, pv.maximum(row, 0)), np.nan)

    direction is "backward", "forward" (the first key that is not before it) or "nearest". left_by and right_by are columns that have to be equal, arrays or tuples of arrays.
    Keys are numbers or times, ascending on both sides: an error names the row where they descend or are NaN or NaT. O(left + right)."""
    if direction not in _DIRECTIONS:
        raise ValueError(f"as_of: direction is 'backward', 'forward' or 'nearest', not {direction!r}")
    span = None if tolerance is None else nanoseconds_of(tolerance)
    if span is None and tolerance is not None:
        tolerance = tolerance.item() if hasattr(tolerance, "item") else tolerance
    limit = () if tolerance is None else (tolerance if span is None else span,)
    columns = [by if isinstance(by, tuple) else (by,) for by in (left_by, right_by)]
    return _core._as_of(left, right, _DIRECTIONS.index(direction), limit, span is not None, allow_exact_matches, *columns)


def _of_elements(function, x):
    """What a Python function makes of each element, in row-major order."""
    return [function(each) for each in reshape(asarray(x), -1).tolist()]


def argfilter(function, x):
    """The row-major indexes of the elements for which a Python function is true, ascending, int64. A call for each element."""
    return asarray([i for i, kept in enumerate(_of_elements(function, x)) if kept], dtype=_core.int64)


def arggroup_by(function, x):
    """`arggroup` of what a Python function makes of each element, numbers or texts."""
    return arggroup(asarray(_of_elements(function, x)))


def argpartition_by(function, x):
    """The runs of consecutive elements for which a Python function gives equal keys: a list of (key, begin, end)."""
    runs = []
    for i, key in enumerate(_of_elements(function, x)):
        if runs and runs[-1].key == key:
            runs[-1] = Run(key, runs[-1].begin, i + 1)
        else:
            runs.append(Run(key, i, i + 1))
    return runs


def group_by(keys):
    """Pairs of a key, in order, and the IndexSet of its row-major indexes: x[set] is a view of them, for an x of rank 1."""
    found = arggroup(keys)
    names = found.keys.tolist()
    order = _core.argsort(found.keys, 0, False).tolist()
    return [(names[i], IndexSet(found.indexes[i])) for i in order]
