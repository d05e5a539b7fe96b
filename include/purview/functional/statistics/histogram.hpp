#pragma once

#include <purview/functional/statistics/batched.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/plain_tensor.hpp>
#include <purview/tensor/result_handle.hpp>
#include <purview/tensor/stage.hpp>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace purview {

/// What the bins of a histogram are: so many of one width between two values, or between edges.
class PURVIEW_EXPORT Bins {
public:
    /// Between the least and the greatest element.
    template <std::integral I>
        requires(!std::same_as<I, bool>)
    Bins(I count) : count_(static_cast<index_t>(count)) {}
    /// Between two values.
    Bins(index_t count, double low, double high) : count_(count), range_({low, high}) {}
    /// Between neighbouring edges, at least two, which do not fall.
    Bins(std::vector<double> edges) : edges_(std::move(edges)) {}

    bool uniform() const noexcept { return edges_.empty(); }
    /// How many. Throws as `edges`.
    index_t size() const;
    /// The edges for the elements of an operand of float64. Throws `Error` for less than one bin, for limits that are not
    /// finite or fall, as those of elements with NaN or infinities are.
    std::vector<double> edges(const Operand& x) const;

private:
    index_t count_ = 0;
    std::optional<std::pair<double, double>> range_;
    std::vector<double> edges_;
};

/// How many elements lie between neighbouring edges: `counts` `[k]`, `edges` `[k + 1]`; of an `X` with dims, under these.
template <typename X>
struct HistogramOf {
    ResultHandle<std::int64_t, X> counts;
    ResultHandle<double, X> edges;
};
using Histogram = HistogramOf<Tensor<double>>;
/// The same, weighted or as a density.
template <typename X>
struct WeightedHistogramOf {
    ResultHandle<double, X> heights;
    ResultHandle<double, X> edges;
};
using WeightedHistogram = WeightedHistogramOf<Tensor<double>>;

/// What the functions below compute, of operands with elements of any built-in type. Throws `DtypeError`, `ShapeError`.
PURVIEW_EXPORT Histogram histogram_of(const Operand& x, const Bins& bins);
PURVIEW_EXPORT WeightedHistogram weighted_histogram_of(const Operand& x, const Operand* weights,
                                                       const Bins& bins, bool density);

/// The edges of the parts, `[k + 1]` for each combination of the dims of `x`.
template <HasDims X>
ResultHandle<double, X> batched_edges(const X& x, const std::vector<double>& edges, index_t k) {
    const double* next = edges.data();
    return batched<double>(x, {k + 1}, [&](const Operand&, double* out) {
        for (index_t i = 0; i <= k; ++i) *out++ = *next++;
    });
}

/// `histogram(x, bins)`: how many elements lie in each bin: `histogram(x, 10)` between the least and the greatest,
/// `histogram(x, {10, low, high})` between two values, `histogram(x, {{0.0, 1.0, 5.0}})` between edges; 10 if they are not given. All
/// is as in NumPy: a bin holds its lower edge and not its upper one, but for the last bin, which holds both; what lies outside,
/// and NaN, is left out; limits taken of NaN or infinities are an `Error`; of equal limits the bins reach half to either
/// side; of nothing they are between 0 and 1.
///
/// Of a tensor of any rank, computed in float64; with dims, one for each of their combinations, over the positional axes.
/// Without `x` a stage. Eager: one pass, and one for the limits if they are not given. Threads.
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
    auto operator()(const Bins& bins) const { return later(*this, bins); }
};
inline constexpr AcceptingArrays<HistogramFunction> histogram;

/// `weighted_histogram(x, weights, bins)`: the sums of the weights of the elements in each bin; `weights` has the shape of
/// `x`. Or a stage, `x | weighted_histogram(weights, bins)`. Otherwise as `histogram`, on one thread, and without dims.
/// Throws `ShapeError`.
struct WeightedHistogramFunction {
    template <PlainOrOrdered X, PlainOrOrdered W>
    WeightedHistogram operator()(const X& x, const W& weights, const Bins& bins = 10) const {
        const Operand of_weights = weights.operand();
        return weighted_histogram_of(x.operand(), &of_weights, bins, false);
    }
    template <PlainOrOrdered W>
    auto operator()(const W& weights, const Bins& bins = 10) const {
        return later(*this, weights, bins);
    }
};
inline constexpr AcceptingArrays<WeightedHistogramFunction> weighted_histogram;

/// `histogram_density(x, bins)`, `histogram_density(x, weights, bins)`: heights, such that the bins' areas add up to 1; NaN where
/// nothing lies in any bin. With dims as `histogram`, if there are no weights.
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
    auto operator()(const Bins& bins) const { return later(*this, bins); }
    template <PlainOrOrdered X, PlainOrOrdered W>
    WeightedHistogram operator()(const X& x, const W& weights, const Bins& bins = 10) const {
        const Operand of_weights = weights.operand();
        return weighted_histogram_of(x.operand(), &of_weights, bins, true);
    }
};
inline constexpr AcceptingArrays<HistogramDensityFunction> histogram_density;

} // namespace purview
