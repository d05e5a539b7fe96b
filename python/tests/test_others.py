"""What a fresh user brings and takes: copies, sizes, lists of arrays, ranges, tables, columns of pandas and of Arrow."""

import copy
import datetime
import pickle

import numpy as np
import pytest

import purview as pv


@pytest.mark.parametrize("x", [np.arange(3), np.array(["2024-01-01"], "M8[s]"), np.arange(6.0).reshape(2, 3).T])
def test_copies_can_be_written(x):
    t = pv.asarray(x)
    frozen = pv.asarray(np.frombuffer(x.tobytes(), x.dtype).reshape(x.shape))
    for given in (t, frozen, t[:]):
        copies = [copy.copy(given), copy.deepcopy(given), copy.deepcopy([given])[0]]
        copies += [pickle.loads(pickle.dumps(given, protocol)) for protocol in range(6)]
        for each in copies:
            before = np.asarray(given).copy()
            each[...] = each[::-1].copy()
            each[0] = each[-1]
            assert each.dtype == given.dtype and each.shape == given.shape
            assert np.array_equal(np.asarray(given), before)


def test_rank_0_is_a_size():
    three = pv.asarray(3)
    assert np.zeros(three).shape == pv.zeros(three).shape == (3,)
    assert np.zeros((2, three)).shape == pv.zeros((2, three)).shape == (2, 3)
    for iterate in (iter, list, tuple):
        with pytest.raises(TypeError):
            iterate(three)
    assert [int(x) for x in pv.asarray([1, 2])] == [1, 2]


