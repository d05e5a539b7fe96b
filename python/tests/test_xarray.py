"""Arrays of ours as the data of xarray's: results are ours, and those of NumPy's arrays."""

import shutil

import numpy as np
import pytest

import purview as pv

xr = pytest.importorskip("xarray")

import pandas as pd  # noqa: E402 (xarray needs it)

import purview.xarray  # noqa: E402, F401

VALUES = np.random.default_rng(0).random((4, 6))
HOLES = np.where(VALUES < 0.3, np.nan, VALUES)
DAYS = pd.date_range("2026-01-01", periods=6, freq="D")


def calls(text):
    return [call.strip() for call in text.replace("\n", "|").split("|") if call.strip()]


ARITHMETIC = calls("""
a + 1|1 / a|a**2|a // 0.3|a % 0.3|-a|abs(a)|np.sqrt(a)|np.maximum(a, 0.5)|(a > 0.5) & (a < 0.7)|~(a > 0.5)|np.isfinite(a)
a - a.isel(x=slice(1, None))|a + a.isel(x=slice(0, 2)) * 2|a * a.mean("t")|a.clip(0.2, 0.8)|a.round(2)|a.astype("float32")|a.isin([0.5])
a @ a.T|a.dot(a, dim="t")|xr.dot(a, a, dim="x")|a.T|a.real|a.imag|a.conj()
""")
REDUCTIONS = calls("""
a.sum()|a.sum("x")|n.sum("t")|n.sum("x", skipna=False)|a.sum("t", min_count=3)|n.sum("t", min_count=5)|a.mean(("x", "t"))|n.mean("t")
n.std("x")|n.var("t", ddof=1)|n.min("x")|n.max()|n.prod("x")|n.median("t")|n.quantile(0.5, dim="t")|a.quantile([0.25, 0.5], dim="x")
(a > 0.5).any("x")|(a > 0.5).all()|np.any(a > 2)|a.argmax("t")|n.argmin("t")|a.idxmax("x")|n.idxmin("t")|n.count("x")|n.cumsum("t")
a.cumprod("x")|a.reduce(np.sum, "x")|z.mean()|z.sum()|a.integrate("x")|a.cumulative_integrate("x")|a.differentiate("x")|a.diff("t")
xr.corr(a, a * 2 + 1, "t")|xr.cov(a, n, "t")|a.weighted(w).mean("x")|n.weighted(w).sum()|a.weighted(w).std("x")
""")
SELECTION = calls("""
a.sel(x=20)|a.sel(x=[10, 30])|a.sel(t="2026-01-03")|a.sel(t=slice("2026-01-02", "2026-01-04"))|a.sel(x=23, method="nearest")|a[:, 2]
a.isel(t=slice(None, None, 2))|a.isel(x=[0, 2], t=[1, 3])|a.isel(x=np.array([True, False, True, False]))|a.isel(x=2, t=3)|a[a.x > 15]
a.isel(x=p, t=p + 2)|a.isel(x=q)|a.head(x=2)|a.where(a > 0.5)|a.where(a > 0.5, 0)|a.where(a.x > 15, drop=True)|xr.where(a > 0.5, a, 0)
n.fillna(0)|n.fillna(a)|n.isnull()|n.dropna("x")|n.combine_first(a)|i.where(i > 2)|i.shift(t=1)|a.shift(t=1)|a.roll(t=1)|a.pad(x=1)
a.pad(x=1, mode="edge")|a.pad(x=(1, 2), constant_values=0)|a.reindex(x=[10, 20, 50])|a.sortby("x", ascending=False)|a.stack(k=("x", "t"))
a.stack(k=("x", "t")).unstack("k")|a.expand_dims(k=3)|xr.zeros_like(a)|xr.full_like(a, 3)|a.copy(deep=True)|a.loc[20]
""")
GROUPS = calls("""
xr.concat([a, a], dim="x")|xr.concat([a, a], dim="new")|xr.concat([a, a.isel(t=slice(0, 2))], dim="x", join="outer")
xr.align(a, a.isel(x=[1, 2]), join="outer")[1]|xr.merge([a, (a * 2).rename("b")]).b|xr.broadcast(a, p.rename(None))[0]
a.groupby("x").mean()|a.groupby(g).mean()|a.groupby(g).max()|n.groupby(g).sum()|a.groupby(g).std()|a.groupby(g).median()
a.groupby(g) - a.groupby(g).mean()|a.groupby(g).map(lambda d: d - d.mean())|a.groupby_bins("x", [0, 25, 45]).mean()
a.groupby("t.dayofweek").mean()|a.resample(t="2D").mean()|a.resample(t="12h").ffill()|a.coarsen(t=2).max()|a.rolling(t=3).mean()
n.rolling(t=3, min_periods=1).sum()|a.rolling(t=3, center=True).max()|a.rolling(x=2, t=3).mean()|a.rolling(t=3).construct("k")
a.cumulative("t").sum()|a.to_dataset().sum("x").a|a.to_dataset().map(np.sqrt).a|xr.apply_ufunc(np.sqrt, a)
xr.apply_ufunc(lambda d: d.mean(axis=-1), a, input_core_dims=[["t"]])
""")
# What SciPy or NumPy computes.
OTHERS = calls('a.interp(x=15)|a.weighted(w).quantile(0.5, dim="x")|a.as_numpy()')
IN_CHUNKS = calls("""
a + 1|a.sum()|a.mean("t")|a.std("x")|a.where(a > 0.5).mean("t")|a - a.isel(x=slice(1, None))|a.groupby("x").mean()|a.rolling(t=3).mean()
xr.concat([a, a], dim="x")|a.isel(x=p, t=p + 2)|a.cumsum("t")|a.shift(t=1)|a.reindex(x=[10, 50])|a.dot(a)|a.median("t")|a.argmax("x")
a.resample(t="2D").mean()|xr.zeros_like(a) + a|a.weighted(w).mean("x")|xr.apply_ufunc(np.exp, a, dask="parallelized", output_dtypes=[float])
""")


