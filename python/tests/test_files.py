"""Files of NumPy's formats, against NumPy."""

import os
import zipfile

import numpy as np
import pytest

import purview as pv

TYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
TIMES = ["datetime64[s]", "datetime64[D]", "datetime64[ns]", "timedelta64[ms]"]
SHAPES = [(), (7,), (3, 4), (2, 3, 4), (0, 3)]
generator = np.random.default_rng(8)


def some(name, shape):
    values = generator.integers(-100, 100, shape)
    return np.asarray(values).astype(name)


@pytest.mark.parametrize("name", TYPES + TIMES)
def test_npy(tmp_path, name):
    path = tmp_path / "x.npy"
    for shape in SHAPES:
        x = some(name, shape)
        for order in "CF":
            np.save(path, np.asarray(x, order=order))
            for access in ["read_only", "copy_on_write", "read_write", "in_memory"]:
                t = pv.load_npy(path, access=access)
                assert t.dtype.name == name and t.shape == shape and np.array_equal(np.asarray(t), x)
        pv.save_npy(path, pv.asarray(x))
        back = np.load(path)
        assert back.dtype == x.dtype and np.array_equal(back, x)
        np.save(tmp_path / "theirs.npy", x)
        assert path.read_bytes() == (tmp_path / "theirs.npy").read_bytes()


def test_npy_of_views_and_expressions(tmp_path):
    path = str(tmp_path / "x.npy")
    x = generator.random((50, 60))
    for t, expected in [
        (pv.asarray(x)[::-2, 3:50:3], x[::-2, 3:50:3]),
        (pv.asarray(x).T, x.T),
        (pv.sqrt(pv.asarray(x)) + 1, np.sqrt(x) + 1),
        (pv.asarray(x) > 0.5, x > 0.5),
    ]:
        pv.save_npy(path, t)
        assert np.array_equal(np.load(path), expected)
    pv.save_npy(path, [[1, 2], [3, 4]])
    assert np.load(path).tolist() == [[1, 2], [3, 4]]


def test_npy_of_foreign_byte_order(tmp_path):
    path = tmp_path / "x.npy"
    x = np.arange(12).reshape(3, 4).astype(">i4")
    np.save(path, x)
    for access in ["read_only", "in_memory"]:
        assert np.array_equal(np.asarray(pv.load_npy(path, access=access)), x)
    np.savez(tmp_path / "x.npz", x=x)
    assert np.array_equal(np.asarray(pv.load_npz(tmp_path / "x.npz")["x"]), x)


def test_access(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.arange(4.0))
    read_only = pv.load_npy(path)
    private = pv.load_npy(path, access="copy_on_write")
    shared = pv.load_npy(path, access="read_write")
    memory = pv.load_npy(path, access="in_memory")
    with pytest.raises(pv.ReadOnlyError):
        read_only[0] = 1
    private[0] = 10
    memory[0] = 20
    shared[1] = 30
    assert np.load(path).tolist() == [0, 30, 2, 3]
    assert read_only.tolist() == [0, 30, 2, 3] and private[0].item() == 10 and memory.tolist() == [20, 1, 2, 3]
    with pytest.raises(ValueError, match="read_only"):
        pv.load_npy(path, access="r")


def test_a_file_over_itself(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.arange(5.0))
    pv.save_npy(path, pv.load_npy(path)[::-1] * 2)
    assert np.load(path).tolist() == [8, 6, 4, 2, 0]


