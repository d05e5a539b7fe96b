"""Many files as one array, beside xarray, h5py and zarr-python."""

import json
import os

import numpy as np
import pytest

import purview as pv

if not hasattr(pv, "open_many"):
    pytest.skip("the module has no archives", allow_module_level=True)

h5py = pytest.importorskip("h5py")
zarr = pytest.importorskip("zarr")


def write_day(path, day, hours=4, scale=0.5, dtype="i2", compression="gzip"):
    """A file of NetCDF-4: `t` over time and x, and their coordinates; elements are returned as they are meant."""
    values = (np.arange(hours * 3).reshape(hours, 3) + 100 * day).astype(dtype)
    values[0, 1] = -1
    with h5py.File(path, "w") as file:
        t = file.create_dataset("t", data=values, chunks=(2, 3), compression=compression)
        t.attrs["scale_factor"] = scale
        t.attrs["_FillValue"] = np.array(-1, dtype)
        t.attrs["units"] = "K"
        time = file.create_dataset("time", data=np.arange(hours) + 24 * day)
        time.attrs["units"] = "hours since 2019-01-01"
        x = file.create_dataset("x", data=np.arange(3.0))
        for axis, (name, coordinate) in enumerate({"time": time, "x": x}.items()):
            coordinate.make_scale(name)
            t.dims[axis].attach_scale(coordinate)
    meant = values * scale
    meant[values == -1] = np.nan
    return meant


def test_netcdf_files_of_other_lengths_are_in_order_of_their_coordinate(tmp_path):
    expected = [write_day(tmp_path / f"{name}.nc", day, hours) for name, day, hours in (("c", 0, 3), ("a", 1, 5), ("b", 2, 4))]
    stored = pv.open_many(tmp_path / "*.nc", "t", along="time")
    assert stored.shape == (12, 3) and stored.dtype == "int16" and stored.dims == ("time", "x")
    assert stored.attrs["scale_factor"] == 0.5 and stored.chunks == (2, 3)
    np.testing.assert_array_equal(pv.cf_decoded(stored), np.concatenate(expected))
    times = pv.cf_decoded(pv.open_many(str(tmp_path / "*.nc"), "time", along="time"))
    assert str(np.asarray(times)[-1]) == "2019-01-03T03:00:00.000000"
    xarray = pytest.importorskip("xarray")
    with h5py.File(tmp_path / "a.nc") as file:  # as xarray concatenates by hand, without Dask
        parts = [xarray.DataArray(h5py.File(tmp_path / f"{name}.nc")["t"][()], dims=("time", "x")) for name in "cab"]
        np.testing.assert_array_equal(stored, xarray.concat(parts, "time"))
        assert file["t"].shape == (5, 3)


def test_scales_and_types_that_differ_are_decoded(tmp_path):
    expected = [write_day(tmp_path / "d1.nc", 1, scale=0.5), write_day(tmp_path / "d2.nc", 2, scale=0.25), write_day(tmp_path / "d3.nc", 3, dtype="i4")]
    stored = pv.open_many([tmp_path / "d1.nc", os.fspath(tmp_path / "d2.nc"), tmp_path / "d3.nc"], "t", along="time")
    assert stored.dtype == "float64" and "scale_factor" not in stored.attrs and stored.attrs["units"] == "K"
    np.testing.assert_array_equal(stored, np.concatenate(expected))
    assert pv.open_many([tmp_path / "d1.nc", tmp_path / "d3.nc"], "t", along="time").dtype == "int32"


def test_an_index_and_files_that_change(tmp_path):
    expected = np.concatenate([write_day(tmp_path / f"d{day}.nc", day) for day in (8, 9, 10)])
    found = pv.save_index(tmp_path / "all.json", tmp_path / "d*.nc", "t", along="time")
    stored = pv.open_index(tmp_path / "all.json")
    np.testing.assert_array_equal(pv.cf_decoded(stored), expected)
    np.testing.assert_array_equal(found, stored)
    assert json.loads((tmp_path / "all.json").read_text())["files"][0][0] == "d8.nc"
    write_day(tmp_path / "new", 9, hours=5)  # libhdf5 locks what is open
    os.replace(tmp_path / "new", tmp_path / "d9.nc")
    (tmp_path / "d10.nc").unlink()
    again = pv.open_index(tmp_path / "all.json")
    np.testing.assert_array_equal(again[0], stored[0])
    with pytest.raises(pv.FormatError, match="d9.nc' has changed"):
        np.asarray(again[4])
    with pytest.raises(pv.FormatError, match="d10.nc' is not there any more"):
        np.asarray(again[8])
    with pytest.raises(FileNotFoundError):
        pv.open_index(tmp_path / "none.json")