LISTS = {
    "NumPy's": lambda of: [np.ones(2), np.zeros(2)],
    "ours": lambda of: [of(np.ones(2)), of(np.zeros(2))],
    "lists of them": lambda of: [[of(np.ones(2)), of(np.zeros(2))], [of(np.ones(2)), of(np.ones(2))]],
    "beside lists": lambda of: [of(np.ones(2)), [3, 4]],
    "lists first": lambda of: [[3, 4], of(np.ones(2))],
    "matrices": lambda of: (of(np.ones((2, 3), "f4")), of(np.arange(6, dtype="f4").reshape(2, 3))),
    "rank 0": lambda of: [of(np.float64(1)), 2],
    "memory": lambda of: [memoryview(b"ab"), bytearray(b"cd")],
    "times": lambda of: [of(np.array(["2024-01-01"], "M8[s]")), of(np.array(["NaT"], "M8[s]"))],
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_of_arrays(name):
    expected = np.asarray(LISTS[name](np.asarray))
    t = pv.asarray(LISTS[name](pv.asarray))
    back = np.asarray(t)
    assert back.dtype == expected.dtype and back.shape == expected.shape
    assert np.array_equal(back, expected, equal_nan=True)
    t[0] = t[-1].copy()


def test_lists_of_unequal_arrays():
    for given in ([np.ones(2), np.ones(3)], [np.ones(2), 1], [1, np.ones(2)], [[np.ones(2)], np.ones(2)], [np.ones(2), [1]]):
        with pytest.raises(pv.ShapeError):
            pv.asarray(given)


@pytest.mark.parametrize("r", [range(5), range(2, 11, 3), range(10, 0, -3), range(0), range(5, 2), range(-(2**63), 2**63 - 1, 2**62)])
def test_ranges(r):
    t = pv.asarray(r)
    assert t.dtype == pv.int64 and np.asarray(t).tolist() == list(r) == t.tolist()
    t = pv.asarray(r, copy=True)
    t[...] = 7
    assert np.array_equal(np.asarray(pv.asarray(r, dtype="float32")), np.asarray(r, dtype="float32"))


def test_ranges_take_no_memory():
    r = range(10**12)
    t = pv.asarray(r)
    assert t.size == 10**12 and t[-1].item() == 10**12 - 1 and t[:: 10**11].tolist() == list(r[:: 10**11])
    assert pv.asarray(r[::-1])[:2].tolist() == [10**12 - 1, 10**12 - 2]
    assert (t * 2 + 1)[5].item() == 11
    assert pv.asarray(range(2**63, 2**63 + 2)).tolist() == [2**63, 2**63 + 1]


def test_masked_arrays():
    x = np.ma.array([1.0, 2.0], mask=[False, True])
    for function in (pv.asarray, lambda x: pv.asarray([1.0, 2.0]) + x, lambda x: pv.asarray([x, x])):
        with pytest.raises(TypeError, match=r"\.filled\("):
            function(x)
    assert pv.asarray(x.filled(-1)).tolist() == [1, -1] and pv.asarray(np.ma.array([1, 2])).tolist() == [1, 2]


def test_what_is_no_array():
    for x, way in (
        (np.array([{}, 1], dtype=object), "dtype object.*astype"),
        (np.zeros(2, "i4,f4"), "one field"),
        (np.array([b"a"]), r"astype\('U'\)"),
    ):
        with pytest.raises(TypeError, match=way):
            pv.asarray(x)


def test_arrow_times():
    pa = pytest.importorskip("pyarrow")
    days = [datetime.date(2024, 1, 1), datetime.date(1960, 2, 29)]
    t = pv.asarray(pa.array(days))
    assert "2024-01-01" in repr(t) and np.array_equal(np.asarray(t), np.array(days, "M8[D]"))
    assert pa.array(t).equals(pa.array(days))
    for unit in ("s", "ms", "us", "ns"):
        for kind, of in (("M8", pa.timestamp), ("m8", pa.duration)):
            x = np.array([1, "NaT", 3] if kind == "m8" else ["2024-01-01", "NaT", "1969-01-01"], f"{kind}[{unit}]")
            expected = pa.array(x)
            assert expected.type == of(unit) and expected.null_count == 1
            assert pa.array(pv.asarray(x)).equals(expected)
            back = pv.asarray(expected.drop_null())
            assert back.dtype == x.dtype and np.array_equal(np.asarray(back), x[[0, 2]])
    assert pv.year_of(pv.asarray(pa.array([datetime.datetime(2024, 1, 1)]))).tolist() == [2024]
    assert pa.array(pv.asarray(np.array(["2024-01-01", "NaT"], "M8[D]"))).equals(pa.array([days[0], None]))


def test_arrow_chunks_and_tables():
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"x": [1, None, 3], "y": [1, 2, 3]})
    for column in (table["x"], pa.chunked_array([[1, None], [3]])):
        with pytest.raises(pv.FormatError, match="missing values"):
            pv.asarray(column)
        values, missing = pv.from_arrow(column)
        assert missing.tolist() == [False, True, False] and values[~missing].tolist() == [1, 3]
    assert pv.asarray(pa.chunked_array([[1, 2], [3]])).tolist() == [1, 2, 3]
    assert pv.asarray(pa.chunked_array([], pa.int64())).shape == (0,)
    for function in (pv.asarray, pv.from_arrow):
        for given in (table, table.to_batches()[0]):
            with pytest.raises(TypeError, match=r"x\['name'\], of 'x', 'y'"):
                function(given)
    with pytest.raises(TypeError):
        pv.from_arrow([1, 2])


def test_pandas_columns():
    pd = pytest.importorskip("pandas")
    times = pd.Series(pd.to_datetime(["2024-01-01", None, "2024-01-02"]))
    index = pd.DatetimeIndex(times)
    for x in (times, index, index - pd.Timestamp("2023-01-01"), times - times[0], pd.Series([1.5, 2]), pd.Index([1, 2])):
        back = np.asarray(pv.asarray(x))
        assert back.dtype == x.to_numpy().dtype and np.array_equal(back, x.to_numpy(), equal_nan=True)
    assert pv.asarray(pd.Series(["a", "b"])).tolist() == ["a", "b"]
    assert pv.asarray([pd.Series([1, 2]), pd.Series([3, 4])]).tolist() == [[1, 2], [3, 4]]
    for x, way in (
        (pd.Series([{}, 1]), "dtype object"),
        (times.dt.tz_localize("UTC"), "tz_localize"),
        (pd.DataFrame({"a": [1], "b": ["x"]}), "one column"),
    ):
        with pytest.raises(TypeError, match=way):
            pv.asarray(x)


def test_dtypes_are_keys_like_numpys():
    for name in "bool int8 uint64 float16 float64 complex64 datetime64[s] timedelta64[D]".split():
        ours, theirs = pv.dtype(name), np.dtype(name)
        assert ours == theirs and hash(ours) == hash(theirs) and {theirs: 1}[ours] == {ours: 1}[theirs] == 1
        for attribute in ("kind", "char", "num", "names", "hasobject", "str", "name", "itemsize"):
            assert getattr(ours, attribute) == getattr(theirs, attribute)
    assert len({pv.string, pv.bfloat16, pv.dtype("bfloat16")}) == 2


