#include <purview/dtype/half.hpp>

#include <bit>
#include <cstdint>

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

} // namespace purview
