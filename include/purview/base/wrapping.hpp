#pragma once

#include <concepts>
#include <cstdint>

namespace purview::inline v0_1 {

/// Sum, difference and product of two elements: floats as usual, integers wrapping on overflow. The
/// sum of two bools is their logical or.
template <typename T>
constexpr T wrapping_sum(T a, T b) {
    if constexpr (std::same_as<T, bool>)
        return a || b;
    else if constexpr (std::integral<T>)
        return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    else
        return a + b;
}
template <typename T>
constexpr T wrapping_difference(T a, T b) {
    if constexpr (std::integral<T>)
        return static_cast<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
    else
        return a - b;
}
/// `a * b` computed in R, the type in which such products are added up. Integers wrap.
template <typename R, typename T>
constexpr R wrapping_product(T a, T b) {
    if constexpr (std::integral<R>)
        return static_cast<R>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    else
        return static_cast<R>(a) * static_cast<R>(b);
}

} // namespace purview
