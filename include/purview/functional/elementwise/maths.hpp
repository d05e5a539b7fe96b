#pragma once

#include <purview/base/refused.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/composed.hpp>
#include <purview/functional/elementwise/operation_functions.hpp>

namespace purview::inline v0_1 {

// The mathematical functions of elements, of numbers too, and as stages: those of <cmath>, and
// their neighbours.

/// Element-wise absolute value. Lazy; the lowest signed integer wraps to itself.
inline constexpr UnaryFunction<Op::absolute> abs;
/// Element-wise square root: in float64 for integers, NaN for negative numbers. Lazy, correctly
/// rounded.
inline constexpr UnaryFunction<Op::square_root> sqrt;
/// Element-wise square. Lazy.
inline constexpr UnaryFunction<Op::square> sq;

/// The smaller of two, element-wise, broadcasting; NaN if either is. Lazy. (`min` reduces.)
inline constexpr BinaryFunction<Op::minimum> minimum;
/// The larger of two, element-wise, broadcasting; NaN if either is. Lazy. (`max` reduces.)
inline constexpr BinaryFunction<Op::maximum> maximum;

/// The sign of each element: -1, 0 or 1; zeros (of either sign) and NaN stay. Lazy.
inline constexpr UnaryFunction<Op::signum> signum;
/// 1 / x, in float64 for integers. Lazy, correctly rounded.
inline constexpr ComposedFunction<Composed::reciprocal> reciprocal;
/// `maximum(x, 0)`; NaN stays. Lazy.
inline constexpr ComposedFunction<Composed::relu> relu;

// Rounding, element-wise, lazy and exact. Integers stay, in their own type, and so do infinities
// and NaN. Zeros keep their signs, and a result of zero has the sign of x.

/// Rounds down.
inline constexpr UnaryFunction<Op::floor> floor;
/// Rounds up.
inline constexpr UnaryFunction<Op::ceil> ceil;
/// Rounds to the nearest integer, halves away from zero, as in C++.
inline constexpr UnaryFunction<Op::round> round;
/// Rounds to the nearest integer, halves to even, as NumPy's `round` and `rint` do.
inline constexpr UnaryFunction<Op::rint> rint;
/// Rounds towards zero.
inline constexpr UnaryFunction<Op::trunc> trunc;

// Quotients and remainders.

/// `quot(x, y)`, `x | quot(y)`: `x / y` truncated towards zero. Lazy, broadcasting. Throws
/// `ArithmeticError` when a divisor is an integer zero: at evaluation; for numbers at once.
struct QuotFunction : SecondOperandAsStage<QuotFunction> {
    using SecondOperandAsStage<QuotFunction>::operator();

