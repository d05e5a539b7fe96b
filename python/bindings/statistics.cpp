// Quantiles, descriptions, histograms, and statistics of two arrays.

#include "statistics.hpp"

#include "as_array.hpp"
#include "casts.hpp"
#include "computing.hpp"
#include "options.hpp"
#include "python_arithmetic.hpp"
#include "text_caster.hpp"
#include "truth.hpp"

#include <purview/functional/along/searchsorted.hpp>
#include <purview/functional/statistics/correlation.hpp>
#include <purview/functional/statistics/descriptive.hpp>
#include <purview/functional/statistics/histogram.hpp>
#include <purview/functional/statistics/percentiles.hpp>

#include <nanobind/stl/string_view.h>

#include <span>
#include <string>

namespace purview_python {
namespace {

pv::QuantileMethod method_named(const char* what, std::string_view name) {
    using pv::QuantileMethod;
#define PURVIEW_METHOD(NAME) {#NAME, QuantileMethod::NAME},
    static constexpr Named<QuantileMethod> kMethods[] = {
        PURVIEW_METHOD(linear) PURVIEW_METHOD(inverted_cdf) PURVIEW_METHOD(averaged_inverted_cdf)
            PURVIEW_METHOD(closest_observation) PURVIEW_METHOD(interpolated_inverted_cdf)
                PURVIEW_METHOD(hazen) PURVIEW_METHOD(weibull) PURVIEW_METHOD(median_unbiased)
                    PURVIEW_METHOD(normal_unbiased) PURVIEW_METHOD(lower) PURVIEW_METHOD(higher)
                        PURVIEW_METHOD(midpoint) PURVIEW_METHOD(nearest)};
#undef PURVIEW_METHOD
    return named(what, "method", name, kMethods);
}

/// A reduction that adds a first axis if `leads`.
template <typename Work>
Array reduced_over(const char* what, nb::handle x, nb::handle axis, bool keepdims,
                   std::string_view nan, bool leads, Work work) {
    const Array array = number_array(x);
    const pv::ChosenAxes chosen = chosen_axes(axis, array.rank(), keepdims, nan_rule(what, nan));
    return computing(array.size(), [&] {
        return Array::writable(
            pv::reduce_over_axes(what, array.operand(), chosen, leads ? 0 : -1, work));
    });
}

Array quantiles_over(const char* what, nb::handle x, nb::handle axis, bool keepdims,
                     std::string_view nan, std::span<const double> quantiles, double scale,
                     bool listed, pv::QuantileMethod by) {
    // Quantiles skip NaN themselves.
    const pv::NanRule rule = nan_rule(what, nan);
    return reduced_over(what, x, axis, keepdims, rule == pv::NanRule::skip ? "keep" : nan, listed,
                        [&](const pv::ReducedView& view) {
                            return pv::quantile_operand(what, view, quantiles, scale, listed, by,
                                                        rule);
                        });
}

template <int scale>
void bind_quantile(nb::module_& module, const char* name, const char* text) {
    module.def(
        name,
        [name](nb::handle x, nb::handle q, nb::handle axis, const std::string& method,
               Truth keepdims, std::string_view nan) {
            const Array given = cast_to(as_array(q), pv::float64);
            if (given.rank() > 1) throw nb::value_error("quantiles are a number, or a list");
            const std::vector<double> quantiles =
                pv::to_vector(pv::Tensor<double>(given.operand()));
            const bool listed = given.rank() == 1;
            const pv::QuantileMethod by = method_named(name, method);
            return quantiles_over(name, x, axis, keepdims, nan, quantiles, scale, listed, by);
        },
        nb::arg("x"), nb::arg("q"), nb::arg("axis") = nb::none(), nb::kw_only(),
        nb::arg("method") = "linear", nb::arg("keepdims") = false, nb::arg("nan") = "keep", text);
}

void bind_quantiles(nb::module_& module) {
    bind_quantile<100>(
        module, "percentile",
        "The value below which q % of the elements over axes lie, by one of NumPy's 13 methods. A "
        "list of q gives a first axis. O(n). Error of q outside of [0, 100]; NaN of nothing.");
    bind_quantile<1>(
        module, "quantile",
        "The value below which a fraction q of the elements over axes lies. Otherwise as "
        "percentile.");
    module.def(
        "quartiles",
        [](nb::handle x, nb::handle axis, const std::string& method, Truth keepdims,
           std::string_view nan) {
            const pv::QuantileMethod by = method_named("quartiles", method);
            static constexpr double kShares[] = {0, 0.25, 0.5, 0.75, 1};
            return quantiles_over("quartiles", x, axis, keepdims, nan, kShares, 1, true, by);
        },
        nb::arg("x"), nb::arg("axis") = nb::none(), nb::kw_only(), nb::arg("method") = "linear",
        nb::arg("keepdims") = false, nb::arg("nan") = "keep",
        "The least element, the lower quartile, the median, the upper quartile and the greatest "
        "element over axes: [5, …]. O(n).");
    module.def("_outlier_fences", [](nb::handle x, double factor, std::string_view nan) {
        const Array array = number_array(x);
        const pv::NanRule rule = nan_rule("outlier_fences", nan);
        const pv::OutlierFences fences = computing(array.size(), [&] {
            if (rule == pv::NanRule::skip) return pv::outlier_fences(array, factor, pv::skip_nan);
            if (rule == pv::NanRule::refuse)
                return pv::outlier_fences(array, factor, pv::throw_nan);
            return pv::outlier_fences(array, factor);
        });
        return nb::make_tuple(fences.lower, fences.upper);
    });
    module.def(
        "is_outlier",
        [](nb::handle x, double factor, std::string_view nan) {
            const Array array = number_array(x);
            const pv::NanRule rule = nan_rule("is_outlier", nan);
            return computing(array.size(), [&]() -> Array {
                if (rule == pv::NanRule::skip) return pv::is_outlier(array, factor, pv::skip_nan);
                if (rule == pv::NanRule::refuse)
                    return pv::is_outlier(array, factor, pv::throw_nan);
                return pv::is_outlier(array, factor);
            });
        },
        nb::arg("x"), nb::arg("factor") = 1.5, nb::kw_only(), nb::arg("nan") = "keep",
        "Bools of the shape of x, true outside of outlier_fences(x, factor). The fences are "
        "computed now, O(n); the rest is lazy.");
}

pv::Statistic statistic_named(std::string_view name) {
    static constexpr pv::Statistic kLast = pv::Statistic::upper_quartile;
    std::vector<const char*> names;
    for (int i = 0; i <= static_cast<int>(kLast); ++i) {
        const auto each = static_cast<pv::Statistic>(i);
        if (name == pv::name_of(each)) return each;
        names.push_back(pv::name_of(each));
    }
    throw_unknown("descriptive_statistics", "a statistic", name, names);
}

void bind_descriptions(nb::module_& module) {
    module.def(
        "moment",
        [](nb::handle x, int order, nb::handle axis, Truth keepdims, std::string_view nan) {
            return reduced_over(
                "moment", x, axis, keepdims, nan, false,
                [&](const pv::ReducedView& view) { return pv::moment_operand(view, order); });
        },
        nb::arg("x"), nb::arg("order"), nb::arg("axis") = nb::none(), nb::kw_only(),
        nb::arg("keepdims") = false, nb::arg("nan") = "keep",
        "The central moment of an order over axes, the mean of (x - mean) ** order. One pass, two "
        "above order 4. Error of a negative order.");
    module.def("_default_statistics", [] {
        nb::list names;
        for (const pv::Statistic each : pv::StatisticList().statistics)
            names.append(pv::name_of(each));
        return names;
    });
    module.def(
        "_descriptive_statistics",
        [](nb::handle x, nb::handle statistics, nb::handle axis, Truth keepdims,
           std::string_view nan) {
            std::vector<pv::Statistic> list;
            for (nb::handle each : statistics)
                list.push_back(statistic_named(nb::cast<std::string>(each)));
            return reduced_over("descriptive_statistics", x, axis, keepdims, nan, true,
                                [&](const pv::ReducedView& view) {
                                    return pv::statistics_of("descriptive_statistics", view, list);
                                });
        },
        nb::arg("x"), nb::arg("statistics"), nb::arg("axis").none(), nb::arg("keepdims"),
        nb::arg("nan"));
}

template <pv::PairStatistic statistic>
void bind_pair(nb::module_& module, const char* text) {
    const char* const name = pv::name_of(statistic);
    module.def(
        name,
        [name](nb::handle x, nb::handle y, nb::handle axis, std::string_view nan) -> Array {
            const Array a = number_array(x);
            const Array b = number_array(y);
            const pv::NanRule rule = nan_rule(name, nan);
            if (axis.is_none()) {
                const double result = computing(a.size(), [&] {
                    return pv::pair_statistic(statistic, a.operand(), b.operand(), rule);
                });
                return pv::clone_tensor(Array(pv::constant_operand<double>(result)));
            }
            const pv::ChosenAxes chosen = chosen_axes(axis, 0, false, rule);
            return computing(a.size(), [&] {
                return Array::writable(pv::reduce_pairs_over_axes(
                    name, a.operand(), b.operand(), chosen, -1, [](const pv::ReducedPair& pair) {
                        return pv::pair_statistics(statistic, pair);
                    }));
            });
        },
        nb::arg("x"), nb::arg("y"), nb::arg("axis") = nb::none(), nb::kw_only(),
        nb::arg("nan") = "keep", text);
}

template <pv::MatrixStatistic statistic>
void bind_matrix(nb::module_& module, const char* name, const char* text) {
    module.def(
        name,
        [name](nb::handle x, std::string_view nan) -> Array {
            const Array array = number_array(x);
            const pv::NanRule rule = nan_rule(name, nan);
            return computing(steps(array.size(), 4), [&]() -> Array {
                return owned(pv::matrix_statistic(statistic, array.operand(), rule));
            });
        },
        nb::arg("x"), nb::kw_only(), nb::arg("nan") = "keep", text);
}

void bind_pairs(nb::module_& module) {
    using pv::PairStatistic;
    bind_pair<PairStatistic::of_covariance>(
        module,
        "The mean of the products of the differences from the means, float64: of all pairs of "
        "two arrays of one shape, or over axes of arrays that broadcast. nan=\"skip\" uses the "
        "pairs of two numbers. ShapeError of other shapes.");
    bind_pair<PairStatistic::of_sample_covariance>(
        module, "The covariance of a sample, divided by n - 1. Otherwise as covariance.");
    bind_pair<PairStatistic::of_pearson>(
        module, "Pearson's r, in [-1, 1], exactly 1 of equal arrays; NaN if one is constant. "
                "Otherwise as covariance.");
    bind_pair<PairStatistic::of_spearman>(
        module, "Spearman's rho: Pearson's r of the ranks, O(n). Otherwise as covariance.");
    bind_pair<PairStatistic::of_kendall>(
        module, "Kendall's tau-b, which accounts for ties, O(n log n). Otherwise as covariance.");
    using pv::MatrixStatistic;
    bind_matrix<MatrixStatistic::of_covariance>(
        module, "covariance_matrix",
        "The covariances of k variables, the rows of [k, n]: float64 [k, k]. With nan=\"skip\" of the "
        "places where both rows are numbers. ShapeError of other ranks.");
    bind_matrix<MatrixStatistic::of_sample_covariance>(
        module, "sample_covariance_matrix", "The same divided by n - 1, as NumPy's cov.");
    bind_matrix<MatrixStatistic::of_correlation>(
        module, "correlation_matrix",
        "Pearson's r of each two rows of [k, n], as NumPy's corrcoef.");
    module.def(
        "_linear_regression",
        [](nb::handle x, nb::handle y, nb::handle axis, std::string_view nan) {
            const Array a = number_array(x);
            const Array b = number_array(y);
            const pv::NanRule rule = nan_rule("linear_regression", nan);
            nb::list members;
            if (axis.is_none()) {
                const pv::LinearRegression line = computing(
                    a.size(), [&] { return pv::regression_of(a.operand(), b.operand(), rule); });
                for (const double each : {line.slope, line.intercept, line.correlation,
                                          line.slope_error, line.intercept_error})
                    members.append(pv::clone_tensor(Array(pv::constant_operand<double>(each))));
                return members;
            }
            const pv::ChosenAxes chosen = chosen_axes(axis, 0, false, rule);
            const Array all = computing(a.size(), [&] {
                return Array::writable(pv::reduce_pairs_over_axes(
                    "linear_regression", a.operand(), b.operand(), chosen, 0, &pv::regressions_of));
            });
            for (int i = 0; i < 5; ++i) members.append(all(i));
            return members;
        },
        nb::arg("x"), nb::arg("y"), nb::arg("axis").none(), nb::arg("nan"));
    module.def(
        "ranks",
        [](nb::handle x, Py_ssize_t axis, std::string_view nan) {
            const Array array = number_array(x);
            const pv::ChosenAxis along = chosen_axis(array, axis, nan_rule("ranks", nan));
            return worked_along("ranks", array, along, [&](const pv::AxisParts& parts) {
                return pv::ranks_of(parts, along.nan);
            });
        },
        nb::arg("x"), nb::arg("axis") = -1, nb::kw_only(), nb::arg("nan") = "keep",
        "The ranks of elements along an axis, from 1, equal ones sharing theirs: float64 of the shape "
        "of x. A lane with NaN has NaN alone; with nan=\"skip\" only its NaNs have. O(n).");
}

pv::Bins bins_of(const char* what, nb::handle bins, nb::handle range) {
    if (const std::optional<pv::index_t> given = try_integer(bins)) {
        const pv::index_t count = *given;
        if (range.is_none()) return pv::Bins(count);
        const std::vector<double> limits = doubles_of(range);
        if (limits.size() != 2)
            throw nb::value_error((std::string(what) + ": a range is (low, high)").c_str());
        return pv::Bins(count, limits[0], limits[1]);
    }
    if (!range.is_none())
        throw nb::value_error((std::string(what) + ": edges have no range").c_str());
    const std::vector<double> edges = doubles_of(bins);
    if (edges.size() < 2)
        throw nb::value_error((std::string(what) + ": bins have two edges at least").c_str());
    return pv::Bins(edges);
}

void bind_histograms(nb::module_& module) {
    module.def(
        "_histogram",
        [](nb::handle x, nb::handle bins, nb::handle range) {
            const Array array = number_array(x);
            const pv::Bins between = bins_of("histogram", bins, range);
            const pv::Histogram made =
                computing(array.size(), [&] { return pv::histogram_of(array.operand(), between); });
            return nb::make_tuple(owned(made.counts), owned(made.edges));
        },
        nb::arg("x"), nb::arg("bins"), nb::arg("range").none());
    module.def(
        "_weighted_histogram",
        [](nb::handle x, nb::handle weights, nb::handle bins, nb::handle range, Truth density) {
            const char* const name = density ? "histogram_density" : "weighted_histogram";
            const Array array = number_array(x);
            const pv::Bins between = bins_of(name, bins, range);
            const Array heights = weights.is_none() ? array : number_array(weights);
            const pv::Operand of_weights = heights.operand();
            const pv::WeightedHistogram made = computing(array.size(), [&] {
                return pv::weighted_histogram_of(
                    array.operand(), weights.is_none() ? nullptr : &of_weights, between, density);
            });
            return nb::make_tuple(owned(made.heights), owned(made.edges));
        },
        nb::arg("x"), nb::arg("weights").none(), nb::arg("bins"), nb::arg("range").none(),
        nb::arg("density"));
    module.def(
        "bincount",
        [](nb::handle x, nb::handle weights, Py_ssize_t min_length) -> Array {
            const Array array = as_array(x);
            if (weights.is_none())
                return computing(array.size(), [&]() -> Array {
                    return owned(pv::counts_of(array.operand(), min_length));
                });
            const Array heights = number_array(weights);
            return computing(array.size(), [&]() -> Array {
                return owned(pv::weights_of(array.operand(), heights.operand(), min_length));
            });
        },
        nb::arg("x"), nb::arg("weights") = nb::none(), nb::arg("minlength") = 0,
        "How often each integer from 0 on occurs in x, int64 [k]; or the sums of their weights, "
        "float64. O(n + k), one thread. IndexError of negative integers, ShapeError of weights of "
        "another shape, DtypeError of other types.");
    module.def(
        "digitize",
        [](nb::handle x, nb::handle edges, Truth right) {
            const pv::Side of = right ? pv::Side::right : pv::Side::left;
            const Array array = number_array(x);
            const Array between = number_array(edges);
            return computing(steps(array.size(), 4), [&] {
                return Array::writable(
                    pv::bin_places({array.operand(), false}, {between.operand(), false}, of));
            });
        },
        nb::arg("x"), nb::arg("bins"), nb::arg("right") = false,
        "The bin of each element, int64 of the shape of x, as NumPy's: i where bins[i - 1] <= x < "
        "bins[i], with right=True where bins[i - 1] < x <= bins[i]. O(n log k). Error of "
        "edges that neither ascend nor descend, ShapeError of another rank than 1.");
}

} // namespace

void bind_statistics(nb::module_& module) {
    bind_quantiles(module);
    bind_descriptions(module);
    bind_pairs(module);
    bind_histograms(module);
}

} // namespace purview_python
