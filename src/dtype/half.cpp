#include <purview/base/not_finite.hpp>
#include <purview/dtype/cast.hpp>
#include <purview/dtype/half.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace purview::inline v0_1 {

std::uint16_t half_bits(float value) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 16U) & 0x8000U);
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    if (magnitude > 0x7f800000U) // NaN: quiet, with the upper bits of its payload
        return static_cast<std::uint16_t>(sign | 0x7e00U | ((magnitude >> 13U) & 0x3ffU));
    if (magnitude >= 0x477ff000U) return static_cast<std::uint16_t>(sign | 0x7c00U);
    if (magnitude < 0x38800000U) {
        // Subnormal: adding one half, whose last bit counts 2^-24, rounds to a multiple of that.
        const float rounded = std::bit_cast<float>(magnitude) + 0.5F;
        return static_cast<std::uint16_t>(sign |
                                          (std::bit_cast<std::uint32_t>(rounded) - 0x3f000000U));
    }
    const std::uint32_t odd = (magnitude >> 13U) & 1U;
    return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000U + 0xfffU + odd) >> 13U));
}

float half_value(std::uint16_t bits) noexcept {
    const std::uint32_t sign = (bits & 0x8000U) << 16U;
    const std::uint32_t magnitude = bits & 0x7fffU;
    if (magnitude >= 0x7c00U) // infinite, or NaN
        return std::bit_cast<float>(sign | 0x7f800000U | (magnitude & 0x3ffU) << 13U);
    if (magnitude < 0x400U) { // zero, or subnormal: a multiple of 2^-24
        const float value = static_cast<float>(magnitude) * 0x1p-24F;
        return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
    }
    return std::bit_cast<float>(sign | ((magnitude << 13U) + 0x38000000U));
}

std::uint16_t bfloat16_bits(float value) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7fffffffU) > 0x7f800000U) // NaN, kept quiet: rounding could make it infinite
        return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);
    return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U);
}

float bfloat16_value(std::uint16_t bits) noexcept {
    return std::bit_cast<float>(std::uint32_t{bits} << 16U);
}

// Rounded to odd: cut off, with the last bit set if anything was. What lies between two numbers
// that are coarser by two bits or more stays between them, and so is rounded as it would have been
// (Boldo and Melquiond, Emulation of FMA and correctly rounded sums, 2008).

float odd_float(double value) noexcept {
    // 13 bits, two more than a Half has: a float holds them, as a subnormal too wherever the least
    // BFloat16 can tell.
    constexpr std::uint64_t kLast = std::uint64_t{1} << 40U;
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t odd = (bits & ~(kLast - 1)) | ((bits & (kLast - 1)) != 0 ? kLast : 0);
    return wrapping_cast<float>(std::bit_cast<double>(odd));
}

float odd_float(long double value) noexcept {
    const auto nearest = static_cast<double>(value);
    const auto back = static_cast<long double>(nearest);
    if (back == value || std::isnan(nearest) || (std::bit_cast<std::uint64_t>(nearest) & 1U) != 0)
        return odd_float(nearest);
    return odd_float(
        std::nextafter(nearest, back < value ? kInfiniteNumber<double> : -kInfiniteNumber<double>));
}

namespace {
/// Cut off so that no more than 24 bits are left, of which those below a BFloat16's are at least two.
template <typename T>
float odd_float_of(T value) noexcept {
    const auto size = static_cast<std::uint64_t>(value < 0 ? ~value : value);
    const int cut = size >> 24U == 0 ? 0 : size >> 39U == 0 ? 15 : size >> 54U == 0 ? 30 : 45;
    const T last = T{1} << cut;
    return static_cast<float>((value & ~(last - 1)) | ((value & (last - 1)) != 0 ? last : 0));
}
} // namespace

float odd_float(std::int64_t value) noexcept { return odd_float_of(value); }
float odd_float(std::uint64_t value) noexcept { return odd_float_of(value); }

} // namespace purview
