#pragma once

#include <purview/base/wrapping.hpp>
#include <purview/dtype/canonical.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace purview::inline v0_1 {

/// `T` is an integer type that can represent every value of `U`. Bools count as integers of one
/// bit.
template <typename T, typename U>
concept HoldsAll = std::integral<T> && !std::same_as<T, bool> && std::integral<U> &&
                   (std::is_signed_v<T> || std::is_unsigned_v<U>)&&std::numeric_limits<T>::digits >=
                       std::numeric_limits<U>::digits;

/// `T` and `U` are integer types, and an operation on both may have a result that does not fit T.
template <typename T, typename U>
concept MixedIntegers =
    std::integral<T> && !std::same_as<T, bool> && std::integral<U> && !HoldsAll<T, U>;

enum class CompoundOperation : std::uint8_t { add, subtract, multiply };

/// Throws the `CastError` for a result of `operation` that does not fit T.
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

/// What `a += b`, `a -= b` and `a *= b` store in an element of type T. If T can represent all
/// values of U, this is the arithmetic of T, in which integers wrap. Otherwise the exact result,
/// its fraction cut off, has to fit T: throws `CastError` if not.
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

/// What `a /= b` and `a %= b` store in an element of type T. Integer quotients are truncated as in
/// C++, and the divisor has to fit T. Throws `ArithmeticError` for division by an integer zero,
/// `CastError` for a divisor or a result that does not fit.
template <bool remainder, BuiltinType T, typename U>
    requires std::is_arithmetic_v<U>
constexpr T divided_result(T a, U b) {
    if constexpr (std::integral<T> && !std::same_as<T, bool> && std::integral<U>) {
        const T divisor = converted<T>(b);
        if (divisor == T{}) [[unlikely]]
            throw_divided_by_zero();
        // The negation of the lowest number overflows; it wraps to itself.
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
