"""Statistics whose results have names, and what is more than one call of the core."""

import operator
from collections import namedtuple

from purview import _core
from purview._common import named
from purview._core import asarray
from purview._errors import ShapeError
from purview._shapes import moveaxis, take_along_axis

__all__ = """
    binary_search descriptive_statistics fill_range histogram histogram_density linear_regression outlier_fences topk weighted_histogram
""".split()

OutlierFences = namedtuple("OutlierFences", "lower upper")
LinearRegression = namedtuple("LinearRegression", "slope intercept correlation slope_error intercept_error")
Histogram = namedtuple("Histogram", "counts edges")
WeightedHistogram = namedtuple("WeightedHistogram", "heights edges")


def outlier_fences(x, factor=1.5, *, nan="keep"):
    """The limits beyond which elements are outliers, as floats: the quartiles, moved apart by `factor` times their distance. O(n).

    NaN of nothing, and if there is a NaN, unless `nan` is "skip" or "raise"."""
    return OutlierFences(*_core._outlier_fences(x, factor, nan))


def descriptive_statistics(x, statistics=None, axis=None, *, keepdims=False, nan="keep"):
    """Statistics by name, as a dict of arrays over axes: by default count, mean, sample standard deviation, quartiles and extremes.

    One pass for all that need no order, and one for quartiles. ValueError of an unknown name, which lists the known ones."""
    names = [statistics] if isinstance(statistics, str) else _core._default_statistics() if statistics is None else list(statistics)
    found = _core._descriptive_statistics(x, names, axis, keepdims, nan)
    return {name: found[i] for i, name in enumerate(names)}


def linear_regression(x, y, axis=None, *, nan="keep"):
    """The least-squares line y = slope x + intercept, as SciPy's linregress: of all pairs of two arrays of one shape, or over axes.

    O(n), one pass. ShapeError of less than two points and of other shapes, Error if all x are equal."""
    return LinearRegression(*_core._linear_regression(x, y, axis, nan))


def histogram(x, bins=10, range=None, density=False, weights=None):
    """How many elements lie in each bin, int64 [k], and the edges [k + 1], as NumPy's. `bins` is a number, or edges. NaN is left out.
    With weights, as `weighted_histogram`; with density=True, as `histogram_density`.

    One pass, two without a range. Error of edges that descend, and of limits that are not finite."""
    if density or weights is not None:
        return Histogram(*_core._weighted_histogram(x, weights, bins, range, density))
    return Histogram(*_core._histogram(x, bins, range))


def weighted_histogram(x, weights, bins=10, *, range=None):
    """The sums of the weights of the elements in each bin, float64 [k], and the edges. Otherwise as `histogram`, on one thread.

    ShapeError of weights of another shape."""
    return WeightedHistogram(*_core._weighted_histogram(x, weights, bins, range, False))


def histogram_density(x, bins=10, *, range=None, weights=None):
    """Heights of bins whose areas add up to 1, float64 [k], and the edges. Otherwise as `histogram`, or `weighted_histogram`."""
    return WeightedHistogram(*_core._weighted_histogram(x, weights, bins, range, True))


SearchResult = namedtuple("SearchResult", "found position")
WithIndex = namedtuple("WithIndex", "values indexes")
FilledRange = namedtuple("FilledRange", "values added")


def binary_search(x, value):
    """Whether a number is in a sorted x [n], and the first position whose element does not sort before it. NaN sorts last.

    O(log n) elements are read. ShapeError of another rank than 1."""
    return SearchResult(*_core._binary_search(x, value))


@named("topk", "arg_max_n", "take_along_axis")
def topk(x, k, axis=-1):
    """The k greatest elements along an axis, the greatest first, and their indexes, as `arg_max_n` gives them. O(size + k log k)."""
    x = asarray(x)
    try:
        k = operator.index(k)
    except TypeError:
        raise TypeError(f"topk: k is an integer, not {k!r}") from None
    indexes = _core.arg_max_n(x, k, axis=axis)
    return WithIndex(take_along_axis(x, indexes, axis=axis).realise(), indexes)


def fill_range(x, max_span):
    """The numbers of x [n] in float64, with evenly spaced ones in each step up that is larger than max_span; and the indexes of these.

    O(size of the result). Error unless max_span > 0, ShapeError of another rank than 1."""
    return FilledRange(*_core._fill_range(x, max_span))


def slope_at(x, places, axis):
    """The slope along an axis whose elements lie at these places [n], as NumPy's gradient: quadratic within, straight at both
    ends."""
    x, places = moveaxis(asarray(x) * 1.0, axis, -1), places * 1.0
    if places.shape != (x.shape[-1],) or x.shape[-1] < 2:
        raise ShapeError(f"gradient: {x.shape[-1]} elements have no slope at places {list(places.shape)}")
    steps = _core._diff(x, -1, 1) / _core._diff(places, 0, 1)
    before, after = places[1:-1] - places[:-2], places[2:] - places[1:-1]
    within = (steps[..., :-1] * after + steps[..., 1:] * before) / (before + after)
    # Halfway between its neighbours an element itself counts for nothing, be it NaN or infinite.
    within = _core.where(before == after, (x[..., 2:] - x[..., :-2]) / (before + after), within)
    slopes = _core.concat([steps[..., :1], within, steps[..., -1:]], axis=-1)
    return moveaxis(slopes.astype(x.dtype, copy=False), -1, axis)
