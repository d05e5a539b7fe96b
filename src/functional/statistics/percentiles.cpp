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

/// Which sorted elements quantiles lie between, and at which fraction of the way.
class QuantilePlaces {
public:
    /// Of the elements from the place `first` on, of which there are `count`.
    QuantilePlaces(std::span<const double> quantiles, double scale, QuantileMethod method,
                   index_t first, index_t count) {
        if (count == 0) return;
        for (const double q : quantiles) {
            QuantilePlace place = quantile_place(count, q / scale, method);
            place.low += first;
            place.high += first;
            places_.push_back(place);
            ranks_.push_back(place.low);
            if (place.share > 0) ranks_.push_back(place.high);
        }
        std::ranges::sort(ranks_);
        ranks_.erase(std::ranges::unique(ranks_).begin(), ranks_.end());
    }

    /// Those of the elements, ascending; none where there are no elements.
    std::span<const index_t> ranks() const noexcept { return ranks_; }

    /// Writes `between(low, high, share)` of the elements at the ranks, for each quantile.
    template <typename T, typename R, typename Between>
    R* write(const T* elements, R* out, Between between) const {
        for (const QuantilePlace& place : places_) {
            const T low = elements[at(place.low)];
            *out++ = between(low, place.share > 0 ? elements[at(place.high)] : low, place.share);
        }
        return out;
    }

private:
    std::size_t at(index_t rank) const {
        return static_cast<std::size_t>(std::ranges::lower_bound(ranks_, rank) - ranks_.begin());
    }

    std::vector<QuantilePlace> places_;
    std::vector<index_t> ranks_;
};

/// The elements that quantiles of a view lie between.
template <typename T>
struct SelectedElements {
    QuantilePlaces places;
    std::unique_ptr<T[]> elements; ///< those of each group, by rank
};

/// Those of everything in chunks, which is read cell by cell; `places_of` many elements.
template <typename T, typename PlacesOf>
SelectedElements<T> select_by_reading(const char* what, const Operand& source, std::size_t most,
                                      bool skips_nan, const PlacesOf& places_of) {
    SelectedElements<T> selected{places_of(source.dims.size()), std::make_unique<T[]>(most)};
    bool has_nan = false;
    select_ranks_by_reading(
        what, source,
        [&](index_t numbers) -> std::span<const index_t> {
            has_nan = !skips_nan && numbers < source.dims.size();
            if (has_nan) return {};
            selected.places = places_of(numbers);
            return selected.places.ranks();
        },
        selected.elements.get());
    if (has_nan) std::fill_n(selected.elements.get(), most, std::numeric_limits<T>::quiet_NaN());
    return selected;
}

