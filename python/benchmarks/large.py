"""Statistics, sorts, windows and groups of 10⁷ elements."""

import numpy as np
import purview as pv
from driver import case, peer

SIZE, WIDTH = 10_000_000, 100
AGAINST = ["numpy", "bottleneck", "pandas", "scipy"]
TOLD = "ahead of NumPy, bottleneck, pandas, SciPy"


def installed(**codes):
    """Codes of the peers that are installed."""
    return {who: code for who, code in codes.items() if who == "purview" or peer(who)}


def many(name, moved, tolerance=1e-9, dtype="float64", check=np.asarray, **codes):
    return case(name, TOLD, size=SIZE, dtype=dtype, against=AGAINST, moved=moved, tolerance=tolerance, check=check, **installed(**codes))


def modules():
    scipy = peer("scipy")
    if scipy:
        import scipy.ndimage
        import scipy.stats
    return peer("bottleneck"), peer("pandas"), scipy, peer("torch")


def column():
    x = np.random.default_rng(0).normal(size=SIZE)
    _, pd, _, torch = modules()
    return x, pv.asarray(x), pd and pd.Series(x), torch and torch.from_dlpack(x)


def statistics():
    bn, pd, scipy, torch = modules()
    x, X, s, t = column()
    y = np.random.default_rng(1).normal(size=SIZE) + x
    Y, r = pv.asarray(y), pd and pd.Series(y)
    one, three = x.nbytes, (0.05, 0.5, 0.95)
    yield many(
        "mean", one, 1e-8, numpy=x.mean, bottleneck=lambda: bn.nanmean(x), pandas=lambda: s.mean(), torch=lambda: t.mean(), purview=X.mean
    )
    yield many(
        "std",
        one,
        numpy=x.std,
        bottleneck=lambda: bn.nanstd(x),
        pandas=lambda: s.std(ddof=0),
        torch=lambda: t.std(unbiased=False),
        purview=X.std,
    )
    yield many(
        "var",
        one,
        numpy=x.var,
        bottleneck=lambda: bn.nanvar(x),
        pandas=lambda: s.var(ddof=0),
        torch=lambda: t.var(unbiased=False),
        purview=X.var,
    )
    yield many(
        "median", one, numpy=lambda: np.median(x), bottleneck=lambda: bn.median(x), pandas=lambda: s.median(), purview=lambda: pv.median(X)
    )
    yield many(
        "quantile, 3 of them",
        one,
        numpy=lambda: np.quantile(x, three),
        pandas=lambda: s.quantile(three),
        purview=lambda: pv.quantile(X, three),
    )
    yield many("skewness", one, 1e-6, pandas=lambda: s.skew(), scipy=lambda: scipy.stats.skew(x), purview=lambda: pv.skewness(X))
    yield many("kurtosis", one, 1e-5, pandas=lambda: s.kurt(), scipy=lambda: scipy.stats.kurtosis(x), purview=lambda: pv.kurtosis(X))
    yield many("covariance", 2 * one, numpy=lambda: np.cov(x, y)[0, 1], pandas=lambda: s.cov(r), purview=lambda: pv.sample_covariance(X, Y))
    yield many(
        "correlation",
        2 * one,
        numpy=lambda: np.corrcoef(x, y)[0, 1],
        pandas=lambda: s.corr(r),
        scipy=lambda: scipy.stats.pearsonr(x, y).statistic,
        purview=lambda: pv.pearson(X, Y),
    )


