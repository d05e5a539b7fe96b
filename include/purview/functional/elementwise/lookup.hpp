#pragma once

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
PURVIEW_FUNCTION_OF_ONE(abs, abs)
PURVIEW_FUNCTION_OF_ONE(sqrt, sqrt)
PURVIEW_FUNCTION_OF_ONE(cbrt, cbrt)
PURVIEW_FUNCTION_OF_ONE(exp, exp)
PURVIEW_FUNCTION_OF_ONE(exp2, exp2)
PURVIEW_FUNCTION_OF_ONE(expm1, expm1)
PURVIEW_FUNCTION_OF_ONE(log, log)
PURVIEW_FUNCTION_OF_ONE(log2, log2)
PURVIEW_FUNCTION_OF_ONE(log10, log10)
PURVIEW_FUNCTION_OF_ONE(log1p, log1p)
PURVIEW_FUNCTION_OF_ONE(sin, sin)
PURVIEW_FUNCTION_OF_ONE(cos, cos)
PURVIEW_FUNCTION_OF_ONE(tan, tan)
PURVIEW_FUNCTION_OF_ONE(asin, asin)
PURVIEW_FUNCTION_OF_ONE(acos, acos)
PURVIEW_FUNCTION_OF_ONE(atan, atan)
PURVIEW_FUNCTION_OF_ONE(sinh, sinh)
PURVIEW_FUNCTION_OF_ONE(cosh, cosh)
PURVIEW_FUNCTION_OF_ONE(tanh, tanh)
PURVIEW_FUNCTION_OF_ONE(floor, floor)
PURVIEW_FUNCTION_OF_ONE(ceil, ceil)
PURVIEW_FUNCTION_OF_ONE(round, round)
PURVIEW_FUNCTION_OF_ONE(rint, rint)
PURVIEW_FUNCTION_OF_ONE(trunc, trunc)
PURVIEW_FUNCTION_OF_ONE(fabs, abs)
PURVIEW_FUNCTION_OF_ONE(isnan, is_nan)
PURVIEW_FUNCTION_OF_ONE(isinf, is_infinite)
PURVIEW_FUNCTION_OF_ONE(isfinite, is_finite)
PURVIEW_FUNCTION_OF_TWO(pow, pow)
PURVIEW_FUNCTION_OF_TWO(hypot, hypot)
PURVIEW_FUNCTION_OF_TWO(atan2, atan2)
PURVIEW_FUNCTION_OF_TWO(fmod, rem)
PURVIEW_FUNCTION_OF_TWO(remainder, ieee_remainder)
#undef PURVIEW_FUNCTION_OF_ONE
#undef PURVIEW_FUNCTION_OF_TWO

} // namespace purview::lookup
