#pragma once

// Every reducer of the library and some of one's own, each beside nested loops over the elements of a group: one table
// for all that carries reductions.
#include <support/own_reducers.hpp>

#include <purview/functional/reductions/compensated_sum.hpp>
#include <purview/functional/reductions/distance.hpp>
#include <purview/functional/reductions/exact_sum.hpp>
#include <purview/functional/reductions/first.hpp>
#include <purview/functional/reductions/logsumexp.hpp>
#include <purview/functional/reductions/norm.hpp>
#include <purview/functional/reductions/reduce_by.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/functional/statistics/descriptive.hpp>
#include <purview/functional/statistics/percentiles.hpp>
#include <purview/functional/statistics/sketches.hpp>

#include <concepts>
#include <optional>
#include <utility>
#include <vector>

namespace oracle {

/// The elements of a group that are reduced, and the place of each among all of the group, in their order.
struct Group {
    std::vector<double> elements;
    std::vector<purview::index_t> places;
    purview::index_t count; ///< of all
    purview::DType dtype;
    bool skips_nan; ///< as there may be some
};
/// What is left of a group: all, or what is not NaN.
Group group_of(const std::vector<double>& all, purview::DType dtype, bool skips_nan);

/// The result of a group, by a loop; nothing where there is none, which is a `ShapeError`.
using ByLoop = std::optional<double> (*)(const Group&);

/// What sparse tensors are reduced to; anything else is a `KindError`, as is `skip_nan` over some of the axes.
enum class OfSparse { everything_and_axes, everything, nothing };
/// What a reducer gives, and where it has no form.
struct ReducerRow {
    const char* name;
    ByLoop expected;
    OfSparse of_sparse = OfSparse::everything_and_axes;
    bool over_ranks = true; ///< else a `KindError`

