#pragma once

#include <purview/functional/elementwise/generic_functions.hpp>
#include <purview/functional/elementwise/unary.hpp>
#include <purview/tensor/accepting_arrays.hpp>

namespace purview {

// Rounding and neighbours of floats, element-wise, lazy and exact. Rounding returns integers
// unchanged, in their own type, and so infinities and NaN. Zeros keep their signs, and a result of
// zero has the sign of x.

/// Rounds down.
inline constexpr AcceptingArrays<UnaryFunction<Op::floor, GenericFloor>> floor;
/// Rounds up.
inline constexpr AcceptingArrays<UnaryFunction<Op::ceil, GenericCeil>> ceil;
/// Rounds to the nearest integer, halves away from zero, as in C++.
inline constexpr AcceptingArrays<UnaryFunction<Op::round, GenericRound>> round;
/// Rounds to the nearest integer, halves to even, as NumPy's `round` and `rint` do.
inline constexpr AcceptingArrays<UnaryFunction<Op::rint, GenericRint>> rint;
/// Rounds towards zero.
inline constexpr AcceptingArrays<UnaryFunction<Op::trunc, GenericTrunc>> trunc;

/// The smallest float that is greater than x; for -inf the lowest finite float; inf stays. Integers
/// become float64.
inline constexpr AcceptingArrays<UnaryFunction<Op::next_up, NoGeneric>> next_up;
/// The greatest float that is less than x; -inf stays.
inline constexpr AcceptingArrays<UnaryFunction<Op::next_down, NoGeneric>> next_down;
/// The distance from |x| to the next greater float: positive, inf of infinities.
inline constexpr AcceptingArrays<UnaryFunction<Op::ulp, NoGeneric>> ulp;

} // namespace purview
