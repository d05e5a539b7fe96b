"""Joins beside loops over dicts, and pandas."""

import math

import numpy as np
import pytest
from samples import same, values, with_nan

import purview as pv

KINDS = ["inner", "left", "right", "outer", "semi", "anti"]


def by_dict(left, right, how):
    """Rows of lists of keys; NaNs are equal."""
    left, right = ([tuple("nan" if v != v else v for v in key) for key in zip(*side)] for side in (left, right))
    found = {}
    for row, key in enumerate(right):
        found.setdefault(key, []).append(row)
    if how in ("semi", "anti"):
        return [row for row, key in enumerate(left) if (key in found) == (how == "semi")], []
    pairs = [(row, match) for row, key in enumerate(left) for match in found.get(key, [-1] if how in ("left", "outer") else [])]
    if how in ("right", "outer"):
        pairs += [(-1, row) for row, key in enumerate(right) if key not in set(left)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def keys(rows, seed):
    yield values((rows,), "int64", seed) % 9
    yield values((rows,), "int64", seed) * 10**15
    yield values((rows,), "bool", seed)
    yield np.round(with_nan((rows,), seed=seed), 0)
    yield np.array([["NaT", "2020-01-01", "2021-01-01"][i % 3] for i in values((rows,), "int32", seed)], "datetime64[s]")
    yield np.round(values((rows,), "float64", seed)) + 1j


@pytest.mark.parametrize("how", KINDS)
def test_rows(how):
    for left, right in zip(keys(50, 1), keys(60, 2)):
        lists = [[None if np.isnat(v) else v for v in x] if x.dtype.kind == "M" else x.tolist() for x in (left, right)]
        rows = pv.join(left, right, how)
        assert (rows.left.tolist(), rows.right.tolist()) == by_dict([lists[0]], [lists[1]], how)
        texts = [[str(v) for v in side] for side in lists]
        assert tuple(map(pv.Array.tolist, pv.join((texts[0], left), (texts[1], right), how))) == by_dict([texts[0], lists[0]], [texts[1], lists[1]], how)


def test_types():
    assert pv.join(np.array([2**53 + 1, 2**53]), np.array([2.0**53])).left.tolist() == [1]
    assert pv.join(np.array([1, 2], "int32"), np.array([2], "uint64")).left.tolist() == [1]
    days, seconds = np.array(["2020-01-02"], "datetime64[D]"), np.array(["2020-01-02T00", "2020-01-03"], "datetime64[s]")
    assert pv.join(days, seconds).right.tolist() == [0]
    with pytest.raises(pv.DtypeError, match="int64 on the left and string on the right"):
        pv.join([1], ["1"])
    with pytest.raises(pv.ShapeError, match="2 columns on the left and 1 on the right"):
        pv.join(([1], [2]), [1])
    with pytest.raises(ValueError, match="how"):
        pv.join([1], [1], "full")


LEFT = {"id": [3, 1, 2, 1], "x": [0.5, 1.5, 2.5, 3.5], "n": [1, 2, 3, 4]}
RIGHT = {"id": [1, 4, 1], "x": [10.0, 20.0, 30.0], "name": ["a", "b", "c"]}


def lists(table):
    return {name: column.tolist() for name, column in table.items()}


def test_tables():
    assert lists(pv.join(LEFT, RIGHT, on="id")) == {
        "id": [1, 1, 1, 1], "x": [1.5, 1.5, 3.5, 3.5], "n": [2, 2, 4, 4], "x_right": [10.0, 30.0, 10.0, 30.0], "name": ["a", "c", "a", "c"],
    }
    outer = pv.join(LEFT, RIGHT, "outer", on=["id"], suffixes=("_l", "_r"), fill={"n": 0, "name": "?"})
    assert list(outer) == ["id", "x_l", "n", "x_r", "name"]
    assert outer["id"].tolist() == [3, 1, 1, 2, 1, 1, 4]
    assert outer["n"].tolist() == [1, 2, 2, 3, 4, 4, 0]
    assert outer["name"].tolist() == ["?", "a", "c", "?", "a", "c", "b"]
    same(outer["x_l"], [0.5, 1.5, 1.5, 2.5, 3.5, 3.5, math.nan])
    same(outer["x_r"], [math.nan, 10, 30, math.nan, 10, 30, 20])
    assert lists(pv.join(LEFT, RIGHT, "anti", on="id")) == {"id": [3, 2], "x": [0.5, 2.5], "n": [1, 3]}
    other = {"key": [1], "at": np.array(["2020-01-01"], "datetime64[s]"), "rows": np.ones((1, 2))}
    left = pv.join(LEFT, other, "left", left_on="id", right_on="key", fill={"key": -1})
    assert left["key"].tolist() == [-1, 1, -1, 1]
    assert np.isnat(np.asarray(left["at"])).tolist() == [True, False, True, False]
    same(left["rows"], [[math.nan] * 2, [1, 1], [math.nan] * 2, [1, 1]])
    assert lists(pv.join(LEFT, {"id": np.zeros(0, "int64"), "y": np.zeros(0)}, "left", on="id"))["x"] == LEFT["x"]


def test_tables_refused():
    with pytest.raises(pv.DtypeError, match="column 'name', .*, has no missing value"):
        pv.join(LEFT, RIGHT, "left", on="id")
    with pytest.raises(TypeError, match="on="):
        pv.join(LEFT, RIGHT)
    with pytest.raises(KeyError, match="no column 'name' on the left"):
        pv.join(LEFT, RIGHT, on="name")
    with pytest.raises(ValueError, match="two columns are called 'x'"):
        pv.join(LEFT, RIGHT, on="id", suffixes=("", ""))
    with pytest.raises(pv.ShapeError, match="column 'b' on the right has 2 rows"):
        pv.join(LEFT, {"id": [1], "b": [1, 2]}, on="id")
    with pytest.raises(TypeError, match="two tables"):
        pv.join([1], [1], on="id")


@pytest.mark.parametrize("how", ["inner", "left", "outer", "right"])
def test_beside_pandas(how):
    pandas = pytest.importorskip("pandas")
    left = {"a": values((80,), "int64", 1) % 12, "b": np.round(values((80,), "float64", 1)), "x": values((80,))}
    right = {"a": values((70,), "int64", 2) % 14, "b": np.round(values((70,), "float64", 2)), "y": values((70,), "float64", 4)}
    ours = pv.join(pandas.DataFrame(left), right, how, on=["a", "b"])
    theirs = pandas.merge(pandas.DataFrame(left), pandas.DataFrame(right), how=how, on=["a", "b"])
    rows = [sorted(zip(*(map(repr, np.asarray(table[name], float)) for name in theirs))) for table in (ours, theirs)]
    assert rows[0] == rows[1]
