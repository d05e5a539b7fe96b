#pragma once

#include <cstdint>
#include <type_traits>

namespace purview::sparse {

/// Sums and products as the dense ones: floats as they are, integers wrapping.
template <typename R>
R plus(R a, R b) {
    if constexpr (std::is_same_v<R, bool>)
        return a || b;
    else if constexpr (std::is_integral_v<R>)
        return static_cast<R>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    else
        return a + b;
}
template <typename R>
R minus(R a, R b) {
    if constexpr (std::is_integral_v<R>)
        return static_cast<R>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
    else
        return a - b;
}
template <typename R, typename T>
R times(T a, T b) {
    if constexpr (std::is_integral_v<R>)
        return static_cast<R>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    else
        return static_cast<R>(a) * static_cast<R>(b);
}

} // namespace purview::sparse
