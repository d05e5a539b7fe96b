"""Files that h5py writes, where the module has purview::hdf5."""

import os

import numpy as np
import pytest

import purview as pv

h5py = pytest.importorskip("h5py")

generator = np.random.default_rng(6)


@pytest.fixture
def path(tmp_path):
    """A file of arrays in chunks and in one piece, in groups."""
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.attrs["title"] = "all"
        for name in "bool int16 uint32 float32 float64 complex128".split():
            x = generator.integers(0, 99, (9, 10)).astype(name)
            file.create_dataset(f"chunks/{name}", data=x, chunks=(4, 4), compression="gzip", shuffle=True)
            file.create_dataset(f"whole/{name}", data=x)
        file["chunks/float64"].attrs["units"] = "K"
        file["chunks/float64"].dims[0].label = "time"
    return tmp_path / "x.h5"


def test_from_chunks(path):
    with h5py.File(path) as file:
        for name in file["chunks"]:
            for kind in ("chunks", "whole"):
                t = pv.from_chunks(file[kind][name])
                x = file[kind][name][...]
                assert t.dtype.name == name and np.array_equal(np.asarray(t), x)
                if name.startswith("float"):
                    assert np.allclose(np.asarray(pv.mean(t, axis=0)), x.mean(0))


def test_open_hdf5(path):
    pytest.importorskip("purview._hdf5_files", exc_type=ImportError)
    group = pv.open_hdf5(path)
    assert group.attrs == {"title": "all"} and list(group) == ["chunks", "whole"] and "chunks/float64" in group
    with h5py.File(path) as file:
        for name in file["chunks"]:
            for kind in ("chunks", "whole"):
                t = group[kind][name]
                assert t.dtype.name == name and np.array_equal(np.asarray(t), file[kind][name][...])
    t = pv.open_hdf5(str(path))["chunks/float64"]
    assert t.chunks == (4, 4) and t.dims == ("time", None) and t.attrs == {"units": "K"}
    for name in ("none", "chunks/none"):
        with pytest.raises(KeyError):
            group[name]
    with pytest.raises(FileNotFoundError):
        pv.open_hdf5(path.with_name("none.h5"))
    other = path.with_name("y.h5")
    other.write_bytes(b"no file of HDF5's")
    with pytest.raises(pv.FormatError, match="y.h5"):
        pv.open_hdf5(other)


def test_external_links(tmp_path):
    pytest.importorskip("purview._hdf5_files", exc_type=ImportError)
    x = np.arange(1000.0)
    with h5py.File(tmp_path / "data.h5", "w") as file:
        file["x"] = x
    with h5py.File(tmp_path / "links.h5", "w") as file:
        file["here"] = np.full(9000, 7.0)
        file["x"] = h5py.ExternalLink("data.h5", "/x")
        file["all"] = h5py.ExternalLink("data.h5", "/")
    group = pv.open_hdf5(tmp_path / "links.h5")
    assert np.array_equal(np.asarray(group["x"]), x) and np.array_equal(np.asarray(group["all/x"]), x)


def test_cf_decoded(tmp_path):
    pytest.importorskip("purview._hdf5_files", exc_type=ImportError)
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["packed"] = np.array([-32767, 300], "i2")
        file["packed"].attrs.update({"_FillValue": np.int16(-32767), "scale_factor": np.float64(0.01)})
        file["wide"] = np.array([2**53, 2**53 + 1])
        file["wide"].attrs["_FillValue"] = np.int64(2**53 + 1)
    group = pv.open_hdf5(tmp_path / "x.h5")
    assert np.array_equal(np.asarray(pv.cf_decoded(group["packed"])), [np.nan, 3], equal_nan=True)
    assert np.array_equal(np.asarray(pv.cf_decoded(group["wide"])), [2.0**53, np.nan], equal_nan=True)


def test_what_is_no_utf_8(tmp_path):
    """Bytes of Latin-1 in names and attributes are surrogates, as in os.fsdecode, and as in h5py."""
    pytest.importorskip("purview._hdf5_files", exc_type=ImportError)
    degrees, name = os.fsdecode(b"\xb0C"), os.fsdecode(b"temp\xe9rature")
    path = os.fsencode(tmp_path) + b"/\xe9.h5"
    x = np.arange(6.0).reshape(2, 3)
    with h5py.File(path, "w") as file:
        group = file.create_group(b"gr\xe9")
        made = group.create_dataset(b"temp\xe9rature", data=x, chunks=(1, 3))
        made.attrs["units"] = np.bytes_(b"\xb0C")
        made.dims[0].label = "time"
        group.attrs.create("note", b"\xb0", dtype=h5py.string_dtype("ascii", 1))
        file["beside"] = x
    file = pv.open_hdf5(os.fsdecode(path))
    assert list(file) == ["beside", os.fsdecode(b"gr\xe9")] and np.array_equal(np.asarray(file["beside"]), x)
    group = file[os.fsdecode(b"gr\xe9")]
    assert group.attrs == {"note": os.fsdecode(b"\xb0")} and group.arrays() == [name] and name in group
    t = group[name]
    assert t.attrs == {"units": degrees} and np.array_equal(np.asarray(pv.cf_decoded(t)), x)
    assert np.array_equal(np.asarray(file[f"{group.name}/{name}"]), x)
    with pytest.raises(KeyError):
        group[os.fsdecode(b"\xb0")]
    os.rename(path, path + b"x")
    with open(path, "wb") as other:
        other.write(b"no file of HDF5's")
    with pytest.raises(pv.FormatError) as told:
        pv.open_hdf5(os.fsdecode(path))
    assert os.fsdecode(b"\xe9.h5") in str(told.value)
