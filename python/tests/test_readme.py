"""The examples of the README run."""

import pathlib
import re

import numpy as np


def test_examples():
    text = (pathlib.Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names = {}
    for block in blocks:
        exec(block, names)
    price = np.asarray(names["price"])
    assert len(blocks) > 1 and np.isclose(names["week"][6], price[:7].mean()) and np.isclose(names["near"][40], price[11:41].max())
    assert np.isclose(names["low"][2], price[14:21].min()) and len(names["weeks"]) == 53
    np.testing.assert_allclose(np.asarray(names["w"]), [1, -2, 0.5], atol=1e-6)
    assert np.abs(names["by_x"]).max() < 1e-6 and names["curvature"].shape == (3, 3) and names["slope"].item() == 12
