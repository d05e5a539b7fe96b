#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/evaluation/histogram.hpp>
#include <purview/evaluation/moments.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/functional/statistics/histogram.hpp>
#include <purview/reader/buffer.hpp>
#include <purview/tensor/as_span.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace purview::inline v0_1 {
namespace {

void check_edges(const std::vector<double>& edges) {
    if (edges.size() < 2) throw Error(fmt::format("histogram: {} edges make no bin", edges.size()));
    for (std::size_t i = 1; i < edges.size(); ++i)
        if (!(edges[i - 1] <= edges[i]))
            throw Error(fmt::format("histogram: edges fall from {} to {}", edges[i - 1], edges[i]));
}

Operand floats_of(const char* what, const Operand& x) {
    if (!x.dtype().is_builtin()) throw_dtype_unsupported(what, x.dtype());
    require_not_sparse(what, x);
    require_host_reads(what, x);
    return cast_operand(x, float64, Op::cast);
}

/// Numbers of the bins of x, in the place where it lies.
template <typename T>
Tensor<T> figures(const Operand& x, std::vector<T>&& numbers) {
    return brought_to(x, tensor(std::move(numbers)));
}

constexpr index_t kMostBins = index_t{1} << 40;

/// Validated integers in memory, and the number of bins that they need.
struct CountedIntegers {
    Tensor<std::int64_t> held;
    index_t bins = 0;

    /// Calls `f(bin)` for each. The last bin for what has changed since it was validated, as another
    /// thread may write to memory that is wrapped.
    template <typename F>
    void for_each_bin(F f) const {
        for (const std::int64_t value : as_span(held))
            f(std::min(static_cast<std::size_t>(value), static_cast<std::size_t>(bins - 1)));
    }
};

CountedIntegers integers_of(const Operand& x, index_t min_length) {
    if (!x.dtype().is_integer() && x.dtype() != boolean)
        throw_dtype_unsupported("bincount", x.dtype());
    if (min_length < 0) throw ShapeError(fmt::format("bincount: a least length of {}", min_length));
    CountedIntegers result{in_memory<std::int64_t>("bincount", x), 0};
    const std::span<const std::int64_t> values = as_span(result.held);
    index_t least = 0;
    index_t greatest = -1;
    for (const index_t value : values) {
        least = std::min(least, value);
        greatest = std::max(greatest, value);
    }
    if (least < 0) {
        const auto at = std::find_if(values.begin(), values.end(), [](index_t v) { return v < 0; });
        throw IndexError(
            fmt::format("bincount: {} at index {} is negative", *at, at - values.begin()));
    }
    result.bins = std::max(greatest + 1, min_length);
    if (greatest >= kMostBins || min_length > kMostBins)
        throw ShapeError(
            fmt::format("bincount: {} bins are more than 2^40", std::max(greatest, min_length)));
    return result;
}

} // namespace

index_t Bins::size() const {
    if (!uniform()) check_edges(edges_);
    if (uniform() && count_ < 1) throw Error(fmt::format("histogram: {} bins", count_));
    return uniform() ? count_ : std::ssize(edges_) - 1;
}

std::vector<double> Bins::edges(const Operand& x) const {
    const index_t count = size();
    if (!uniform()) return edges_;
    auto [low, high] = range_ ? *range_ : limits_of(x);
    if (!std::isfinite(low) || !std::isfinite(high))
        throw Error(fmt::format("histogram: the limits [{}, {}] are not finite", low, high));
    if (!std::isfinite(high - low))
        throw Error(fmt::format("histogram: the limits [{}, {}] are too far apart", low, high));
    if (low > high) throw Error(fmt::format("histogram: the limits fall from {} to {}", low, high));
    if (low == high) {
        low -= 0.5;
        high += 0.5;
    }
    std::vector<double> edges(static_cast<std::size_t>(checked_add(count, 1, "histogram")));
    write_linspace<double>(low, high, edges);
    return edges;
}

Histogram histogram_of(const Operand& x, const Bins& bins) {
    const Operand floats = floats_of("histogram", x);
    std::vector<double> edges = bins.edges(floats);
    std::vector<std::int64_t> counts(edges.size() - 1);
    count_in_bins(floats, edges, bins.uniform(), counts.data());
    return {figures(x, std::move(counts)), figures(x, std::move(edges))};
}

WeightedHistogram weighted_histogram_of(const Operand& x, const Operand* weights, const Bins& bins,
                                        bool density) {
    const char* const what = density ? "histogram_density" : "weighted_histogram";
    require_host_reads(what, x);
    if (weights != nullptr) require_host_reads(what, *weights);
    const Operand floats = floats_of("histogram", x);
    std::vector<double> edges = bins.edges(floats);
    std::vector<double> heights(edges.size() - 1);
    if (weights != nullptr) {
        const ShapeSpan shape = x.dims.max_shape();
        if (to_shape(shape) != to_shape(weights->dims.max_shape()))
            throw ShapeError(fmt::format("histogram: elements of shape {} and weights of shape {}",
                                         to_string(shape), to_string(weights->dims.max_shape())));
        sum_in_bins(floats, floats_of("histogram", *weights), edges, bins.uniform(),
                    heights.data());
    } else {
        std::vector<std::int64_t> counts(heights.size());
        count_in_bins(floats, edges, bins.uniform(), counts.data());
        for (std::size_t i = 0; i < counts.size(); ++i) heights[i] = static_cast<double>(counts[i]);
    }
    if (density) {
        double total = 0;
        for (const double height : heights) total += height;
        for (std::size_t i = 0; i < heights.size(); ++i)
            heights[i] = heights[i] / (edges[i + 1] - edges[i]) / total;
    }
    return {figures(x, std::move(heights)), figures(x, std::move(edges))};
}

MutableTensor<std::int64_t> counts_of(const Operand& x, index_t min_length) {
    const CountedIntegers integers = integers_of(x, min_length);
    MutableTensor<std::int64_t> result = zeros<std::int64_t>({integers.bins});
    std::int64_t* const out = as_span(result).data();
    integers.for_each_bin([&](std::size_t bin) { ++out[bin]; });
    return brought_to(x, result);
}

MutableTensor<double> weights_of(const Operand& x, const Operand& weights, index_t min_length) {
    if (to_shape(x.dims.max_shape()) != to_shape(weights.dims.max_shape()))
        throw ShapeError(fmt::format("bincount: integers of shape {} and weights of shape {}",
                                     to_string(x.dims.max_shape()),
                                     to_string(weights.dims.max_shape())));
    const CountedIntegers integers = integers_of(x, min_length);
    const Tensor<double> held = in_memory<double>("bincount", weights);
    const double* weight = as_span(held).data();
    MutableTensor<double> result = zeros<double>({integers.bins});
    double* const out = as_span(result).data();
    integers.for_each_bin([&](std::size_t bin) { out[bin] += *weight++; });
    return brought_to(x, result);
}

} // namespace purview
