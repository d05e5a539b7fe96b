#include <purview/base/errors.hpp>
#include <purview/functional/along/fill_range.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/tensor/as_span.hpp>

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <vector>

namespace purview {
namespace {

constexpr double kMostNumbers = 0x1p40;

[[noreturn]] void throw_too_many(double from, double to, double max_span, index_t index) {
    if (!std::isfinite(to - from))
        throw Error(fmt::format("fill_range: from {} to {} at index {} is infinitely far", from, to,
                                index));
    throw ShapeError(fmt::format("fill_range: steps of at most {} from {} to {} at index {} make "
                                 "more than 2^40 numbers",
                                 max_span, from, to, index));
}

} // namespace

FilledRange filled_range(const Operand& x, double max_span) {
    require_one_axis("fill_range", AnyTensor(x));
    if (!(max_span > 0))
        throw Error(fmt::format("fill_range: a step of at most {} is none", max_span));
    const Tensor<double> held = in_memory<double>("fill_range", x);
    const std::span<const double> numbers = as_span(held);
    const auto steps_before = [&](std::size_t i) {
        const double span = i > 0 ? numbers[i] - numbers[i - 1] : 0;
        return span > max_span ? std::ceil(span / max_span) : 1;
    };
    double count = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        count += steps_before(i);
        if (!std::isfinite(count) || count > kMostNumbers)
            throw_too_many(numbers[i - 1], numbers[i], max_span, static_cast<index_t>(i));
    }
    std::vector<double> values;
    std::vector<index_t> given;
    values.reserve(static_cast<std::size_t>(count));
    given.reserve(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (const double steps = steps_before(i); steps > 1) {
            const double step = (numbers[i] - numbers[i - 1]) / steps;
            for (double k = 1; k < steps; ++k) values.push_back(numbers[i - 1] + step * k);
        }
        given.push_back(std::ssize(values));
        values.push_back(numbers[i]);
    }
    const index_t total = std::ssize(values);
    return {tensor(std::move(values)), IndexSet(given).complement(0, total)};
}

} // namespace purview
