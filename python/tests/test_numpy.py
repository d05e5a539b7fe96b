"""Beside NumPy: the same text, NumPy's functions of our arrays, pickles."""

import pickle

import numpy as np
import pytest

import purview as pv


def values():
    rng = np.random.default_rng(1)
    yield from map(np.asarray, [3.5, 2, True, 1 + 2j, [], [1.5, 2.25, 3], [1e10, 1.5], [np.nan, 1, -np.inf], [1e-5, 1.0], [True, False]])
    yield from map(np.asarray, [[1 + 2j, -3.5j], [0.0, -0.0], [1e300, -1e-300, 0], [[1e-3, 123.456], [0, 7]], [np.nan, 1e9], [1e-9j, 1e9]])
    for shape in [(3, 5), (40,), (40, 50), (5000,), (2, 3, 4), (7, 8, 30), (0, 3), (100,), (1, 1), (3, 2, 2, 2), (1001,)]:
        yield rng.normal(size=shape)
        yield rng.normal(size=shape) * 10.0 ** rng.integers(-6, 6, shape)
        yield rng.normal(size=shape).astype("float32")
        yield np.round(rng.normal(size=shape), 2).astype("float16")
        yield rng.integers(-(10**6), 10**6, shape)
        yield rng.integers(0, 200, shape).astype("uint8")
        yield rng.random(shape) < 0.5
        yield rng.normal(size=shape) + 1j * rng.normal(size=shape)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("show", [repr, str])
def test_prints_as_numpy(show):
    for x in values():
        assert show(pv.asarray(x)) == show(x)


def test_html():
    html = pv.asarray(np.arange(12.0).reshape(3, 4))._repr_html_()
    assert html.count("<tr>") == 3 and html.count("<td>") == 12 and "float64 [3, 4]" in html
    assert pv.zeros((100, 100))._repr_html_().count("<tr>") == 7
    assert "2." in pv.asarray(2.0)._repr_html_()


@pytest.mark.parametrize("protocol", range(2, 6))
def test_pickles(protocol):
    for x in [np.arange(6.0).reshape(2, 3), np.zeros((0, 3)), np.array(3), np.arange(10)[::2], np.array([True, False]), np.array([1 + 2j])]:
        back = pickle.loads(pickle.dumps(pv.asarray(x), protocol))
        assert back.dtype == x.dtype and np.array_equal(np.asarray(back), x) and back.shape == x.shape
    assert pickle.loads(pickle.dumps(pv.asarray([1.0]) * 3)).tolist() == [3]


def test_pickles_out_of_band_without_a_copy():
    x = np.arange(1000.0)
    buffers = []
    data = pickle.dumps(pv.asarray(x), 5, buffer_callback=buffers.append)
    assert len(data) < 200 and np.shares_memory(np.asarray(pickle.loads(data, buffers=buffers)), x)


CALLS = [
    "np.sqrt(x)",
    "np.add(x, y)",
    "np.subtract(y, x)",
    "y - x",
    "2 ** x",
    "np.float64(2) * x",
    "np.sum(x)",
    "np.sum(x, axis=0)",
    "np.sum(x, 1, keepdims=True)",
    "np.mean(x, axis=(0, 1))",
    "np.std(x, ddof=1)",
    "np.concatenate([x, y], axis=1)",
    "np.stack([x, y])",
    "np.where(x > 0.5, x, y)",
    "np.add.reduce(x)",
    "np.add.accumulate(x, axis=1)",
    "np.multiply.accumulate(x)",
    "np.transpose(x)",
    "np.transpose(x, (1, 0))",
    "np.reshape(x, (4, 3))",
    "np.clip(x, 0.2, 0.8)",
    "np.argmax(x, axis=1)",
    "np.cumsum(x, axis=0)",
    "np.sort(x, axis=0)",
    "np.isfinite(x)",
    "np.maximum(x, 0.5)",
    "np.matmul(x, y.T)",
    "np.roll(x, 1, axis=0)",
    "np.expand_dims(x, 0)",
    "np.squeeze(x[None])",
    "np.tensordot(x, y, axes=([0], [0]))",
    "x.sum(0) + x.mean() - x.max(axis=0)",
    "x.reshape(2, -1).T",
    "x.cumsum()",
    "x.transpose().ravel()",
]


