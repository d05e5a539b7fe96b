"""Masks in keys beside lists, integers and other masks, of rank 1 and more: NumPy's elements, read and written."""

import numpy as np
import pytest

import purview as pv

N = np.arange(24.0).reshape(2, 3, 4)
TWO = np.array([True, False])
THREE = np.array([True, False, True])
FOUR = np.array([False, True, True, False])
ROWS = N[:, :, 0] % 8 == 0
ENDS = N[0] % 3 == 0
KEYS = {
    "list": (TWO, [0, 1]),
    "pair": (TWO, THREE),
    "lists": ([True, False], [False, True, False]),
    "new axis between": (TWO, None, THREE),
    "slice between": (TWO, slice(None), FOUR),
    "slice between lists": (TWO, slice(None), [1, 2]),
    "integer first": (0, slice(None), FOUR),
    "integer and pair": (1, THREE, FOUR),
    "integer beside": (0, THREE),
    "mask of two axes": (ROWS,),
    "mask of two axes, integer": (ROWS, 0),
    "mask of two axes, list": (ROWS, [0, 1, 2]),
    "integer, mask of two axes": (0, ENDS),
    "new axis before": (None, ROWS),
    "new axis behind": (ROWS, ..., None),
    "ellipsis before": (..., FOUR),
    "ellipsis before two": (..., ENDS),
    "slice before two": (slice(None), ENDS),
    "list of lists": ([[0], [1]], ENDS),
    "nothing": (np.zeros((2, 3), bool),),
    "without elements": (np.zeros((2, 0), bool),),
    "empty list": (TWO, []),
    "whole": (N > 5,),
}


@pytest.mark.parametrize("name", KEYS)
def test_masks(name):
    key = KEYS[name]
    for given in (key, tuple(pv.asarray(k) if isinstance(k, np.ndarray) else k for k in key)):
        for each in (given, given[0]) if len(given) == 1 else (given,):
            expected = N[key]
            read = np.asarray(pv.asarray(N)[each])
            assert read.shape == expected.shape and np.array_equal(read, expected)
            values = -1 - np.arange(expected.size, dtype=float).reshape(expected.shape)
            for value in (7.0, values, values[:1]):
                n, t = N.copy(), pv.asarray(N.copy())
                n[key] = value
                t[each] = value
                assert np.array_equal(np.asarray(t), n)


def test_masks_that_do_not_fit():
    t = pv.asarray(N)
    for key in ((TWO, FOUR), (ROWS[:, :2], 0), (ROWS, FOUR, FOUR), (ROWS[:1],), (TWO, [0, 1, 2], [0, 1]), (ROWS, FOUR)):
        with pytest.raises(IndexError):
            N[key]
        with pytest.raises(IndexError):
            t[key]


@pytest.mark.parametrize("view", [lambda x: x[:, ::-1], lambda x: x[::2, 1:], lambda x: x.transpose(1, 0, 2), lambda x: x[None, 0]])
def test_masks_of_views(view):
    n, t = N.copy(), pv.asarray(N.copy())
    t = t.transpose(1, 0, 2) if view(n).shape == (3, 2, 4) else view(t)
    n = view(n)
    mask = n[:, :, 1] % 8 == 1
    assert np.array_equal(np.asarray(t[mask]), n[mask])
    n[mask] = -n[mask]
    t[mask] = -t[mask]
    assert np.array_equal(np.asarray(t), n)
    t[mask] += 1
    n[mask] += 1
    assert np.array_equal(np.asarray(t), n)
