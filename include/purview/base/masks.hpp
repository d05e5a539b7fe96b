#pragma once

#include <purview/base/index.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace purview::inline v0_1 {

template <std::size_t Size>
struct BitsOfSize;
template <>
struct BitsOfSize<1> {
    using Type = std::uint8_t;
};
template <>
struct BitsOfSize<2> {
    using Type = std::uint16_t;
};
template <>
struct BitsOfSize<4> {
    using Type = std::uint32_t;
};
template <>
struct BitsOfSize<8> {
    using Type = std::uint64_t;
};

/// The unsigned integer as wide as an element.
template <typename T>
using BitsOf = typename BitsOfSize<sizeof(T)>::Type;

/// -1 for true, 0 for false, computed so that compilers do not turn it into a branch: for
/// conditions that are as unpredictable as the data.
inline index_t mask_if(bool condition) noexcept {
    index_t mask = condition;
    asm("" : "+r"(mask));
    return -mask;
}

/// The value where the mask is -1, `otherwise` where it is 0.
template <typename T>
T masked_value(T value, index_t mask, T otherwise = T{}) noexcept {
    using Bits = BitsOf<T>;
    const auto other = std::bit_cast<Bits>(otherwise);
    const auto bits = std::bit_cast<Bits>(value);
    return std::bit_cast<T>(
        static_cast<Bits>(other ^ static_cast<Bits>((bits ^ other) & static_cast<Bits>(mask))));
}

} // namespace purview
