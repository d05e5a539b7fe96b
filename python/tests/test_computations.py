"""Traced functions in files, and variables."""

import copy
import pathlib
import pickle

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
    with pytest.raises(pv.FormatError, match="^save_computation: node .*emap"):
        pv.save_computation(path, lambda x: pv.emap(lambda v: v + 1, x), X)
    with pytest.raises(pv.FormatError, match="^save_computation: .*48 bytes"):
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


def test_variables():
    w = pv.variable([1.0, 2.0], "w")
    assert w.name == "w" and w.shape == (2,) and w.dtype == pv.float64 and len(w) == 2
    assert (w * 2).tolist() == (2 * w).tolist() == [2, 4] and pv.sum(w).item() == 3 and np.asarray(w).tolist() == [1, 2]
    assert (pv.asarray([1.0, 1.0]) @ w).item() == 3 and w[1].item() == 2 and (w == [1, 3]).tolist() == [True, False]
    f = pv.compile(lambda x: pv.sum(x * w) + pv.asarray(w)[0])
    assert f([1.0, 1.0]).item() == 4
    w.update([3.0, 4.0])
    assert f([1.0, 1.0]).item() == 10
    same = w
    w -= pv.asarray([1.0, 1.0])
    assert w is same and f([1.0, 1.0]).item() == 7
    w.value[0] = 10
    assert f([1.0, 1.0]).item() == 23
    source = pv.asarray([1.0])
    copied = pv.variable(source)
    source[0] = 2
    assert copied.tolist() == [1] and copied.name == ""
    for again in (copy.deepcopy(w), pickle.loads(pickle.dumps(w))):
        assert isinstance(again, pv.Variable) and again.name == "w" and again.tolist() == [10, 3]
        again.update([0.0, 0.0])
    assert repr(w) == "variable(array([10.,  3.]), name='w')"


def test_variables_fitted():
    """w, b of the least squares line through (0, 1), (1, 3), (2, 5): 2 and 1."""
    x, y = np.arange(3.0), np.array([1.0, 3.0, 5.0])
    p = {"w": pv.variable(0.0, "w"), "b": pv.variable(0.0, "b")}
    slope = pv.grad(lambda p, x, y: pv.mean((p["w"] * x + p["b"] - y) ** 2))
    for _ in range(300):
        for name, by in slope(p, x, y).items():
            p[name] -= 0.2 * by
    assert float(p["w"]) == pytest.approx(2) and float(p["b"]) == pytest.approx(1)


def test_variables_in_files(tmp_path):
    path = tmp_path / "c.purview"
    w, s = pv.variable([1.0, 2.0], "w"), pv.variable(np.float32(3), "s")
    pv.save_computation(path, lambda x: x * w + s.astype("float64"), [1.0, 1.0])
    loaded = pv.load_computation(path)
    assert set(loaded.variables) == {"w", "s"} and loaded.value("w").tolist() == [1, 2]
    assert loaded([1.0, 1.0]).tolist() == [4, 5]
    loaded.update("w", [5.0, 6.0])
    loaded.update("s", 0)
    assert loaded([1.0, 1.0]).tolist() == [5, 6] and w.tolist() == [1, 2]
    with pytest.raises(pv.SymbolError, match="'v', but: "):
        loaded.value("v")
    pv.save_computation(path, lambda x: x * w, [1.0, 1.0], values=False)
    bare = pv.load_computation(path)
    with pytest.raises(pv.SymbolError, match="w"):
        bare([1.0, 1.0])
    bare.update("w", [2.0, 3.0])
    assert bare([1.0, 1.0]).tolist() == [2, 3]


def test_updates_that_are_refused():
    w = pv.variable([1.0, 2.0], "w")
    with pytest.raises(pv.ShapeError, match="update: the variable w has shape .2., not .3."):
        w.update([1.0, 2.0, 3.0])
    with pytest.raises(pv.DtypeError, match="update: the variable w has type float64, not float32"):
        w.update(np.float32([1, 2]))
    with pytest.raises(pv.Error):
        pv.compile(lambda x: w.update(x))([1.0, 2.0])
    with pytest.raises(TypeError, match="the name is a text, and no int"):
        pv.variable(1.0, 3)
    with pytest.raises(TypeError):
        hash(w)
    assert w.tolist() == [1, 2]


def test_none_is_no_value():
    w = pv.variable([1.0], "w")
    for give in (lambda: pv.variable(None), lambda: w.update(None)):
        with pytest.raises(TypeError, match="no array: NoneType"):
            give()
