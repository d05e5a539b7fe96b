#pragma once

#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/composed.hpp>
#include <purview/functional/elementwise/rounding.hpp>
#include <purview/functional/elementwise/unary.hpp>
#include <purview/tensor/accepting_arrays.hpp>

#include <concepts>
#include <type_traits>

namespace purview {

/// The operations for elements of types that are not built-in, if these have them.
struct GenericAbsolute {
    // Of a double, `abs` without a namespace could be the one of int.
    template <typename T>
        requires(!std::is_arithmetic_v<T>)
    auto operator()(const T& x) const -> decltype(abs(x)) { return abs(x); }
};
struct GenericSquareRoot {
    template <typename T>
    auto operator()(const T& x) const -> decltype(sqrt(x)) {
        return sqrt(x);
    }
};
struct GenericSquare {
    template <typename T>
    auto operator()(const T& x) const -> decltype(x * x) {
        return x * x;
    }
};
struct GenericMinimum {
    template <std::totally_ordered T>
    T operator()(const T& x, const T& y) const {
        return y < x ? y : x;
    }
};
struct GenericMaximum {
    template <std::totally_ordered T>
    T operator()(const T& x, const T& y) const {
        return x < y ? y : x;
    }
};

/// Element-wise negation. Lazy; integers wrap.
template <TensorLike X>
auto operator-(const X& x) {
    return apply_unary<Op::negative, Negate>(x);
}

/// Element-wise absolute value. Lazy; the lowest signed integer wraps to itself.
inline constexpr AcceptingArrays<UnaryFunction<Op::absolute, GenericAbsolute>> abs;
/// Element-wise square root: in float64 for integers, NaN for negative numbers. Lazy, correctly
/// rounded.
inline constexpr AcceptingArrays<UnaryFunction<Op::square_root, GenericSquareRoot>> sqrt;
/// Element-wise square. Lazy.
inline constexpr AcceptingArrays<UnaryFunction<Op::square, GenericSquare>> sq;

/// The smaller of two, element-wise, broadcasting; NaN if either is. Lazy. (`min` reduces.)
inline constexpr AcceptingArrays<BinaryFunction<Op::minimum, GenericMinimum>> minimum;
/// The larger of two, element-wise, broadcasting; NaN if either is. Lazy. (`max` reduces.)
inline constexpr AcceptingArrays<BinaryFunction<Op::maximum, GenericMaximum>> maximum;

/// The sign of each element: -1, 0 or 1; zeros (of either sign) and NaN stay. Lazy.
inline constexpr AcceptingArrays<UnaryFunction<Op::signum, NoGeneric>> signum;
/// 1 / x, in float64 for integers. Lazy, correctly rounded.
inline constexpr AcceptingArrays<ComposedFunction<Composed::reciprocal>> reciprocal;
/// `maximum(x, 0)`; NaN stays. Lazy.
inline constexpr AcceptingArrays<ComposedFunction<Composed::relu>> relu;
/// x minus the nearest multiple of y (the even multiple for ties): exact, in [-y/2, y/2]. In
/// float64 for integers. NaN for an infinite x or a y of 0. Lazy, broadcasting.
inline constexpr AcceptingArrays<BinaryFunction<Op::ieee_remainder, GenericIeeeRemainder>>
    ieee_remainder;

/// Returns a tensor unchanged.
struct IdentityFunction : PipelineStage {
    template <TensorLike X>
    X operator()(const X& x) const {
        return x;
    }
    template <NumberLike X>
    Scalar<X> operator()(const X& x) const {
        return static_cast<Scalar<X>>(x);
    }
};
inline constexpr AcceptingArrays<IdentityFunction> identity;

/// `clamp(x, low, high)`, `x | clamp(low, high)`: `minimum(maximum(x, low), high)`, so that `high`
/// wins if low > high, and NaN in any operand gives NaN. Lazy, broadcasting.
struct ClampFunction {
    template <typename X, typename Low, typename High>
        requires TensorOperands<X, Low> && TensorOperands<X, High>
    auto operator()(const X& x, const Low& low, const High& high) const {
        return minimum(maximum(x, low), high);
    }
    template <NumberLike X, NumberLike Low, NumberLike High>
    auto operator()(const X& x, const Low& low, const High& high) const {
        return minimum(maximum(x, low), high);
    }
    template <NumberLike Low, NumberLike High>
    auto operator()(const Low& low, const High& high) const {
        return make_stage(*this, static_cast<Scalar<Low>>(low), static_cast<Scalar<High>>(high));
    }
};
inline constexpr AcceptingArrays<ClampFunction> clamp;

/// `quot(x, y)`, `x | quot(y)`: `x / y` truncated towards zero. Lazy, broadcasting. Throws
/// `ArithmeticError` when a divisor is an integer zero: at evaluation; for numbers at once.
struct QuotFunction {
    template <typename X, typename Y>
        requires TensorOperands<X, Y>
    auto operator()(const X& x, const Y& y) const { return trunc(x / y); }
    template <NumberLike X, NumberLike Y>
    auto operator()(const X& x, const Y& y) const {
        using C = Canonical<std::common_type_t<Scalar<X>, Scalar<Y>>>;
        return trunc(quotient_of(static_cast<C>(static_cast<Scalar<X>>(x)),
                                 static_cast<C>(static_cast<Scalar<Y>>(y))));
    }
    template <NumberLike Y>
    auto operator()(const Y& y) const {
        return make_stage(*this, static_cast<Scalar<Y>>(y));
    }
};
inline constexpr AcceptingArrays<QuotFunction> quot;
/// `rem(x, y)`, `x | rem(y)`: `x % y`, with the sign of x.
inline constexpr AcceptingArrays<BinaryFunction<Op::remainder, Modulus>> rem;

} // namespace purview
