#pragma once

#include <purview/functional/along/search.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/functional/reductions/reduce_over.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/plain_tensor.hpp>
#include <purview/tensor/result_handle.hpp>
#include <purview/tensor/stage.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace purview {

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
/// The same with sums of weights or densities.
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

/// The edges of each combination of the dims of `x` as a tensor, `[k + 1]` under these dims.
template <HasDims X>
ResultHandle<double, X> batched_edges(const X& x, const std::vector<double>& edges, index_t k) {
    const double* next = edges.data();
    return batched<double>(x, {k + 1}, [&](const Operand&, double* out) {
        for (index_t i = 0; i <= k; ++i) *out++ = *next++;
    });
}

/// `histogram(x, bins)`: the number of elements in each bin: `histogram(x, 10)` between the least
/// and the greatest element, `histogram(x, {10, low, high})` between two values,
/// `histogram(x, {{0.0, 1.0, 5.0}})` between edges; by default 10 bins. All as in NumPy: a bin
/// includes its lower edge and excludes its upper one, except the last bin, which includes both;
/// elements outside of all bins, and NaN, are not counted; limits computed from NaN or infinities
/// throw `Error`; around equal limits the bins extend by one half to either side; for an empty
/// tensor they are between 0 and 1.
///
/// For a tensor of any rank, computed in float64; with dims, one histogram for each of their
/// combinations, over the positional axes. Without `x` a stage. Eager: one pass, and one for the
/// limits if they are not given. Parallel.
struct HistogramFunction : PipelineStage {
    using Braces = Bins;

    template <TensorLike X>
    auto operator()(const X& x, const Bins& bins = 10) const {
        if constexpr (HasDims<X>) {
            const index_t k = bins.size();
            std::vector<double> edges;
            const auto counts =
                batched<std::int64_t>(x, {k}, [&](const Operand& part, std::int64_t* out) {
                    const Histogram made = histogram_of(part, bins);
                    for (const std::int64_t count : made.counts) *out++ = count;
                    edges.insert(edges.end(), made.edges.begin(), made.edges.end());
                });
            return HistogramOf<X>{counts, batched_edges(x, edges, k)};
        } else {
            return histogram_of(x.operand(), bins);
        }
    }
    auto operator()(const Bins& bins) const { return make_stage(*this, bins); }
};
inline constexpr AcceptingArrays<HistogramFunction> histogram;

/// `weighted_histogram(x, weights, bins)`, or a stage, `x | weighted_histogram(weights, bins)`: the
/// sum of the weights of the elements in each bin; `weights` has the shape of `x`. Otherwise as
/// `histogram`, on one thread, and without dims. Throws `ShapeError`.
struct WeightedHistogramFunction {
    template <PlainOrOrdered X, PlainOrOrdered W>
    WeightedHistogram operator()(const X& x, const W& weights, const Bins& bins = 10) const {
        const Operand of_weights = weights.operand();
        return weighted_histogram_of(x.operand(), &of_weights, bins, false);
    }
    template <PlainOrOrdered W>
    auto operator()(const W& weights, const Bins& bins = 10) const {
        return make_stage(*this, weights, bins);
    }
};
inline constexpr AcceptingArrays<WeightedHistogramFunction> weighted_histogram;

/// `histogram_density(x, bins)`, `histogram_density(x, weights, bins)`: heights scaled so that the
/// areas of the bins add up to 1; NaN if no element lies in any bin. With dims as `histogram`, if
/// there are no weights.
struct HistogramDensityFunction : PipelineStage {
    using Braces = Bins;

    template <TensorLike X>
    auto operator()(const X& x, const Bins& bins = 10) const {
        if constexpr (HasDims<X>) {
            const index_t k = bins.size();
            std::vector<double> edges;
            const auto heights = batched<double>(x, {k}, [&](const Operand& part, double* out) {
                const WeightedHistogram made = weighted_histogram_of(part, nullptr, bins, true);
                for (const double height : made.heights) *out++ = height;
                edges.insert(edges.end(), made.edges.begin(), made.edges.end());
            });
            return WeightedHistogramOf<X>{heights, batched_edges(x, edges, k)};
        } else {
            return weighted_histogram_of(x.operand(), nullptr, bins, true);
        }
    }
    auto operator()(const Bins& bins) const { return make_stage(*this, bins); }
    template <PlainOrOrdered X, PlainOrOrdered W>
    WeightedHistogram operator()(const X& x, const W& weights, const Bins& bins = 10) const {
        const Operand of_weights = weights.operand();
        return weighted_histogram_of(x.operand(), &of_weights, bins, true);
    }
};
inline constexpr AcceptingArrays<HistogramDensityFunction> histogram_density;

/// The number of occurrences of each integer. Throws as `bincount` does.
PURVIEW_EXPORT MutableTensor<std::int64_t> counts_of(const Operand& x, index_t min_length);
/// The sum of the weights of each integer. Throws as `bincount` does.
PURVIEW_EXPORT MutableTensor<double> weights_of(const Operand& x, const Operand& weights,
                                                index_t min_length);

/// `bincount(x)`, or a stage, `x | bincount`: element i of the result is the number of integers in
/// `x`, of any shape, that equal i: int64 in memory, of rank 1, one longer than the greatest
/// integer and at least as long as `bincount(x, min_length)` says. `bincount(x, weights)`,
/// `bincount(x, weights, min_length)`: the sums of their weights in float64, added in row-major
/// order. Eager, O(n + length), one thread. Throws `IndexError` for a negative integer,
/// `ShapeError` for weights of another shape, a negative `min_length`, and integers of 2^40 or
/// more, `DtypeError` for types other than integers and bools.
struct BincountFunction : PipelineStage {
    template <NumberTensor X>
    auto operator()(const X& x, index_t min_length = 0) const {
        check_type<X>();
        return counts_of(x.operand(), min_length);
    }
    template <NumberTensor X, NumberTensor W>
    auto operator()(const X& x, const W& weights, index_t min_length = 0) const {
        check_type<X>();
        return weights_of(x.operand(), weights.operand(), min_length);
    }
    template <IndexInteger I>
    auto operator()(I min_length) const {
        return make_stage(*this, static_cast<index_t>(min_length));
    }

private:
    template <typename X>
    static void check_type() {
        if constexpr (TypedTensor<X>)
            static_assert(std::is_integral_v<OperandElement<X>>,
                          "bincount: the elements are integers");
    }
};
inline constexpr AcceptingArrays<BincountFunction> bincount;

} // namespace purview
