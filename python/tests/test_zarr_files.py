"""Arrays that zarr-python writes, where the module has purview::zarr."""

import json
import os
import pathlib
import shutil

import numpy as np
import pytest

import purview as pv

pytest.importorskip("purview._zarr_files", exc_type=ImportError)
zarr = pytest.importorskip("zarr", minversion="3")

generator = np.random.default_rng(5)


def create(path, x, **options):
    array = zarr.create_array(str(path), shape=x.shape, dtype=x.dtype, **options)
    array[...] = x
    return array


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("name", "bool int8 uint16 int32 int64 float16 float32 float64 complex64 complex128".split())
def test_elements(tmp_path, zarr_format, name):
    for number, (shape, chunks) in enumerate([((5, 7), (2, 3)), ((4,), (4,)), ((3, 4, 5), (1, 4, 3))]):
        x = generator.integers(0, 99, shape).astype(name)
        path = tmp_path / f"{number}.zarr"
        create(path, x, chunks=chunks, zarr_format=zarr_format)
        t = pv.open_zarr(path)
        assert isinstance(t, pv.Array) and t.shape == shape and t.dtype.name == name and t.chunks == chunks
        assert np.array_equal(np.asarray(t), x) and np.array_equal(np.asarray(t[::-1] + 0), x[::-1] + x.dtype.type(0))
        if name == "float64":
            assert pv.sum(t * 2).item() == 2 * x.sum()
        assert np.array_equal(np.asarray(pv.from_chunks(zarr.open_array(str(path), mode="r"))), x)


def test_what_is_told_of_an_array(tmp_path):
    x = generator.random((6, 8))
    attributes = {"units": "K", "scale": 0.5, "ids": [1, 2], "nested": {"a": None}, "nan": float("nan")}
    create(tmp_path / "x", x, chunks=(2, 4), shards=(4, 8), dimension_names=["time", None], attributes=attributes)
    t = pv.open_zarr(str(tmp_path / "x"))
    assert t.chunks == (2, 4) and t.shards == (4, 8) and t.dims == ("time", None) and "shard" in t.codecs
    assert t.attrs["units"] == "K" and t.attrs["ids"] == [1, 2] and t.attrs["nested"] == {"a": None} and np.isnan(t.attrs["nan"])
    assert type(t + 1) is pv.Array and type(t) is pv.StoredArray
    create(tmp_path / "y", x, chunks=(6, 8))
    assert pv.open_zarr(tmp_path / "y").dims == (None, None) and pv.open_zarr(tmp_path / "y").attrs == {}
    with pytest.raises(pv.ReadOnlyError):
        t[0] = 1
    with pytest.raises(TypeError):
        pv.StoredArray()
    with pytest.raises(AttributeError):
        t.chunks = (1, 1)
    copy = pv.open_zarr(tmp_path / "x", access="in_memory")
    copy[0] = 7
    assert copy.chunks == (2, 4) and pv.open_zarr(tmp_path / "x")[0, 0].item() == x[0, 0]
    with pytest.raises(ValueError, match="open_zarr: access"):
        pv.open_zarr(tmp_path / "x", access="any")


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_groups(tmp_path, zarr_format):
    x = generator.random((4, 4)).astype("f4")
    root = zarr.create_group(str(tmp_path / "g"), zarr_format=zarr_format, attributes={"title": "all"})
    surface = root.create_group("surface", attributes={"level": 0})
    for name in ("t2m", "wind"):
        surface.create_array(name, shape=x.shape, dtype=x.dtype, chunks=(2, 2))[...] = x
    root.create_array("z", shape=(3,), dtype="i4")[...] = [1, 2, 3]
    group = pv.open_zarr_group(tmp_path / "g")
    assert group.attrs == {"title": "all"} and list(group) == ["surface", "z"] and len(group) == 2
    assert group.arrays() == ["z"] and group.groups() == ["surface"]
    assert np.array_equal(np.asarray(group["surface/t2m"]), x) and np.array_equal(np.asarray(group["surface"]["wind"]), x)
    assert group["surface"].attrs == {"level": 0} and group["surface"].name == "surface"
    assert "surface/t2m" in group and "surface" in group and "t2m" not in group and "surface/none" not in group and 3 not in group
    assert "surface" in repr(group) and "z" in repr(group) and dict(group)["z"].tolist() == [1, 2, 3]
    for name in ("none", "surface/none", "none/t2m", "", 3):
        with pytest.raises(KeyError):
            group[name]
    assert group.get("none") is None
    metadata = tmp_path / "g" / "z" / ("zarr.json" if zarr_format == 3 else ".zarray")
    metadata.write_text("{")
    with pytest.raises(pv.FormatError):
        pv.open_zarr_group(tmp_path / "g")["z"]


