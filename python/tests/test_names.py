"""NumPy's names, methods and positional arguments: the same results on random arrays of all types, of rank 0, and empty."""

import contextlib

import numpy as np
import pytest

import purview as pv

TYPES = "bool int32 int64 uint8 float32 float64 complex128".split()
SHAPES = [(), (0,), (1,), (7,), (3, 4), (4, 4), (0, 3), (2, 3, 4)]
REAL, NUMBERS, FLOATS, INTEGERS = "ifu", "ifuc", "f", "iu"


def array(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    x = (
        rng.integers(0, 9, shape)
        if np.dtype(dtype).kind == "u"
        else rng.integers(-8, 9, shape) / (1 if np.dtype(dtype).kind in "iu" else 4)
    )
    return (x + 1j * rng.integers(-8, 9, shape) if dtype == "complex128" else x > 0 if dtype == "bool" else np.asarray(x)).astype(dtype)


# Of an array x, another one y of its shape and type, and n = x.ndim: expressions by the kinds of types and the least rank they are for.
CALLS = {
    ("bifuc", 0): """
        np.ravel(x)|np.transpose(x)|x.T|x.ravel()|x.flatten()|np.atleast_1d(x)|np.atleast_2d(x)|np.atleast_3d(x)|np.concatenate([x, y], None)
        np.append(x, y)|np.vstack([x, y])|np.hstack([x, y])|np.dstack([x, y])|np.column_stack([x, y])|np.array(x)|np.copy(x)|np.isreal(x)
        np.iscomplex(x)|x.real|x.imag|np.ndim(x)|np.shape(x)|np.size(x)|np.flatnonzero(x)|x.squeeze()|x.tolist()
        x.repeat(2)|np.repeat(x, 2)|np.array_equal(x, x)|np.array_equal(x, y)|x.tobytes()|x.flat[::2]|np.array(x, ndmin=3)|np.extract(x != 0, x)
        np.sum(x)|np.any(x)|np.all(x)|np.isclose(x, y)|np.allclose(x, x)|np.select([x == 0, y == 0], [x, y], 7)|np.diagflat(x)|np.flip(x)
        np.where(x != 0, x, y)|np.cumsum(x)|x.cumsum()|np.roll(x, 1)
    """,
    ("bifuc", 1): """
        np.take(x, [0, 0]) if x.size else 0|x.take([0], 0) if x.shape[0] else 0|np.argwhere(x)|np.where(x)|x.nonzero()|np.nonzero(x)
        np.array_split(x, 3)|np.array_split(x, [1, 2], -1)|np.split(x, 1)|np.hsplit(x, [1])|np.vsplit(x, [1]) if x.ndim > 1 else 0
        np.flipud(x)|np.flip(x, 0)|np.roll(x, 1, 0)|np.concatenate([x, y], 0)|np.stack([x, y], 1)|np.sum(x, 0)|np.any(x, 0)|np.all(x, -1)
        np.compress([True] + [False] * (x.shape[0] - 1), x, 0) if x.shape[0] else 0|np.delete(x, 0) if x.size else 0|x.repeat(2, 0)
        np.delete(x, [0], 0) if x.shape[0] else 0|np.cumsum(x, 0)|np.tile(x, 2)|np.moveaxis(x, 0, -1)|np.ix_(x.ravel() != 0, [0, 2])
        np.count_nonzero(x, 0)|np.expand_dims(x, 1)
    """,
    ("bifuc", 2): """
        np.diagonal(x)|np.diagonal(x, 1)|x.diagonal(-1, 1, 0)|np.trace(x)|x.trace(1)|x.swapaxes(0, 1)|np.swapaxes(x, -1, 0)|np.fliplr(x)|np.rot90(x, k=3)
        x.transpose(*range(1, n), 0)|np.transpose(x, (*range(1, n), 0))|x.squeeze()|np.tril(x, 1)|np.triu(x, -1)|np.dsplit(x, [1]) if n > 2 else 0
    """,
    (NUMBERS, 0): """
        np.prod(x)|x.conj()|np.conjugate(x)|np.vdot(x, y)|np.inner(x, y[..., :] if n else y)|np.absolute(x)|np.multiply(x, y)|np.ptp(x, None) if x.size and x.dtype.kind != "c" else 0
        np.isfinite(x)|np.positive(x)|x.cumprod()|np.float_power(np.abs(x), 2)|np.round(x, 1)|x.round(1)|np.around(x)
        np.union1d(x, y)|np.unique(x)|np.unique(x, True, True, True)|np.unique(x, return_counts=True)
    """,
    (NUMBERS, 1): """
        np.diff(x)|np.diff(x, 2)|np.diff(x, 1, 0)|np.cumprod(x, 0)|np.average(x, 0) if x.size else 0|np.average(x, 0, np.linspace(1, 2, x.shape[0])) if x.size else 0
        np.trapezoid(x)|np.trapezoid(x, dx=0.5, axis=0)|np.trapezoid(x, np.arange(x.shape[-1]) ** 2.0)|np.dot(x, 2)
        np.average(x, weights=np.abs(x) + 1) if x.size else 0
    """,
    (
        NUMBERS,
        2,
    ): "np.dot(x, y.swapaxes(-1, -2))|np.inner(x, y)|np.dot(x, y[0, :] if n < 3 else y[0, 0]) if x.shape[0] else 0|x @ y.swapaxes(-1, -2)",
    (REAL, 0): """
        np.sort(x, None) if x.ndim else 0|np.nansum(x)|np.nanprod(x)|np.intersect1d(x, y)|np.setdiff1d(x, y)|np.setxor1d(x, y)
        np.fmax(x, y)|np.fmin(x, y)|np.fabs(x)|np.amax(x) if x.size else 0|x.min() if x.size else 0|np.clip(x, 1, 3)|x.clip(1)
        np.isposinf(x)|np.isneginf(x)|np.heaviside(x, 0.5)|np.isin(x, y)|np.divmod(x, y + 9)|divmod(x, y + 9)|np.fmod(x, y + 9)|np.mod(x, y + 9)
        np.digitize(x, [0, 2, 3], True)|np.nanmax(x) if x.size else 0|np.median(x) if x.size else 0|np.nanmedian(x) if x.size else 0
    """,
    (REAL, 1): """
        np.sort(x, 0)|np.argsort(x, 0, kind="stable")|x.argsort(0, kind="stable")|np.amin(x, 0) if x.size else 0|np.ptp(x, 0) if x.size else 0
        x.argmax(0) if x.size else 0|np.argmin(x, 0) if x.size else 0|np.quantile(x, 0.3, 0) if x.size else 0|np.percentile(x, [20, 50], -1) if x.size else 0
        np.median(x, 0) if x.size else 0|np.partition(x, 0, -1)[..., 0] if x.size else 0|np.nanargmax(x, 0) if x.size else 0|np.lexsort(x.reshape(1, -1))|np.nancumsum(x, 0)
        np.cumsum(x, -1)|np.nanquantile(x, 0.3, 0) if x.size else 0
    """,
    (FLOATS, 0): """
        np.degrees(x)|np.radians(x)|np.rad2deg(x)|np.deg2rad(x)|np.sinc(x)|np.logaddexp2(x, y)|np.arctan(x)|np.arctan2(x, y)|np.arcsinh(x)|np.rint(x)
        np.std(x) if x.size else 0|np.var(x) if x.size else 0|np.nanmean(x) if x.size else 0|np.histogram(x, 3) if x.size else 0|np.fix(x)
        np.histogram(x, 3, (0, 1))|np.histogram(x, 3, density=True) if x.size else 0|np.histogram_bin_edges(x, 4) if x.size else 0|np.power(np.abs(x), 0.5)
    """,
    (FLOATS, 1): """
        np.std(x, 0, ddof=1) if x.shape[0] > 1 else 0|x.var(0, ddof=1) if x.shape[0] > 1 else 0|np.nanstd(x, 0) if x.size else 0|x.std(-1) if x.size else 0
        np.gradient(x) if min(x.shape) > 1 else 0|np.gradient(x, 0.5, axis=0) if x.shape[0] > 1 else 0|x.mean(0) if x.size else 0
        np.cov(x.ravel()) if x.size > 1 else 0|np.cov(x.ravel(), y.ravel()) if x.size > 1 else 0|np.corrcoef(x.ravel(), y.ravel()) if x.size > 3 else 0
        np.convolve(x.ravel(), [1.0, 2, 3], "same") if x.size > 3 else 0|np.correlate(x.ravel(), [1.0, 2, 3]) if x.size > 3 else 0
    """,
    (
        FLOATS,
        2,
    ): "np.cov(x, rowvar=False) if n < 3 and x.size else 0|np.cov(x, bias=True) if n < 3 and x.size else 0|np.cross(x.T[:3].T, y.T[:3].T) if x.shape[-1] > 2 else 0",
    ("c", 0): "np.angle(x)|np.angle(x, True)",
    (
        INTEGERS,
        0,
    ): "np.invert(x)|np.left_shift(x, 1)|np.right_shift(x, 1)|np.bincount(np.abs(x).ravel(), minlength=3) if x.dtype.kind == 'i' else 0",
}


def same(ours, want, call, dtype):
    if isinstance(want, (tuple, list)) and any(isinstance(each, np.ndarray) for each in want):
        assert len(ours) == len(want), call
        for a, b in zip(ours, want):
            same(a, b, call, dtype)
        return
    if isinstance(want, bytes):
        assert ours == want
        return
    assert isinstance(ours, pv.Array) or not isinstance(want, np.ndarray), call
    a, b = np.asarray(ours), np.asarray(want)
    error = 1e-5 if dtype == "float32" else 1e-12
    np.testing.assert_allclose(a, b, rtol=error, atol=error, err_msg=call)
    # Short floats of short integers are NumPy's alone.
    assert a.shape == b.shape and (a.dtype.kind == b.dtype.kind), (call, a.shape, b.shape, a.dtype, b.dtype)


def calls_of(dtype, rank):
    for (kinds, least), text in CALLS.items():
        if np.dtype(dtype).kind in kinds and rank >= least:
            yield from (call.strip() for line in text.strip().split("\n") for call in line.split("|"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_as_numpy(dtype, shape):
    x, y = array(shape, dtype), array(shape, dtype, 1)
    ours = {"np": pv, "x": pv.asarray(x), "y": pv.asarray(y), "n": x.ndim}
    for call in calls_of(dtype, x.ndim):
        with contextlib.suppress(ValueError, np.exceptions.DTypePromotionError):  # where NumPy cannot
            want = eval(call, {"np": np, "x": x, "y": y, "n": x.ndim})
            same(eval(call, ours), want, call, x.dtype)


def test_new_arrays_and_indexes():
    for call in """
        np.identity(3)|np.tri(3)|np.tri(2, 4, 1, int)|np.eye(3, 4, 1)|np.logspace(0, 2, 5)|np.geomspace(1, 100, 5)|np.geomspace(-1, -8, 4)|np.linspace(0, 1)
        np.tril_indices(3, 1)|np.triu_indices(3, -1, 4)|np.diag_indices(3)|np.indices((2, 3))|np.fromfunction(lambda i, j: i + 2 * j, (2, 3))
        np.zeros((2, 3), "int16")|np.ones(2, bool)|np.full(2, 3, "uint8")|np.arange(1, 5, 2, "float32")|np.polyval([1, 2, 3], np.array([0.5, 2]))
        np.ravel_multi_index(([1, 0], [2, 1]), (2, 3))|np.unravel_index([5, 1], (2, 3))|np.unravel_index(5, (2, 3))|np.vander([1, 2, 3])|np.deg2rad(180)
        np.zeros_like([1, 2], "f4")|np.full_like([1, 2], 3, "f4")|np.meshgrid([1, 2], [3, 4, 5])|np.ix_([0, 1], [2])|np.searchsorted([1, 2, 3], [2], "right")
        np.repeat([1, 2], [2, 1], 0)|np.tensordot([[1, 2]], [[1], [2]], 1)|np.unique([3, 1, 3], return_inverse=True)|np.where([True, False])
        np.float32(3)|np.int16(-3)|np.float64([1, 2])|np.array([[1, 2], [3, 4]]).compress([False, True], 1)|np.array([[1, 2]]).item(0, 1)
        np.round(np.array([14, 26]), -1)|np.median(np.array([1, 5, 2]))|np.arange(6).reshape(2, 3).T|np.arange(3).T|np.ones((2, 3, 4)).T
    """.strip().split("|"):
        for each in filter(None, map(str.strip, call.split("\n"))):
            same(eval(each, {"np": pv}), eval(each, {"np": np}), each, None)


def test_methods_that_write():
    x = array((4, 3), "float64")
    for call in (
        "x.sort()|x.sort(0)|x.fill(3)|x.put([0, 5], [7, 8])|np.copyto(x, 2)|np.copyto(x, 9, where=x > 0)|np.putmask(x, x > 0, 5)|np.fill_diagonal(x[:3], 4)"
    ).split("|"):
        want, ours = x.copy(), pv.array(x)
        assert eval(call, {"np": np, "x": want}) is None and eval(call, {"np": pv, "x": ours}) is None
        assert np.array_equal(np.asarray(ours), want), call
    t = pv.array(x)
    t.flat[-1] = 5
    assert t[-1, -1].item() == 5
    with pytest.raises(pv.ReadOnlyError):
        (t + 1).sort()
    with pytest.raises(pv.CastError):
        pv.uint8(300)
    assert divmod(9, pv.asarray([4]))[1].tolist() == [1] and ([[1, 2]] @ pv.ones((2, 1))).tolist() == [[3]]


def test_dims_with_axes_by_position():
    x = array((3, 4), "float64")
    t, i, j = pv.asarray(x), pv.Dim("i"), pv.Dim("j")
    for call in "cumsum(t, 0)|sort(t, 0)|flip(t, 0)|roll(t, 1, 0)|diff(t, 1, 0)|sum(t, 0)|round(t, 1)|degrees(t)|fmax(t, 1)".split("|"):
        want = eval(f"pv.{call}".replace(", 0)", ", 1)"), {"pv": pv, "t": t})
        assert np.array_equal(np.asarray(eval(f"pv.{call}", {"pv": pv, "t": t[i]}).order(i)), np.asarray(want)), call
    assert np.array_equal(np.asarray(t[i, j].sum().order(i, j)), x)  # of no axes


@pytest.mark.parametrize(
    "call, error, text",
    [
        ("pv.sum([pv.nan], nan='raise')", pv.ArithmeticError, 'sum: the element at [0] is NaN, which nan="raise" refuses'),
        ("pv.zeros(3, 'nope')", pv.DtypeError, "dtype: 'nope' is not the name of a built-in element type"),
        ("pv.Dim('tensor').size", pv.DimError, "Dim 'tensor' has no size yet: index an array with it, or set its size"),
        ("pv.quantile([1, 2], 2)", ValueError, "quantile: 2 is not in [0, 1]"),
        ("pv.prod([1], 3)", pv.IndexError, "prod: axis 3 is out of range for rank 1"),
        ("pv.sort([1], 'x')", TypeError, "sort: an axis is an integer, not 'x'"),
        ("pv.sum([1], 'x')", TypeError, "an integer is needed, or several, not 'x'"),
        ("pv.sparse_tensor((3,), [1.5], [1])", pv.DtypeError, "sparse_tensor: indexes are integers, not float64"),
        ("pv.index_of([1, 2], pv.ones((2, 3)))", ValueError, None),
        ("pv.load_npy('/nowhere/tensor.npy')", FileNotFoundError, "[Errno 2] No such file or directory: '/nowhere/tensor.npy'"),
        ("pv.split([1, 2, 3], 2)", pv.ShapeError, "split: an axis of 3 makes no 2 equal parts"),
    ],
)
def test_messages_are_in_words_of_python(call, error, text):
    with pytest.raises(error) as raised:
        eval(call, {"pv": pv})
    assert text is None or str(raised.value) == text
