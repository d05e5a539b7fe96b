#pragma once

#include <concepts>

namespace purview::inline v0_1 {

// By the compilers' own function, as gcc 14 takes std::bit_cast for not defined in some places.

/// Infinity and NaN made from their bits, for sources compiled with -ffinite-math-only, where
/// compilers warn of the constants of `std::numeric_limits`.
template <std::floating_point T>
inline constexpr T kInfiniteNumber = static_cast<T>(__builtin_bit_cast(float, 0x7f800000));
template <std::floating_point T>
inline constexpr T kNotANumber = static_cast<T>(__builtin_bit_cast(float, 0x7fc00000));

} // namespace purview
