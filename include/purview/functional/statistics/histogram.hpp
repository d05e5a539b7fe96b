#pragma once

#include <purview/functional/assembly/in_memory.hpp>
#include <purview/functional/reductions/reduce_over.hpp>
#include <purview/functional/statistics/number_array.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/result_handle.hpp>
#include <purview/tensor/stage.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// The bins of a histogram: a number of bins of equal width between two values, or bins between
/// given edges.
class PURVIEW_EXPORT Bins {
public:
    /// `count` bins between the least and the greatest element.
    template <std::integral I>
        requires(!std::same_as<I, bool>)
    Bins(I count) : count_(static_cast<index_t>(count)) {}
    /// `count` bins between two values.
    Bins(index_t count, double low, double high) : count_(count), range_({low, high}) {}
    /// Bins between neighbouring edges: at least two edges, which must not decrease.
    Bins(std::vector<double> edges) : edges_(std::move(edges)) {}

    bool uniform() const noexcept { return edges_.empty(); }
    /// The number of bins. Throws as `edges`.
    index_t size() const;
    /// The edges for the elements of a float64 operand. Throws `Error` for less than one bin, and
    /// for limits that are not finite (as the extremes of elements with NaN or infinities) or that
    /// decrease.
    std::vector<double> edges(const Operand& x) const;

private:
    index_t count_ = 0;
    std::optional<std::pair<double, double>> range_;
    std::vector<double> edges_;
};

/// The number of elements in each bin, `counts` `[k]`, and the `edges` `[k + 1]`; for an `X` with
/// dims, under these.
template <typename X>
struct HistogramOf {
    ResultHandle<std::int64_t, X> counts;
    ResultHandle<double, X> edges;
};
using Histogram = HistogramOf<Tensor<double>>;
/// The sums of weights, or the densities, in each bin, `heights` `[k]`, and the `edges` `[k + 1]`;
/// for an `X` with dims, under these.
template <typename X>
struct WeightedHistogramOf {
    ResultHandle<double, X> heights;
    ResultHandle<double, X> edges;
};
using WeightedHistogram = WeightedHistogramOf<Tensor<double>>;

/// Implement the functions below, for operands of any built-in type. They throw `DtypeError`,
/// `ShapeError`.
PURVIEW_EXPORT Histogram histogram_of(const Operand& x, const Bins& bins);
PURVIEW_EXPORT WeightedHistogram weighted_histogram_of(const Operand& x, const Operand* weights,
                                                       const Bins& bins, bool density);

/// `one(x)`, a `Histogram` or a `WeightedHistogram`; for an `x` with dims that of each of their
/// combinations, whose parts become tensors of `T` and float64 under these dims.
template <typename Made, typename T, typename X, typename One>
auto histograms(const X& x, index_t bins, const One& one) {
    if constexpr (!HasDims<X>) {
        return one(operand_for_call(x));
    } else {
        std::vector<double> edges;
        auto heights = batched<T>(x, {bins}, [&](const Operand& part, T* out) {
            const auto [made, between] = one(part);
            for (const T each : made) *out++ = each;
            edges.insert(edges.end(), between.begin(), between.end());
        });
        const double* next = edges.data();
        return Made{std::move(heights),
                    batched<double>(x, {bins + 1}, [&](const Operand&, double* out) {
                        for (index_t i = 0; i <= bins; ++i) *out++ = *next++;
                    })};
    }
}

/// `histogram(x, bins)`, or a stage: the number of elements in each bin: `histogram(x, 10)` between
/// the least and the greatest element, `histogram(x, {10, low, high})` between two values,
/// `histogram(x, {{0.0, 1.0, 5.0}})` between edges; by default 10 bins. As in NumPy, a bin includes
/// its lower edge and excludes its upper one, except the last bin, which includes both; elements
/// outside of all bins, and NaN, are not counted; limits computed from NaN or infinities throw
/// `Error`; around equal limits the bins extend by one half to either side; for an empty tensor they
/// are between 0 and 1. Computed in float64; with dims, one histogram for each of their
/// combinations. Eager: one pass, and one for the limits if they are not given. Parallel.
struct HistogramFunction : StatisticalFunction, PipelineStage {
    using StatisticalFunction::operator();

