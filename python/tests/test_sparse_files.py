"""Matrix Market's files and SciPy's archives, where the module has them."""

import zipfile

import numpy as np
import pytest

import purview as pv

pytest.importorskip("purview._sparse_files", exc_type=ImportError)

generator = np.random.default_rng(5)


def some(shape, name):
    return np.where(generator.random(shape) < 0.3, generator.integers(1, 90, shape), 0).astype(name)


@pytest.mark.parametrize("name", ["int8", "int32", "int64", "uint16", "float32", "float64"])
def test_mtx(tmp_path, name):
    path = tmp_path / "x.mtx"
    for shape in [(7, 9), (1, 5), (0, 3), (4, 0)]:
        x = some(shape, name)
        pv.save_mtx(path, pv.to_sparse(x))
        assert path.read_text().startswith("%%MatrixMarket matrix coordinate")
        t = pv.load_mtx(path, dtype=name)
        assert t.is_sparse and t.dtype.name == name and t.shape == shape and np.array_equal(np.asarray(t), x)
        assert pv.load_mtx(path).dtype.name == ("int64" if "int" in name else "float64")
        pv.save_mtx(path, x)
        t = pv.load_mtx(path, dtype=name)
        assert not t.is_sparse and np.array_equal(np.asarray(t), x)


def test_mtx_of_others(tmp_path):
    path = tmp_path / "x.mtx"
    path.write_text("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 2.5\n3 1 4\n3 1 1\n")
    assert pv.load_mtx(path).tolist() == [[2.5, 0, 5], [0, 0, 0], [5, 0, 0]]
    path.write_text("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n")
    assert pv.load_mtx(str(path)).tolist() == [[0, 0], [1, 0]]
    for text, error in [
        ("", pv.FormatError),
        ("%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 2.5\n", pv.FormatError),
        ("%%MatrixMarket matrix coordinate real general\n3 3 1\n4 1 2.5\n", pv.FormatError),
        ("%%MatrixMarket matrix coordinate complex general\n3 3 1\n1 1 2 3\n", pv.DtypeError),
    ]:
        path.write_text(text)
        with pytest.raises(error, match="x.mtx"):
            pv.load_mtx(path)
    with pytest.raises(FileNotFoundError):
        pv.load_mtx(tmp_path / "none.mtx")
    with pytest.raises(pv.DtypeError):
        pv.load_mtx(path, dtype="bool")
    with pytest.raises(pv.ShapeError):
        pv.save_mtx(path, [1.0, 2.0])
    with pytest.raises(pv.KindError):
        pv.save_mtx(path, pv.to_sparse([[1.0, 2.0]], 1))


def test_mtx_of_scipy(tmp_path):
    scipy_io = pytest.importorskip("scipy.io")
    scipy_sparse = pytest.importorskip("scipy.sparse")
    path = tmp_path / "x.mtx"
    x = some((7, 9), "float64") / 7
    scipy_io.mmwrite(path, scipy_sparse.csr_array(x), precision=17)
    assert np.allclose(np.asarray(pv.load_mtx(path)), x, rtol=1e-16)
    pv.save_mtx(path, pv.to_sparse(x))
    assert np.array_equal(scipy_io.mmread(path).toarray(), x)


@pytest.mark.parametrize("name", ["bool", "int8", "int64", "uint16", "float32", "float64"])
def test_npz(tmp_path, name):
    path = tmp_path / "x.npz"
    x = some((7, 9), name)
    for compressed in [True, False]:
        pv.save_sparse_npz(path, pv.to_sparse(x), compressed=compressed)
        t = pv.load_sparse_npz(path)
        assert t.is_sparse and t.dtype.name == name and np.array_equal(np.asarray(t), x)
    members = pv.load_npz(path)
    assert "data" in members and "format" not in members
    with pytest.raises(pv.DtypeError, match="format.npy"):  # text
        members["format"]
    scipy_sparse = pytest.importorskip("scipy.sparse")
    assert np.array_equal(scipy_sparse.load_npz(path).toarray(), x)
    for format in ["csr", "csc", "coo"]:
        for compressed in [True, False]:
            scipy_sparse.save_npz(path, scipy_sparse.coo_array(x).asformat(format), compressed=compressed)
            t = pv.load_sparse_npz(str(path))
            assert t.is_sparse and t.dtype.name == name and np.array_equal(np.asarray(t), x)


def test_broken_npz(tmp_path):
    path = tmp_path / "x.npz"
    pv.save_sparse_npz(path, pv.to_sparse(some((20, 20), "float64")), compressed=False)
    whole = path.read_bytes()
    for broken in [b"", whole[:100], whole[:-5], b"text" * 20]:
        path.write_bytes(broken)
        with pytest.raises(pv.FormatError, match="x.npz"):
            pv.load_sparse_npz(path)
    pv.save_npz(path, x=[1, 2])
    with pytest.raises(pv.FormatError, match="data.npy is missing"):
        pv.load_sparse_npz(path)
    pv.save_npz(path, data=[1, 2])
    with pytest.raises(pv.FormatError, match="x.npz"):
        pv.load_sparse_npz(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data.npy", b"\x93NUMPY")
    with pytest.raises(pv.FormatError, match="data.npy"):
        pv.load_sparse_npz(path)
    with pytest.raises(FileNotFoundError):
        pv.load_sparse_npz(tmp_path / "none.npz")
    with pytest.raises(pv.KindError):
        pv.save_sparse_npz(path, pv.to_sparse([[1.0, 2.0]], 1))
    with pytest.raises(pv.KindError):
        pv.save_sparse_npz(path, [[1.0, 2.0]])
