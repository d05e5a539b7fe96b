#pragma once

#include <purview/functional/reductions/own_reducer.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace purview::inline v0_1 {

/// Quantiles that `approximate_quantile` estimates, as a list or a number by itself. Throws `Error`
/// for a quantile outside of [0, 1], and for none.
PURVIEW_EXPORT std::shared_ptr<const FunctionReducer>
quantile_sketch(std::span<const double> quantiles, bool list);

struct ApproximateQuantileFunction {
    OwnReducer<void, double> operator()(double q) const {
        return OwnReducer<void, double>(quantile_sketch({&q, 1}, false));
    }
    template <std::size_t count>
    OwnReducer<void, std::array<double, count>> operator()(const double (&q)[count]) const {
        return OwnReducer<void, std::array<double, count>>(quantile_sketch(q, true));
    }
};

/// `approximate_quantile(0.5)` or `approximate_quantile({.5, .99})`, whose list is an axis in front: a
/// reducer for `reduce`, groups, windows and ranks that estimates quantiles of numbers, as float64,
/// in one pass and one state of 16 KB, whatever their number. At most 512 elements give what `quantile`
/// gives; of more, the element whose rank is within 0.6 % of the wanted one (99 of 100 times); the extremes
/// are exact. NaN of no elements, and of a NaN (`approximate_quantile(.5)(skip_nan)`).
///
/// A sketch of Karnin, Lang, Liberty, "Optimal quantile approximation in streams" (2016). Its coins are
/// drawn from how often the states have been compacted, and from elements: the same result in every run, with
/// any number of threads; another one with other chunks or ranks.
inline constexpr ApproximateQuantileFunction approximate_quantile;

/// What `approximate_distinct` is made of.
struct DistinctSketch {
    PURVIEW_EXPORT const FunctionReducer* operator->() const;
    const FunctionReducer& operator*() const { return *operator->(); }
};

/// A reducer that estimates how many different elements there are, numbers, times or strings: int64. Up to
/// 1536 are counted exactly, of more the standard error is 0.8 %; in one pass and one state of 16 KB. Of
/// any order of elements, chunks or ranks the same result. -0 is 0, each NaN the same element, unless
/// `approximate_distinct(skip_nan)`.
///
/// Flajolet et al., "HyperLogLog" (2007), of 2^14 registers, estimated as Ertl, "New cardinality estimation
/// algorithms for HyperLogLog sketches" (2017).
inline constexpr OwnReducer<void, std::int64_t, NanRule::keep, DistinctSketch> approximate_distinct;

} // namespace purview
