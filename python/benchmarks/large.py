"""Statistics, sorts, windows and groups of 10⁷ elements."""

from importlib import import_module

import numpy as np
import purview as pv
from driver import case, peer

SIZE, WIDTH, KEYS = 10_000_000, 100, 1000
ONE = 8 * SIZE
AGAINST = ["numpy", "bottleneck", "pandas", "scipy"]


def names():
    """x: normal numbers; y: x and as many more; i: integers below 10⁶; k: keys. Upper case: ours; s_: pandas' series; t_: tensors."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=SIZE)
    columns = {"x": x, "y": rng.normal(size=SIZE) + x, "i": rng.integers(0, 1_000_000, SIZE), "k": rng.integers(0, KEYS, SIZE)}
    made = {"np": np, "pv": pv, "bn": peer("bottleneck"), "pd": (pd := peer("pandas")), "nan": float("nan"), "w": WIDTH} | columns
    made |= {name.upper(): pv.asarray(values) for name, values in columns.items()}
    if pd:
        made |= {f"s{name}": pd.Series(values) for name, values in columns.items()}
    if torch := peer("torch"):
        made |= {f"t{name}": torch.from_dlpack(values) for name, values in columns.items()}
    if peer("scipy"):
        made |= {"stats": import_module("scipy.stats"), "ndimage": import_module("scipy.ndimage")}
    return made


def rows(table, given, moved, tolerance=1e-9, dtype="float64", check=np.asarray):
    """Of each name the code of each contender."""
    for name, codes in table.items():
        codes = {who: code for who, code in codes.items() if who == "purview" or peer(who)}
        options = {"size": SIZE, "dtype": dtype, "against": AGAINST, "moved": moved, "tolerance": tolerance, "check": check}
        yield case(name, "ahead of NumPy, bottleneck, pandas, SciPy", names=given, **options, **codes)


def statistics():
    given = names() | {"three": (0.05, 0.5, 0.95)}
    one = {
        "mean": dict(numpy="x.mean()", bottleneck="bn.nanmean(x)", pandas="sx.mean()", torch="tx.mean()", purview="X.mean()"),
        "std": dict(numpy="x.std()", bottleneck="bn.nanstd(x)", pandas="sx.std(ddof=0)", torch="tx.std(unbiased=False)", purview="X.std()"),
        "var": dict(numpy="x.var()", bottleneck="bn.nanvar(x)", pandas="sx.var(ddof=0)", torch="tx.var(unbiased=False)", purview="X.var()"),
        "median": dict(numpy="np.median(x)", bottleneck="bn.median(x)", pandas="sx.median()", purview="pv.median(X)"),
        "quantile, 3 of them": dict(numpy="np.quantile(x, three)", pandas="sx.quantile(three)", purview="pv.quantile(X, three)"),
    }
    samples = {  # pandas' are of a sample
        "skewness": dict(scipy="stats.skew(x)", pandas="sx.skew()", purview="pv.skewness(X)"),
        "kurtosis": dict(scipy="stats.kurtosis(x)", pandas="sx.kurt()", purview="pv.kurtosis(X)"),
    }
    two = {
        "covariance": dict(numpy="np.cov(x, y)[0, 1]", pandas="sx.cov(sy)", purview="pv.sample_covariance(X, Y)"),
        "correlation": dict(
            numpy="np.corrcoef(x, y)[0, 1]", pandas="sx.corr(sy)", scipy="stats.pearsonr(x, y).statistic", purview="pv.pearson(X, Y)"
        ),
    }
    yield from rows(one, given, ONE)
    yield from rows(samples, given, ONE, 1e-5)
    yield from rows(two, given, 2 * ONE)


def sorts():
    given = names() | {"last": SIZE - 100, "half": SIZE // 2}
    x = given["x"]
    real = {
        "sort": dict(numpy="np.sort(x)", pandas="sx.sort_values()", torch="tx.sort().values", purview="pv.sort(X)"),
        "argsort": dict(numpy="np.argsort(x)", pandas="sx.argsort()", torch="tx.argsort()", purview="pv.argsort(X)"),
        "rank": dict(bottleneck="bn.rankdata(x)", pandas="sx.rank()", scipy="stats.rankdata(x)", purview="pv.ranks(X)"),
    }
    integers = {
        "sort of integers below 10⁶": dict(numpy="np.sort(i)", pandas="si.sort_values()", torch="ti.sort().values", purview="pv.sort(I)"),
        "unique of integers below 10⁶": dict(
            numpy="np.unique(i)", pandas="pd.unique(si)", torch="ti.unique()", purview="pv.unique_values(I)"
        ),
    }
    greatest = dict(
        numpy="np.partition(x, last)[last:]",
        bottleneck="bn.partition(x, last)[last:]",
        pandas="sx.nlargest(100)",
        torch="tx.topk(100).values",
        purview="pv.topk(X, 100)[0]",
    )
    middle = dict(numpy="np.argpartition(x, half)", bottleneck="bn.argpartition(x, half)", purview="pv.argpartition(X, half)")
    yield from rows(real, given, 2 * ONE)
    yield from rows(integers, given, 2 * ONE, dtype="int64", check=lambda found: np.sort(np.asarray(found)))
    yield from rows({"the greatest 100": greatest}, given, ONE, check=lambda best: np.sort(np.asarray(best)[:100]))
    yield from rows({"argpartition at the middle": middle}, given, 2 * ONE, check=lambda order: x[np.asarray(order)[SIZE // 2]])


def windows():
    """Of the WIDTH elements that end at each place, NaN where there are fewer; by SciPy something else at the ends."""
    given = names()
    x = given["x"]

    def sums():
        c = np.cumsum(np.concatenate(([0.0], x)))
        return c[WIDTH:] - c[:-WIDTH]

    given |= {"sums": sums, "slid": np.lib.stride_tricks.sliding_window_view(x, WIDTH)}
    by_numpy = {"sum": "sums()", "mean": "sums() / w", "min": "slid.min(axis=1)", "max": "slid.max(axis=1)"}
    by_scipy = {"mean": "uniform", "min": "minimum", "max": "maximum"}
    table = {}
    for name in "sum mean std min max median".split():
        codes = {"numpy": by_numpy[name]} if name in by_numpy else {}
        codes |= {"scipy": f"ndimage.{by_scipy[name]}_filter1d(x, w, origin=w // 2 - 1)"} if name in by_scipy else {}
        codes |= {"bottleneck": f"bn.move_{name}(x, w)", "pandas": f"sx.rolling(w).{name}({'ddof=0' if name == 'std' else ''})"}
        table[f"rolling {name}"] = codes | {"purview": f"pv.fixed_rolling_window(X, w, '{name}', position='trailing', incomplete=nan)"}
    yield from rows(table, given, 2 * ONE, 1e-6, check=lambda result: np.asarray(result)[-(SIZE - WIDTH + 1) :])


def groups():
    given = names()

    def greatest():
        out = np.full(KEYS, -np.inf)
        np.maximum.at(out, given["k"], given["x"])
        return out

    given |= {"greatest": greatest}
    by_numpy = {"sum": "np.bincount(k, x)", "mean": "np.bincount(k, x) / np.bincount(k)", "max": "greatest()"}
    table = {
        f"group {name}, 1000 keys": dict(numpy=code, pandas=f"sx.groupby(sk).{name}()", purview=f"pv.group_by_reduce(K, X, '{name}')[1]")
        for name, code in by_numpy.items()
    }
    table["bincount with weights"] = dict(numpy="np.bincount(k, x)", torch="tk.bincount(tx)", purview="pv.bincount(K, X)")
    counts = dict(
        numpy="np.bincount(k)", pandas="sk.value_counts(sort=False).sort_index()", torch="tk.bincount()", purview="pv.bincount(K)"
    )
    bins = dict(numpy="np.histogram(x, 50, (-4, 4))[0]", torch="tx.histc(50, -4, 4)", purview="pv.histogram(X, 50, range=(-4, 4))[0]")
    yield from rows(table, given, 2 * ONE)
    yield from rows({"bincount": counts}, given, ONE, dtype="int64")
    yield from rows({"histogram of 50 bins": bins}, given, ONE)
