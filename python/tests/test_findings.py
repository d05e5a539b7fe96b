"""What a fresh user found: each beside NumPy."""

import itertools
import warnings

import numpy as np
import pytest

import purview as pv


def same(ours, want):
    np.testing.assert_array_equal(np.asarray(ours), want)
    assert np.asarray(ours).dtype == want.dtype


def test_fmod_of_the_least_integers():
    for x, y in ((np.int8([-128, -128, 127]), np.int8([3, -128, -128])), (np.array([1, -5]), np.array([-(2**63), 3])), ([-5.5], [2.0])):
        same(pv.fmod(x, y), np.fmod(x, y))
    same(pv.fmod(np.uint8([7]), np.uint8([4])), np.fmod(np.uint8([7]), np.uint8([4])))
    same(pv.fmod([True], [True]), np.fmod([True], [True]))


def test_floor_division_is_numpys_but_of_infinities():
    values = np.array([0.0, -0.0, 1.0, -1.0, 5.5, -5.5, 1e-300, np.inf, -np.inf, np.nan])
    x, y = map(np.array, zip(*itertools.product(values, values)))
    finite = np.isfinite(x) & np.isfinite(y) & (y != 0)
    for dtype in ("float64", "float32"):
        a, b = x[finite].astype(dtype), y[finite].astype(dtype)
        with np.errstate(all="ignore"):
            want = a // b
        ours = np.asarray(pv.asarray(a) // b)
        same(ours, want)
        number = ~np.isnan(want)
        assert np.array_equal(np.signbit(ours)[number], np.signbit(want)[number])
    # What array-api-tests want.
    assert str(pv.asarray([1.0, -1.0, np.inf]) // [-np.inf, np.inf, 2.0]) == "[-0. -0. inf]"


def test_medians_of_infinities():
    inf, nan = np.inf, np.nan
    for x in ([1.0, inf], [-inf, 1.0], [-inf, inf], [inf, inf], [1.0, nan], [[1.0, inf], [2.0, nan]], [[-inf, 3.0], [1.0, 2.0]]):
        for dtype in ("float64", "float32"):
            a = np.array(x, dtype)
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                for axis in (None, -1, 0):
                    same(pv.median(a, axis), np.median(a, axis))
                    same(pv.nanmedian(a, axis), np.nanmedian(a, axis))


def test_bounds():
    with pytest.raises(ValueError, match=r"index 9 is out of range for an array of shape \(2, 3\)"):
        pv.unravel_index([9], (2, 3))
    with pytest.raises(ValueError, match="index 5 is out of range for axis 0 of size 3"):
        pv.ravel_multi_index(([5], [2]), (3, 4))
    with pytest.raises(ValueError, match="-1"):
        pv.repeat([1], -1)
    with pytest.raises(TypeError, match="2.5"):
        pv.round([1.0], 2.5)
    for function in (pv.sort, pv.argsort):
        with pytest.raises(ValueError, match="nonsense"):
            function([2, 1], kind="nonsense")
    assert pv.round([1.25], np.int64(1)).tolist() == [1.2] and pv.sort([2, 1], kind="stable").tolist() == [1, 2]
    assert [x.item() for x in pv.unravel_index(5, (2, 3))] == [1, 2] and pv.ravel_multi_index((1, 2), (2, 3)).item() == 5
