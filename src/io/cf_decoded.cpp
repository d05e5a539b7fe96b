#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/functional/elementwise/comparison.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/io/cf_decoded.hpp>

#include "io/cf_times.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using Number = Attributes::Number;

/// The integer that a number is; nothing where T has none such. What `_Unsigned` makes of elements it
/// makes of their fill, so that of a signed and an unsigned type either may be written.
template <typename T>
std::optional<T> element_of(const Number& number, bool is_reinterpreted) {
    if (const auto* const real = std::get_if<double>(&number)) {
        if (!(*real >= -0x1p63 && *real < 0x1p64) || std::trunc(*real) != *real) return {};
        return *real < 0 ? element_of<T>(static_cast<std::int64_t>(*real), is_reinterpreted)
                         : element_of<T>(static_cast<std::uint64_t>(*real), is_reinterpreted);
    }
    const auto held = [&](auto value) -> std::optional<T> {
        using Other =
            std::conditional_t<std::is_signed_v<T>, std::make_unsigned_t<T>, std::make_signed_t<T>>;
        if (!std::in_range<T>(value) && !(is_reinterpreted && std::in_range<Other>(value)))
            return {};
        return static_cast<T>(value);
    };
    if (const auto* const whole = std::get_if<std::int64_t>(&number)) return held(*whole);
    return held(*std::get_if<std::uint64_t>(&number));
}

/// A number rounded to T, as the elements were; nothing where T has none such, and for NaN.
template <typename T>
std::optional<float> rounded_to(double number) {
    const auto rounded = static_cast<float>(static_cast<T>(static_cast<float>(number)));
    if (rounded != rounded || std::isinf(rounded) != std::isinf(number)) return {};
    return rounded;
}

/// The number that an attribute is, or a list of one. Throws `FormatError` for a text and for several.
std::optional<double> number_of(const Attributes& attributes, const char* name) {
    const std::vector<double> numbers = attributes.numbers(name);
    if (numbers.size() > 1 || attributes.text(name))
        throw FormatError(fmt::format("cf_decoded: the attribute {} is {}, and not a number", name,
                                      attributes.text(name) ? "a text" : "a list"));
    return numbers.empty() ? std::nullopt : std::optional(numbers[0]);
}

/// Where elements are one of `missing`, compared in their own type.
std::vector<AnyTensor> masks_of(const AnyTensor& values, const std::vector<Number>& missing,
                                bool is_reinterpreted) {
    std::vector<AnyTensor> masks;
    const DType dtype = values.dtype();
    const auto add = [&](const auto& x, const auto& element) {
        if (element) masks.emplace_back(x == *element);
    };
    for (const Number& number : missing) {
        const double real =
            std::visit([](auto value) { return static_cast<double>(value); }, number);
        if (dtype == float16)
            add(cast<float>(values), rounded_to<Half>(real));
        else if (dtype == bfloat16)
            add(cast<float>(values), rounded_to<BFloat16>(real));
        else if (dtype == float32)
            add(values, rounded_to<float>(real));
        else if (dtype == float64)
            add(values, real == real ? std::optional(real) : std::nullopt);
        else
            visit_dtype(dtype, "cf_decoded", [&]<typename T>(std::type_identity<T>) {
                if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
                    add(values, element_of<T>(number, is_reinterpreted));
            });
    }
    return masks;
}

std::optional<Tensor<bool>> one_mask_of(const std::vector<AnyTensor>& masks) {
    std::optional<Tensor<bool>> result;
    for (const AnyTensor& mask : masks)
        result = result ? Tensor<bool>(*result || mask.as<bool>()) : mask.as<bool>();
    return result;
}

/// Attributes are doubles; of float32 they are rounded to it, as the elements were.
template <typename T>
AnyTensor decoded_as(const AnyTensor& values, const std::vector<AnyTensor>& masks,
                     std::optional<double> scale, std::optional<double> offset) {
    Tensor<T> result = AnyTensor(cast<T>(values)).template as<T>();
    if (scale) result = result * static_cast<T>(*scale);
    if (offset) result = result + static_cast<T>(*offset);
    for (const AnyTensor& mask : masks)
        result = where(mask.as<bool>(), std::numeric_limits<T>::quiet_NaN(), result);
    return result;
}

/// Integers with the sign that `_Unsigned` says, by the same bits.
AnyTensor with_sign(const AnyTensor& values, const Attributes& attributes) {
    const std::optional<std::string> is_unsigned = attributes.text("_Unsigned");
    if (!is_unsigned || !values.dtype().is_integer()) return values;
    AnyTensor result = values;
    visit_dtype(values.dtype(), "cf_decoded", [&]<typename T>(std::type_identity<T>) {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
            if (std::is_signed_v<T> && *is_unsigned == "true")
                result = unchecked_cast<std::make_unsigned_t<T>>(values);
            if (std::is_unsigned_v<T> && *is_unsigned == "false")
                result = unchecked_cast<std::make_signed_t<T>>(values);
        }
    });
    return result;
}

} // namespace

AnyTensor cf_decoded(const StoredArray& array) {
    const Attributes& attributes = array.attributes;
    const DType stored = array.values.dtype();
    const bool is_float = stored.is_floating() || stored == float16 || stored == bfloat16;
    if (!is_float && !stored.is_integer()) return array.values;
    std::vector<Number> missing = attributes.exact_numbers("_FillValue");
    if (missing.empty() && array.missing) missing.push_back(*array.missing);
    const std::vector<Number> more = attributes.exact_numbers("missing_value");
    missing.insert(missing.end(), more.begin(), more.end());
    const std::optional<double> scale = number_of(attributes, "scale_factor");
    const std::optional<double> offset = number_of(attributes, "add_offset");
    const AnyTensor values = with_sign(array.values, attributes);
    const std::optional<file::CfTimeUnits> times = file::cf_time_units(attributes);
    if (missing.empty() && !scale && !offset && !times) return values;
    const auto masks = masks_of(values, missing, values.dtype() != stored);
    if (times && !is_float && !scale && !offset)
        return file::cf_times(values, one_mask_of(masks), *times);
    if (times) return file::cf_times(decoded_as<double>(values, masks, scale, offset), {}, *times);
    return is_float && stored != float64 ? decoded_as<float>(values, masks, scale, offset)
                                         : decoded_as<double>(values, masks, scale, offset);
}

} // namespace purview