/// The quantiles of each group: `between(low, high, share)` of the elements at the two ranks. With
/// `least` > 0, so many elements, which sorting would put first, are left out. NaN is left out with
/// `skips_nan`, of one group that `is_ranked_by_reading`.
template <typename R, typename T, typename Between>
Operand selected_quantiles(const char* what, const ReducedView& view,
                           std::span<const double> quantiles, double scale, bool listed,
                           QuantileMethod method, index_t least, bool skips_nan, Between between) {
    for (const double q : quantiles) check_quantile(what, q, scale);
    require_not_sparse(what, view.operand);
    require_host_reads(what, view.operand);
    const auto width = std::ssize(quantiles);
    const index_t groups = view.groups;
    const auto places_of = [&](index_t count) {
        return QuantilePlaces(quantiles, scale, method, least, count - least);
    };
    using Selected = std::conditional_t<std::same_as<T, bool>, std::uint8_t, T>;
    Shape shape = view.shape;
    if (listed) shape.push_back(width);
    BufferPtr<R> buffer = allocate_uninitialized_buffer<R>(groups * width);
    R* out = static_cast<R*>(buffer->writable_memory().data);
    const auto selected = [&]() -> SelectedElements<Selected> {
        if (groups == 1 && width > 0 && is_ranked_by_reading(view.operand))
            return select_by_reading<Selected>(what, view.operand, 2 * quantiles.size(), skips_nan,
                                               places_of);
        SelectedElements<Selected> found{
            places_of(groups == 0 ? least : view.operand.dims.size() / groups), nullptr};
        const std::span<const index_t> ranks = found.places.ranks();
        found.elements =
            std::make_unique<Selected[]>(static_cast<std::size_t>(groups) * ranks.size());
        select_ranks(what, view.operand, groups, ranks, found.elements.get());
        return found;
    }();
    const std::size_t ranks = selected.places.ranks().size();
    if (ranks == 0)
        std::fill_n(out, groups * width, std::numeric_limits<R>::quiet_NaN());
    else
        for (index_t g = 0; g < groups; ++g)
            out = selected.places.write(
                selected.elements.get() + static_cast<std::size_t>(g) * ranks, out, between);
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
                         QuantileMethod method, NanRule nan) {
    const DType given = view.operand.dtype();
    const bool are_times = !is_float16(given) && given.counted_in() != given;
    if (are_times && given.counted_in().is_floating()) throw_dtype_unsupported(what, given);
    ReducedView numbers = view;
    if (is_float16(given)) numbers.operand = widened_operand(view.operand);
    if (are_times) numbers.operand = integer_counts(view.operand);
    if (nan == NanRule::skip && !skips_nan_by_reading(numbers))
        return reduce_non_nan(what, are_times ? view : numbers, [&](const ReducedView& part) {
            return quantile_operand(what, part, quantiles, scale, listed, method);
        });
    if (are_times) {
        const Operand counts =
            quantiles_of_counts(what, numbers, quantiles, scale, listed, method, nan);
        return clone(AnyTensor(times_of(counts, given))).operand();
    }
    return visit_dtype(numbers.operand.dtype(), what, [&]<typename T>(std::type_identity<T>) {
        using R = Averaged<T>;
        return selected_quantiles<R, T>(
            what, numbers, quantiles, scale, listed, method, 0, nan == NanRule::skip,
            [](auto low, auto high, double share) {
                return static_cast<R>(
                    interpolated(static_cast<double>(low), static_cast<double>(high), share));
            });
    });
}

bool skips_nan_by_reading(const ReducedView& numbers) {
    return numbers.groups == 1 && is_ranked_by_reading(numbers.operand);
}

Operand quantiles_of_counts(const char* what, const ReducedView& view,
                            std::span<const double> quantiles, double scale, bool listed,
                            QuantileMethod method, NanRule nan) {
    require_elements(what, view);
    constexpr std::int64_t kNat = kNatCount<std::int64_t>;
    const auto count_missing = [&] {
        std::vector<std::int64_t> missing(static_cast<std::size_t>(view.groups));
        count_true_elements(
            binary_operand(Op::equal, view.operand, constant_operand(kNat), int64, boolean),
            view.groups, missing.data());
        return missing;
    };
    // NaT is the least: where it is left out, that is as many elements.
    index_t least = nan == NanRule::skip ? count_missing().front() : 0;
    if (least == view.operand.dims.size()) least = 0;
    const Operand found = selected_quantiles<std::int64_t, std::int64_t>(
        what, view, quantiles, scale, listed, method, least, false, between_counts);
    if (nan == NanRule::skip) return found;
    auto* out = reinterpret_cast<std::int64_t*>(memory_of(found));
    const index_t width = std::ssize(quantiles);
    for (const std::int64_t of_group : count_missing()) {
        if (of_group > 0) std::fill_n(out, width, kNat);
        out += width;
    }
    return found;
}

OutlierFences OutlierFencesOf::fences(const Operand& x, double factor, NanRule nan) {
    require_host_reads("outlier_fences", x);
    if (nan == NanRule::refuse) require_no_nan("percentile", x, DimVector{});
    static constexpr double kEnds[] = {25, 75};
    const auto ends = cast<double>(AnyTensor(quantile_operand(
        "percentile", reduced_view(x), kEnds, 100, true, QuantileMethod::linear, nan)));
    const double lower = ends(0);
    const double upper = ends(1);
    // Equal infinities are no distance apart, and no multiple of a distance is none.
    const double reach = lower == upper || factor == 0 ? 0 : factor * (upper - lower);
    return {lower - reach, upper + reach};
}

} // namespace purview