@pytest.mark.parametrize("call", CALLS)
def test_functions_of_numpy_stay_ours(call):
    x = np.random.default_rng(2).random((3, 4))
    y = np.random.default_rng(3).random((3, 4))
    want = eval(call, {"np": np, "x": x, "y": y})
    ours = eval(call, {"np": np, "x": pv.asarray(x), "y": pv.asarray(y)})
    mixed = eval(call, {"np": np, "x": pv.asarray(x), "y": y})
    assert isinstance(ours, pv.Array) and isinstance(mixed, pv.Array)
    for each in (ours, mixed):
        np.testing.assert_allclose(np.asarray(each), want, rtol=1e-12)
        assert np.asarray(each).dtype == np.asarray(want).dtype


def test_out_and_what_is_lacking():
    x = pv.asarray([1.0, 4.0])
    out = np.zeros(2)
    assert np.sqrt(x, out=out) is out and out.tolist() == [1, 2]
    with pytest.raises(TypeError, match="purview"):
        np.add(x, 1, where=[True, False])


def test_lists_are_arrays_to_every_function():
    for call in (pv.sort, pv.argsort, pv.diff, pv.squeeze, pv.zeros_like, lambda x: pv.take(x, [0]), lambda x: pv.repeat(x, 2)):
        assert isinstance(call([3, 1, 2]), pv.Array)
    assert pv.tensordot([[1, 2]], [[3], [4]], axes=1).tolist() == [[11]] and pv.expand_dims([1], (0, 2)).shape == (1, 1, 1)


def test_numpys_cumsum_is_of_all_elements():
    t = pv.asarray(np.arange(6.0).reshape(2, 3))
    assert np.cumsum(t).tolist() == np.cumsum(np.asarray(t)).tolist() and np.cumsum(t, 0).shape == (2, 3)
    assert np.tensordot(t, t.T, 1).shape == (2, 2)


def test_errors_name_what_is_wrong():
    with pytest.raises(TypeError, match="no array: NoneType"):
        pv.asarray(None)
    for call in (lambda: pv.zeros("3"), lambda: pv.ones(3).sum("0"), lambda: pv.zeros(3.5)):
        with pytest.raises(TypeError, match="an integer is needed"):
            call()
    with pytest.raises(pv.ShapeError):
        pv.ones(2) + pv.ones(3)
    assert repr(pv.ShapeError) == "<class 'purview.ShapeError'>"


def test_decimals_and_membership():
    x = np.array([[1.234, -5.678], [0.005, 1e3]])
    t = pv.asarray(x)
    for decimals in (0, 2, -1):
        assert np.array_equal(np.asarray(np.round(t, decimals)), np.round(x, decimals))
        assert np.array_equal(np.asarray(t.round(decimals)), np.round(x, decimals))
        assert np.array_equal(np.asarray(np.round(t, decimals=decimals)), np.round(x, decimals))
    n = pv.asarray([14, 26])
    assert np.round(n, -1).tolist() == [10, 30] and np.round(n, 1).dtype == pv.int64
    assert pv.__version__.count(".") == 2
    assert 1e3 in t and 2.0 not in t and "a" not in t and t[0] in t
    assert pv.full(2, np.float32(1.5)).dtype == pv.float32
    with pytest.raises(TypeError):
        pv.full(3, "a")


def test_elements_are_formatted_as_numbers():
    x = pv.asarray([1.0, 2.5])
    assert f"{x[1]:.2f}" == "2.50" and f"{x}" == "[1.  2.5]"