def names_of(wrap):
    def of(values, dims=("x", "t")):
        coords = {name: labels for name, labels in {"x": [10, 20, 30, 40], "t": DAYS}.items() if name in dims}
        return xr.DataArray(wrap(values), dims=dims, coords=coords, name="a")

    return {
        "a": of(VALUES),
        "n": of(HOLES),
        "z": of(np.array([1 + 2j, 3, np.nan, 1j]), ("x",)),
        "i": of(np.arange(6), ("t",)),
        "w": xr.DataArray([1.0, 2, 3, 4], dims="x"),
        "p": xr.DataArray([0, 1], dims="p", name="p"),
        "q": xr.DataArray([[0, 1], [1, 2]], dims=("p", "q")),
        "g": xr.DataArray([0, 1, 0, 1], dims="x", name="g"),
        "np": np,
        "xr": xr,
    }


def assert_same(got, want):
    assert got.dims == want.dims and got.dtype == want.dtype and list(got.coords) == list(want.coords)
    values = np.asarray(got.data)
    if want.dtype.kind in "fc":
        np.testing.assert_allclose(values, want.data, rtol=1e-6 if want.dtype == np.float32 else 1e-12, atol=1e-15)
    else:
        np.testing.assert_array_equal(values, want.data)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", ARITHMETIC + REDUCTIONS + SELECTION + GROUPS)
def test_as_numpy_and_ours(call):
    got = eval(call, names_of(pv.asarray))
    assert_same(got, eval(call, names_of(np.asarray)))
    assert isinstance(got.data, pv.Array)


@pytest.mark.parametrize("call", OTHERS)
def test_what_numpy_computes(call):
    if "interp" in call:
        pytest.importorskip("scipy")
    got = eval(call, names_of(pv.asarray))
    assert_same(got, eval(call, names_of(np.asarray)))
    assert isinstance(got.data, np.ndarray)


