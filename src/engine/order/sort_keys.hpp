#pragma once

#include <purview/base/masks.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>

namespace purview::inline v0_1::engine {

/// No number is less, or greater.
template <typename T, typename Limits = std::numeric_limits<T>>
inline constexpr T kLowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
template <typename T, typename Limits = std::numeric_limits<T>>
inline constexpr T kHighest = Limits::has_infinity ? Limits::infinity() : Limits::max();

/// The sort key of an element: an integer ordered as the elements of its type are, equal for equal
/// elements (-0 and 0 too); that of NaN is the greatest.
template <typename T>
BitsOf<T> key_of(T value) noexcept {
    using Bits = BitsOf<T>;
    constexpr Bits kSign = Bits{1} << (sizeof(T) * 8 - 1);
    if constexpr (std::floating_point<T>) {
        const Bits bits = std::bit_cast<Bits>(value + T{0}); // -0 becomes 0
        const Bits key = (bits & kSign) != 0 ? ~bits : bits | kSign;
        return value != value ? ~Bits{0} : key;
    } else {
        return static_cast<Bits>(std::signed_integral<T> ? static_cast<Bits>(value) ^ kSign
                                                         : static_cast<Bits>(value));
    }
}

} // namespace purview::engine
