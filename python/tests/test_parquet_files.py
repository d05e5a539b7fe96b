"""Parquet files, beside pyarrow."""

import numpy as np
import pytest

import purview as pv

if not hasattr(pv, "open_parquet"):
    pytest.skip("the module has no Parquet", allow_module_level=True)

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def test_files_of_pyarrow(tmp_path):
    path = tmp_path / "x.parquet"
    table = pa.table({"i": range(1000), "x": [None if i % 7 == 3 else i / 4 for i in range(1000)], "text": [f"row {i}" for i in range(1000)]})
    pq.write_table(table, path, row_group_size=300)
    columns = pv.open_parquet(path)
    assert list(columns) == ["i", "x", "text"]
    assert int(pv.sum(columns["i"][0])) == 499500
    values, missing = columns["x"]
    np.testing.assert_array_equal(np.asarray(missing), np.arange(1000) % 7 == 3)
    np.testing.assert_array_equal(np.asarray(values), np.where(np.arange(1000) % 7 == 3, np.nan, np.arange(1000) / 4))
    assert columns["text"][0].tolist()[999] == "row 999"
    np.testing.assert_array_equal(np.asarray(pv.open_parquet(path, "i", (299, 302))["i"][0]), [299, 300, 301])
    np.testing.assert_array_equal(np.asarray(pv.open_parquet(path, ["x"], slice(3, 5), fill=-1)["x"][0]), [-1, 1])
    with pytest.raises(pv.IndexError, match="'text'"):
        pv.open_parquet(path, "y")


def test_files_for_pyarrow(tmp_path):
    path = tmp_path / "x.parquet"
    times = np.array(["2020-01-01", "NaT", "2020-01-03"], "M8[us]")
    pv.save_parquet(path, {"x": pv.arange(3) * 2, "n": (np.array([1, 2, 3]), np.array([False, True, False])), "time": times}, rows_per_group=2)
    table = pq.read_table(path)
    assert table["x"].to_pylist() == [0, 2, 4]
    assert table["n"].to_pylist() == [1, None, 3]
    assert table["time"].null_count == 1
    np.testing.assert_array_equal(np.asarray(pv.open_parquet(path)["time"][0]), times)
    assert pq.ParquetFile(path).num_row_groups == 2