def test_a_grid_of_zarr_arrays_with_a_hole(tmp_path):
    expected = np.full((5, 6), 9, "i4")
    for year, rows in ((2019, slice(0, 2)), (2020, slice(2, 5))):
        for tile, columns in ((2, slice(0, 2)), (10, slice(2, 6))):
            if (year, tile) == (2020, 2):
                continue
            part = np.arange((rows.stop - rows.start) * (columns.stop - columns.start)).reshape(rows.stop - rows.start, -1) + year
            expected[rows, columns] = part
            made = zarr.create_array(tmp_path / f"y{year}_t{tile}.zarr", shape=part.shape, chunks=(1, 2), dtype="i4", attributes={"_FillValue": 9})
            made[:] = part
    files = tmp_path / "y*.zarr"
    np.testing.assert_array_equal(pv.open_many(files, along=(0, 1), missing="filled"), expected)
    with pytest.raises(pv.FormatError, match="no file lies at"):
        pv.open_many(files, along=[0, 1])
    with pytest.raises(ValueError, match="missing"):
        pv.open_many(files, along=[0, 1], missing="zero")


def test_numpy_files_and_a_new_axis(tmp_path):
    parts = [np.random.default_rng(run).normal(size=(3, 4)) for run in range(12)]
    for run, part in enumerate(parts):
        np.save(tmp_path / f"run{run}.npy", part)
    np.testing.assert_array_equal(pv.open_many(f"{tmp_path}/run*.npy", along="run"), np.stack(parts))
    np.savez_compressed(tmp_path / "more.npz", x=parts[0])
    both = pv.open_many([tmp_path / "run1.npy", tmp_path / "more.npz"], along=1, order="given")
    np.testing.assert_array_equal(both, np.concatenate([parts[1], parts[0]], 1))
    assert pv.sum(both).item() == pytest.approx(parts[1].sum() + parts[0].sum())


