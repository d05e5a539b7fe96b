"""What a fresh user found: NumPy's functions that only read, and messages."""

import numpy as np
import pytest

import purview as pv


def test_functions_of_numpy_that_only_read(tmp_path):
    t = pv.asarray([[1.0, 2.0], [3.0, 4.0]]) * 2
    a = np.asarray(t)
    np.save(tmp_path / "a.npy", t)
    np.savez(tmp_path / "a.npz", t, named=t)
    np.savetxt(tmp_path / "a.txt", t)
    for found in (np.load(tmp_path / "a.npy"), np.load(tmp_path / "a.npz")["named"], np.loadtxt(tmp_path / "a.txt")):
        np.testing.assert_array_equal(found, a)
    assert np.array2string(t) == np.array2string(a) and np.array_repr(t) == np.array_repr(a)
    memory = np.zeros(3)
    assert np.shares_memory(pv.asarray(memory), memory) and not np.may_share_memory(pv.asarray([1.0]), memory)
    for to, where in ((np.zeros((2, 2)), True), (np.zeros((2, 2)), a > 3)):
        np.copyto(to, t, where=where)
        np.testing.assert_array_equal(to, np.where(where, a, 0))
    np.copyto(to, t, where=pv.asarray(a > 0))
    np.testing.assert_array_equal(to, a)
    np.testing.assert_allclose(t, a)
    np.testing.assert_array_almost_equal(t, a)
    np.testing.assert_equal(t, a)
    with pytest.raises(AssertionError):
        np.testing.assert_array_equal(t, a + 1)
    assert sorted(np.random.default_rng(0).permutation(pv.arange(5)).tolist()) == [0, 1, 2, 3, 4]


def test_round():
    t = pv.asarray([1.26, 2.5])
    assert round(t[0], 1).item() == 1.3 and round(t[1]) == 2 and isinstance(round(t[1]), int)
    assert round(t, 1).tolist() == [1.3, 2.5] and round(t).tolist() == [1, 2]


x, m = pv.asarray([1.0, 2.0]), pv.ones((2, 3))
MESSAGES = [
    (lambda: pv.clip(x, [1, 2, 3], 4), ValueError, "clip: shapes"),
    (lambda: pv.std(x, 5), IndexError, "std: axis 5"),
    (lambda: pv.var(x, 5), IndexError, "var: axis 5"),
    (lambda: np.diff(x, prepend=[[0]]), ValueError, "diff: shapes"),
    (lambda: pv.swapaxes(m, 0, 5), IndexError, "swapaxes: axis 5"),
    (lambda: pv.trace(m, 0, 0, 7), IndexError, "trace: axis 7"),
    (lambda: pv.diagonal(m, 0, 0, 7), IndexError, "diagonal: axis 7"),
    (lambda: pv.topk(x, 5), IndexError, "topk: there are no 5"),
    (lambda: pv.topk(x, "a"), TypeError, "topk: k is an integer"),
    (lambda: pv.linspace(0, 1, 2.5), TypeError, "linspace: num is an integer"),
    (lambda: pv.concat([x, x], axis="a"), TypeError, "concat: an axis is an integer, not 'a'"),
    (lambda: pv.variable_rolling_window(x, x, "a", "sum"), TypeError, "variable_rolling_window: the width is a number"),
    (lambda: pv.rearrange(x, "(a b) -> a b", a="q"), TypeError, "rearrange: a size is an integer"),
    (lambda: (x + 1).__setitem__(0, 1), ValueError, "it is computed, realise"),
    (lambda: pv.group_by_reduce([1], [1], "nope"), ValueError, "'group_size', 'count', not 'nope'"),
    (lambda: pv.fixed_rolling_window(x, 1, "nope"), ValueError, "'argmax', not 'nope'"),
    (lambda: pv.zeros((2**40, 2**10)), MemoryError, r"zeros: no memory for 9.01e\+15 bytes, of the shape \[1099511627776 1024\]"),
    (lambda: pv.ones(2**50), MemoryError, "ones: no memory"),
    (lambda: pv.linspace(0, 1, 2**50), MemoryError, "linspace: no memory"),
    (lambda: pv.eye(2**26).realise(), MemoryError, r"realise: no memory for 3.6e\+16 bytes"),
    (lambda: pv.random_uniform(3, seed="a"), TypeError, "^random_uniform: a seed is an integer from 0 .*, not 'a'$"),
    (lambda: pv.tril(m, "a"), TypeError, r"^tril\(\): .*"),
    (lambda: pv.sort(x, descending="a"), TypeError, r"^sort\(\): .*"),
    (lambda: pv.norm(x, [1]), TypeError, "norm: ord is a number or a name"),
    (lambda: pv.fixed_rolling_window(x, 1, ("quantile", None)), TypeError, "fixed_rolling_window: a quantile is a number"),
    (lambda: pv.dims(sizes=["a"]), TypeError, "dims: a size is an integer"),
    (lambda: x.flatten(1, 2, 3), TypeError, r"^Array\.flatten\(\) takes"),
    (lambda: x.sort(bad=1), TypeError, r"^Array\.sort\(\) got"),
]


@pytest.mark.parametrize("call, error, text", MESSAGES)
def test_messages(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_sizes_of_groups_are_a_count():
    keys, sums, sizes = pv.group_by_reduce([1, 2, 1], [1, 2, 4], "sum", "count")
    assert (keys.tolist(), sums.tolist(), sizes.tolist()) == ([1, 2], [5, 2], [2, 1])


def test_files_in_a_missing_folder(tmp_path):
    for save in (pv.save_npy, lambda path, each: pv.save_npz(path, x=each)):
        with pytest.raises(FileNotFoundError):
            save(tmp_path / "none" / "a", x)
    if hasattr(pv, "save_image"):
        picture = pv.zeros((2, 2), "uint8")
        with pytest.raises(FileNotFoundError):
            pv.save_image(tmp_path / "none" / "a.png", picture)
        with pytest.raises(ValueError, match=".png"):
            pv.save_image(tmp_path / "a.jpg", picture)
