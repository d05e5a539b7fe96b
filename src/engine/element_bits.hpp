#pragma once

#include <cstddef>
#include <cstdint>

namespace purview::engine {

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

} // namespace purview::engine
