#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

namespace purview::inline v0_1 {

/// Infinity and NaN made from their bits, for sources compiled with -ffinite-math-only, where
/// compilers warn of the constants of `std::numeric_limits`.
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