def test_broken_npy(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.arange(100.0))
    whole = path.read_bytes()
    for length in [0, 1, 6, 9, 10, 50, 127, 128, 200, len(whole) - 1]:
        path.write_bytes(whole[:length])
        for access in ["read_only", "in_memory"]:
            with pytest.raises(pv.FormatError, match="x.npy"):
                pv.load_npy(path, access=access)
    for foreign in [b"PK\x03\x04" + bytes(200), b"\x93NUMPY\x09\x00" + whole[8:], b"text " * 40, whole.replace(b"(100,)", b"(-10,)")]:
        path.write_bytes(foreign)
        with pytest.raises(pv.FormatError):
            pv.load_npy(path)
    with pytest.raises(FileNotFoundError):
        pv.load_npy(tmp_path / "none.npy")
    with pytest.raises(pv.FormatError):
        pv.load_npy(tmp_path)
    with pytest.raises(FileNotFoundError):
        pv.save_npy(tmp_path / "no folder" / "x.npy", [1.0])
    np.save(path, np.array([None, 1]), allow_pickle=True)
    with pytest.raises(pv.DtypeError, match="x.npy"):
        pv.load_npy(path)
    with pytest.raises(TypeError):
        pv.load_npy(5)


@pytest.mark.parametrize("compressed", [False, True])
def test_npz(tmp_path, compressed):
    path = tmp_path / "x.npz"
    arrays = {f"{name}{i}": some(name, shape) for name in TYPES + TIMES for i, shape in enumerate(SHAPES)}
    (np.savez_compressed if compressed else np.savez)(path, **arrays)
    loaded = pv.load_npz(path)
    assert list(loaded) == list(arrays)
    for name, x in arrays.items():
        assert loaded[name].dtype.name == x.dtype.name and loaded[name].shape == x.shape and np.array_equal(np.asarray(loaded[name]), x)
    pv.save_npz(path, compressed=compressed, **{name: pv.asarray(x) for name, x in arrays.items()})
    with np.load(path) as back:
        assert list(back) == list(arrays)
        for name, x in arrays.items():
            assert back[name].dtype == x.dtype and np.array_equal(back[name], x)
    assert [p.name for p in tmp_path.iterdir()] == ["x.npz"]


def test_npz_of_expressions_and_orders(tmp_path):
    path = str(tmp_path / "x.npz")
    x = generator.random((5, 6))
    np.savez(path, x.copy(order="F"))
    assert np.array_equal(np.asarray(pv.load_npz(path)["arr_0"]), x)
    t = pv.asarray(x)
    pv.save_npz(path, x=t.T, y=t[::2] * 2, z=[1, 2])
    with np.load(path) as back:
        assert np.array_equal(back["x"], x.T) and np.array_equal(back["y"], x[::2] * 2) and back["z"].tolist() == [1, 2]
    pv.save_npz(path)
    assert pv.load_npz(path) == {}