def test_data_is_in_place_and_lazy():
    ours = pv.asarray(VALUES)
    a = xr.DataArray(ours, dims=("x", "t"))
    assert a.data is ours and np.shares_memory(a.to_numpy(), VALUES)
    assert "sqrt" in np.sqrt(a + 1).data.explain()
    np.testing.assert_array_equal(a.values, VALUES)
    assert a.isel(x=1, t=2).item() == VALUES[1, 2] and float(a.max()) == VALUES.max()


def test_names_of_axes_are_those_of_numpys():
    named = xr.DataArray(VALUES, dims=("y", "z")).coords
    for options in ({}, {"coords": named}, {"coords": {"t": [1, 2, 3, 4], "x": DAYS}}, {"coords": [[1, 2, 3, 4], ("x", DAYS)]}, {"name": "a"}):
        assert_same(xr.DataArray(pv.asarray(VALUES), **options), xr.DataArray(VALUES, **options))
    assert xr.DataArray(pv.asarray(3.0)).dims == ()
    with pytest.raises(ValueError, match="dim"):
        xr.DataArray(pv.asarray(VALUES), dims=("x",))


def test_points_are_written():
    x = VALUES.copy()
    a, b = xr.DataArray(pv.asarray(VALUES.copy()), dims=("x", "t")), xr.DataArray(x, dims=("x", "t"))
    for each in (a, b):
        each[{"x": xr.DataArray([0, 1], dims="p"), "t": xr.DataArray([2, 3], dims="p")}] = 7
        each[{"x": [1, 2], "t": 0}] = -1
    np.testing.assert_array_equal(a.values, x)
    assert isinstance(a.data, pv.Array)


def test_equality_and_text():
    a = names_of(pv.asarray)["a"]
    assert a.equals(a.copy()) and a.identical(a.copy(deep=True)) and not a.equals(a + 1) and a.nbytes == VALUES.nbytes
    assert "array(" in repr(a) and "x: 4" in repr(a.to_dataset())
    for each in (a, a.to_dataset()):
        assert "<div" in each._repr_html_()
    np.testing.assert_array_equal(a.to_pandas().to_numpy(), VALUES)
    np.testing.assert_array_equal(a.to_dataframe()["a"].to_numpy(), VALUES.ravel())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", IN_CHUNKS)
def test_chunks_of_dask(call):
    da = pytest.importorskip("dask.array")
    from purview.dask import from_dask

    got = eval(call, names_of(lambda values: from_dask(da.from_array(values, chunks=3))))
    assert isinstance(got.data, da.Array) and "dask.array" in repr(got) and got._repr_html_()
    got = got.compute(scheduler="sync")
    assert_same(got, eval(call.replace('dask="parallelized"', 'dask="forbidden"'), names_of(np.asarray)))
    assert isinstance(got.data, pv.Array)


def test_arrays_of_others_are_as_before():
    a = xr.DataArray(VALUES, dims=("x", "t"))
    assert isinstance(a.where(a > 0.5).rolling(t=2).mean().data, np.ndarray)
    assert np.isnan(a.shift(t=1).values[0, 0])


@pytest.fixture
def stored(tmp_path):
    """A function that stores an array in chunks, and opens it."""
    pytest.importorskip("purview._zarr_files", exc_type=ImportError)

    names = iter(range(99))

    def make(x):
        path = tmp_path / f"{next(names)}.zarr"
        pv.save_zarr(path, x, chunks=(2,) * x.ndim)
        return pv.open_zarr(path)

    return make


def test_arrays_in_files(stored, tmp_path):
    x = np.arange(12.0).reshape(3, 4)
    a = xr.DataArray(stored(x), dims=("t", "y"))
    assert type(a.data) is pv.Array and a.chunks is None
    assert np.array_equal((a + 1).mean("t").values, (x + 1).mean(0)) and np.array_equal(a.isel(t=[0, 2]).values, x[[0, 2]])
    for load in (lambda a: a.compute(), lambda a: a.load(), lambda a: a.to_dataset(name="a").load().a, lambda a: (a + 0).load()):
        loaded = load(xr.DataArray(stored(x), dims=("t", "y")))
        for path in tmp_path.glob("*.zarr"):
            shutil.rmtree(path)
        assert type(loaded.data) is pv.Array and np.array_equal(loaded.values, x)
    own = pv.asarray(x)
    assert np.shares_memory(np.asarray(xr.DataArray(own, dims=("t", "y")).load().data), x)


