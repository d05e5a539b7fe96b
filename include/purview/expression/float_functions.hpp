#pragma once

// The functions of floats that have kernels of their own, by their names in <math.h>. From these
// lists follow the operations and their traits, the tile operations and their kernels, functions of
// numbers and of other elements, and those found without a prefix. Only macros, as the kernels
// include this. Of one ulp are those that SLEEF promises to be no further off.

// clang-format off
#define PURVIEW_EACH_FUNCTION_OF_ONE_ULP(macro)                                                    \
    macro(cbrt) macro(exp) macro(exp2) macro(expm1) macro(log) macro(log2) macro(log10)            \
    macro(log1p) macro(sin) macro(cos) macro(tan) macro(asin) macro(acos) macro(atan) macro(sinh)  \
    macro(cosh) macro(tanh) macro(asinh) macro(acosh) macro(atanh) macro(erf)
#define PURVIEW_EACH_FLOAT_FUNCTION(macro) PURVIEW_EACH_FUNCTION_OF_ONE_ULP(macro) macro(erfc)
#define PURVIEW_EACH_FLOAT_FUNCTION_OF_TWO(macro) macro(pow) macro(hypot) macro(atan2)
// clang-format on
