#pragma once

#include <purview/dtype/time_element.hpp>
#include <purview/expression/operations.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace purview::inline v0_1 {

/// An operation as a function object, for elements that the engine has no kernels for, such as
/// `std::complex`. Not callable if only the built-in types have it.
template <Op op>
struct Generic {};

/// Throws `CastError`: an operation on NaT gives a number that cannot say so.
[[noreturn]] PURVIEW_EXPORT void throw_nat_as_number();

/// What an operation gives where one of its operands is NaT: NaT, NaN; of comparisons only `!=` is true.
template <Op op, typename R>
R result_of_nat() {
    if constexpr (TimeElement<R>)
        return nat_value<R>();
    else if constexpr (std::is_same_v<R, bool>)
        return op == Op::not_equal;
    else if constexpr (std::is_floating_point_v<R>)
        return std::numeric_limits<R>::quiet_NaN();
    else
        throw_nat_as_number();
}
/// Whether an operation on elements of these types, some of them times, has such a result.
template <typename R, typename... T>
inline constexpr bool kMayBeNat = (TimeElement<T> || ...) &&
                                  (TimeElement<R> || std::is_arithmetic_v<R>);

/// Two integer times in different units: `std::chrono` compares them in their common unit, in which
/// int64 does not hold all that the coarser one counts.
template <typename A, typename B>
concept TimesOfTwoUnits =
    TimeElement<A> && TimeElement<B> && !std::same_as<A, B> && requires(const A& a, const B& b) {
    requires std::integral<typename decltype(a - a)::rep>;
    requires std::integral<typename decltype(b - b)::rep>;
    a < b;
};
/// What of `a` is compared with `b`: itself, or its count in their common unit, exactly.
template <typename A, typename B>
const A& compared_part(const A& a, const B&) {
    return a;
}
template <typename A, typename B>
    requires TimesOfTwoUnits<A, B>
auto compared_part(const A& a, const B& b) {
    __extension__ typedef __int128 Wide;
    using Unit = typename decltype(a - a)::period;
    using Common = typename decltype((a - a) + (b - b))::period;
    constexpr std::int64_t kFactor = (Unit::num / Common::num) * (Common::den / Unit::den);
    if constexpr (PointElement<A>)
        return static_cast<Wide>(a.time_since_epoch().count()) * kFactor;
    else
        return static_cast<Wide>(a.count()) * kFactor;
}

#define PURVIEW_GENERIC_OF_ONE(NAME, RESULT)                  \
 template <>                                                  \
 struct Generic<Op::NAME> {                                   \
  template <typename A>                                       \
  auto operator()(const A& a) const -> decltype(RESULT) {     \
   using R = std::decay_t<decltype(RESULT)>;                  \
   if constexpr (kMayBeNat<R, A>)                             \
    if (is_nat_value(a)) return result_of_nat<Op::NAME, R>(); \
   return RESULT;                                             \
  }                                                           \
 };
#define PURVIEW_GENERIC_OF_TWO(NAME, RESULT)                                     \
 template <>                                                                     \
 struct Generic<Op::NAME> {                                                      \
  template <typename A, typename B>                                              \
  auto operator()(const A& a, const B& b) const -> decltype(RESULT) {            \
   using R = std::decay_t<decltype(RESULT)>;                                     \
   if constexpr (kMayBeNat<R, A, B>)                                             \
    if (is_nat_value(a) || is_nat_value(b)) return result_of_nat<Op::NAME, R>(); \
   return RESULT;                                                                \
  }                                                                              \
 };
#define PURVIEW_GENERIC_OPERATOR(NAME, OPERATOR) PURVIEW_GENERIC_OF_TWO(NAME, a OPERATOR b)
#define PURVIEW_GENERIC_COMPARISON(NAME, OPERATOR) \
 PURVIEW_GENERIC_OF_TWO(NAME, (compared_part(a, b) OPERATOR compared_part(b, a)))