@pytest.mark.parametrize("of_file", [True, False])
def test_conventions(stored, of_file):
    """xarray's decode_cf of ours is that of NumPy's."""
    packed = np.arange(12, dtype="i2").reshape(3, 4)
    how = {"scale_factor": 0.5, "add_offset": 1.0, "_FillValue": np.int16(3), "units": "K"}
    for calendar in ("standard", "proleptic_gregorian", None):
        when = {"units": "days since 1999-12-31"} | ({} if calendar is None else {"calendar": calendar})
        both = []
        for of in (stored if of_file else pv.asarray, np.asarray):
            made = xr.Dataset({"a": (("t", "y"), of(packed), how), "when": ("t", of(np.array([0, 60, 366])), when), "t": ("t", np.array([0, 60, 366]), when)})
            both.append(xr.decode_cf(made))
        xr.testing.assert_equal(both[0].compute(), both[1].compute())
        assert both[0].when.values.astype("M8[D]").tolist() == np.array(["1999-12-31", "2000-02-29", "2000-12-31"], "M8[D]").tolist()


@pytest.mark.parametrize("of_file", [True, False])
def test_written_to_files(stored, tmp_path, of_file):
    x = np.arange(12.0).reshape(3, 4)
    times = np.array(["2000-01-01", "2001-01-01", "2002-01-01"], "M8[ns]")
    of = stored if of_file else pv.asarray
    made = xr.Dataset({"a": (("t", "y"), of(x)), "lazy": (("t", "y"), of(x) * 2), "when": ("t", pv.asarray(times))}, coords={"t": [1, 2, 3]})
    expected = xr.Dataset({"a": (("t", "y"), x), "lazy": (("t", "y"), x * 2), "when": ("t", times)}, coords={"t": [1, 2, 3]})
    pytest.importorskip("zarr", minversion="3")
    made.to_zarr(tmp_path / "z")
    xr.testing.assert_equal(xr.open_zarr(tmp_path / "z", chunks=None).load(), expected)
    made.isel(t=[0]).to_zarr(tmp_path / "z", append_dim="t")
    assert xr.open_zarr(tmp_path / "z", chunks=None).sizes["t"] == 4
    pytest.importorskip("scipy")
    made.to_netcdf(tmp_path / "x.nc", engine="scipy")
    xr.testing.assert_equal(xr.open_dataset(tmp_path / "x.nc", engine="scipy").load(), expected)


def test_all_types_are_decoded_and_written(stored, tmp_path):
    """What xarray asks an element type for: the order of its bytes, its name, what else is said of it."""
    pytest.importorskip("zarr", minversion="3")
    pytest.importorskip("scipy")
    columns = {"i8": [1, 2], "u8": [1, 2], "f4": [1, 2], "bool": [True, False], "U3": ["a", "bcd"], "M8[s]": ["2000-01-01", "NaT"]}
    expected = xr.Dataset({kind[:2]: ("x", np.array(values, kind)) for kind, values in columns.items()})
    for of in (stored, pv.asarray):
        ours = xr.decode_cf(xr.Dataset({name: ("x", of(each.values)) for name, each in expected.items()}))
        xr.testing.assert_equal(ours.compute(), expected)
        ours.to_zarr(tmp_path / "z", mode="w")
        xr.testing.assert_equal(xr.open_zarr(tmp_path / "z", chunks=None).load(), expected)
        ours.to_netcdf(tmp_path / "x.nc", engine="scipy")
        xr.testing.assert_equal(xr.open_dataset(tmp_path / "x.nc", engine="scipy").load().astype(ours.dtypes), expected)
