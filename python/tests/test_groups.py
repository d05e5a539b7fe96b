"""Groups beside dictionaries and pandas."""

import math

import numpy as np
import pytest
from samples import same, values, views, with_nan

import purview as pv
from test_windows import REDUCTIONS, type_of


def groups(*keys):
    """The rows of each key, in the order in which keys appear first; NaNs are one."""
    found = {}
    for row, key in enumerate(zip(*(k.ravel().tolist() for k in keys))):
        found.setdefault(tuple("nan" if v != v else v for v in key), []).append(row)
    return found


def in_order(found):
    return dict(sorted(found.items(), key=lambda item: [math.inf if v == "nan" else v for v in item[0]]))


def keys_of(shape):
    yield values(shape, "int64") % 7
    yield values(shape, "int64") * 10**15
    yield (values(shape, "uint8") % 3).astype("uint8")
    yield values(shape, "bool")
    yield np.round(values(shape), 0)
    yield np.round(with_nan(shape), 0)
    yield np.round(values(shape, "float32"), 0)


def keys_in(found, place):
    return [math.nan if key[place] == "nan" else key[place] for key in found]


@pytest.mark.parametrize("reduction", REDUCTIONS, ids=str)
@pytest.mark.parametrize("ordered", [True, False])
def test_one_key(reduction, ordered):
    f = REDUCTIONS[reduction]
    by = pv.group_by_reduce if ordered else pv.unordered_group_by_reduce
    for shape in [(60,), (5, 12)]:
        for keys in keys_of(shape):
            for dtype in ["float64", "float32", "int32"]:
                x = values(shape, dtype, 3) % 5 if dtype == "int32" else values(shape, dtype, 3)
                for k, v in zip(views(keys), views(x)):
                    found = in_order(groups(k)) if ordered else groups(k)
                    ours, results, sizes = by(k, v, reduction, "group_size")
                    same(ours, np.array(keys_in(found, 0)).astype(keys.dtype))
                    flat = v.ravel().astype("float64") if dtype == "float32" else v.ravel()
                    same(results, [f(flat[rows]) for rows in found.values()], dtype=type_of(reduction, v), rtol=1e-9)
                    same(sizes, [len(rows) for rows in found.values()])


@pytest.mark.parametrize("ordered", [True, False])
def test_several_keys_and_columns(ordered):
    by = pv.group_by_reduce if ordered else pv.unordered_group_by_reduce
    a, b, c = values((80,), "int64") % 4, np.round(with_nan((80,)), 0), values((80,), "bool")
    x, y = values((80,)), values((80,), "int32", 5)
    for keys in [(a,), (a, b), (b, a), (a, b, c)]:
        found = in_order(groups(*keys)) if ordered else groups(*keys)
        rows = list(found.values())
        *ours, total, median, size, least = by(keys, (x, "sum", "median"), (y, "group_size", "min"))
        for place, key in enumerate(ours):
            same(key, np.array(keys_in(found, place)).astype(keys[place].dtype))
        same(total, [x[r].sum() for r in rows], rtol=1e-9)
        same(median, [np.median(x[r]) for r in rows])
        same(size, [len(r) for r in rows])
        same(least, [y[r].min() for r in rows], dtype="int32")
        same(by(keys, x, "max")[-1], [x[r].max() for r in rows])
        one = by(keys, (x, ("quantile", 0.5)))
        same(one[-1], [np.median(x[r]) for r in rows])


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "min", "max", "median", "var", "std"])
@pytest.mark.filterwarnings("ignore")
def test_nan_in_groups(name):
    keys, x = values((60,), "int64") % 9, with_nan((60,), share=0.5)
    rows = list(in_order(groups(keys)).values())
    same(pv.group_by_reduce(keys, x, name, nan="skip")[1], [getattr(np, "nan" + name)(x[r]) for r in rows], rtol=1e-9)
    same(pv.group_by_reduce(keys, x, name)[1], [REDUCTIONS[name](x[r]) for r in rows], rtol=1e-9)
    with pytest.raises(pv.ArithmeticError):
        pv.group_by_reduce(keys, x, name, nan="raise")


def test_beside_pandas():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": values((200,), "int64") % 5, "b": values((200,), "bool"), "x": values((200,))})
    for ours, theirs in {"sum": "sum", "mean": "mean", "median": "median", "sample_standard_deviation": "std", "max": "max"}.items():
        want = frame.groupby(["a", "b"])["x"].agg(theirs)
        a, b, got = pv.group_by_reduce((frame["a"].to_numpy(), frame["b"].to_numpy()), frame["x"].to_numpy(), ours)
        same(a, want.index.get_level_values(0).to_numpy())
        same(b, want.index.get_level_values(1).to_numpy())
        same(got, want.to_numpy(), rtol=1e-9)