def test_broken_npz(tmp_path):
    path = tmp_path / "x.npz"
    np.savez_compressed(path, x=generator.random(1000))
    whole = path.read_bytes()
    for broken in [b"", whole[:100], whole[:-1], whole[:400] + bytes(300) + whole[700:], b"text" * 50]:
        path.write_bytes(broken)
        with pytest.raises(pv.FormatError, match="x.npz"):
            pv.load_npz(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.npy", b"\x93NUMPY\x01\x00")
    with pytest.raises(pv.FormatError, match="x.npy"):
        pv.load_npz(path)
    np.save(tmp_path / "y.npy", np.arange(10))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("y.npy", (tmp_path / "y.npy").read_bytes()[:-1])
    with pytest.raises(pv.FormatError, match="80 bytes, and there are 79"):
        pv.load_npz(path)
    with pytest.raises(FileNotFoundError):
        pv.load_npz(tmp_path / "none.npz")
    with pytest.raises(pv.FormatError):
        pv.load_npz(tmp_path)
    with pytest.raises(FileNotFoundError):
        pv.save_npz(tmp_path / "no folder" / "x.npz", x=[1.0])


def test_npz_with_members_that_are_no_arrays(tmp_path):
    """As NumPy's NpzFile: one of them does not spoil the others."""
    path = tmp_path / "x.npz"
    np.savez(path, x=np.arange(3), labels=np.array(["abc", "d"]))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("readme.txt", "hello")
        archive.writestr("folder/", "")
        archive.writestr("__MACOSX/._x.npy", b"\0\5\x16\7 Mac")
        archive.writestr("empty.npy", b"")
        np.save(tmp_path / "y.npy", np.arange(2.0))
        archive.writestr("folder/y", (tmp_path / "y.npy").read_bytes())
    arrays = pv.load_npz(path)
    assert list(arrays) == ["x", "folder/y"]
    assert arrays["x"].tolist() == arrays["x.npy"].tolist() == [0, 1, 2] and arrays["folder/y"].tolist() == [0, 1]
    with pytest.raises(pv.DtypeError, match="labels.npy"):
        arrays["labels"]
    for name in ("readme.txt", "folder/", "__MACOSX/._x", "empty.npy"):
        with pytest.raises(pv.FormatError, match="x.npz"):
            arrays[name]
    with pytest.raises(KeyError, match="missing"):
        arrays["missing"]
    np.savez(path, labels=np.array(["abc", "d"]))
    with pytest.raises(pv.DtypeError, match="labels"):
        pv.load_npz(path)


def test_npz_with_broken_members(tmp_path):
    """As NumPy's NpzFile, and C++: a broken member spoils no other one."""
    path = tmp_path / "x.npz"
    x = np.arange(1000.0)
    np.save(tmp_path / "y.npy", x)
    whole = (tmp_path / "y.npy").read_bytes()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("cut.npy", whole[:-1])
        archive.writestr("header.npy", whole[:9])
        archive.writestr("squeezed.npy", whole, zipfile.ZIP_DEFLATED)
        archive.writestr("other.npy", whole, zipfile.ZIP_DEFLATED)
        archive.writestr("bz2.npy", whole, zipfile.ZIP_BZIP2)
        archive.writestr("lzma.npy", whole, zipfile.ZIP_LZMA)
        archive.writestr("flipped.npy", whole)
        archive.writestr("x.npy", whole)
    content = bytearray(path.read_bytes())
    for name in (b"squeezed.npy", b"bz2.npy", b"lzma.npy", b"flipped.npy"):
        at = content.index(name) + len(name) + 40
        content[at : at + 8] = b"\xff" * 8
    name = b"other.npy"  # of a compression that there is none of
    content[content.index(name) - 22] = content[content.rindex(name) - 36] = 99
    path.write_bytes(content)
    arrays = pv.load_npz(path)
    assert list(arrays) == ["x"] and np.array_equal(np.asarray(arrays["x"]), x)
    for name in ("cut", "header", "squeezed", "other", "bz2", "lzma", "flipped"):
        with pytest.raises(pv.FormatError, match=f"load_npz: '.*x.npz': {name}.npy: ."):
            arrays[name]


def test_npz_with_names_twice(tmp_path):
    """numpy.load gives the last of them."""
    path = tmp_path / "x.npz"
    contents = []
    for i in range(4):
        np.save(tmp_path / "y.npy", np.arange(i))
        contents.append((tmp_path / "y.npy").read_bytes())
    with zipfile.ZipFile(path, "w") as archive, pytest.warns(UserWarning, match="Duplicate"):
        for name, content in zip(("x.npy", "y.npy", "x.npy", "y"), contents):
            archive.writestr(name, content)
    arrays = pv.load_npz(path)
    with np.load(path) as expected:
        assert arrays["x"].tolist() == expected["x"].tolist() == [0, 1]
    assert list(arrays) == ["x", "y.npy", "y"] and arrays["y.npy"].tolist() == [0] and arrays["y"].tolist() == [0, 1, 2]


def test_save_npz_names_what_it_cannot_write(tmp_path):
    with pytest.raises(pv.DtypeError, match="save_npz: array 'words': not defined"):
        pv.save_npz(tmp_path / "x.npz", x=[1], words=["a", "b"])
    assert not list(tmp_path.iterdir())


def test_encrypted_npz(tmp_path):
    path = tmp_path / "x.npz"
    np.savez(path, x=np.arange(3))
    whole = bytearray(path.read_bytes())
    for header, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        whole[whole.index(header) + flags] |= 1
    path.write_bytes(whole)
    with pytest.raises(pv.FormatError, match="encrypted"):
        pv.load_npz(path)


@pytest.mark.parametrize("descr", ["float64", "int32", "<d", ">i", "B", "=f8", "?", ">q", "double", "intp", "<F", "complex128", "e", "datetime64[s]", "|i4"])
def test_npy_of_other_programs(tmp_path, descr):
    """What np.dtype reads, numpy.load reads."""
    x = np.arange(5).astype(descr)
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': (5,), }}".ljust(117) + "\n"
    path = tmp_path / "x.npy"
    path.write_bytes(b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header.encode() + x.tobytes())
    assert np.array_equal(np.load(path), x)
    for access in ("read_only", "in_memory"):
        t = pv.load_npy(path, access=access)
        assert t.dtype.name == x.dtype.name and np.array_equal(np.asarray(t), x)


def test_names_of_files_end_as_those_of_numpy(tmp_path):
    """np.save("x", ...) writes x.npy, np.savez("y", ...) y.npz, and SciPy's save_npz("z", ...) z.npz."""
    pv.save_npy(tmp_path / "x", [1, 2])
    pv.save_npy(str(tmp_path / "w.npy"), [1, 2])
    pv.save_npz(tmp_path / "y", x=[1, 2])
    pv.save_sparse_npz(tmp_path / "z", pv.to_sparse(pv.asarray([[1.0, 0.0]])))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["w.npy", "x.npy", "y.npz", "z.npz"]
    assert pv.load_npy(tmp_path / "x.npy").tolist() == np.load(tmp_path / "x.npy").tolist() == [1, 2]


@pytest.mark.parametrize("array", [[1, 2], np.array([1, 2]), pv.asarray([1, 2]), 5, 0])
def test_save_npz_has_no_array_called_compressed(tmp_path, array):
    with pytest.raises(TypeError, match="compressed is True or False, and no name of an array"):
        pv.save_npz(tmp_path / "x.npz", x=[1], compressed=array)
    assert not list(tmp_path.iterdir())
    pv.save_npz(tmp_path / "x.npz", x=[1], compressed=np.bool_(True))
    assert pv.load_npz(tmp_path / "x.npz")["x"].tolist() == [1]


def test_foreign_memory(tmp_path):
    """np.frombuffer(bytes, offset=1) and np.array([0, 1, 2], "u1").view(bool), in every function that looks for something."""
    flags = np.array([0, 1, 2, 255, 0, 3], "u1").view(bool)
    clean = np.array([0, 1, 1, 1, 0, 1], bool)
    assert pv.unique_values(flags).tolist() == [False, True]
    assert pv.isin(flags, [True]).tolist() == clean.tolist()
    assert pv.searchsorted(np.array([False, True]), flags).tolist() == np.searchsorted(np.array([False, True]), clean).tolist()
    x = np.frombuffer(b"\0" + np.array([3.0, 1.0, 3.0]).tobytes(), "f8", offset=1)
    assert pv.unique_values(x).tolist() == [1, 3] and pv.isin(x, [3.0]).tolist() == [True, False, True]
    assert pv.searchsorted(np.array([0.0, 2.0]), x).tolist() == [2, 1, 2]


def test_a_failing_save_keeps_the_file(tmp_path):
    path = tmp_path / "x.npz"
    pv.save_npz(path, x=[1, 2])
    with pytest.raises(TypeError):
        pv.save_npz(path, x=[1, 2, 3], y=object())
    assert pv.load_npz(path)["x"].tolist() == [1, 2] and [p.name for p in tmp_path.iterdir()] == ["x.npz"]


def test_paths_are_bytes_too(tmp_path):
    """As to NumPy and Python's own functions."""
    x = np.arange(3.0)
    path = os.fsencode(tmp_path / "x")
    pv.save_npy(path, x)
    assert np.array_equal(np.load(path + b".npy"), x) and np.array_equal(pv.load_npy(path + b".npy"), x)
    pv.save_computation(path + b".purview", lambda y: y + 1, x)
    assert np.array_equal(pv.load_computation(path + b".purview")(x), x + 1)
    if hasattr(pv, "save_zarr"):
        pv.save_zarr(path + b".zarr", x)
        assert np.array_equal(pv.open_zarr(path + b".zarr"), x)
