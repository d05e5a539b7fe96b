#include <purview/base/errors.hpp>
#include <purview/functional/statistics/bincount.hpp>
#include <purview/tensor/as_span.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace purview {
namespace {

constexpr index_t kMostBins = index_t{1} << 40;

/// Validated integers in memory, and the number of bins that they need.
struct CountedIntegers {
    Tensor<std::int64_t> held;
    index_t bins = 0;
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

MutableTensor<std::int64_t> counts_of(const Operand& x, index_t min_length) {
    const CountedIntegers integers = integers_of(x, min_length);
    MutableTensor<std::int64_t> result = zeros<std::int64_t>({integers.bins});
    std::int64_t* const out = as_span(result).data();
    for (const std::int64_t value : as_span(integers.held)) ++out[value];
    return result;
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
    for (const std::int64_t value : as_span(integers.held)) out[value] += *weight++;
    return result;
}

} // namespace purview