def sorts():
    bn, pd, scipy, torch = modules()
    x, X, s, t = column()
    n = x.nbytes
    i = np.random.default_rng(2).integers(0, 1_000_000, SIZE)
    I, u, v = pv.asarray(i), pd and pd.Series(i), torch and torch.from_dlpack(i)
    yield many(
        "sort", 2 * n, numpy=lambda: np.sort(x), pandas=lambda: s.sort_values(), torch=lambda: t.sort().values, purview=lambda: pv.sort(X)
    )
    yield many(
        "argsort", 2 * n, numpy=lambda: np.argsort(x), pandas=lambda: s.argsort(), torch=lambda: t.argsort(), purview=lambda: pv.argsort(X)
    )
    yield many(
        "sort of integers below 10⁶",
        2 * n,
        dtype="int64",
        numpy=lambda: np.sort(i),
        pandas=lambda: u.sort_values(),
        torch=lambda: v.sort().values,
        purview=lambda: pv.sort(I),
    )
    yield many(
        "the greatest 100",
        n,
        check=lambda best: np.sort(np.asarray(best))[::-1][:100],
        numpy=lambda: np.partition(x, SIZE - 100)[-100:],
        bottleneck=lambda: bn.partition(x, SIZE - 100)[-100:],
        pandas=lambda: s.nlargest(100),
        torch=lambda: t.topk(100).values,
        purview=lambda: pv.topk(X, 100)[0],
    )
    yield many(
        "argpartition at the middle",
        2 * n,
        check=lambda order: x[np.asarray(order)[SIZE // 2]],
        numpy=lambda: np.argpartition(x, SIZE // 2),
        bottleneck=lambda: bn.argpartition(x, SIZE // 2),
        purview=lambda: pv.argpartition(X, SIZE // 2),
    )
    yield many(
        "unique of integers below 10⁶",
        n,
        dtype="int64",
        numpy=lambda: np.unique_values(i),
        pandas=lambda: pd.unique(u),
        torch=lambda: v.unique(),
        purview=lambda: pv.unique_values(I),
        check=lambda found: np.sort(np.asarray(found)),
    )
    yield many(
        "rank",
        2 * n,
        bottleneck=lambda: bn.rankdata(x),
        pandas=lambda: s.rank(),
        scipy=lambda: scipy.stats.rankdata(x),
        purview=lambda: pv.ranks(X),
    )


def windows():
    """Of the WIDTH elements that end at each place, NaN where there are fewer; by SciPy something else at the ends."""
    bn, pd, scipy, _ = modules()
    x, X, s, _ = column()

    def full(result):
        return np.asarray(result)[-(SIZE - WIDTH + 1) :]

    def sums():
        c = np.cumsum(np.concatenate(([0.0], x)))
        return c[WIDTH:] - c[:-WIDTH]

    def row(name, ours, numpy=None, filtered=None):
        moves, extreme = getattr(bn, "move_" + name, None), scipy and filtered and getattr(scipy.ndimage, filtered)
        return many(
            f"rolling {name}",
            2 * x.nbytes,
            1e-6,
            check=full,
            numpy=numpy,
            bottleneck=lambda: moves(x, WIDTH),
            pandas=(lambda: getattr(s.rolling(WIDTH), name)(ddof=0)) if name == "std" else lambda: getattr(s.rolling(WIDTH), name)(),
            scipy=extreme and (lambda: extreme(x, WIDTH, origin=WIDTH // 2 - 1)),
            purview=lambda: pv.fixed_rolling_window(X, WIDTH, ours, position="trailing", incomplete=float("nan")),
        )

    slid = np.lib.stride_tricks.sliding_window_view(x, WIDTH)
    yield row("sum", "sum", sums)
    yield row("mean", "mean", lambda: sums() / WIDTH, "uniform_filter1d")
    yield row("std", "std")
    yield row("min", "min", lambda: slid.min(axis=1), "minimum_filter1d")
    yield row("max", "max", lambda: slid.max(axis=1), "maximum_filter1d")
    yield row("median", "median")


def groups():
    _, pd, scipy, torch = modules()
    x, X, s, t = column()
    k = np.random.default_rng(3).integers(0, 1000, SIZE)
    K, u, v = pv.asarray(k), pd and pd.Series(k), torch and torch.from_dlpack(k)
    both = x.nbytes + k.nbytes

    def greatest():
        out = np.full(1000, -np.inf)
        np.maximum.at(out, k, x)
        return out

    def ours(reduction):
        return lambda: pv.group_by_reduce(K, X, reduction)[1]

    counts = lambda: np.bincount(k)  # noqa: E731
    yield many("group sum, 1000 keys", both, numpy=lambda: np.bincount(k, x), pandas=lambda: s.groupby(u).sum(), purview=ours("sum"))
    yield many(
        "group mean, 1000 keys", both, numpy=lambda: np.bincount(k, x) / counts(), pandas=lambda: s.groupby(u).mean(), purview=ours("mean")
    )
    yield many("group max, 1000 keys", both, numpy=greatest, pandas=lambda: s.groupby(u).max(), purview=ours("max"))
    yield many(
        "bincount",
        k.nbytes,
        dtype="int64",
        numpy=counts,
        pandas=lambda: u.value_counts(sort=False).sort_index(),
        torch=lambda: v.bincount(),
        purview=lambda: pv.bincount(K),
    )
    yield many(
        "bincount with weights", both, numpy=lambda: np.bincount(k, x), torch=lambda: v.bincount(t), purview=lambda: pv.bincount(K, X)
    )
    limits = (-4.0, 4.0)
    yield many(
        "histogram of 50 bins",
        x.nbytes,
        numpy=lambda: np.histogram(x, 50, limits)[0],
        torch=lambda: t.histc(50, *limits),
        purview=lambda: pv.histogram(X, 50, range=limits)[0],
    )
