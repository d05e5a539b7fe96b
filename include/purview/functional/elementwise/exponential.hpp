#pragma once

#include <purview/functional/elementwise/composed.hpp>
#include <purview/functional/elementwise/generic_functions.hpp>
#include <purview/functional/elementwise/unary.hpp>
#include <purview/tensor/accepting_arrays.hpp>

namespace purview {

// Exponentials, logarithms and powers, element-wise and lazy: float32 stays, everything else
// computes in float64. At most 1 ulp off unless said otherwise. NaN gives NaN; zeros, infinities
// and arguments outside of the domain give what C's <math.h> says, without setting errno.

/// The cube root.
inline constexpr AcceptingArrays<UnaryFunction<Op::cbrt, GenericCubeRoot>> cbrt;
/// e to the power of each element.
inline constexpr AcceptingArrays<UnaryFunction<Op::exp, GenericExp>> exp;
/// Two to the power of each element.
inline constexpr AcceptingArrays<UnaryFunction<Op::exp2, GenericExp2>> exp2;
/// exp(x) - 1, accurate for small x too.
inline constexpr AcceptingArrays<UnaryFunction<Op::expm1, GenericExpm1>> expm1;
/// The natural logarithm: -inf for 0, NaN for negative numbers.
inline constexpr AcceptingArrays<UnaryFunction<Op::log, GenericLog>> log;
/// The logarithm to base 2.
inline constexpr AcceptingArrays<UnaryFunction<Op::log2, GenericLog2>> log2;
/// The logarithm to base 10.
inline constexpr AcceptingArrays<UnaryFunction<Op::log10, GenericLog10>> log10;
/// log(1 + x), accurate for small x too: -inf for -1, NaN below.
inline constexpr AcceptingArrays<UnaryFunction<Op::log1p, GenericLog1p>> log1p;

/// `pow(x, y)`, `x | pow(y)`: x to the power of y, broadcasting. NaN for a negative x with a
/// fractional y. At most 1.1 ulp off.
inline constexpr AcceptingArrays<BinaryFunction<Op::power, GenericPower>> pow;
/// sqrt(x² + y²) without intermediate overflow, broadcasting. Infinite if either operand is, even
/// if the other is NaN.
inline constexpr AcceptingArrays<BinaryFunction<Op::hypot, GenericHypot>> hypot;

/// 1 / (1 + exp(-x)). At most 3 ulp off.
inline constexpr AcceptingArrays<ComposedFunction<Composed::logistic>> logistic;

} // namespace purview
