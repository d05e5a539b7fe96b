#pragma once

#include <purview/base/masks.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace purview::inline v0_1::mpi {

/// What elements are kept as: bools as bytes.
template <typename T>
using Stored = std::conditional_t<std::same_as<T, bool>, std::uint8_t, T>;

/// An unsigned integer that is ordered as the elements of a type are, ascending or descending; equal for equal elements, -0 and 0
/// too. That of NaN is the greatest, either way.
template <typename T>
BitsOf<T> ordered_key(T value, bool descending = false) noexcept {
    using Bits = BitsOf<T>;
    constexpr auto kSign = static_cast<Bits>(Bits{1} << (sizeof(T) * 8 - 1));
    const auto turned = static_cast<Bits>(Bits{0} - static_cast<Bits>(descending));
    if constexpr (std::floating_point<T>) {
        const Bits bits = std::bit_cast<Bits>(value + T{0}); // -0 becomes 0
        const Bits if_negative = Bits{0} - (bits >> (sizeof(T) * 8 - 1));
        return value != value ? ~Bits{0} : bits ^ (if_negative | kSign) ^ turned;
    } else {
        return static_cast<Bits>(static_cast<Bits>(value) ^ (std::signed_integral<T> ? kSign : 0) ^
                                 turned);
    }
}

/// The element of an ascending key; 0 of either zero, and a NaN.
template <typename T>
T element_of_key(BitsOf<T> key) noexcept {
    using Bits = BitsOf<T>;
    constexpr auto kSign = static_cast<Bits>(Bits{1} << (sizeof(T) * 8 - 1));
    if constexpr (std::floating_point<T>)
        return std::bit_cast<T>(key ^ (((key >> (sizeof(T) * 8 - 1)) - 1) | kSign));
    else
        return static_cast<T>(std::signed_integral<T> ? key ^ kSign : key);
}

} // namespace purview
