#pragma once

#include <purview/functional/elementwise/composed.hpp>
#include <purview/functional/elementwise/generic_functions.hpp>
#include <purview/functional/elementwise/unary.hpp>
#include <purview/tensor/accepting_arrays.hpp>

namespace purview {

// Trigonometric functions of angles in radians, element-wise and lazy: float32 stays, everything
// else computes in float64. At most 1 ulp off unless said otherwise. NaN gives NaN; zeros and
// infinities as in C's <math.h>.

/// The sine; NaN for infinities.
inline constexpr AcceptingArrays<UnaryFunction<Op::sin, GenericSin>> sin;
/// The cosine; NaN for infinities.
inline constexpr AcceptingArrays<UnaryFunction<Op::cos, GenericCos>> cos;
/// The tangent; NaN for infinities.
inline constexpr AcceptingArrays<UnaryFunction<Op::tan, GenericTan>> tan;
/// The arc sine, in [-π/2, π/2]; NaN outside of [-1, 1].
inline constexpr AcceptingArrays<UnaryFunction<Op::asin, GenericAsin>> asin;
/// The arc cosine, in [0, π]; NaN outside of [-1, 1].
inline constexpr AcceptingArrays<UnaryFunction<Op::acos, GenericAcos>> acos;
/// The arc tangent, in [-π/2, π/2].
inline constexpr AcceptingArrays<UnaryFunction<Op::atan, GenericAtan>> atan;
inline constexpr AcceptingArrays<UnaryFunction<Op::sinh, GenericSinh>> sinh;
inline constexpr AcceptingArrays<UnaryFunction<Op::cosh, GenericCosh>> cosh;
/// The hyperbolic tangent; at most 1.5 ulp off.
inline constexpr AcceptingArrays<UnaryFunction<Op::tanh, GenericTanh>> tanh;
/// `atan2(y, x)`: the angle of the point (x, y), in [-π, π], broadcasting.
inline constexpr AcceptingArrays<BinaryFunction<Op::atan2, GenericAtan2>> atan2;

/// x times 180 / π.
inline constexpr AcceptingArrays<ComposedFunction<Composed::to_degrees>> to_degrees;
/// x times π / 180.
inline constexpr AcceptingArrays<ComposedFunction<Composed::to_radians>> to_radians;

} // namespace purview