    template <number_array X>
    auto operator()(const X& x, const Bins& bins = 10) const {
        return histograms<HistogramOf<X>, std::int64_t>(
            x, bins.size(), [&](const Operand& part) { return histogram_of(part, bins); });
    }
    auto operator()(const Bins& bins = 10) const { return make_stage(*this, bins); }
};
inline constexpr HistogramFunction histogram;

/// `weighted_histogram(x, weights, bins)`, or a stage, `x | weighted_histogram(weights, bins)`: the
/// sum of the weights of the elements in each bin; `weights` has the shape of `x`. Otherwise as
/// `histogram`, on one thread, and without dims. Throws `ShapeError`.
struct WeightedHistogramFunction : StatisticalFunction {
    using StatisticalFunction::operator();

    template <plain_number_array X, plain_number_array W>
    WeightedHistogram operator()(const X& x, const W& weights, const Bins& bins = 10) const {
        const Operand of_weights = operand_for_call(weights);
        return weighted_histogram_of(operand_for_call(x), &of_weights, bins, false);
    }
    template <plain_number_array W>
    auto operator()(const W& weights, const Bins& bins = 10) const {
        return make_stage(*this, as_tensor(weights), bins);
    }
};
inline constexpr WeightedHistogramFunction weighted_histogram;

/// `histogram_density(x, bins)`, `histogram_density(x, weights, bins)`: heights scaled so that the
/// areas of the bins add up to 1; NaN if no element lies in any bin. With dims as `histogram`, if
/// there are no weights.
struct HistogramDensityFunction : StatisticalFunction, PipelineStage {
    using StatisticalFunction::operator();

    template <number_array X>
    auto operator()(const X& x, const Bins& bins = 10) const {
        return histograms<WeightedHistogramOf<X>, double>(x, bins.size(), [&](const Operand& part) {
            return weighted_histogram_of(part, nullptr, bins, true);
        });
    }
    auto operator()(const Bins& bins = 10) const { return make_stage(*this, bins); }
    template <plain_number_array X, plain_number_array W>
    WeightedHistogram operator()(const X& x, const W& weights, const Bins& bins = 10) const {
        const Operand of_weights = operand_for_call(weights);
        return weighted_histogram_of(operand_for_call(x), &of_weights, bins, true);
    }
};
inline constexpr HistogramDensityFunction histogram_density;

/// The number of occurrences of each integer. Throws as `bincount` does.
PURVIEW_EXPORT MutableTensor<std::int64_t> counts_of(const Operand& x, index_t min_length);
/// The sum of the weights of each integer. Throws as `bincount` does.
PURVIEW_EXPORT MutableTensor<double> weights_of(const Operand& x, const Operand& weights,
                                                index_t min_length);

/// An array of integers.
template <typename X>
concept integer_array = plain_number_array<X> &&
    (std::is_void_v<ElementOrVoid<X>> || std::is_integral_v<ElementOrVoid<X>>);

/// `bincount(x)`, or a stage, `x | bincount`: element i of the result is the number of integers in
/// `x`, of any shape, that equal i: int64 `[k]`, one longer than the greatest integer and at least
/// as long as `bincount(x, min_length)` says. `bincount(x, weights, min_length)`: the sums of their
/// weights in float64, added in row-major order. Eager, O(n + length), one thread. Throws
/// `IndexError` for a negative integer, `ShapeError` for weights of another shape, a negative
/// `min_length`, and integers of 2^40 or more, `DtypeError` for other types.
struct BincountFunction : StatisticalFunction, PipelineStage {
    using StatisticalFunction::operator();

    template <integer_array X>
    auto operator()(const X& x, index_t min_length = 0) const {
        return counts_of(operand_for_call(x), min_length);
    }
    template <integer_array X, plain_number_array W>
    auto operator()(const X& x, const W& weights, index_t min_length = 0) const {
        return weights_of(operand_for_call(x), operand_for_call(weights), min_length);
    }
    template <IndexInteger I>
    auto operator()(I min_length) const {
        return make_stage(*this, static_cast<index_t>(min_length));
    }
    BincountFunction operator()() const { return {}; }
};
inline constexpr BincountFunction bincount;

} // namespace purview
