#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace oracle {

// Arithmetic as docs/semantics.md has it: integers wrap, NaN wins in minima and maxima.

template <typename T>
T add(T a, T b) {
    if constexpr (std::integral<T>)
        return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    else
        return a + b;
}
template <typename T>
T subtract(T a, T b) {
    if constexpr (std::integral<T>)
        return static_cast<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
    else
        return a - b;
}
template <typename T>
T multiply(T a, T b) {
    if constexpr (std::integral<T>)
        return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    else
        return a * b;
}
template <typename T>
T negative(T a) {
    if constexpr (std::integral<T>)
        return subtract<T>(T{}, a);
    else
        return -a;
}
template <typename T>
T magnitude(T a) {
    if constexpr (std::is_unsigned_v<T>)
        return a;
    else
        return a < T{} ? negative(a) : a;
}
template <typename T>
T least(T a, T b) {
    if constexpr (std::floating_point<T>)
        if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
    return b < a ? b : a;
}
template <typename T>
T greatest(T a, T b) {
    if constexpr (std::floating_point<T>)
        if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
    return a < b ? b : a;
}

/// An unchecked cast of a float: integers by way of int64, and what that cannot hold is its lowest.
template <typename T>
T converted(float value) {
    if constexpr (std::floating_point<T>) {
        return static_cast<T>(value);
    } else {
        const bool inside = value >= -0x1p63F && value < 0x1p63F;
        return static_cast<T>(inside ? static_cast<std::int64_t>(value)
                                     : std::numeric_limits<std::int64_t>::lowest());
    }
}

} // namespace oracle
