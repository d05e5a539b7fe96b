#pragma once

#include <purview/functional/elementwise/floating_point.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/elementwise/predicates.hpp>
#include <purview/tensor/lookup.hpp>

namespace purview::inline v0_1::lookup {

// The functions of <cmath> for tensors, found by argument-dependent lookup: `sqrt(x)` in a template
// that accepts numbers and tensors alike, with or without `using std::sqrt`. (Function objects,
// such as `pv::sqrt`, are not found that way.) Each does the same as the object of its name in
// `purview`.

#define PURVIEW_FUNCTION_OF_ONE(NAME, OBJECT)          \
 template <TensorLike X>                               \
 auto NAME(const X& x)->decltype(purview::OBJECT(x)) { \
  return purview::OBJECT(x);                           \
 }
#define PURVIEW_FUNCTION_OF_TWO(NAME, OBJECT)                         \
 template <typename X, typename Y>                                    \
  requires TensorOperands<X, Y>                                       \
 auto NAME(const X& x, const Y& y)->decltype(purview::OBJECT(x, y)) { \
  return purview::OBJECT(x, y);                                       \
 }
#define PURVIEW_SAME_OF_ONE(NAME) PURVIEW_FUNCTION_OF_ONE(NAME, NAME)
#define PURVIEW_SAME_OF_TWO(NAME) PURVIEW_FUNCTION_OF_TWO(NAME, NAME)
PURVIEW_EACH_FLOAT_FUNCTION(PURVIEW_SAME_OF_ONE)
PURVIEW_FUNCTION_OF_ONE(abs, abs)
PURVIEW_FUNCTION_OF_ONE(sqrt, sqrt)
PURVIEW_FUNCTION_OF_ONE(floor, floor)
PURVIEW_FUNCTION_OF_ONE(ceil, ceil)
PURVIEW_FUNCTION_OF_ONE(round, round)
PURVIEW_FUNCTION_OF_ONE(rint, rint)
PURVIEW_FUNCTION_OF_ONE(trunc, trunc)
PURVIEW_FUNCTION_OF_ONE(fabs, abs)
PURVIEW_FUNCTION_OF_ONE(isnan, is_nan)
PURVIEW_FUNCTION_OF_ONE(isinf, is_infinite)
PURVIEW_FUNCTION_OF_ONE(isfinite, is_finite)
PURVIEW_FUNCTION_OF_ONE(signbit, signbit)
PURVIEW_EACH_FLOAT_FUNCTION_OF_TWO(PURVIEW_SAME_OF_TWO)
PURVIEW_FUNCTION_OF_TWO(copysign, copysign)
PURVIEW_FUNCTION_OF_TWO(nextafter, nextafter)
PURVIEW_FUNCTION_OF_TWO(fmod, rem)
PURVIEW_FUNCTION_OF_TWO(remainder, ieee_remainder)
#undef PURVIEW_FUNCTION_OF_ONE
#undef PURVIEW_FUNCTION_OF_TWO
#undef PURVIEW_SAME_OF_ONE
#undef PURVIEW_SAME_OF_TWO

} // namespace purview::lookup
