#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/order_statistics.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/expression/constant.hpp>
#include <purview/functional/statistics/percentiles.hpp>
#include <purview/reader/buffer.hpp>
#include <purview/tensor/copy.hpp>

#include "functional/reductions/typed_memory.hpp"
#include "functional/statistics/interpolated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace purview::inline v0_1 {
namespace {

struct SampleIndex {
    double index; ///< counted from 0; may be out of range
    double share; ///< the weight of the next element
};

SampleIndex sample_index(double index) { return {index, index - std::floor(index)}; }

/// Hyndman and Fan's continuous types.
SampleIndex of_type(double n, double q, double alpha, double beta) {
    return sample_index(n * q + (alpha + q * (1 - alpha - beta)) - 1);
}

/// A single element: the one at the index, or with `behind` the next one.
SampleIndex one_of(double index, bool behind) { return {std::floor(index) + (behind ? 1 : 0), 0}; }

SampleIndex fitted_index(double n, double q, QuantileMethod method) {
    const double along = (n - 1) * q;
    switch (method) {
    case QuantileMethod::inverted_cdf: {
        const SampleIndex at = sample_index(n * q - 1);
        return one_of(at.index, at.share > 0);
    }
    case QuantileMethod::averaged_inverted_cdf: {
        const SampleIndex at = sample_index(n * q - 1);
        return {at.index, at.share > 0 ? 1 : 0.5};
    }
    case QuantileMethod::closest_observation: {
        const SampleIndex at = sample_index(n * q - 1.5);
        const bool odd = std::fmod(std::floor(at.index), 2) != 0;
        return one_of(at.index, at.share > 0 || !odd);
    }
    case QuantileMethod::interpolated_inverted_cdf: return of_type(n, q, 0, 1);
    case QuantileMethod::hazen: return of_type(n, q, 0.5, 0.5);
    case QuantileMethod::weibull: return of_type(n, q, 0, 0);
    case QuantileMethod::linear: return sample_index(along);
    case QuantileMethod::median_unbiased: return of_type(n, q, 1.0 / 3, 1.0 / 3);
    case QuantileMethod::normal_unbiased: return of_type(n, q, 3.0 / 8, 3.0 / 8);
    case QuantileMethod::lower: return one_of(along, false);
    case QuantileMethod::higher: return {std::ceil(along), 0};
    case QuantileMethod::midpoint: return {along, along == std::floor(along) ? 0 : 0.5};
    case QuantileMethod::nearest: return {std::nearbyint(along), 0};
    }
    return sample_index(along);
}

/// The quantiles of each group: `between(low, high, share)` of the elements at the two ranks.
template <typename R, typename T, typename Between>
Operand selected_quantiles(const char* what, const ReducedView& view,
                           std::span<const double> quantiles, double scale, bool listed,
                           QuantileMethod method, Between between) {
    for (const double q : quantiles) check_quantile(what, q, scale);
    require_not_sparse(what, view.operand);
    require_host_reads(what, view.operand);
    const auto width = std::ssize(quantiles);
    const index_t groups = view.groups;
    const index_t group = groups == 0 ? 0 : view.operand.dims.size() / groups;
    std::vector<QuantilePlace> places;
    std::vector<index_t> ranks;
    for (const double q : quantiles) {
        if (group == 0) break;
        places.push_back(quantile_place(group, q / scale, method));
        ranks.push_back(places.back().low);
        if (places.back().share > 0) ranks.push_back(places.back().high);
    }
    std::ranges::sort(ranks);
    ranks.erase(std::ranges::unique(ranks).begin(), ranks.end());
    const auto at = [&](index_t rank) {
        return static_cast<std::size_t>(std::ranges::lower_bound(ranks, rank) - ranks.begin());
    };
    using Selected = std::conditional_t<std::same_as<T, bool>, std::uint8_t, T>;
    Shape shape = view.shape;
    if (listed) shape.push_back(width);
    BufferPtr<R> buffer = allocate_uninitialized_buffer<R>(groups * width);
    R* out = static_cast<R*>(buffer->writable_memory().data);
    const auto selected =
        std::make_unique<Selected[]>(static_cast<std::size_t>(groups) * ranks.size());
    select_ranks(view.operand, groups, ranks, selected.get());
    for (index_t g = 0; g < groups; ++g) {
        const Selected* const of_group =
            selected.get() + static_cast<std::size_t>(g) * ranks.size();
        for (std::size_t q = 0; q < quantiles.size(); ++q) {
            if (group == 0) {
                *out++ = std::numeric_limits<R>::quiet_NaN();
                continue;
            }
            const QuantilePlace& place = places[q];
            const Selected low = of_group[at(place.low)];
            *out++ = between(low, place.share > 0 ? of_group[at(place.high)] : low, place.share);
        }
    }
    return operand_over(std::move(buffer), Dimensions::row_major(shape));
}

/// low + share * (high - low), rounded to the nearest integer, ties down. Exact for the given
/// share.
std::int64_t between_counts(std::int64_t low, std::int64_t high, double share) {
    __extension__ typedef unsigned __int128 wide_t;
    constexpr int kBits = 53;
    const auto distance = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    const auto part = static_cast<wide_t>(distance) *
                      static_cast<std::uint64_t>(share * static_cast<double>(1LL << kBits));
    auto steps = static_cast<std::uint64_t>(part >> kBits);
    const wide_t rest = part - (static_cast<wide_t>(steps) << kBits);
    if (rest > wide_t{1} << (kBits - 1)) ++steps;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + steps);
}

} // namespace