def test_descending_latitudes_of_h5py(tmp_path):
    for name, lat in (("a", [-10, -20, -30, -40]), ("b", [40, 30, 20, 10, 0])):
        with h5py.File(tmp_path / f"{name}.nc", "w") as file:
            coordinate = file.create_dataset("lat", data=np.array(lat, "f4"))
            t = file.create_dataset("t", data=np.array(lat, "f4") * 2, chunks=(2,), shuffle=True, compression="gzip")
            t.attrs["_FillValue"] = np.float32(np.nan)
            coordinate.make_scale("lat")
            t.dims[0].attach_scale(coordinate)
    stored = pv.save_index(tmp_path / "all.json", tmp_path / "*.nc", "t", along="lat")
    assert stored.dtype == "float32" and "_FillValue" in stored.attrs
    np.testing.assert_array_equal(stored, np.arange(80, -81, -20, "f4"))

    def no_json(constant):
        raise AssertionError(f"{constant} is no JSON")

    index = json.loads((tmp_path / "all.json").read_text(), parse_constant=no_json)
    assert len(index["about"]) == 1
    again = pv.open_index(tmp_path / "all.json")
    assert np.isnan(again.attrs["_FillValue"])
    np.testing.assert_array_equal(again, stored)


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_stores_of_xarray(tmp_path, zarr_format):
    """Beside what xarray makes of the same stores: latitudes that descend, gaps, times in units of their own, packed numbers."""
    xarray = pytest.importorskip("xarray")
    parts = []
    for name, lats, unit in (("south", [-10.0, -20.0, -30.0], "days"), ("north", [20.0, 10.0, 0.0, -5.0], "hours")):
        values = np.arange(2.0 * len(lats)).reshape(-1, 2).astype("f4") + lats[0]
        values[1, 1] = np.nan
        seen = np.datetime64("2020-01-01T00:00:00", "ns") + np.arange(len(lats)) * np.timedelta64(24, "h")
        parts.append(
            xarray.Dataset(
                {"t": (("lat", "lon"), values), "packed": (("lat", "lon"), values.astype("f8")), "seen": ("lat", seen)},
                {"lat": lats, "lon": [3.0, 4.0]},
            )
        )
        packing = {"dtype": "i2", "scale_factor": 0.5, "_FillValue": -999}
        encoding = {"packed": packing, "seen": {"units": f"{unit} since 2020-01-01", "dtype": "i8"}}
        parts[-1].to_zarr(tmp_path / f"{name}.zarr", encoding=encoding, zarr_format=zarr_format)
    expected = xarray.combine_by_coords([xarray.open_zarr(tmp_path / f"{name}.zarr", chunks=None) for name in ("south", "north")])
    files = tmp_path / "*.zarr"
    for name in ("lat", "t", "packed"):
        stored = pv.open_many(files, name, along="lat")
        assert stored.dims == expected[name].dims
        np.testing.assert_array_equal(pv.cf_decoded(stored), expected[name])
    assert pv.open_many(files, "t", along="lat").dtype == "float32"
    assert pv.open_many(files, "packed", along="lat").dtype == "int16"
    seen = np.asarray(pv.open_many(files, "seen", along="lat"))
    np.testing.assert_array_equal(seen.astype("M8[ns]"), expected["seen"])
    # A store that is not there: NaN, and NaT of times whose units differ.
    listed = [tmp_path / "north.zarr", tmp_path / "absent.zarr", tmp_path / "south.zarr"]
    seen = np.asarray(pv.open_many(listed, "seen", along="lat", order="given", missing="filled"))
    assert np.isnat(seen).tolist() == [False] * 4 + [True] * 4 + [False] * 3
    t = np.asarray(pv.open_many(listed, "t", along="lat", order="given", missing="filled"))
    np.testing.assert_array_equal(np.isnan(t[4:8]), True)


def test_kerchunk_of_an_hdf5_file(tmp_path):
    """Its references, as kerchunk writes them for a file of h5py's, whose chunks are deflated."""
    values = np.arange(24, dtype="<f8").reshape(6, 4)
    with h5py.File(tmp_path / "x.h5", "w") as file:
        x = file.create_dataset("x", data=values, chunks=(4, 4), compression="gzip")
        places = [x.id.get_chunk_info(i) for i in range(x.id.get_num_chunks())]
    metadata = {"zarr_format": 2, "shape": [6, 4], "chunks": [4, 4], "dtype": "<f8", "order": "C", "fill_value": 0.0, "filters": None}
    references = {".zgroup": json.dumps({"zarr_format": 2}), "x/.zarray": json.dumps(metadata | {"compressor": {"id": "zlib", "level": 4}})}
    for place in places:
        key = "x/" + ".".join(str(begin // 4) for begin in place.chunk_offset)
        references[key] = [os.fspath(tmp_path / "x.h5"), place.byte_offset, place.size]
    (tmp_path / "refs.json").write_text(json.dumps({"version": 1, "refs": references}))
    group = pv.open_kerchunk(tmp_path / "refs.json")
    assert group.arrays() == ["x"]
    np.testing.assert_array_equal(group["x"], values)


def test_refusals_name_the_file(tmp_path):
    write_day(tmp_path / "a.nc", 0)
    (tmp_path / "b.nc").write_bytes(b"no such format")
    with pytest.raises(pv.FormatError, match="b.nc"):
        pv.open_many(tmp_path / "*.nc", "t", along="time")
    with pytest.raises(pv.FormatError, match="there are no files"):
        pv.open_many(tmp_path / "*.hdf", "t", along="time")
    with pytest.raises(pv.FormatError, match="which of them is the variable|a.nc"):
        pv.open_many(tmp_path / "a.nc", "nothing", along="time")
    with pytest.raises(TypeError):
        pv.open_many(7)
    with pytest.raises(pv.FormatError, match="no files are given"):
        pv.open_many([])
