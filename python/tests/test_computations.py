"""Traced functions in files."""

import pathlib

import numpy as np
import pytest

import purview as pv

X = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 4.0]])
DATA = pathlib.Path(__file__).parents[2] / "tests" / "functional" / "data"

# What C++ writes of the sum of squares of x - 0.1: docs/saved.md.
OF_CPP = """purview computation, version 1
arguments [float64 [3]]
nodes 5
%0 = argument 0 float64 [3]
%1 = number float64 0.1
%2 = subtract float64 [3] [%0 %1]
%3 = sq float64 [3] [%2]
%4 = sum 1 %3 [3]
programs [
program [%0] [%4 []]
]
"""


def test_saved_and_loaded(tmp_path):
    w = pv.asarray([0.5, -1.0])
    path = tmp_path / "model.purview"
    pv.save_computation(path, lambda x, b: x @ w + b, X, 2.0)
    w[0] = 7  # what was captured is in the file
    model = pv.load_computation(path)
    want = X @ [0.5, -1.0]
    assert model.arguments == ((pv.float64, (3, 2)), (pv.float64, ()))
    assert model(X, 2.0).tolist() == (want + 2).tolist()
    assert model(pv.asarray(X), 2).tolist() == model(X.tolist(), np.float64(2)).tolist() == (want + 2).tolist()
    assert "matmul" in str(model) or "sum" in str(model)


def test_several_results_and_trees(tmp_path):
    path = str(tmp_path / "c.purview")
    f = pv.compile(lambda p, *, scale: {"a": p["w"] * scale, "b": (pv.sum(p["b"]), scale + 1)})
    for function, arrays in [(f.traced({"w": X, "b": [1.0, 2.0]}, scale=3.0), ()), (lambda p, s: f(p, scale=s), ({"w": X, "b": [1.0, 2.0]}, 3.0))]:
        pv.save_computation(path, function, *arrays)
        scaled, total, more = pv.load_computation(path)(X, [1.0, 2.0], 3.0)
        assert scaled.tolist() == (3 * X).tolist() and total.item() == 3 and more.item() == 4


def test_what_was_loaded_is_saved_traced_and_differentiated(tmp_path):
    first, second = tmp_path / "1", tmp_path / "2"
    pv.save_computation(first, pv.compile(lambda x: pv.sum(x**3)), X)
    cube = pv.load_computation(first)
    pv.save_computation(second, cube)
    assert second.read_bytes() == first.read_bytes()
    np.testing.assert_allclose(np.asarray(pv.grad(cube)(X)), 3 * X**2, rtol=1e-14)
    assert pv.compile(lambda x: cube(x * 2) + 1)(X).item() == pytest.approx(8 * (X**3).sum() + 1)
    pv.check_gradient(cube, X)
    pv.save_computation(second, pv.grad(cube), X)
    np.testing.assert_allclose(np.asarray(pv.load_computation(second)(X)), 3 * X**2, rtol=1e-14)


def test_functions_without_arguments(tmp_path):
    w = pv.asarray([1.0, 2.0])
    pv.save_computation(tmp_path / "c", lambda: (pv.sum(w), w * 2))
    loaded = pv.load_computation(tmp_path / "c")
    total, twice = loaded()
    assert loaded.arguments == () and total.item() == 3 and twice.tolist() == [2, 4]


def test_files_of_cpp(tmp_path):
    (tmp_path / "text").write_text(OF_CPP)
    loaded = pv.load_computation(tmp_path / "text")
    assert loaded.arguments == ((pv.float64, (3,)),)
    np.testing.assert_allclose(float(loaded([1.0, 2.0, 3.0])), 0.9**2 + 1.9**2 + 2.9**2, rtol=1e-14)


@pytest.mark.skipif(not DATA.is_dir(), reason="without the tests of C++")
def test_golden_file_of_cpp(tmp_path):
    """It needs functions that only C++ registers, and says so by their name."""
    with pytest.raises(pv.FormatError, match="golden"):
        pv.load_computation(DATA / "computation_1.purview")


def test_what_is_refused(tmp_path):
    path = tmp_path / "c.purview"
    pv.save_computation(path, lambda x, n: x * n, X, np.float32(2))
    loaded = pv.load_computation(path)
    with pytest.raises(pv.DtypeError, match="argument 0 has to be float64"):
        loaded(X.astype("float32"), 2)
    with pytest.raises(pv.ShapeError, match="argument 0 has to be float64.3 2., and is float64.2 2."):
        loaded(X[:2], 2)
    for arrays in ((X,), (X, 2.0, 3.0)):
        with pytest.raises(pv.Error, match="2"):
            loaded(*arrays)
    with pytest.raises(FileNotFoundError):
        pv.load_computation(tmp_path / "none")
    with pytest.raises(FileNotFoundError):
        pv.save_computation(tmp_path / "none" / "c", pv.sum, X)
    (tmp_path / "wrong").write_bytes(path.read_bytes()[:-7])
    with pytest.raises(pv.FormatError):
        pv.load_computation(tmp_path / "wrong")
    with pytest.raises(pv.FormatError, match="emap"):
        pv.save_computation(path, lambda x: pv.emap(lambda v: v + 1, x), X)
    with pytest.raises(pv.FormatError, match="48 bytes"):
        table = pv.asarray(X) * 1
        pv.save_computation(path, lambda x: x * table.realise(), X, largest_tensor=40)
    with pytest.raises(TypeError, match="takes no arrays"):
        pv.save_computation(path, loaded, X)
    with pytest.raises(TypeError, match="no function: 3"):
        pv.save_computation(path, 3, X)


def test_places_of_mapped_files(tmp_path):
    pv.save_npy(tmp_path / "w.npy", X)
    w = pv.load_npy(tmp_path / "w.npy")
    path = tmp_path / "c.purview"
    pv.save_computation(path, lambda x: x * w, X, places=tmp_path)
    assert pv.load_computation(path, places=tmp_path)(X).tolist() == (X * X).tolist()
    with pytest.raises(pv.FormatError):
        pv.load_computation(path)
