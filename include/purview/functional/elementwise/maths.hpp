#pragma once

#include <purview/base/refused.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/composed.hpp>
#include <purview/functional/elementwise/generic_operations.hpp>
#include <purview/functional/elementwise/operation_functions.hpp>
#include <purview/tensor/accepting_arrays.hpp>

#include <concepts>
#include <type_traits>

namespace purview {

// The mathematical functions of elements, of numbers too, and as stages: those of <cmath>, and
// their neighbours.

/// Element-wise absolute value. Lazy; the lowest signed integer wraps to itself.
inline constexpr UnaryFunction<Op::absolute, GenericAbsolute> abs;
/// Element-wise square root: in float64 for integers, NaN for negative numbers. Lazy, correctly
/// rounded.
inline constexpr UnaryFunction<Op::square_root, GenericSquareRoot> sqrt;
/// Element-wise square. Lazy.
inline constexpr UnaryFunction<Op::square, GenericSquare> sq;

/// The smaller of two, element-wise, broadcasting; NaN if either is. Lazy. (`min` reduces.)
inline constexpr BinaryFunction<Op::minimum, GenericMinimum> minimum;
/// The larger of two, element-wise, broadcasting; NaN if either is. Lazy. (`max` reduces.)
inline constexpr BinaryFunction<Op::maximum, GenericMaximum> maximum;

/// The sign of each element: -1, 0 or 1; zeros (of either sign) and NaN stay. Lazy.
inline constexpr UnaryFunction<Op::signum, NoGeneric> signum;
/// 1 / x, in float64 for integers. Lazy, correctly rounded.
inline constexpr ComposedFunction<Composed::reciprocal> reciprocal;
/// `maximum(x, 0)`; NaN stays. Lazy.
inline constexpr ComposedFunction<Composed::relu> relu;

// Rounding, element-wise, lazy and exact. Integers stay, in their own type, and so do infinities
// and NaN. Zeros keep their signs, and a result of zero has the sign of x.

/// Rounds down.
inline constexpr UnaryFunction<Op::floor, GenericFloor> floor;
/// Rounds up.
inline constexpr UnaryFunction<Op::ceil, GenericCeil> ceil;
/// Rounds to the nearest integer, halves away from zero, as in C++.
inline constexpr UnaryFunction<Op::round, GenericRound> round;
/// Rounds to the nearest integer, halves to even, as NumPy's `round` and `rint` do.
inline constexpr UnaryFunction<Op::rint, GenericRint> rint;
/// Rounds towards zero.
inline constexpr UnaryFunction<Op::trunc, GenericTrunc> trunc;

// Quotients and remainders.

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
inline constexpr BinaryFunction<Op::remainder, Modulus> rem;

/// x minus the nearest multiple of y (the even multiple for ties): exact, in [-y/2, y/2]. In
/// float64 for integers. NaN for an infinite x or a y of 0. Lazy, broadcasting.
inline constexpr BinaryFunction<Op::ieee_remainder, GenericIeeeRemainder> ieee_remainder;

// Exponentials, logarithms and powers, element-wise and lazy: float32 stays, everything else
// computes in float64. At most 1 ulp off unless said otherwise. NaN gives NaN; zeros, infinities
// and arguments outside of the domain give what C's <math.h> says, without setting errno.

/// The cube root.
inline constexpr UnaryFunction<Op::cbrt, GenericCubeRoot> cbrt;
/// e to the power of each element.
inline constexpr UnaryFunction<Op::exp, GenericExp> exp;
/// Two to the power of each element.
inline constexpr UnaryFunction<Op::exp2, GenericExp2> exp2;
/// exp(x) - 1, accurate for small x too.
inline constexpr UnaryFunction<Op::expm1, GenericExpm1> expm1;
/// The natural logarithm: -inf for 0, NaN for negative numbers.
inline constexpr UnaryFunction<Op::log, GenericLog> log;
/// The logarithm to base 2.
inline constexpr UnaryFunction<Op::log2, GenericLog2> log2;
/// The logarithm to base 10.
inline constexpr UnaryFunction<Op::log10, GenericLog10> log10;
/// log(1 + x), accurate for small x too: -inf for -1, NaN below.
inline constexpr UnaryFunction<Op::log1p, GenericLog1p> log1p;

/// `pow(x, y)`, `x | pow(y)`: x to the power of y, broadcasting. NaN for a negative x with a
/// fractional y. At most 1.1 ulp off.
inline constexpr BinaryFunction<Op::power, GenericPower> pow;
/// sqrt(x² + y²) without intermediate overflow, broadcasting. Infinite if either operand is, even
/// if the other is NaN.
inline constexpr BinaryFunction<Op::hypot, GenericHypot> hypot;

/// `logaddexp(x, y)`, `x | logaddexp(y)`: log(exp(x) + exp(y)) without intermediate overflow,
/// broadcasting. The larger operand if either is infinite. At most 2.1 ulp of the larger operand off,
/// or of log(2) if that is greater: results near 0 are only as exact as what they are made of.
struct LogAddExpFunction : SecondOperandAsStage<LogAddExpFunction> {
    using SecondOperandAsStage<LogAddExpFunction>::operator();