def test_zip_files(tmp_path):
    x = generator.random((5, 5))
    create(tmp_path / "x", x, chunks=(2, 2))
    shutil.make_archive(str(tmp_path / "x"), "zip", tmp_path / "x")
    assert np.array_equal(np.asarray(pv.open_zarr(tmp_path / "x.zip")), x)


def test_errors(tmp_path):
    for path in (tmp_path / "none", str(tmp_path / "none")):
        with pytest.raises(FileNotFoundError):
            pv.open_zarr(path)
        with pytest.raises(FileNotFoundError):
            pv.open_zarr_group(path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(pv.FormatError, match="empty"):
        pv.open_zarr(tmp_path / "empty")
    create(tmp_path / "x", generator.random((4, 4)), chunks=(2, 2))
    next(path for path in pathlib.Path(tmp_path / "x" / "c").rglob("*") if path.is_file()).write_bytes(b"damaged")
    with pytest.raises(pv.FormatError, match="c/"):
        np.asarray(pv.open_zarr(tmp_path / "x"))


def test_each_chunk_is_read_once(tmp_path):
    x = generator.random((64, 64))
    create(tmp_path / "x", x, chunks=(16, 16))
    pv.drop_cached_chunks()
    pv.reset_chunk_statistics()
    t = pv.open_zarr(tmp_path / "x")
    assert np.isclose(pv.sum(t**2).item(), (x**2).sum())
    counts = pv.chunk_statistics()
    assert counts.chunks_read == 16 and counts.chunks_written == 0 and 0 < counts.bytes_read
    assert pv.sum(pv.open_zarr(tmp_path / "x")).item() == pytest.approx(x.sum())  # another opening has the same chunks
    assert pv.chunk_statistics().chunks_read == 16 and pv.chunk_statistics().cache_hits >= 16


def test_a_value_and_its_gradient_read_each_chunk_once(tmp_path):
    x, w = generator.random((400, 8)), generator.random(8)
    create(tmp_path / "x", x, chunks=(50, 8))
    before = pv.memory_limit()
    pv.set_memory_limit(16_000)  # of 25,600 bytes
    try:
        t = pv.open_zarr(tmp_path / "x")
        pv.drop_cached_chunks()
        pv.reset_chunk_statistics()
        value, gradient = pv.value_and_grad(lambda w, x: pv.mean((x @ w) ** 2))(w, t)
        assert pv.chunk_statistics().chunks_read == 8
    finally:
        pv.set_memory_limit(before)
    assert value == pytest.approx(((x @ w) ** 2).mean())
    assert np.allclose(gradient, 2 * x.T @ (x @ w) / 400)


@pytest.mark.parametrize("format", [2, 3])
@pytest.mark.parametrize("codecs", [None, [], "zstd", ("gzip", 1), ("blosc", "lz4", 5, "bits"), "zlib", "lz4"])
def test_what_is_saved_is_read_by_others(tmp_path, format, codecs):
    x = generator.random((7, 9))
    pv.save_zarr(tmp_path / "x", pv.asarray(x) * 2, chunks=(3, 4), codecs=codecs, format=format, dims=["a", None], attrs={"n": [1, 2]})
    read = zarr.open_array(str(tmp_path / "x"), mode="r")
    assert np.array_equal(read[...], x * 2) and read.chunks == (3, 4) and read.attrs["n"] == [1, 2]
    t = pv.open_zarr(tmp_path / "x")
    assert np.array_equal(np.asarray(t), x * 2) and t.dims == ("a", None) and t.attrs["n"] == [1, 2]


def test_saving_over_and_refused_options(tmp_path):
    path = tmp_path / "x"
    pv.save_zarr(path, [1, 2, 3], chunks=2, shards=4, codecs=["zstd", "crc32c"], fill=7)
    assert zarr.open_array(str(path), mode="r")[...].tolist() == [1, 2, 3]
    with pytest.raises(pv.FormatError):
        pv.save_zarr(path, [1.5])
    pv.save_zarr(str(path), [1.5], overwrite=True)
    assert pv.open_zarr(path).tolist() == [1.5]
    for codecs in ["bz2", ("zstd", 99), ("blosc", "none"), ("blosc", "zstd", 5, "all")]:
        with pytest.raises(ValueError):
            pv.save_zarr(tmp_path / "y", [1], codecs=codecs)
    with pytest.raises(pv.Error):
        pv.save_zarr(tmp_path / "y", [1], format=4)


def test_created_and_appended(tmp_path):
    t = pv.create_zarr(tmp_path / "x", (4, 5), "float32", chunks=(2, 2), fill=np.nan, dims=("time", "x"), attrs={"units": "K"})
    assert t.chunks == (2, 2) and t.dims == ("time", "x") and t.attrs == {"units": "K"} and pv.all(pv.isnan(t)).item()
    x = generator.random((4, 5)).astype("f4")
    t[...] = x
    t[1, 2] = 9
    x[1, 2] = 9
    assert np.array_equal(zarr.open_array(str(tmp_path / "x"), mode="r")[...], x)
    pv.append_zarr(tmp_path / "x", x[:3])
    assert t.shape == (4, 5) and np.array_equal(np.asarray(pv.open_zarr(tmp_path / "x")), np.concatenate([x, x[:3]]))
    pv.append_zarr(str(tmp_path / "x"), np.zeros((7, 1), "f4"), axis=-1)
    assert zarr.open_array(str(tmp_path / "x"), mode="r").shape == (7, 6)
    with pytest.raises(pv.ShapeError):
        pv.append_zarr(tmp_path / "x", x)
    with pytest.raises(FileNotFoundError):
        pv.append_zarr(tmp_path / "none", x)


@pytest.mark.parametrize(
    "format, codecs",
    [(format, codecs) for format in (2, 3) for codecs in ([], "zstd", ("gzip", 1), ("blosc", "zstd", 5, "bytes"))] + [(3, ["zstd", "crc32c"])],
)
def test_round_trips_with_tensorstore(tmp_path, format, codecs):
    tensorstore = pytest.importorskip("tensorstore")
    store = {"driver": "zarr3" if format == 3 else "zarr", "kvstore": {"driver": "file", "path": ""}}
    for number, (name, shards) in enumerate([("float64", None), ("int16", (6, 8)), ("bool", None), ("complex64", None)]):
        x = generator.integers(0, 99, (7, 9)).astype(name)
        store["kvstore"]["path"] = str(tmp_path / f"{number}")
        pv.save_zarr(tmp_path / f"{number}", x, chunks=(3, 4), shards=shards if format == 3 else None, codecs=codecs, format=format)
        theirs = tensorstore.open(store, open=True).result()
        assert np.array_equal(theirs.read().result(), x)
        theirs[2:5, 3:9].write(np.ones((3, 6), name)).result()  # parts of chunks, in the codecs that we chose
        x[2:5, 3:9] = 1
        pv.drop_cached_chunks()
        t = pv.open_zarr(tmp_path / f"{number}", access="read_write")
        assert np.array_equal(np.asarray(t), x)
        t[0, 1:] = t[6, 1:]
        x[0, 1:] = x[6, 1:]
        assert np.array_equal(tensorstore.open(store, open=True).result().read().result(), x)


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_what_xarray_packs(tmp_path, zarr_format):
    xr = pytest.importorskip("xarray")
    x = np.array([1.5, np.nan, -3, 250, 7], "f8")
    encodings = {
        "packed": {"dtype": "i2", "scale_factor": 0.01, "add_offset": 200.0, "_FillValue": -32767},
        "floats": {"dtype": "f4", "_FillValue": -9999.0},
        "bytes": {"dtype": "u1", "scale_factor": 2.0, "add_offset": -10.0, "_FillValue": 255},
        "signed": {"dtype": "i1", "_Unsigned": "true", "scale_factor": 2.0, "add_offset": -10.0, "_FillValue": np.int8(-1)},
        "halves": {"dtype": "f4", "_FillValue": np.float32(0.1)},
        "plain": {},
    }
    path = tmp_path / "x.zarr"
    xr.Dataset({name: ("t", x) for name in encodings}).to_zarr(path, encoding=encodings, zarr_format=zarr_format, consolidated=False)
    with xr.open_zarr(path, consolidated=False) as opened:
        group = pv.open_zarr_group(path)
        for name in encodings:
            t = pv.cf_decoded(group[name])
            assert np.allclose(np.asarray(t), opened[name].values, rtol=1e-6, equal_nan=True), name
            assert np.isnan(np.asarray(t)[1]) and not np.isnan(np.asarray(t)[[0, 2, 3, 4]]).any(), name
            assert type(t) is pv.Array


def test_cf_decoded(tmp_path):
    wide = np.array([2**53, 2**53 + 1])
    create(tmp_path / "x", wide, chunks=(2,)).attrs.update({"_FillValue": 2**53 + 1})
    t = pv.open_zarr(tmp_path / "x")
    assert np.array_equal(np.asarray(pv.cf_decoded(t)), [2.0**53, np.nan], equal_nan=True)
    t.attrs.update(_FillValue=np.int64(2**53), missing_value=[2**70, None], scale_factor=np.float32(0.5))  # what it is told, it takes
    assert np.array_equal(np.asarray(pv.cf_decoded(t)), [np.nan, 2.0**52], equal_nan=True)
    create(tmp_path / "y", np.array([2**64 - 1, 2**64 - 2], "u8"), chunks=(2,)).attrs.update({"missing_value": [2**64 - 1, 0]})
    assert np.array_equal(np.asarray(pv.cf_decoded(pv.open_zarr(tmp_path / "y"))), [np.nan, 2.0**64], equal_nan=True)
    create(tmp_path / "z", np.array([-28, -1], "i1"), chunks=(2,)).attrs.update({"_Unsigned": "true", "_FillValue": -1, "scale_factor": 0.5, "add_offset": -14})
    assert np.array_equal(np.asarray(pv.cf_decoded(pv.open_zarr(tmp_path / "z"))), [100, np.nan], equal_nan=True)
    create(tmp_path / "plain", np.arange(4, dtype="i2"), chunks=(2,))
    assert pv.cf_decoded(pv.open_zarr(tmp_path / "plain")).dtype.name == "int16"
    for other in (np.zeros(3), pv.zeros(3), None):
        with pytest.raises(TypeError, match="cf_decoded: takes an array of a file"):
            pv.cf_decoded(other)


def test_cf_decoded_times(tmp_path):
    xarray = pytest.importorskip("xarray")
    numbers = np.array([0, 1, 20000.25])
    for dtype, units in (("f8", "days since 1850-01-01"), ("i4", "hours since 1970-01-01 00:00:0.0"), ("f4", "seconds since 2000-01-01T06:30:00 +01:30"),
                         ("i8", "nanoseconds since 2020-02-29"), ("f8", "days since 0001-01-01")):
        x = numbers.astype(dtype) + (700000 if "0001" in units else 0)
        path = tmp_path / f"{dtype} {units[:4]} {units[-9:-6]}"
        create(path, x, chunks=(2,)).attrs.update({"units": units, "calendar": "proleptic_gregorian"})
        decoded = np.asarray(pv.cf_decoded(pv.open_zarr(path)))
        assert decoded.dtype == ("M8[ns]" if "nano" in units else "M8[us]")
        if "0001" in units:  # xarray has no such date in nanoseconds
            assert list(decoded) == [np.datetime64("0001-01-01", "us") + np.timedelta64(int(each * 86400 * 10**6), "us") for each in x]
        else:
            want = xarray.decode_cf(xarray.Dataset({"t": ("n", x, {"units": units, "calendar": "proleptic_gregorian"})}))["t"].values
            assert np.array_equal(decoded, want.astype(decoded.dtype))
    create(tmp_path / "noleap", numbers, chunks=(2,)).attrs.update({"units": "days since 1850-01-01", "calendar": "noleap"})
    with pytest.raises(pv.FormatError, match="noleap"):
        pv.cf_decoded(pv.open_zarr(tmp_path / "noleap"))


def test_a_relative_path_stays(tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    create(tmp_path / "x", np.arange(6.0), chunks=(2,))
    zarr.create_group(str(tmp_path / "g"))
    create(tmp_path / "g/x", np.arange(6.0), chunks=(2,))
    shutil.make_archive(str(tmp_path / "x"), "zip", tmp_path / "x")
    monkeypatch.chdir(tmp_path)
    t, group, writable, zipped = pv.open_zarr("x"), pv.open_zarr_group("g"), pv.open_zarr("x", access="read_write"), pv.open_zarr("x.zip")
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert t.tolist() == [0, 1, 2, 3, 4, 5] and group["x"].tolist() == t.tolist() and zipped.tolist() == t.tolist()
    writable[...] = 7
    assert pv.open_zarr(tmp_path / "x").tolist() == [7] * 6 and not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.parametrize("format", [2, 3])
@pytest.mark.parametrize("before", [2, 3])
def test_an_array_is_replaced_by_what_is_computed_from_it(tmp_path, before, format):
    """Another library reads what is replaced: right is x + 1, of which an erased array would be all 1."""
    path, x = tmp_path / "x", np.arange(20.0).reshape(4, 5)
    for number in range(1, 4):
        if number == 1:
            pv.save_zarr(path, x, chunks=(3, 2), format=before)
        else:
            pv.save_zarr(path, x, chunks=(3, 2), format=before, overwrite=True)
        pv.drop_cached_chunks()
        pv.save_zarr(path, pv.from_chunks(zarr.open_array(path)) + number, chunks=(2, 5), format=format, overwrite=True)
        assert np.array_equal(zarr.open_array(path)[:], x + number)
        assert np.array_equal(np.asarray(pv.open_zarr(path)), x + number)


@pytest.mark.parametrize("format", [2, 3])
def test_groups_that_others_open(tmp_path, format):
    attrs = {"title": "a model", "scale": np.float32(0.5), "counts": np.arange(3), "ours": pv.asarray([1.0, 2.0]), "is": np.bool_(True)}
    plain = {"title": "a model", "scale": 0.5, "counts": [0, 1, 2], "ours": [1.0, 2.0], "is": True}
    group = pv.create_zarr_group(tmp_path / "new" / "g", attrs, format=format)
    assert group.attrs == plain and list(group) == []
    pv.save_zarr(tmp_path / "new" / "g" / "t", [[0.0, 1.0], [2.0, 3.0]], dims=["y", "x"], attrs={"n": np.int64(2**62 + 1)}, format=format)
    assert pv.open_zarr_group(tmp_path / "new").groups() == ["g"]
    assert pv.create_zarr_group(tmp_path / "new" / "g", {"title": "b"}).attrs == {"title": "b"}  # of the format that it has
    theirs = zarr.open_group(tmp_path / "new")["g"]
    assert dict(theirs.attrs) == {"title": "b"} and theirs.metadata.zarr_format == format
    assert theirs["t"].attrs["n"] == 2**62 + 1
    with pytest.raises(pv.FormatError, match="is an array"):
        pv.create_zarr_group(tmp_path / "new" / "g" / "t")
    with pytest.raises(TypeError, match="attrs: a datetime is no value of JSON"):
        pv.create_zarr_group(tmp_path / "new" / "h", {"t": np.datetime64("2024-01-01", "s")})
    # Zeros are no gaps, as no fill was said: xarray takes a fill of format 2 for missing.
    xarray = pytest.importorskip("xarray")
    read = xarray.open_zarr(tmp_path / "new" / "g", consolidated=False)
    assert read.attrs == {"title": "b"} and read["t"].values.tolist() == [[0, 1], [2, 3]]


def test_folders_above_an_array_become_groups(tmp_path):
    pv.save_zarr(tmp_path / "g" / "h" / "t", [1.0])
    assert pv.open_zarr_group(tmp_path / "g")["h/t"].tolist() == [1]
    assert zarr.open_group(tmp_path / "g")["h"]["t"][:].tolist() == [1]
    assert not (tmp_path / "zarr.json").exists()  # it was there before


def test_a_fill_of_format_2_is_what_was_said(tmp_path):
    zeros = np.zeros(6)
    pv.save_zarr(tmp_path / "none", zeros, chunks=(2,), format=2)
    pv.save_zarr(tmp_path / "zero", zeros, chunks=(2,), format=2, fill=0)
    fills = [json.loads((tmp_path / name / ".zarray").read_text())["fill_value"] for name in ("none", "zero")]
    assert fills == [None, 0]
    # What zarr-python 2 reads of missing chunks without a fill is not defined, so that none is missing.
    assert sorted(p.name for p in (tmp_path / "none").iterdir()) == [".zarray", ".zattrs", "0", "1", "2"]
    assert np.array_equal(zarr.open_array(tmp_path / "none")[:], zeros)
    decoded = [pv.cf_decoded(pv.open_zarr(tmp_path / name)).tolist() for name in ("none", "zero")]
    assert decoded[0] == [0] * 6 and np.isnan(decoded[1]).all()


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_names_that_are_no_utf_8(tmp_path, zarr_format):
    """Folders of other bytes are surrogates, as in os.fsdecode; attributes of them are as JSON has them, escaped."""
    x = generator.random((4, 4))
    root = os.fsdecode(os.fsencode(tmp_path) + b"/\xe9")
    zarr.create_group(str(tmp_path / "g"), zarr_format=zarr_format)
    os.rename(tmp_path / "g", root)
    name, degrees = os.fsdecode(b"temp\xe9rature"), os.fsdecode(b"\xb0C")
    pv.save_zarr(f"{root}/{name}", x, format=zarr_format, chunks=(2, 2), attrs={"units": degrees})
    pv.save_zarr(f"{root}/beside", x, format=zarr_format)
    group = pv.open_zarr_group(root)
    assert list(group) == ["beside", name] and np.array_equal(np.asarray(group["beside"]), x)
    assert np.array_equal(np.asarray(group[name]), x) and group[name].attrs == {"units": degrees}
    assert np.array_equal(np.asarray(pv.open_zarr(f"{root}/{name}")), x)
    with pytest.raises(KeyError):
        group[degrees]
    with pytest.raises(pv.FormatError) as told:
        pv.save_zarr(f"{root}/{name}", x, format=zarr_format)
    assert name in str(told.value)


@pytest.mark.parametrize("format", [2, 3])
def test_surrogates_that_json_has_no_text_for(tmp_path, format):
    """JSON escapes the first half of a character only before the second (RFC 8259, 7): others are refused by name. Second halves alone come back."""
    kept = {"a": "caf\udce9", "\udfff": ["\udc00", {"b": "\udfff"}]}
    pv.save_zarr(tmp_path / "kept", pv.ones(2), attrs=kept, format=format)
    assert pv.open_zarr(tmp_path / "kept").attrs == kept
    assert pv.create_zarr_group(tmp_path / "group", kept, format=format).attrs == kept
    cases = [
        ({"units": "\ud800"}, r"^attrs\['units'\] has the surrogate '\\ud800', and JSON"),
        ({"x": ["m", {"of": "s \udbff."}]}, r"^attrs\['x'\]\[1\]\['of'\] has the surrogate '\\udbff'"),
        ({"x": {"\ud83d\ude00": 1}}, r"^the name of attrs\['x'\]\['\\ud83d\\ude00'\] has the surrogate"),
    ]
    for attrs, message in cases:
        for make in (
            lambda: pv.save_zarr(tmp_path / "x", pv.ones(2), attrs=attrs, format=format),
            lambda: pv.create_zarr(tmp_path / "x", 2, "int8", attrs=attrs, format=format),
            lambda: pv.create_zarr_group(tmp_path / "x", attrs, format=format),
        ):
            with pytest.raises(pv.FormatError, match=message):
                make()
            assert not (tmp_path / "x").exists()
    with pytest.raises(pv.FormatError, match=r"^dims\[0\] has the surrogate '\\ud800'"):
        pv.save_zarr(tmp_path / "x", pv.ones(2), dims=["\ud800"], format=format)


def test_cf_decoded_beside_surrogates(tmp_path):
    attrs = {"scale_factor": 2.0, "history": "\udfff", "\udfff": "\udc00"}
    pv.save_zarr(tmp_path / "x", pv.ones(2), attrs=attrs)
    assert pv.cf_decoded(pv.open_zarr(tmp_path / "x")).tolist() == [2, 2]
    pv.save_zarr(tmp_path / "y", pv.ones(2), attrs={"units": "days since \udfff"})
    with pytest.raises(pv.FormatError, match="days since"):
        pv.cf_decoded(pv.open_zarr(tmp_path / "y"))
