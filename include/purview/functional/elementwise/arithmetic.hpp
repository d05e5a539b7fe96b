#pragma once

#include <purview/functional/elementwise/operation_functions.hpp>

#include <utility>

namespace purview::inline v0_1 {

// Element-wise arithmetic, lazy, broadcasting by NumPy's rule: at least one operand is a tensor,
// the other may be a number. Types are promoted as docs/semantics.md says. Integers wrap; `/` and
// `%` truncate as in C++, and throw `ArithmeticError` when a divisor is an integer zero, at
// evaluation.

PURVIEW_BINARY_OPERATOR(+, add, Plus, PURVIEW_NO_OPERATION)
PURVIEW_BINARY_OPERATOR(-, subtract, Minus, PURVIEW_NO_OPERATION)
PURVIEW_BINARY_OPERATOR(*, multiply, Multiplies, PURVIEW_NO_OPERATION)
PURVIEW_BINARY_OPERATOR(/, divide, Divides, PURVIEW_NO_OPERATION)
PURVIEW_BINARY_OPERATOR(%, remainder, Modulus, PURVIEW_NO_OPERATION)
PURVIEW_BINARY_OPERATOR_OF_TEMPORARIES(+, add, Plus)
PURVIEW_BINARY_OPERATOR_OF_TEMPORARIES(-, subtract, Minus)
PURVIEW_BINARY_OPERATOR_OF_TEMPORARIES(*, multiply, Multiplies)
PURVIEW_BINARY_OPERATOR_OF_TEMPORARIES(/, divide, Divides)
PURVIEW_UNARY_OPERATOR(-, negative, Negate, PURVIEW_NO_OPERATION)

} // namespace purview