QuantilePlace quantile_place(index_t count, double q, QuantileMethod method) {
    const SampleIndex place = fitted_index(static_cast<double>(count), q, method);
    if (place.index < 0) return {0, 0, 0};
    if (place.index >= static_cast<double>(count - 1)) return {count - 1, count - 1, 0};
    const auto low = static_cast<index_t>(place.index);
    return {low, low + 1, place.share};
}

Operand quantile_operand(const char* what, const ReducedView& view,
                         std::span<const double> quantiles, double scale, bool listed,
                         QuantileMethod method) {
    const DType given = view.operand.dtype();
    if (is_float16(given) || given.counted_in() != given) {
        ReducedView other = view;
        if (is_float16(given)) {
            other.operand = widened_operand(view.operand);
            return quantile_operand(what, other, quantiles, scale, listed, method);
        }
        if (given.counted_in().is_floating()) throw_dtype_unsupported(what, given);
        other.operand = integer_counts(view.operand);
        const Operand counts = quantiles_of_counts(what, other, quantiles, scale, listed, method);
        return clone(AnyTensor(times_of(counts, given))).operand();
    }
    return visit_dtype(view.operand.dtype(), what, [&]<typename T>(std::type_identity<T>) {
        using R = Averaged<T>;
        return selected_quantiles<R, T>(
            what, view, quantiles, scale, listed, method, [](auto low, auto high, double share) {
                return static_cast<R>(
                    interpolated(static_cast<double>(low), static_cast<double>(high), share));
            });
    });
}

Operand quantiles_of_counts(const char* what, const ReducedView& view,
                            std::span<const double> quantiles, double scale, bool listed,
                            QuantileMethod method) {
    require_elements(what, view);
    const Operand found = selected_quantiles<std::int64_t, std::int64_t>(
        what, view, quantiles, scale, listed, method, between_counts);
    constexpr std::int64_t kNat = kNatCount<std::int64_t>;
    std::vector<std::int64_t> missing(static_cast<std::size_t>(view.groups));
    count_true_elements(
        binary_operand(Op::equal, view.operand, constant_operand(kNat), int64, boolean),
        view.groups, missing.data());
    auto* out = reinterpret_cast<std::int64_t*>(memory_of(found));
    const index_t width = std::ssize(quantiles);
    for (const std::int64_t of_group : missing) {
        if (of_group > 0) std::fill_n(out, width, kNat);
        out += width;
    }
    return found;
}

OutlierFences OutlierFencesOf::fences(const Operand& x, double factor, NanRule nan) {
    require_host_reads("outlier_fences", x);
    ChosenAxes chosen;
    chosen.nan = nan;
    const auto ends =
        cast<double>(AnyTensor(reduce_over_axes("percentile", x, chosen, 0, [](const auto& view) {
            static constexpr double kEnds[] = {25, 75};
            return quantile_operand("percentile", view, kEnds, 100, true, QuantileMethod::linear);
        })));
    const double lower = ends(0);
    const double upper = ends(1);
    // Equal infinities are no distance apart, and no multiple of a distance is none.
    const double reach = lower == upper || factor == 0 ? 0 : factor * (upper - lower);
    return {lower - reach, upper + reach};
}

} // namespace purview
