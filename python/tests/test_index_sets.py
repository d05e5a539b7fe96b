"""Sets of indexes against Python's sets and NumPy's."""

import copy
import pickle

import numpy as np
import pytest

import purview as pv

rng = np.random.default_rng(5)
LISTS = [[], [0], [5, 3, 3, 1], [2**40, 7], list(range(10, 90)), rng.integers(0, 200_000, 5_000).tolist()]


@pytest.mark.parametrize("indexes", LISTS, ids=len)
def test_what_it_is_made_of(indexes):
    want = sorted(set(indexes))
    for given in (indexes, tuple(indexes), set(indexes), iter(indexes), np.array(indexes, "int64"), pv.asarray(np.array(indexes, "u8"))):
        s = pv.IndexSet(given)
        assert len(s) == len(want) and list(s) == want and s.to_array().tolist() == want
        assert s == pv.IndexSet(want) == pv.IndexSet(s) == pickle.loads(pickle.dumps(s)) == copy.deepcopy(s)
        assert hash(s) == hash(pv.IndexSet(want)) and s != want
        assert (
            all(i in s for i in want[:50])
            and 6 not in s - pv.IndexSet([6])
            and -1 not in s
            and 2**70 not in s
            and "a" not in s
            and None not in s
        )
        assert np.array_equal(np.asarray(s), want)
    if want:
        assert (s.min(), s.max()) == (want[0], want[-1])
        for position in (0, len(want) // 2, len(want) - 1):
            assert (
                s.select(position) == want[position] and s.rank(want[position]) == position and s.rank(want[position] + 1) == position + 1
            )


@pytest.mark.parametrize("a", LISTS, ids=len)
@pytest.mark.parametrize("b", LISTS, ids=len)
def test_algebra(a, b):
    x, y, s, t = pv.IndexSet(a), pv.IndexSet(b), set(a), set(b)
    for ours, want in ((x | y, s | t), (x & y, s & t), (x - y, s - t), (x ^ y, s ^ t)):
        assert list(ours) == sorted(want)
    assert (x <= y, x < y, x >= y, x > y, x == y, x.isdisjoint(y)) == (s <= t, s < t, s >= t, s > t, s == t, s.isdisjoint(t))
    assert pv.index_union(a, b).tolist() == sorted(s | t)
    assert pv.index_intersection(a, b).tolist() == sorted(s & t)
    assert pv.index_difference(a, b).tolist() == sorted(s - t)
    assert list(x.complement(2, 100)) == sorted(set(range(2, 100)) - s)


def test_ranges_and_masks():
    assert list(pv.IndexSet(range(3, 8))) == [3, 4, 5, 6, 7] and len(pv.IndexSet(range(8, 3))) == 0
    assert list(pv.IndexSet(range(3, 20, 5))) == [3, 8, 13, 18]
    assert len(pv.IndexSet(range(10**9))) == 10**9
    mask = rng.random((30, 40)) < 0.3
    s = pv.IndexSet(mask)
    assert s.to_array().tolist() == np.flatnonzero(mask).tolist()
    assert np.array_equal(np.asarray(s.to_mask((30, 40))), mask)
    assert pv.IndexSet(pv.asarray(mask) & True) == s
    assert s.to_mask(2000).shape == (2000,)


def test_as_an_index():
    x = np.arange(60.0).reshape(5, 12)
    t = pv.asarray(x.copy())
    s = pv.IndexSet([3, 0])
    assert np.array_equal(np.asarray(t[s]), x[[0, 3]])
    assert np.array_equal(np.asarray(t[:, s]), x[:, [0, 3]])
    assert np.array_equal(np.asarray(t[1, s]), x[1, [0, 3]])
    assert np.array_equal(np.asarray(t[..., s][::-1]), x[::-1, [0, 3]])
    t[s] = -1
    x[[0, 3]] = -1
    assert np.array_equal(np.asarray(t), x)
    view = t[:, s]
    view += 5
    x[:, [0, 3]] += 5
    assert np.array_equal(np.asarray(t), x)
    assert t[pv.IndexSet()].shape == (0, 12)
    assert np.array_equal(x[np.asarray(s)], np.asarray(t[s]))
    with pytest.raises(pv.IndexError):
        t[pv.IndexSet([5])]


def test_what_it_prints():
    assert repr(pv.IndexSet([4, 1])) == "IndexSet([1, 4])" and repr(pv.IndexSet()) == "IndexSet([])"
    assert eval(repr(pv.IndexSet(range(3, 9))), {"IndexSet": pv.IndexSet}) == pv.IndexSet(range(3, 9))
    assert repr(pv.IndexSet(range(0, 99, 3))) == "<IndexSet of 33: 0, 3, 6, …, 90, 93, 96>"


@pytest.mark.parametrize(
    "error, call",
    [
        (pv.IndexError, lambda s: pv.IndexSet([-1])),
        (pv.IndexError, lambda s: pv.IndexSet(range(-1, 3))),
        (pv.IndexError, lambda s: s.select(2)),
        (pv.IndexError, lambda s: pv.IndexSet().min()),
        (pv.IndexError, lambda s: s.to_mask(3)),
        (pv.DtypeError, lambda s: pv.IndexSet([1.5])),
        (TypeError, lambda s: pv.IndexSet(3.5)),
        (TypeError, lambda s: pv.IndexSet(["a"])),
        (TypeError, lambda s: s | [1]),
        (TypeError, lambda s: s < 3),
        (AttributeError, lambda s: setattr(s, "x", 1)),
    ],
)
def test_errors(error, call):
    with pytest.raises(error):
        call(pv.IndexSet([1, 9]))


def test_broken_bytes():
    _, (data,) = pv.IndexSet(LISTS[-1]).__reduce__()
    for cut in (0, 3, 9, len(data) // 2, len(data) - 1):
        with pytest.raises(pv.FormatError):
            pv._core._index_set(data[:cut])
