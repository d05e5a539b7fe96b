"""Tables in Arrow's files, beside pyarrow and Polars."""

import numpy as np
import pytest

import purview as pv

pa = pytest.importorskip("pyarrow")
if not hasattr(pv, "open_arrow_file"):
    pytest.skip("built without purview::arrow", allow_module_level=True)

ROWS = 1000


@pytest.fixture
def table():
    rows = np.arange(ROWS)
    gaps = rows % 3 == 1
    return pa.table({
        "number": pa.array(rows / 7, mask=gaps),
        "integer": pa.array(rows.astype(np.int16)),
        "word": pa.array([f"word {r % 11}" for r in rows]),
        "day": pa.array(np.datetime64("2026-01-01", "s") + rows.astype("timedelta64[s]")),
        "pair": pa.array([[r, r + 0.5] for r in rows], pa.list_(pa.float32(), 2)),
    })


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
@pytest.mark.parametrize("stream", [False, True])
def test_what_pyarrow_writes_is_read(tmp_path, table, compression, stream):
    path = tmp_path / "table.arrow"
    make = pa.ipc.new_stream if stream else pa.ipc.new_file
    with make(path, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table, max_chunksize=300)
    read = pv.open_arrow_file(path)
    assert list(read) == table.column_names
    values = {name: column for name, (column, _) in read.items()}
    missing = {name: gaps for name, (_, gaps) in read.items()}
    rows = np.arange(ROWS)
    assert np.array_equal(np.asarray(missing["number"]), rows % 3 == 1)
    there = rows % 3 != 1
    assert np.array_equal(np.asarray(values["number"])[there], (rows / 7)[there])
    assert values["integer"].dtype == np.int16 and pv.sum(values["integer"]) == rows.sum()
    assert values["word"][12].item() == "word 1"
    assert np.array_equal(np.asarray(values["day"]), table["day"].to_numpy())
    assert values["pair"].shape == (ROWS, 2) and values["pair"][5, 1] == 5.5
    some = pv.open_arrow_file(str(path), ["integer", "number"], fill=-1)
    assert list(some) == ["integer", "number"] and some["number"][0][1] == -1
    assert list(pv.open_arrow_file(path, "word")) == ["word"] and pv.open_arrow_file(path, []) == {}


@pytest.mark.parametrize("compression", ["none", "lz4", "zstd"])
@pytest.mark.parametrize("as_stream", [False, True])
def test_what_is_saved_is_read_by_pyarrow(tmp_path, compression, as_stream):
    path = tmp_path / "table.arrow"
    rows = np.arange(ROWS)
    day = np.datetime64("2026-01-01", "D") + rows.astype("timedelta64[D]")
    day[7] = "NaT"
    columns = {"x": (rows * 0.5, rows % 4 == 0), "lazy": pv.asarray(rows) * 2, "day": day, "word": np.array([f"w{r}" for r in rows]), "m": rows.reshape(-1, 1) + np.ones(3)}
    pv.save_arrow_file(path, columns, compression=compression, rows_per_batch=300, as_stream=as_stream)
    read = (pa.ipc.open_stream if as_stream else pa.ipc.open_file)(path).read_all()
    read.validate(full=True)
    assert read["x"].to_pylist() == [None if r % 4 == 0 else r * 0.5 for r in rows]
    assert read["lazy"].to_pylist() == (rows * 2).tolist()
    assert read["day"].to_pylist() == day.tolist()
    assert read["word"].to_pylist() == [f"w{r}" for r in rows]
    assert read["m"].to_pylist() == (rows.reshape(-1, 1) + np.ones(3)).tolist()
    if not as_stream:
        again = pv.open_arrow_file(path)
        assert np.array_equal(np.asarray(again["m"][0]), rows.reshape(-1, 1) + np.ones(3))
        assert np.asarray(again["day"][1]).nonzero()[0].tolist() == [7]
        pv.save_arrow_file(path, again)  # itself
        assert pa.ipc.open_file(path).read_all().equals(read)


def test_what_is_refused(tmp_path):
    path = tmp_path / "table.arrow"
    with pytest.raises(TypeError, match="missing is of float64"):
        pv.save_arrow_file(path, {"x": ([1.0], [0.5])})
    with pytest.raises(ValueError, match="compression is one of 'none', 'lz4', 'zstd'"):
        pv.save_arrow_file(path, {"x": [1.0]}, compression="gzip")
    with pytest.raises(pv.ShapeError):
        pv.save_arrow_file(path, {"x": [1.0], "y": [1, 2]})
    with pytest.raises(pv.DtypeError, match="'z'"):
        pv.save_arrow_file(path, {"z": np.array([1j])})
    assert not list(tmp_path.iterdir())
    with pytest.raises(FileNotFoundError):
        pv.open_arrow_file(path)
    path.write_bytes(b"ARROW1")
    with pytest.raises(pv.FormatError, match="cut short"):
        pv.open_arrow_file(path)
    pv.save_arrow_file(path, {"x": [1.0]})
    with pytest.raises(IndexError, match="no column 'y'"):
        pv.open_arrow_file(path, ["y"])
