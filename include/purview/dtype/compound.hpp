#pragma once

#include <purview/base/wrapping.hpp>
#include <purview/dtype/canonical.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace purview {

/// Integers of which every value of `U` is one of `T`. Bools count as integers of one bit.
template <typename T, typename U>
concept HoldsAll = std::integral<T> && !std::same_as<T, bool> && std::integral<U> &&
                   (std::is_signed_v<T> || std::is_unsigned_v<U>)&&std::numeric_limits<T>::digits >=
                       std::numeric_limits<U>::digits;

/// Integers, the result of which may not fit T.
template <typename T, typename U>
concept MixedIntegers =
    std::integral<T> && !std::same_as<T, bool> && std::integral<U> && !HoldsAll<T, U>;

enum class CompoundOperation : std::uint8_t { add, subtract, multiply };

/// Throws the `CastError` of a result that does not fit.
template <CompoundOperation operation, typename T, typename U>
[[noreturn]] void throw_result_does_not_fit(T a, U b) {
    using enum CompoundOperation;
    std::int64_t exact = 0;
    const bool is_huge = operation == add        ? __builtin_add_overflow(a, b, &exact)
                         : operation == subtract ? __builtin_sub_overflow(a, b, &exact)
                                                 : __builtin_mul_overflow(a, b, &exact);
    if (!is_huge) throw_cast(exact, -1, kDType<T>);
    const auto x = static_cast<double>(a);
    const auto y = static_cast<double>(b);
    throw_cast(operation == add ? x + y : operation == subtract ? x - y : x * y, -1, kDType<T>);
}

/// What `a += b`, `a -= b` and `a *= b` leave in an element. Where all values of b's type are values of T, this is
/// the arithmetic of T, in which integers wrap. Otherwise the exact result has to fit T; a fraction is cut off.
/// Throws `CastError`.
template <CompoundOperation operation, BuiltinType T, typename U>
    requires std::is_arithmetic_v<U>
constexpr T compound_result(T a, U b) {
    using enum CompoundOperation;
    if constexpr (HoldsAll<T, U>) {
        const T same = static_cast<T>(b);
        if constexpr (operation == add) return wrapping_sum(a, same);
        if constexpr (operation == subtract) return wrapping_difference(a, same);
        if constexpr (operation == multiply) return wrapping_product<T>(a, same);
    } else if constexpr (MixedIntegers<T, U>) {
        T result{};
        bool misfits = false;
        if constexpr (operation == add) misfits = __builtin_add_overflow(a, b, &result);
        if constexpr (operation == subtract) misfits = __builtin_sub_overflow(a, b, &result);
        if constexpr (operation == multiply) misfits = __builtin_mul_overflow(a, b, &result);
        if (misfits) [[unlikely]]
            throw_result_does_not_fit<operation>(a, b);
        return result;
    } else {
        using C = std::common_type_t<T, U>;
        const C x = static_cast<C>(a);
        const C y = static_cast<C>(b);
        if constexpr (operation == add) return converted<T>(x + y);
        if constexpr (operation == subtract) return converted<T>(x - y);
        if constexpr (operation == multiply) return converted<T>(x * y);
    }
}

/// Throws `ArithmeticError: division of an integer by zero`.
[[noreturn]] PURVIEW_EXPORT void throw_divided_by_zero();

/// What `a /= b` and `a %= b` leave in an element: integers truncated, as in C++, by a divisor that has to fit T.
/// Throws `ArithmeticError` for an integer zero, and `CastError`.
template <bool remainder, BuiltinType T, typename U>
    requires std::is_arithmetic_v<U>
constexpr T divided_result(T a, U b) {
    if constexpr (std::integral<T> && !std::same_as<T, bool> && std::integral<U>) {
        const T divisor = converted<T>(b);
        if (divisor == T{}) [[unlikely]]
            throw_divided_by_zero();
        // The lowest number has no opposite: it wraps to itself.
        if constexpr (std::is_signed_v<T>)
            if (divisor == T{-1}) return remainder ? T{} : wrapping_difference(T{}, a);
        return static_cast<T>(remainder ? a % divisor : a / divisor);
    } else if constexpr (remainder) {
        return converted<T>(a % b);
    } else {
        using C = std::common_type_t<T, U>;
        return converted<T>(static_cast<C>(a) / static_cast<C>(b));
    }
}

} // namespace purview