    bool reduces_sparse(bool everything, bool skips_nan) const {
        return of_sparse == OfSparse::everything
                   ? everything
                   : of_sparse != OfSparse::nothing && (everything || !skips_nan);
    }
};

namespace by_loop {
std::optional<double> sum(const Group&);
std::optional<double> product(const Group&);
std::optional<double> mean(const Group&);
std::optional<double> min(const Group&);
std::optional<double> max(const Group&);
std::optional<double> any_of(const Group&);
std::optional<double> all_of(const Group&);
std::optional<double> count_true(const Group&);
std::optional<double> argmin(const Group&);
std::optional<double> argmax(const Group&);
std::optional<double> argmin_last(const Group&);
std::optional<double> argmax_last(const Group&);
std::optional<double> variance(const Group&);
std::optional<double> standard_deviation(const Group&);
std::optional<double> sample_variance(const Group&);
std::optional<double> sample_standard_deviation(const Group&);
std::optional<double> standard_error(const Group&);
std::optional<double> skewness(const Group&);
std::optional<double> sample_skewness(const Group&);
std::optional<double> kurtosis(const Group&);
std::optional<double> sample_kurtosis(const Group&);
std::optional<double> third_moment(const Group&);
std::optional<double> magnitude(const Group&);
std::optional<double> magnitude_squared(const Group&);
std::optional<double> quadratic_mean(const Group&);
std::optional<double> geometric_mean(const Group&);
std::optional<double> harmonic_mean(const Group&);
std::optional<double> logsumexp(const Group&);
std::optional<double> median(const Group&);
std::optional<double> lower_quartile(const Group&);
std::optional<double> most_frequent(const Group&);
std::optional<double> first(const Group&);
std::optional<double> last(const Group&);
std::optional<double> distinct(const Group&);
std::optional<double> spread(const Group&);
std::optional<double> digest(const Group&);
} // namespace by_loop

/// Of `digest_of<double>()`, in a number that holds it.
inline auto rounded_digest() {
    return purview::reducer<double>(
        "digest", Digest{}, [](Digest& d, double x) { d.add(x); },
        [](Digest& d, const Digest& next) { d.join(next); },
        [](const Digest& d) { return static_cast<double>(d.value >> 11); });
}

/// Calls `f(row, reducer)` for each reducer, of numbers of any type that float64 holds.
template <typename F>
void for_each_reducer(F f) {
    namespace pv = purview;
    f(ReducerRow{"sum", by_loop::sum}, pv::sum);
    f(ReducerRow{"product", by_loop::product}, pv::product);
    f(ReducerRow{"mean", by_loop::mean}, pv::mean);
    f(ReducerRow{"min", by_loop::min}, pv::min);
    f(ReducerRow{"max", by_loop::max}, pv::max);
    f(ReducerRow{"any_of", by_loop::any_of}, pv::any_of);
    f(ReducerRow{"all_of", by_loop::all_of}, pv::all_of);
    f(ReducerRow{"count_true", by_loop::count_true}, pv::count_true);
    f(ReducerRow{"argmin", by_loop::argmin}, pv::argmin);
    f(ReducerRow{"argmax", by_loop::argmax}, pv::argmax);
    f(ReducerRow{"argmin_last", by_loop::argmin_last}, pv::argmin_last);
    f(ReducerRow{"argmax_last", by_loop::argmax_last}, pv::argmax_last);
    f(ReducerRow{"variance", by_loop::variance}, pv::variance);
    f(ReducerRow{"standard_deviation", by_loop::standard_deviation}, pv::standard_deviation);
    f(ReducerRow{"sample_variance", by_loop::sample_variance}, pv::sample_variance);
    f(ReducerRow{"sample_standard_deviation", by_loop::sample_standard_deviation},
      pv::sample_standard_deviation);
    f(ReducerRow{"magnitude", by_loop::magnitude}, pv::magnitude);
    f(ReducerRow{"magnitude_squared", by_loop::magnitude_squared, OfSparse::everything_and_axes,
                 false},
      pv::magnitude_squared);
    f(ReducerRow{"standard_error", by_loop::standard_error, OfSparse::nothing}, pv::standard_error);
    f(ReducerRow{"quadratic_mean", by_loop::quadratic_mean, OfSparse::nothing}, pv::quadratic_mean);
    f(ReducerRow{"skewness", by_loop::skewness, OfSparse::nothing}, pv::skewness);
    f(ReducerRow{"sample_skewness", by_loop::sample_skewness, OfSparse::nothing},
      pv::sample_skewness);
    f(ReducerRow{"kurtosis", by_loop::kurtosis, OfSparse::nothing}, pv::kurtosis);
    f(ReducerRow{"sample_kurtosis", by_loop::sample_kurtosis, OfSparse::nothing},
      pv::sample_kurtosis);
    f(ReducerRow{"exact_sum", by_loop::sum, OfSparse::nothing}, pv::exact_sum);
    f(ReducerRow{"compensated_sum", by_loop::sum, OfSparse::nothing, false}, pv::compensated_sum);
    f(ReducerRow{"logsumexp", by_loop::logsumexp, OfSparse::everything, false}, pv::logsumexp);
    f(ReducerRow{"geometric_mean", by_loop::geometric_mean, OfSparse::nothing, false},
      pv::geometric_mean);
    f(ReducerRow{"harmonic_mean", by_loop::harmonic_mean, OfSparse::nothing, false},
      pv::harmonic_mean);
    f(ReducerRow{"median", by_loop::median, OfSparse::nothing, false}, pv::median);
    f(ReducerRow{"most_frequent", by_loop::most_frequent, OfSparse::nothing, false},
      pv::most_frequent);
    f(ReducerRow{"first", by_loop::first, OfSparse::nothing, false}, pv::first);
    f(ReducerRow{"last", by_loop::last, OfSparse::nothing, false}, pv::last);
    f(ReducerRow{"approximate_quantile", by_loop::lower_quartile}, pv::approximate_quantile(.25));
    f(ReducerRow{"approximate_distinct", by_loop::distinct}, pv::approximate_distinct);
    f(ReducerRow{"spread", by_loop::spread}, spread_of());
    f(ReducerRow{"spread, commuting", by_loop::spread}, spread_of(true));
    f(ReducerRow{"digest", by_loop::digest}, rounded_digest());
}

/// Calls `f(row, function)` for each function of a tensor, axes and options that is no reducer.
template <typename F>
void for_each_reducing_function(F f) {
    namespace pv = purview;
    f(ReducerRow{"norm, Frobenius", by_loop::magnitude}, [](const auto& x, const auto&... given) {
        return pv::norm(x, pv::NormOrder::frobenius(), given...);
    });
    f(ReducerRow{"moment of order 3", by_loop::third_moment, OfSparse::nothing},
      [](const auto& x, const auto&... given) { return pv::moment(x, 3, given...); });
    f(ReducerRow{"percentile", by_loop::lower_quartile, OfSparse::nothing, false},
      [](const auto& x, const auto&... given) { return pv::percentile(x, 25, given...); });
}

} // namespace oracle
