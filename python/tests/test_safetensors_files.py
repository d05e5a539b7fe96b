"""Safetensors files, against the package `safetensors` where it is there, and by hand."""

import json
import os

import numpy as np
import pytest

import purview as pv

TYPES = {"bool": "BOOL", "uint8": "U8", "int8": "I8", "uint16": "U16", "int16": "I16", "uint32": "U32", "int32": "I32", "uint64": "U64",
         "int64": "I64", "float16": "F16", "float32": "F32", "float64": "F64", "complex64": "C64"}
SHAPES = [(), (7,), (3, 4), (2, 3, 4), (0, 3)]
generator = np.random.default_rng(9)


def some(name, shape):
    return np.asarray(generator.integers(0, 100, shape)).astype(name)


def write(path, header, data=b""):
    text = json.dumps(header).encode() if isinstance(header, dict) else header
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return path


def entry(kind, shape, begin, end):
    return {"dtype": kind, "shape": shape, "data_offsets": [begin, end]}


@pytest.mark.parametrize("name", TYPES)
def test_every_type_at_any_alignment(tmp_path, name):
    for shape in SHAPES:
        x = some(name, shape)
        header = {"odd": entry("U8", [1], 0, 1), "x": entry(TYPES[name], list(shape), 1, 1 + x.nbytes)}
        file = pv.open_safetensors(write(tmp_path / "a", header, b"\7" + x.tobytes()))
        assert list(file) == ["odd", "x"] and len(file) == 2 and file["odd"].tolist() == [7]
        assert file["x"].dtype.name == name and file["x"].shape == shape and np.array_equal(np.asarray(file["x"]), x)
        pv.save_safetensors(tmp_path / "b", {"x": file["x"], "y": pv.asarray(x).T, "z": x})
        again = pv.open_safetensors(os.fsencode(tmp_path / "b"))
        for key, values in {"x": x, "y": x.T, "z": x}.items():
            assert np.array_equal(np.asarray(again[key]), values)


def test_bfloat16(tmp_path):
    bits = np.array([0x3F80, 0xC000, 0x7F80], "<u2")  # 1, -2, infinity
    file = pv.open_safetensors(write(tmp_path / "a", {"w": entry("BF16", [3], 0, 6)}, bits.tobytes()))
    assert file["w"].dtype == pv.bfloat16 and file["w"].tolist() == [1, -2, np.inf]
    pv.save_safetensors(tmp_path / "b", file)
    assert (tmp_path / "b").read_bytes().endswith(bits.tobytes())


def test_the_package_reads_and_writes_the_same(tmp_path):
    peer = pytest.importorskip("safetensors.numpy")
    safe_open = pytest.importorskip("safetensors").safe_open
    arrays = {name: some(name, shape) for name in TYPES if name != "complex64" for shape in SHAPES[1:3]}
    arrays |= {"rank 0": some("int16", ()), "é \"quoted\" \n": some("float32", (2,)), "none": some("float32", (0, 3))}
    peer.save_file(arrays, tmp_path / "theirs", metadata={"format": "np", "é": "\U0001f600"})
    theirs = pv.open_safetensors(tmp_path / "theirs")
    assert theirs.metadata == {"format": "np", "é": "\U0001f600"} and set(theirs) == set(arrays)
    for name, x in theirs.items():
        assert x.dtype.name == arrays[name].dtype.name and np.array_equal(np.asarray(x), arrays[name])
    pv.save_safetensors(tmp_path / "ours", theirs, metadata=theirs.metadata)
    ours = peer.load_file(tmp_path / "ours")
    assert set(ours) == set(arrays)
    for name, x in arrays.items():
        assert ours[name].dtype == x.dtype and ours[name].shape == x.shape and np.array_equal(ours[name], x)
    with safe_open(tmp_path / "ours", framework="np") as file:
        assert file.metadata() == theirs.metadata


def test_a_mapping(tmp_path):
    path = tmp_path / "a"
    pv.save_safetensors(path, {"b": np.arange(6).reshape(2, 3), "a": pv.arange(4.0) * 2, "flags": [True, False]}, metadata={"k": "v"})
    file = pv.open_safetensors(str(path))
    assert list(file) == ["b", "a", "flags"] and "a" in file and "c" not in file and 1 not in file
    assert file.metadata == {"k": "v"} and dict(file)["a"].tolist() == [0, 2, 4, 6] and [name for name, _ in file.items()] == list(file)
    assert repr(file) == "SafetensorsFile(['b', 'a', 'flags'], metadata={'k': 'v'})"
    with pytest.raises(KeyError, match="c"):
        file["c"]
    with pytest.raises((TypeError, ValueError, pv.Error)):
        file["a"][0] = 1.0
    x = file["a"]
    del file
    path.unlink()
    assert x.sum() == 12  # the mapping stays


def test_types_that_there_are_none_of(tmp_path):
    header = {"w": entry("F8_E4M3", [2], 0, 2), "x": entry("U8", [1], 2, 3)}
    file = pv.open_safetensors(write(tmp_path / "a", header, b"\0\0\5"))
    assert file["x"].tolist() == [5]
    with pytest.raises(pv.DtypeError, match="array 'w' .*F8_E4M3"):
        file["w"]
    assert isinstance(dict(file.items())["w"], pv.UnreadableMember)
    for name, x in {"z": np.zeros(2, "complex128"), "s": np.array(["a"]), "t": np.zeros(2, "datetime64[s]")}.items():
        with pytest.raises(pv.DtypeError, match=f"array '{name}'"):
            pv.save_safetensors(tmp_path / "b", {"x": [1.0], name: x})
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize(("header", "data", "message"), [
    (b"{", b"", "its header: "),
    (b"[]", b"", "does not begin"),
    ({"x": entry("U8", [2], 0, 1)}, b"a", "array 'x' has the shape"),
    ({"x": entry("U8", [1], 0, 2)}, b"a", "array 'x' lies from byte 0 to 2"),
    ({"x": entry("U8", [1], 0, 1), "y": entry("U8", [1], 0, 1)}, b"a", "array 'y' begins at byte 0"),
    ({"x": entry("U8", [1], 1, 2)}, b"ab", "array 'x' begins at byte 1"),
    ({"__metadata__": {"a": 1}}, b"", "__metadata__"),
    (b'{"\xff":{}}', b"", "UTF-8"),
])
def test_files_that_are_wrong(tmp_path, header, data, message):
    with pytest.raises(pv.FormatError, match=message):
        pv.open_safetensors(write(tmp_path / "a", header, data))


def test_arguments(tmp_path):
    path = tmp_path / "a"
    with pytest.raises(FileNotFoundError):
        pv.open_safetensors(path)
    with pytest.raises(FileNotFoundError):
        pv.save_safetensors(tmp_path / "none" / "a", {"x": [1]})
    with pytest.raises(TypeError, match="names of arrays are str, not int"):
        pv.save_safetensors(path, {1: [1]})
    with pytest.raises(TypeError, match="metadata are str by str, not int"):
        pv.save_safetensors(path, {"x": [1]}, metadata={"epoch": 3})
    with pytest.raises(TypeError):
        pv.save_safetensors(path, {"x": object()})
    with pytest.raises(pv.FormatError, match="__metadata__"):
        pv.save_safetensors(path, {"__metadata__": [1]})
    assert not list(tmp_path.iterdir())
    pv.save_safetensors(path, {})
    assert len(pv.open_safetensors(path)) == 0
