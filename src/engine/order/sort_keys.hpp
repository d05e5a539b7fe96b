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
        // Without a branch, which random signs would have mispredicted.
        const Bits if_negative = Bits{0} - (bits >> (sizeof(T) * 8 - 1));
        return (bits ^ (if_negative | kSign)) | (Bits{0} - static_cast<Bits>(value != value));
    } else {
        return static_cast<Bits>(std::signed_integral<T> ? static_cast<Bits>(value) ^ kSign
                                                         : static_cast<Bits>(value));
    }
}

/// The sort key of an element in the order asked for; that of NaN is the greatest in either.
template <typename T>
BitsOf<T> key_in_order(T value, bool descending) noexcept {
    using Bits = BitsOf<T>;
    const auto turned = static_cast<Bits>(Bits{0} - static_cast<Bits>(descending));
    const auto is_number = static_cast<Bits>(Bits{0} - static_cast<Bits>(value == value));
    return static_cast<Bits>(key_of(value) ^ (turned & is_number));
}

/// An element with this key; 0 of either zero, and a NaN.
template <typename T>
T element_of_key(BitsOf<T> key, bool descending) noexcept {
    using Bits = BitsOf<T>;
    constexpr Bits kSign = Bits{1} << (sizeof(T) * 8 - 1);
    const Bits ascending = descending ? static_cast<Bits>(~key) : key;
    if constexpr (std::floating_point<T>)
        return std::bit_cast<T>(ascending ^ (((ascending >> (sizeof(T) * 8 - 1)) - 1) | kSign));
    else
        return static_cast<T>(std::signed_integral<T> ? ascending ^ kSign : ascending);
}

} // namespace purview::engine