    template <typename X, typename Y>
        requires ElementOperands<X, Y> && requires(TensorOf<X> x, TensorOf<Y> y) { trunc(x / y); }
    auto operator()(X&& x, Y&& y) const {
        return trunc(lasting_tensor(std::forward<X>(x)) / lasting_tensor(std::forward<Y>(y)));
    }
    template <NumberLike X, NumberLike Y>
        requires kSupports<Op::divide, NumbersIn<Op::divide, X, Y>>
    auto operator()(const X& x, const Y& y) const {
        using C = NumbersIn<Op::divide, X, Y>;
        return trunc(quotient_of(static_cast<C>(static_cast<Scalar<X>>(x)),
                                 static_cast<C>(static_cast<Scalar<Y>>(y))));
    }
};
inline constexpr QuotFunction quot;
/// `rem(x, y)`, `x | rem(y)`: `x % y`, with the sign of x.
inline constexpr BinaryFunction<Op::remainder> rem;

/// `floor_divide(x, y)`, `x | floor_divide(y)`: `x / y` rounded down, as Python's `//`. Integers stay;
/// the lowest one divided by -1 wraps. Of floats the quotient of what `mod` leaves; infinite by 0,
/// and not rounded where x is 0 or y infinite: `1. // -inf` is -0. Lazy, broadcasting. Throws
/// `ArithmeticError` when a divisor is an integer zero: at evaluation; for numbers at once.
inline constexpr ComposedFunctionOfTwo<ComposedOfTwo::floor_divide> floor_divide;
/// `mod(x, y)`, `x | mod(y)`: the remainder of `floor_divide(x, y)`, with the sign of y, of zeros
/// too, as Python's `%`. NaN for an infinite x or a y of 0. Lazy, broadcasting. Throws
/// `ArithmeticError` as `floor_divide`.
inline constexpr ComposedFunctionOfTwo<ComposedOfTwo::mod> mod;

/// x minus the nearest multiple of y (the even multiple for ties): exact, in [-y/2, y/2]. In
/// float64 for integers. NaN for an infinite x or a y of 0. Lazy, broadcasting.
inline constexpr BinaryFunction<Op::ieee_remainder> ieee_remainder;

// Exponentials, logarithms and powers, element-wise and lazy: float32 stays, everything else
// computes in float64. At most 1 ulp off unless said otherwise. NaN gives NaN; zeros, infinities
// and arguments outside of the domain give what C's <math.h> says, without setting errno.

/// The cube root.
inline constexpr UnaryFunction<Op::cbrt> cbrt;
/// e to the power of each element.
inline constexpr UnaryFunction<Op::exp> exp;
/// Two to the power of each element.
inline constexpr UnaryFunction<Op::exp2> exp2;
/// exp(x) - 1, accurate for small x too.
inline constexpr UnaryFunction<Op::expm1> expm1;
/// The natural logarithm: -inf for 0, NaN for negative numbers.
inline constexpr UnaryFunction<Op::log> log;
/// The logarithm to base 2.
inline constexpr UnaryFunction<Op::log2> log2;
/// The logarithm to base 10.
inline constexpr UnaryFunction<Op::log10> log10;
/// log(1 + x), accurate for small x too: -inf for -1, NaN below.
inline constexpr UnaryFunction<Op::log1p> log1p;

/// `pow(x, y)`, `x | pow(y)`: x to the power of y, broadcasting. NaN for a negative x with a
/// fractional y. At most 1.1 ulp off.
inline constexpr BinaryFunction<Op::pow> pow;
/// `integer_pow(x, y)`, `x | integer_pow(y)`: integers to the power of integers, in their common
/// type, in which they wrap. Lazy, broadcasting, element by element by squaring. Throws
/// `ArithmeticError` when an exponent is negative: at evaluation; for numbers at once.
inline constexpr ComposedFunctionOfTwo<ComposedOfTwo::integer_pow> integer_pow;
/// sqrt(x² + y²) without intermediate overflow, broadcasting. Infinite if either operand is, even
/// if the other is NaN.
inline constexpr BinaryFunction<Op::hypot> hypot;

/// `logaddexp(x, y)`, `x | logaddexp(y)`: log(exp(x) + exp(y)) without intermediate overflow,
/// broadcasting. The larger operand if either is infinite. At most 2.1 ulp of the larger operand off,
/// or of log(2) if that is greater: results near 0 are only as exact as what they are made of.
inline constexpr ComposedFunctionOfTwo<ComposedOfTwo::logaddexp> logaddexp;

/// The error function, 2/√π times the integral of exp(-t²) from 0 to x.
inline constexpr UnaryFunction<Op::erf> erf;
/// 1 - erf(x), accurate where erf(x) is near 1 too, down to the last subnormal number. At most 1.3
/// ulp off.
inline constexpr UnaryFunction<Op::erfc> erfc;

/// 1 / (1 + exp(-x)). At most 3 ulp off.
inline constexpr ComposedFunction<Composed::logistic> logistic;

// Trigonometric functions of angles in radians, element-wise and lazy: float32 stays, everything
// else computes in float64. At most 1 ulp off unless said otherwise. NaN gives NaN; zeros and
// infinities as in C's <math.h>.

/// The sine; NaN for infinities.
inline constexpr UnaryFunction<Op::sin> sin;
/// The cosine; NaN for infinities.
inline constexpr UnaryFunction<Op::cos> cos;
/// The tangent; NaN for infinities.
inline constexpr UnaryFunction<Op::tan> tan;
/// The arc sine, in [-π/2, π/2]; NaN outside of [-1, 1].
inline constexpr UnaryFunction<Op::asin> asin;
/// The arc cosine, in [0, π]; NaN outside of [-1, 1].
inline constexpr UnaryFunction<Op::acos> acos;
/// The arc tangent, in [-π/2, π/2].
inline constexpr UnaryFunction<Op::atan> atan;
inline constexpr UnaryFunction<Op::sinh> sinh;
inline constexpr UnaryFunction<Op::cosh> cosh;
/// The hyperbolic tangent; at most 1.5 ulp off.
inline constexpr UnaryFunction<Op::tanh> tanh;
/// The inverse hyperbolic sine; infinities and zeros stay.
inline constexpr UnaryFunction<Op::asinh> asinh;
/// The inverse hyperbolic cosine, not below 0; NaN for numbers below 1.
inline constexpr UnaryFunction<Op::acosh> acosh;
/// The inverse hyperbolic tangent: infinite of 1 and -1, NaN beyond.
inline constexpr UnaryFunction<Op::atanh> atanh;
/// `atan2(y, x)`: the angle of the point (x, y), in [-π, π], broadcasting.
inline constexpr BinaryFunction<Op::atan2> atan2;

/// x times 180 / π.
inline constexpr ComposedFunction<Composed::to_degrees> to_degrees;
/// x times π / 180.
inline constexpr ComposedFunction<Composed::to_radians> to_radians;

/// Returns a tensor or a number unchanged, an array as a tensor.
struct IdentityFunction : ElementwiseFunction, PipelineStage {
    using ElementwiseFunction::operator();

    template <typename X>
        requires(array_like<X> || NumberLike<X>)
    auto operator()(X&& x) const { return kept_operand(std::forward<X>(x)); }
    IdentityFunction operator()() const { return {}; }
};
inline constexpr IdentityFunction identity;

/// `clamped`, the minimum of a maximum, as a choice, so that its derivative is 1 on a bound as
/// within, and not shared.
PURVIEW_EXPORT Operand traced_clamp(const Operand& clamped);

/// `clamp(x, low, high)`, `x | clamp(low, high)`: `minimum(maximum(x, low), high)`, so that `high`
/// wins if low > high, and NaN in any operand gives NaN. Lazy, broadcasting.
struct ClampFunction : ElementwiseFunction {
    using ElementwiseFunction::operator();

    template <typename X, typename Low, typename High>
        requires requires(TensorOf<X> x, TensorOf<Low> low, TensorOf<High> high) {
            minimum(maximum(x, low), high);
        }
    auto operator()(X&& x, Low&& low, High&& high) const {
        auto clamped = minimum(
            maximum(lasting_tensor(std::forward<X>(x)), lasting_tensor(std::forward<Low>(low))),
            lasting_tensor(std::forward<High>(high)));
        if constexpr (kDefersReductions<decltype(clamped)>)
            return decltype(clamped)(traced_clamp(clamped.operand()));
        else
            return clamped;
    }
    template <typename Low, typename High>
        requires((array_like<Low> || NumberLike<Low>)&&(array_like<High> || NumberLike<High>))
    auto operator()(Low&& low, High&& high) const {
        return make_stage(*this, kept_operand(std::forward<Low>(low)),
                          kept_operand(std::forward<High>(high)));
    }
};
inline constexpr ClampFunction clamp;

} // namespace purview