    template <typename X, typename Y>
        requires TensorOperands<X, Y>
    auto operator()(const X& x, const Y& y) const {
        constexpr ComposedOfTwo kWhat = ComposedOfTwo::logaddexp;
        if constexpr (!TypedOperand<X> || !TypedOperand<Y>) {
            return any_composed(kWhat, weak_operand(x), weak_operand(y));
        } else if constexpr (!BuiltinOperands<X, Y>) {
            static_assert(kRefused<X>, "logaddexp is defined for numbers");
            return x;
        } else {
            using C = ComputedIn<Op::exp, Computed<X, Y>>;
            static_assert(std::is_floating_point_v<C>,
                          "these element types have no common type (a signed integer with uint64): "
                          "cast one of them");
            return apply_composed<kWhat, C, C>(x, y);
        }
    }
    template <NumberLike X, NumberLike Y>
    auto operator()(const X& x, const Y& y) const {
        using C = ComputedIn<Op::exp, Canonical<std::common_type_t<Scalar<X>, Scalar<Y>>>>;
        const auto a = static_cast<C>(static_cast<Scalar<X>>(x));
        const auto b = static_cast<C>(static_cast<Scalar<Y>>(y));
        const C apart = a == b ? C{} : a < b ? a - b : b - a; // not above 0
        return (a < b ? b : a) + function_of(Op::log1p, function_of(Op::exp, apart));
    }
};
inline constexpr AcceptingArrays<LogAddExpFunction> logaddexp;

/// 1 / (1 + exp(-x)). At most 3 ulp off.
inline constexpr ComposedFunction<Composed::logistic> logistic;

// Trigonometric functions of angles in radians, element-wise and lazy: float32 stays, everything
// else computes in float64. At most 1 ulp off unless said otherwise. NaN gives NaN; zeros and
// infinities as in C's <math.h>.

/// The sine; NaN for infinities.
inline constexpr UnaryFunction<Op::sin, GenericSin> sin;
/// The cosine; NaN for infinities.
inline constexpr UnaryFunction<Op::cos, GenericCos> cos;
/// The tangent; NaN for infinities.
inline constexpr UnaryFunction<Op::tan, GenericTan> tan;
/// The arc sine, in [-π/2, π/2]; NaN outside of [-1, 1].
inline constexpr UnaryFunction<Op::asin, GenericAsin> asin;
/// The arc cosine, in [0, π]; NaN outside of [-1, 1].
inline constexpr UnaryFunction<Op::acos, GenericAcos> acos;
/// The arc tangent, in [-π/2, π/2].
inline constexpr UnaryFunction<Op::atan, GenericAtan> atan;
inline constexpr UnaryFunction<Op::sinh, GenericSinh> sinh;
inline constexpr UnaryFunction<Op::cosh, GenericCosh> cosh;
/// The hyperbolic tangent; at most 1.5 ulp off.
inline constexpr UnaryFunction<Op::tanh, GenericTanh> tanh;
/// `atan2(y, x)`: the angle of the point (x, y), in [-π, π], broadcasting.
inline constexpr BinaryFunction<Op::atan2, GenericAtan2> atan2;

/// x times 180 / π.
inline constexpr ComposedFunction<Composed::to_degrees> to_degrees;
/// x times π / 180.
inline constexpr ComposedFunction<Composed::to_radians> to_radians;

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

} // namespace purview
