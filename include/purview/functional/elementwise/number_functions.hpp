#pragma once

#include <purview/functional/elementwise/operands.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace purview::inline v0_1 {

/// Functions of numbers, with the C library's results. (Including <cmath> would cost every user
/// compile time.) `op` is a function of floats, a rounding, or `signum`.
PURVIEW_EXPORT float function_of(Op op, float x) noexcept;
PURVIEW_EXPORT double function_of(Op op, double x) noexcept;
/// Functions of two numbers, with the C library's results: `pow`, `hypot`, `atan2`,
/// `ieee_remainder` or `remainder`; and `scale`.
PURVIEW_EXPORT float function_of(Op op, float x, float y) noexcept;
PURVIEW_EXPORT double function_of(Op op, double x, double y) noexcept;

[[noreturn]] PURVIEW_EXPORT void throw_division_by_zero(const char* what);

/// The quotient and the remainder of two numbers, as for elements: integers wrap. They throw
/// `ArithmeticError` for an integer divided by zero.
template <typename T>
T quotient_of(T x, T y) {
    if constexpr (std::integral<T>) {
        if (y == 0) throw_division_by_zero("quot");
        if constexpr (std::is_signed_v<T>)
            if (y == -1) return static_cast<T>(0 - static_cast<std::uint64_t>(x));
    }
    return static_cast<T>(x / y);
}
template <typename T>
T remainder_of(T x, T y) {
    if constexpr (std::integral<T>) {
        if (y == 0) throw_division_by_zero("rem");
        if constexpr (std::is_signed_v<T>)
            if (y == -1) return T{};
        return static_cast<T>(x % y);
    } else {
        return function_of(Op::remainder, x, y);
    }
}

/// The remainder of a division of integers that is rounded down: it has the sign of `y`. Throws
/// `ArithmeticError` for a division by zero.
template <std::integral T>
T floor_remainder_of(T x, T y) {
    if (y == 0) throw_division_by_zero("mod");
    const T rest = remainder_of(x, y);
    return rest != 0 && (rest < T{}) != (y < T{}) ? static_cast<T>(rest + y) : rest;
}
/// The quotient of integers, rounded down. Throws `ArithmeticError` for a division by zero.
template <std::integral T>
T floor_quotient_of(T x, T y) {
    if (y == 0) throw_division_by_zero("floor_divide");
    const bool is_below = floor_remainder_of(x, y) != remainder_of(x, y);
    return static_cast<T>(quotient_of(x, y) - (is_below ? 1 : 0));
}

[[noreturn]] PURVIEW_EXPORT void throw_negative_power(std::int64_t base, std::int64_t exponent);

/// `x` to the power of `y` by squaring, which wraps. Throws `ArithmeticError` for a negative `y`.
template <std::integral T>
T integer_power_of(T x, T y) {
    if constexpr (std::is_signed_v<T>)
        if (y < 0) throw_negative_power(x, y);
    auto factor = static_cast<std::uint64_t>(x);
    std::uint64_t result = 1;
    for (auto rest = static_cast<std::uint64_t>(y); rest != 0; rest >>= 1) {
        if ((rest & 1) != 0) result *= factor;
        factor *= factor;
    }
    return static_cast<T>(result);
}

/// `x` shifted as elements of tensors are: counts below 0, or at least the width, shift all bits
/// out.
template <Op op, std::integral T>
constexpr T shifted(T x, T count) noexcept {
    constexpr auto kWidth = static_cast<T>(8 * sizeof(T));
    const bool inside = count >= T{0} && count < kWidth;
    if constexpr (op == Op::shift_left)
        return inside ? static_cast<T>(static_cast<std::uint64_t>(x) << count) : T{0};
    else
        return inside ? static_cast<T>(x >> count) : static_cast<T>(x < T{0} ? -1 : 0);
}

/// `op` on a number of the type that `op` computes in, with the result that an element would have.
template <Op op, typename T>
auto apply_to_number(T x) {
    if constexpr (is_of_floats(op) ||
                  (std::floating_point<T> && (is_rounding(op) || op == Op::signum)))
        return function_of(op, x);
    else if constexpr (is_rounding(op))
        return x;
    else if constexpr (op == Op::signum)
        return static_cast<T>(x < T{} ? -1 : x > T{} ? 1 : 0);
    else if constexpr (op == Op::bit_not && std::same_as<T, bool>)
        return !x;
    else if constexpr (op == Op::bit_not)
        return static_cast<T>(~x);
    else if constexpr (op == Op::square && std::floating_point<T>)
        return x * x;
    else if constexpr (op == Op::square)
        return static_cast<T>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(x));
    else if constexpr (std::floating_point<T>)
        return x == 0 ? T{} : x < 0 ? -x : x; // -0 becomes 0
    else
        return x < T{} ? static_cast<T>(0 - static_cast<std::uint64_t>(x)) : x;
}

/// `op` on two numbers of the type that `op` computes in, with the result that elements would have.
/// Minimum and maximum are NaN if either is.
template <Op op, typename T>
auto apply_to_numbers(T x, T y) {
    if constexpr (is_of_floats(op)) {
        return function_of(op, x, y);
    } else if constexpr (op == Op::shift_left || op == Op::shift_right) {
        return shifted<op>(x, y);
    } else if constexpr (op == Op::remainder) {
        return remainder_of(x, y);
    } else {
        if constexpr (std::floating_point<T> && (op == Op::minimum || op == Op::maximum))
            if (x != x || y != y) return x + y;
        return static_cast<T>(Generic<op>{}(x, y));
    }
}

} // namespace purview
