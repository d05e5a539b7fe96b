"""Rows and tables joined by equal keys."""

from collections import namedtuple

from purview import _core
from purview._core import asarray
from purview._errors import DtypeError, ShapeError
from purview._shapes import take

__all__ = ["join"]

JoinedRows = namedtuple("JoinedRows", "left right")
_KINDS = ("inner", "left", "right", "outer", "semi", "anti")


def _is_table(given):
    return hasattr(given, "keys")


def _several(columns):
    return columns if isinstance(columns, tuple) else (columns,)


def _rows(left, right, how):
    return JoinedRows(*_core._join(left, right, _KINDS.index(how)))


def _names_of(given, side):
    if given is None:
        raise TypeError(f"join: tables are joined on='key' or on=['key', …], or by left_on and right_on: there is no {side}")
    return [given] if isinstance(given, str) else list(given)


def _columns_of(table, side):
    columns = {name: asarray(table[name]) for name in table.keys()}
    for name, column in columns.items():
        rows = column.shape[0] if column.ndim else "no"
        if column.ndim == 0 or rows != next(iter(columns.values())).shape[0]:
            raise ShapeError(f"join: column {name!r} on the {side} has {rows} rows, unlike the first one")
    return columns


def _keys_of(columns, names, side):
    for name in names:
        if name not in columns:
            raise KeyError(f"join: there is no column {name!r} on the {side}")
    return tuple(columns[name] for name in names)


def _missing(name, column, fill):
    """The value of a column where there is no row."""
    if isinstance(fill, dict):
        fill = fill.get(name)
    if fill is not None:
        return fill
    kind = column.dtype.name.partition("[")[0]
    if kind.startswith(("float", "bfloat", "complex")):
        return float("nan")
    if kind in ("datetime64", "timedelta64"):
        return -(2**63)
    raise DtypeError(f"join: column {name!r}, {column.dtype.name}, has no missing value for rows without a match: fill={{{name!r}: 0}} says which")


def _taken(name, column, rows, has_gaps, fill):
    """The elements of rows, and where there is none, the value that is missing, behind the others."""
    if not has_gaps:
        return take(column, rows, 0).realise()
    value = asarray([_missing(name, column, fill)]).astype(column.dtype)
    longer = _core.concat([column, _core.broadcast_to(value, (1, *column.shape[1:]))], 0)
    return take(longer, _core.where(rows < 0, column.shape[0], rows), 0).realise()


def _join_tables(left, right, how, left_on, right_on, suffixes, fill):
    a, b = _columns_of(left, "left"), _columns_of(right, "right")
    rows = _rows(_keys_of(a, left_on, "left"), _keys_of(b, right_on, "right"), how)
    if how in ("semi", "anti"):
        return {name: take(column, rows.left, 0).realise() for name, column in a.items()}
    gaps = [bool(_core.any(side < 0)) if side.size else False for side in rows]
    shared = {x for x, y in zip(left_on, right_on) if x == y}  # one column, of either side
    joined = {}

    def add(name, column, suffix, other):
        name = name + suffix if name in other and name not in shared else name
        if name in joined:
            raise ValueError(f"join: two columns are called {name!r}: suffixes=('_left', '_right') tells them apart")
        joined[name] = column

    for name, column in a.items():
        if name in shared and gaps[0]:
            both = _core.concat([column, b[name]], 0)
            add(name, take(both, _core.where(rows.left < 0, rows.right + column.shape[0], rows.left), 0).realise(), "", b)
        else:
            add(name, _taken(name, column, rows.left, gaps[0], fill), suffixes[0], b)
    for name, column in b.items():
        if name not in shared:
            add(name, _taken(name, column, rows.right, gaps[1], fill), suffixes[1], a)
    return joined


def join(left, right, how="inner", *, on=None, left_on=None, right_on=None, suffixes=("", "_right"), fill=None):
    """The rows on both sides whose keys are equal: (left, right), int64, -1 where a side has none. Or tables of such rows.

        rows = pv.join((trade_symbol, trade_venue), (symbol, venue), "left")
        table = pv.join({"id": [2, 7], "x": [1.0, 2.0]}, {"id": [7, 7], "y": [3.0, 4.0]}, on="id")

    how is "inner", "left" or "right" (with rows of that side without a match), "outer" (of both), or "semi" and "anti": rows on the left alone, with
    and without a match. Rows are in the order of the left side, each with its matches in the order of the right; rows on the right without a
    match are last. Keys are arrays, or tuples of arrays that all have to be equal: numbers, texts, times. NaN and NaT match themselves, and
    numbers of two types where they are the same number.

    Tables are dicts of columns, or what has `keys()`, as a DataFrame: on="key" or a list of names, or left_on and right_on. The result is a dict of
    columns, those of the left first; a key that has one name is one column. Names that both sides have get the suffixes. Where a row is missing, floats
    are NaN, times NaT, and other types need fill, a value or a dict of a value for each column, else DtypeError.

    O(left + right + result). ShapeError, DtypeError; MemoryLimitError names how many rows there is no memory for."""
    if how not in _KINDS:
        raise ValueError(f"join: how is one of {', '.join(_KINDS)}, not {how!r}")
    if _is_table(left) and _is_table(right):
        left_on, right_on = _names_of(on if left_on is None else left_on, "left_on"), _names_of(on if right_on is None else right_on, "right_on")
        return _join_tables(left, right, how, left_on, right_on, suffixes, fill)
    if on is not None or left_on is not None or right_on is not None or fill is not None:
        raise TypeError("join: on, left_on, right_on and fill are for two tables, dicts of columns")
    return _rows(_several(left), _several(right), how)
