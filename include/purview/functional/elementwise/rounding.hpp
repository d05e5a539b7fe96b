#pragma once

#include <purview/functional/elementwise/generic_functions.hpp>
#include <purview/functional/elementwise/unary.hpp>
#include <purview/tensor/accepting_arrays.hpp>

namespace purview {

// Rounding and the neighbours of floats, element-wise, lazy and exact. Integers are their own roundings, in their
// own type; so are infinities and NaN. Zeros keep their signs, and what rounds to zero has that of x.

/// Down.
inline constexpr AcceptingArrays<UnaryFunction<Op::floor, GenericFloor>> floor;
/// Up.
inline constexpr AcceptingArrays<UnaryFunction<Op::ceil, GenericCeil>> ceil;
/// To the nearest, halves away from zero, as C++ does.
inline constexpr AcceptingArrays<UnaryFunction<Op::round, GenericRound>> round;
/// To the nearest, halves to even, as NumPy's `round` and `rint` do.
inline constexpr AcceptingArrays<UnaryFunction<Op::rint, GenericRint>> rint;
/// Towards zero.
inline constexpr AcceptingArrays<UnaryFunction<Op::trunc, GenericTrunc>> trunc;

/// The least float that is greater than x. The lowest one's after -inf; inf stays. Integers become float64.
inline constexpr AcceptingArrays<UnaryFunction<Op::next_up, NoGeneric>> next_up;
/// The greatest float that is less than x; -inf stays.
inline constexpr AcceptingArrays<UnaryFunction<Op::next_down, NoGeneric>> next_down;
/// The distance from |x| to the next greater float: positive, inf of infinities.
inline constexpr AcceptingArrays<UnaryFunction<Op::ulp, NoGeneric>> ulp;

} // namespace purview