// The operators. (Those of <functional> cost every user the time to compile that header.)
PURVIEW_GENERIC_OPERATOR(add, +)
PURVIEW_GENERIC_OPERATOR(subtract, -)
PURVIEW_GENERIC_OPERATOR(multiply, *)
PURVIEW_GENERIC_OPERATOR(divide, /)
PURVIEW_GENERIC_OPERATOR(remainder, %)
PURVIEW_GENERIC_COMPARISON(equal, ==)
PURVIEW_GENERIC_COMPARISON(not_equal, !=)
PURVIEW_GENERIC_COMPARISON(less, <)
PURVIEW_GENERIC_COMPARISON(less_equal, <=)
PURVIEW_GENERIC_COMPARISON(greater, >)
PURVIEW_GENERIC_COMPARISON(greater_equal, >=)
PURVIEW_GENERIC_OPERATOR(logical_and, &&)
PURVIEW_GENERIC_OPERATOR(logical_or, ||)
PURVIEW_GENERIC_OPERATOR(bit_and, &)
PURVIEW_GENERIC_OPERATOR(bit_or, |)
PURVIEW_GENERIC_OPERATOR(bit_xor, ^)
PURVIEW_GENERIC_OPERATOR(shift_left, <<)
PURVIEW_GENERIC_OPERATOR(shift_right, >>)
PURVIEW_GENERIC_OF_ONE(negative, -a)
PURVIEW_GENERIC_OF_ONE(logical_not, !a)
PURVIEW_GENERIC_OF_ONE(bit_not, ~a)

// Functions that the namespaces of the element types have. They come before the objects of these
// names, which would hide them.
PURVIEW_GENERIC_OF_ONE(square, (a * a))
PURVIEW_GENERIC_OF_ONE(square_root, sqrt(a))
#define PURVIEW_SAME_NAME(NAME) PURVIEW_GENERIC_OF_ONE(NAME, NAME(a))
PURVIEW_EACH_FLOAT_FUNCTION(PURVIEW_SAME_NAME)
#undef PURVIEW_SAME_NAME
PURVIEW_GENERIC_OF_ONE(floor, floor(a))
PURVIEW_GENERIC_OF_ONE(ceil, ceil(a))
PURVIEW_GENERIC_OF_ONE(round, round(a))
PURVIEW_GENERIC_OF_ONE(rint, rint(a))
PURVIEW_GENERIC_OF_ONE(trunc, trunc(a))
#define PURVIEW_SAME_NAME(NAME) PURVIEW_GENERIC_OF_TWO(NAME, NAME(a, b))
PURVIEW_EACH_FLOAT_FUNCTION_OF_TWO(PURVIEW_SAME_NAME)
#undef PURVIEW_SAME_NAME
PURVIEW_GENERIC_OF_TWO(ieee_remainder, remainder(a, b))
#undef PURVIEW_GENERIC_OPERATOR
#undef PURVIEW_GENERIC_COMPARISON
#undef PURVIEW_GENERIC_OF_ONE
#undef PURVIEW_GENERIC_OF_TWO

template <>
struct Generic<Op::absolute> {
    // Of a double, `abs` without a namespace could be the one of int.
    template <typename T>
        requires(!std::is_arithmetic_v<T>)
    auto operator()(const T& x) const -> decltype(abs(x)) {
        if constexpr (TimeElement<T>)
            if (is_nat_value(x)) return x;
        return abs(x);
    }
};
template <>
struct Generic<Op::minimum> {
    template <std::totally_ordered T>
    T operator()(const T& x, const T& y) const {
        if (is_nat_value(x) || is_nat_value(y)) return is_nat_value(x) ? x : y;
        return y < x ? y : x;
    }
};
template <>
struct Generic<Op::maximum> {
    template <std::totally_ordered T>
    T operator()(const T& x, const T& y) const {
        if (is_nat_value(x) || is_nat_value(y)) return is_nat_value(x) ? x : y;
        return x < y ? y : x;
    }
};

} // namespace purview
