"""Cubed's plans with arrays of ours as chunks."""

import os
import pathlib
import subprocess
import sys

import pytest

cubed = pytest.importorskip("cubed")

# In a child process: Cubed takes its arrays from the environment, once, when it is imported.
CODE = '''
import sys
import cubed
import cubed.array_api as xp
import numpy as np
import purview as pv
from cubed.backend_array_api import namespace

assert namespace is pv
spec = cubed.Spec(sys.argv[1], allowed_mem="200MB", executor_name=sys.argv[2])
values = np.arange(24.0).reshape(6, 4)
x = xp.asarray(values, chunks=(2, 2), spec=spec)
for text in """{calls}""".strip().replace("\\n", "|").split("|"):
    got = eval(text, {{"x": x, "xp": xp}}).compute()
    assert isinstance(got, pv.Array), text
    want = np.asarray(eval(text, {{"x": values, "xp": np}}))
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-12, err_msg=text)
    assert np.asarray(got).dtype == want.dtype, text
seen = []
cubed.map_blocks(lambda block: seen.append(type(block)) or block + 1, x, dtype=x.dtype).compute()
assert pv.Array in seen or sys.argv[2] != "single-threaded", seen
cubed.to_zarr(xp.sqrt(x), sys.argv[1] + "/roots.zarr")
np.testing.assert_array_equal(np.asarray(cubed.from_zarr(sys.argv[1] + "/roots.zarr", spec=spec).compute()), np.sqrt(values))
tall = np.random.default_rng(1).random((12, 3))
s = xp.linalg.svdvals(xp.asarray(tall, chunks=(6, 3), spec=spec)).compute()
np.testing.assert_allclose(np.asarray(s), np.linalg.svd(tall, compute_uv=False))
print("done")
'''
CALLS = """
x + 1|xp.sqrt(x) * 2 - x|x > 3|xp.sum(x)|xp.sum(x, axis=0)|xp.mean(x)|xp.mean(x, axis=1)|xp.max(x, axis=0)|xp.std(x)|xp.var(x, axis=0)
x @ x.T|xp.tensordot(x, x, axes=((0,), (0,)))|xp.argmax(x, axis=0)|xp.any(x > 3, axis=0)|xp.where(x > 3, x, 0.0)|xp.concat([x, x], axis=0)
xp.stack([x, x])|x[1:4]|x[[0, 3]]|xp.permute_dims(x, (1, 0))|xp.broadcast_to(x, (2, 6, 4))|xp.astype(x, xp.float32)|xp.roll(x, 2, axis=0)
"""


@pytest.mark.parametrize("executor", ["single-threaded", "threads"])
def test_plans(tmp_path, executor):
    code = CODE.format(calls=CALLS)
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path), executor],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "CUBED_BACKEND_ARRAY_API_MODULE": "purview"},
        cwd=pathlib.Path(__file__).parent,
    )
    assert done.stdout == "done\n", done.stderr[-3000:]
