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


def test_unreadable_members(tmp_path):
    pytest.importorskip("purview._hdf5_files", exc_type=ImportError)
    x = np.arange(4.0)
    with h5py.File(tmp_path / "x.h5", "w", libver=("v110", "v110")) as file:
        file["x"] = file["damaged"] = x
        file["compound"] = np.zeros(3, [("a", "f4")])
        file["empty"] = h5py.Empty("f4")
        file["outside"] = h5py.ExternalLink("none.h5", "/x")
        file.create_group("below")["x"] = x
        place = h5py.h5o.get_info(file["damaged"].id).addr
    with open(tmp_path / "x.h5", "r+b") as file:
        file.seek(place)
        file.write(b"XXXX")
    group = pv.open_hdf5(tmp_path / "x.h5")
    members = dict(group.items())
    assert list(members) == list(group) == ["below", "compound", "damaged", "empty", "outside", "x"] and len(group) == 6
    assert np.array_equal(np.asarray(members["x"]), x) and list(members["below"]) == ["x"]
    reasons = {"compound": "compound", "damaged": "object header", "empty": "neither shape nor elements", "outside": "none.h5"}
    for name, reason in reasons.items():
        member = members[name]
        assert isinstance(member, pv.UnreadableMember) and reason in str(member.error) and reason in repr(member) and name in group
        for use in (lambda name=name: group[name], lambda member=member: np.asarray(member), lambda member=member: pv.sum(member)):
            with pytest.raises(type(member.error), match=reason):
                use()
    assert isinstance(members["compound"].error, pv.DtypeError) and isinstance(members["damaged"].error, pv.FormatError)
    assert [type(value) for value in group.values()] == [type(value) for value in members.values()]


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