def test_indexes_of_groups():
    for shape in [(60,), (5, 12)]:
        for given in keys_of(shape):
            for keys in views(given):
                found = groups(keys)
                ours = pv.arggroup(keys)
                same(ours.keys, np.array(keys_in(found, 0)).astype(keys.dtype))
                assert [i.tolist() for i in ours.indexes] == list(found.values())
                assert all(i.dtype == "int64" for i in ours.indexes)
    a, b = values((60,), "int64") % 4, values((60,), "bool")
    ours = pv.arggroup((a, b))
    found = groups(a, b)
    same(ours.keys[0], keys_in(found, 0))
    same(ours.keys[1], keys_in(found, 1))
    assert [i.tolist() for i in ours.indexes] == list(found.values())


def test_groups_of_nothing_and_bad_ones():
    keys, total, middle = pv.group_by_reduce([], [], "sum", "median")
    assert keys.shape == total.shape == middle.shape == (0,)
    assert pv.arggroup([]).indexes == [] and pv.arggroup(np.array(3)).indexes[0].tolist() == [0]
    same(pv.group_by_reduce(np.array(3), np.array(2.5), "mean")[1], [2.5])
    for call, error in {
        "([1, 2], [1.0], 'sum')": pv.ShapeError,
        "([1, 2], [1.0], 'median')": pv.ShapeError,
        "(([1, 2], [1]), [1.0, 2], 'sum')": pv.ShapeError,
        "([1j], [1.0], 'sum')": pv.DtypeError,
        "([1], [1j], 'median')": pv.DtypeError,
        "([1], [1.0])": TypeError,
        "([1],)": TypeError,
        "((), [1.0], 'sum')": TypeError,
        "([1], [1.0], 'sum', nan='no')": ValueError,
    }.items():
        with pytest.raises(error):
            eval("pv.group_by_reduce" + call, {"pv": pv})
    with pytest.raises(ValueError, match="'sum', 'prod', 'mean'"):
        pv.group_by_reduce([1], [1.0], "average")
    with pytest.raises(pv.ShapeError):
        pv.arggroup(([1, 2], [1]))


@pytest.mark.parametrize("direction", ["backward", "forward", "nearest"])
@pytest.mark.parametrize("exact", [True, False])
def test_as_of_as_pandas_merge_asof(direction, exact):
    pd = pytest.importorskip("pandas")
    random = np.random.default_rng(51)
    for unit in (None, "s", "ms", "D"):
        left, right = (np.sort(random.integers(0, 60, n)) for n in (40, 50))
        symbols = [random.integers(0, 3, n).astype(str) for n in (40, 50)]
        tolerance = 4
        if unit:
            left, right = (x.astype(f"datetime64[{unit}]") for x in (left, right))
            tolerance = np.timedelta64(4, unit)
        tables = [pd.DataFrame({"at": at.astype("datetime64[s]") if unit == "D" else at, "by": by}) for at, by in zip((left, right), symbols)]
        tables[1]["row"] = np.arange(50)
        for by in ((), ("by",)):
            for limit in (None, tolerance):
                expected = pd.merge_asof(
                    *tables, on="at", by=list(by) or None, direction=direction, allow_exact_matches=exact,
                    tolerance=limit if limit is None or unit is None else pd.Timedelta(limit),
                ) if by else pd.merge_asof(
                    tables[0][["at"]], tables[1][["at", "row"]], on="at", direction=direction, allow_exact_matches=exact,
                    tolerance=limit if limit is None or unit is None else pd.Timedelta(limit),
                )
                columns = dict(left_by=symbols[0].tolist(), right_by=symbols[1].tolist()) if by else {}
                found = pv.as_of(left, right, direction=direction, tolerance=limit, allow_exact_matches=exact, **columns)
                assert np.asarray(found).tolist() == expected["row"].fillna(-1).astype(int).tolist()


def test_as_of_names_what_is_wrong():
    with pytest.raises(Exception, match="right keys have to ascend, and row 1 has 1 behind 2"):
        pv.as_of([1], [2, 1])
    with pytest.raises(Exception, match="left key of row 0 is nan"):
        pv.as_of([math.nan], [1.0])
    with pytest.raises(ValueError, match="direction"):
        pv.as_of([1], [1], direction="back")
    with pytest.raises(Exception, match="tolerance is a duration"):
        pv.as_of([1], [1], tolerance=np.timedelta64(1, "s"))
    assert pv.as_of([1.5], [1, 2], tolerance=0.5).tolist() == [0]
    days, seconds = np.array(["2020-01-02"], "datetime64[D]"), np.array(["2020-01-01T10", "2020-01-03"], "datetime64[s]")
    assert pv.as_of(days, seconds).tolist() == [0]
    with pytest.raises(Exception, match="left key of row 0 is NaT"):
        pv.as_of(np.array(["NaT"], "datetime64[s]"), seconds)
