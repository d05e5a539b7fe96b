#include <purview/base/errors.hpp>
#include <purview/functional/applied/colorize.hpp>
#include <purview/functional/assembly/concat.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/functional/elementwise/comparison.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/elementwise/predicates.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/slices.hpp>
#include <purview/tensor/views.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <vector>

namespace purview::inline v0_1 {
namespace {

constexpr index_t kColors = index_t{Gradient::kColors};

/// The colours of a gradient, followed by a row with the colour of NaN: `[257, 3]`.
Tensor<std::uint8_t> table_of(const Gradient& gradient, Color nan) {
    std::vector<std::uint8_t> bytes;
    for (const Color color : gradient.colors())
        bytes.insert(bytes.end(), {color.red, color.green, color.blue});
    bytes.insert(bytes.end(), {nan.red, nan.green, nan.blue});
    return tensor(std::move(bytes), {kColors + 1, 3});
}

template <typename T>
Operand colorized(const Tensor<T>& x, const Gradient& gradient, const ColorRange& range) {
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    const auto limit = [&](const std::optional<double>& given, auto reduce, T beyond) -> double {
        if (given) return *given;
        if (x.empty()) return 0;
        const T found = reduce(where(is_finite(x), x, beyond));
        return std::isfinite(found) ? static_cast<double>(found) : 0;
    };
    const double low = limit(range.low, min, kInfinity);
    const double high = limit(range.high, max, -kInfinity);
    if (!std::isfinite(low) || !std::isfinite(high) || !std::isfinite(high - low) || low > high)
        throw Error(fmt::format("colorize: there are no colours from {} to {}", low, high));

    const double scale = high > low ? static_cast<double>(kColors) / (high - low) : 0;
    if constexpr (std::same_as<T, float>)
        if (std::max({std::abs(low), std::abs(high), high - low, scale}) >
            std::numeric_limits<float>::max())
            return colorized<double>(x | cast<double>, gradient, {low, high, range.nan});

    const auto last = static_cast<T>(kColors - 1);
    const Tensor<T> place = (x - static_cast<T>(low)) * static_cast<T>(scale);
    // Compared separately, because the product is NaN for infinities and for a range of one value.
    const Tensor<T> inside = where(x > static_cast<T>(high), last,
                                   where(x <= static_cast<T>(low), T{0}, clamp(place, T{0}, last)));
    const Tensor<std::int32_t> row =
        where(is_nan(x), static_cast<T>(kColors), inside) | unchecked_cast<std::int32_t>;
    return take(table_of(gradient, range.nan), row, 0).operand();
}

/// Each of the `batch` parts with its own limits.
Operand colorized_each(const Operand& x, const Gradient& gradient, const ColorRange& range,
                       int batch) {
    std::vector<Tensor<std::uint8_t>> images;
    for (index_t i = 0; i < slice_count("colorize", x, batch, false); ++i)
        images.emplace_back(colorize_operand(slice_operand(x, batch, false, i), gradient, range));
    Shape shape = to_shape(x.dims.max_shape());
    shape.push_back(3);
    return reshape(stack(images), shape).operand();
}

} // namespace

Operand colorize_operand(const Operand& x, const Gradient& gradient, const ColorRange& range,
                         int batch) {
    const DType dtype = x.dtype();
    if (!dtype.is_builtin()) throw_dtype_unsupported("colorize", dtype);
    if (batch > 0 && x.dims.size() > 0 && !(range.low && range.high))
        return colorized_each(x, gradient, range, batch);
    // Types of up to 16 bits are exact in float32.
    if (dtype == float32 || dtype.size_bytes() <= 2)
        return colorized(AnyTensor(x) | cast<float>, gradient, range);
    return colorized(AnyTensor(x) | cast<double>, gradient, range);
}

} // namespace purview
