#pragma once

#include <purview/base/masks.hpp>

#include <bit>
#include <concepts>
#include <cstdint>

namespace purview::engine {

/// What no number's key is: NaN's.
inline constexpr std::uint64_t kNaNKey = ~std::uint64_t{0};

/// An integer that is ordered as the elements are, and equal where they are. NaN's is the greatest.
template <typename T>
std::uint64_t key_of(T value) noexcept {
    if constexpr (std::floating_point<T>) {
        using Bits = BitsOf<T>;
        constexpr Bits kSign = Bits{1} << (sizeof(T) * 8 - 1);
        const Bits bits = std::bit_cast<Bits>(value + T{0}); // -0 becomes 0
        const Bits key = (bits & kSign) != 0 ? ~bits : bits | kSign;
        return value != value ? kNaNKey : static_cast<std::uint64_t>(key);
    } else if constexpr (std::signed_integral<T>) {
        return static_cast<std::uint64_t>(value) ^ std::uint64_t{1} << 63;
    } else {
        return static_cast<std::uint64_t>(value);
    }
}

} // namespace purview::engine
