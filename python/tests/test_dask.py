"""Arrays of ours as chunks of Dask's."""

import os
import pickle

import numpy as np
import pytest

import purview as pv

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

from purview.dask import from_dask  # noqa: E402

CALLS = (
    """
(x + 1).sum()|da.sqrt((x - 0.5) ** 2 + 1).sum(axis=0)|x.mean(axis=1)|x.std()|x.var(axis=0)|x @ x.T|da.concatenate([x, x], axis=1)|da.stack([x, x])
x[:10, ::2]|x.T|x.rechunk((30, 10)).max(axis=0)|da.where(x > 0.5, x, 0)|da.tensordot(x, x, axes=([0], [0]))|da.einsum("ij,kj->ik", x, x)
x.argmax(axis=1)|x.cumsum(axis=0)|x.reshape(-1)|x.astype("float32") * 2|da.percentile(x[:, 0], 50)|x[x[:, 0] > 0.5]
abs(x - x.mean()) < 0.1|da.linalg.norm(x)|da.clip(x, 0.2, 0.8)|da.maximum(x, 0.5)|x.sum(keepdims=True)|(x * np.arange(20)).min()|x.prod(axis=1)
""".strip()
    .replace("\n", "|")
    .split("|")
)


@pytest.fixture
def both():
    values = np.random.default_rng(1).random((40, 20))
    return values, da.from_array(values, chunks=(10, 10))


@pytest.mark.parametrize("call", CALLS)
def test_as_numpy_chunks(both, call):
    _, x = both
    want = eval(call, {"x": x, "da": da, "np": np}).compute(scheduler="sync")
    result = eval(call, {"x": from_dask(x), "da": da, "np": np}).compute(scheduler="sync")
    np.testing.assert_allclose(np.asarray(result), want, rtol=1e-12)
    assert np.asarray(result).dtype == np.asarray(want).dtype and np.shape(result) == np.shape(want)


def test_chunks_are_ours_and_in_place(both):
    values, x = both
    ours = from_dask(x)
    assert isinstance(ours._meta, pv.Array)
    assert all(isinstance(chunk, pv.Array) for chunk in dask.compute(*ours.to_delayed().ravel(), scheduler="sync"))
    assert isinstance(x.map_blocks(pv.asarray).compute(scheduler="sync"), pv.Array)


def test_element_wise_operations_are_one_task(both):
    _, x = both
    y = da.sqrt((from_dask(x) - 0.5) ** 2 + 1) * 2
    (optimised,) = dask.optimize(y)
    assert len(dict(optimised.__dask_graph__())) <= 2 * x.npartitions
    (chunk,) = dask.compute(optimised.to_delayed()[0, 0], scheduler="sync")
    assert "sqrt" in chunk.explain()  # an expression still


def test_functions_are_pickled():
    for function in (pv.asarray, pv.sqrt, pv.add, pv.sum, pv.Array):
        assert pickle.loads(pickle.dumps(function)) is function or pickle.loads(pickle.dumps(function)).__name__ == function.__name__
    from dask.base import tokenize
    from dask.sizeof import sizeof

    x = pv.asarray(np.arange(1000.0))
    assert tokenize(x) == tokenize(pv.asarray(np.arange(1000.0))) != tokenize(x + 1)
    assert sizeof(x) >= 8000


def slow_and_deadly(x, marker):
    """Kills its worker the first time that it runs."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return pv.asarray(x) * 2
    os._exit(1)


def test_two_processes_one_of_which_dies(both, tmp_path):
    distributed = pytest.importorskip("distributed")
    values, x = both
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50) as cluster,
        distributed.Client(cluster) as client,
    ):
        ours = client.persist(from_dask(x))
        for call in ("da.sqrt((x - 0.5) ** 2 + 1).sum()", "(x @ x.T).sum(axis=0)", "x.mean(axis=1)"):
            want = eval(call, {"x": x, "da": da}).compute(scheduler="sync")
            np.testing.assert_allclose(np.asarray(eval(call, {"x": ours, "da": da}).compute()), want, rtol=1e-12)
        integers = da.from_array(np.arange(4000).reshape(40, 100), chunks=(10, 50))
        assert int(from_dask(integers).sum().compute()) == 4000 * 3999 // 2
        killed = from_dask(x).map_blocks(slow_and_deadly, str(tmp_path / "marker"), dtype="float64", meta=np.empty((0, 0)))
        np.testing.assert_array_equal(np.asarray(killed.compute()), values * 2)