def test_scipy_sparse_products():
    sparse = pytest.importorskip("scipy.sparse")
    x = np.arange(3.0)
    for matrix in (sparse.csr_matrix(np.eye(3)), sparse.coo_array(np.eye(3))):
        assert np.array_equal(np.asarray(matrix @ pv.asarray(x)), x)


NUMPYS = "bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()


@pytest.mark.parametrize("name", NUMPYS)
def test_lists_of_numpys_scalars_keep_their_type(name):
    """As np.asarray of the list has it; beside Python's numbers the list is one of these."""
    of = getattr(np, name)
    greatest = np.iinfo(of).max if np.issubdtype(of, np.integer) else 1
    for given in ([of(1), of(greatest)], [[of(0)], [of(1)]], [pv.asarray(of(1)), of(0)], [np.asarray(of(1))]):
        expected = np.asarray([[x.item() for x in row] if isinstance(row, list) else row.item() for row in given], of)
        t = pv.asarray(given)
        assert t.dtype == expected.dtype and np.array_equal(np.asarray(t), expected)
    assert pv.asarray([of(1), True]).dtype == pv.asarray([of(1).item(), True]).dtype
    assert pv.asarray([of(1), 2.5]).tolist() == [of(1).item(), 2.5]


def test_lists_of_texts_among_numbers():
    for given in ([1, pv.asarray("a")], [np.float32(1), pv.asarray("a")]):
        with pytest.raises(TypeError):
            pv.asarray(given)


def test_integers_with_gaps():
    """2**53 + 1 is no float64: pandas and Polars round it without a word where a value is missing."""
    pd = pytest.importorskip("pandas")
    large, small = [2**53 + 1, None], [2**53 - 1, None]
    kinds = ["Int64", "UInt64", "int64[pyarrow]"]
    for kind in kinds:
        for of in (pd.Series, pd.Index, lambda x, dtype: pd.Series(x, dtype=dtype).array, lambda x, dtype: pd.DataFrame({"a": pd.Series(x, dtype=dtype)})):
            with pytest.raises(pv.CastError, match="(?i)int64"):
                pv.asarray(of(large, dtype=kind))
            with pytest.raises(pv.CastError):
                pv.asarray([1.0, 2.0]) + of([-(2**53), None] if kind != "UInt64" else large, dtype=kind)
            t = pv.asarray(of(small, dtype=kind))
            assert np.array_equal(np.asarray(t).ravel(), [2**53 - 1, np.nan], equal_nan=True)
        assert pv.asarray(pd.Series([2**53 + 1, 1], dtype=kind)).tolist() == [2**53 + 1, 1]
    assert pv.asarray(pd.Series([2.0**60, None], dtype="Float64")).tolist()[0] == 2.0**60
    values, missing = pv.from_arrow(pd.Series(large, dtype="Int64"))
    assert values[0].item() == 2**53 + 1 and missing.tolist() == [False, True]


NUMBERS = "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64".split()


@pytest.mark.parametrize("to", NUMBERS)
def test_arrow_of_another_type(to):
    """What pyarrow.array(x, type=…) asks the array itself for."""
    pa = pytest.importorskip("pyarrow")
    for name in NUMBERS:
        x = np.arange(3).astype(name)
        for t in (pv.asarray(x), pv.asarray(x) + pv.asarray(np.zeros(3, name))):
            made = pa.array(t, type=pa.from_numpy_dtype(np.dtype(to)))
            assert str(made.type) == str(pa.from_numpy_dtype(np.dtype(to))) and made.to_pylist() == [0, 1, 2]
    if "int" in to:
        for lost in ([1.5], [np.nan], [np.inf], [2**40 + 0.5]):
            with pytest.raises(pv.CastError):
                pa.array(pv.asarray(lost), type=pa.from_numpy_dtype(np.dtype(to)))
    if to in ("float32", "float64"):
        with pytest.raises(pv.CastError):
            pa.array(pv.asarray([2**53 + 1]), type=pa.from_numpy_dtype(np.dtype(to)))
    assert pa.array(pv.asarray([0.1]), type=pa.float32()).to_pylist() == [float(np.float32(0.1))]
