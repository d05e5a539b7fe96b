#!/usr/bin/env python3
"""Prints tests/functional/statistics/scipy_figures.inc: what SciPy and NumPy say of small samples.

Where a sample is far from 0 for its width, SciPy's own figures are off; as they do not change when a number is taken from all
elements, which is exact here, they are taken of what is left.

    tests/functional/statistics/scipy_figures.py > tests/functional/statistics/scipy_figures.inc      (with Debian 12: SciPy 1.10.1, NumPy 1.24.2)
"""

from fractions import Fraction

import numpy as np
from scipy import stats

METHODS = ["inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull",
           "linear", "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest"]
SHARES = [0, 3, 25, 50, 62.5, 90, 100]


def samples():
    random = np.random.default_rng(20)

    def pair(x, noise):
        return x, 0.7 * x + noise

    n = 40
    normal = random.standard_normal(n)
    yield "normal", 0, 0, *pair(normal, random.standard_normal(n))
    x = 1e9 + 1e-3 * random.standard_normal(n)
    yield "far", 1e9, -2e9, x, -2e9 + (0.7 * (x - 1e9) + 1e-3 * random.standard_normal(n))
    ties = random.integers(-3, 4, n).astype(float)
    yield "ties", 0, 0, ties, np.round(0.7 * ties + random.integers(-1, 3, n))
    wide = 10 ** random.uniform(-8, 8, n)
    yield "wide", 0, 0, *pair(wide, 10 ** random.uniform(-8, 8, n))
    for name, scale in (("tiny", 1e-70), ("huge", 1e70)):
        yield name, 0, 0, *pair(scale * random.standard_normal(n), scale * random.standard_normal(n))


def exact_line(x, y):
    """Slope and intercept, rounded once."""
    xs, ys = [Fraction(v) for v in x], [Fraction(v) for v in y]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    slope = sum((a - mx) * (b - my) for a, b in zip(xs, ys)) / sum((a - mx) ** 2 for a in xs)
    return float(slope), float(my - slope * mx)


def figures(off_x, off_y, x, y):
    a, b = x - off_x, y - off_y
    size = np.abs(x)
    line = stats.linregress(a, b)
    slope, intercept = exact_line(x, y)
    mean = float(sum(Fraction(v) for v in x) / len(x))
    return [
        ("mean", mean),
        ("variance", np.var(a)),
        ("sample_variance", np.var(a, ddof=1)),
        ("standard_deviation", np.std(a)),
        ("sample_standard_deviation", np.std(a, ddof=1)),
        ("standard_error", stats.sem(a)),
        ("skewness", stats.skew(a)),
        ("sample_skewness", stats.skew(a, bias=False)),
        ("kurtosis", stats.kurtosis(a)),
        ("sample_kurtosis", stats.kurtosis(a, bias=False)),
        ("moment 3", stats.moment(a, 3)),
        ("moment 4", stats.moment(a, 4)),
        ("quadratic_mean", np.sqrt(np.mean(np.square(x)))),
        ("geometric_mean", stats.gmean(size)),
        ("harmonic_mean", stats.hmean(size)),
        ("most_frequent", stats.mode(x, keepdims=False).mode),
        ("covariance", np.cov(a, b, bias=True)[0, 1]),
        ("sample_covariance", np.cov(a, b)[0, 1]),
        ("pearson", stats.pearsonr(a, b)[0]),
        ("spearman", stats.spearmanr(x, y)[0]),
        ("kendall", stats.kendalltau(x, y)[0]),
        ("slope", slope),
        ("intercept", intercept),
        ("slope_error", line.stderr),
        ("intercept_error", line.stderr * np.sqrt(np.var(a) + mean**2)),
    ]


def rows(numbers, text):
    texts = [text(float(v)) for v in numbers]
    return "".join("     " + " ".join(f"{t}," for t in texts[i:i + 5]) + "\n" for i in range(0, len(texts), 5))


def main():
    print("// Made by scipy_figures.py with SciPy 1.10.1 and NumPy 1.24.2.\n// clang-format off")
    for name, off_x, off_y, x, y in samples():
        print(f'{{"{name}",\n    {{\n{rows(x, float.hex)}    }},\n    {{\n{rows(y, float.hex)}    }},')
        print("    {\n" + "".join(f'     {{"{key}", {float(value)!r}}},\n' for key, value in figures(off_x, off_y, x, y)) + "    },")
        shares = [np.percentile(x, SHARES, method=method) for method in METHODS]
        print("    {\n" + "".join("     {" + ", ".join(repr(float(v)) for v in each) + "},\n" for each in shares) + "    }},")
    print("// clang-format on")


if __name__ == "__main__":
    main()
