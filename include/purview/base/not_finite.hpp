#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

namespace purview {

/// Infinity and NaN as bits, for whoever tells a compiler that there are none (-ffinite-math-only): it then warns of
/// `std::numeric_limits`' ones.
template <std::floating_point T>
inline constexpr T
    kInfiniteNumber = sizeof(T) == 4
                          ? static_cast<T>(std::bit_cast<float>(std::uint32_t{0x7f800000}))
                          : static_cast<T>(std::bit_cast<double>(0x7ff0000000000000));
template <std::floating_point T>
inline constexpr T
    kNotANumber = sizeof(T) == 4 ? static_cast<T>(std::bit_cast<float>(std::uint32_t{0x7fc00000}))
                                 : static_cast<T>(std::bit_cast<double>(0x7ff8000000000000));

} // namespace purview
