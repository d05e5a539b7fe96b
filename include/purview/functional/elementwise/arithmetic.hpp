#pragma once

#include <purview/functional/elementwise/operation_functions.hpp>

#include <utility>

namespace purview::inline v0_1 {

// Element-wise arithmetic, lazy, broadcasting by NumPy's rule: at least one operand is a tensor,
// the other may be a number. Types are promoted as docs/semantics.md says. Integers wrap; `/` and
// `%` truncate as in C++, and throw `ArithmeticError` when a divisor is an integer zero, at
// evaluation.

PURVIEW_BINARY_OPERATOR(+, add, PURVIEW_NO_OPERATION)
PURVIEW_BINARY_OPERATOR(-, subtract, PURVIEW_NO_OPERATION)
PURVIEW_BINARY_OPERATOR(*, multiply, PURVIEW_NO_OPERATION)
PURVIEW_BINARY_OPERATOR(/, divide, PURVIEW_NO_OPERATION)
PURVIEW_BINARY_OPERATOR(%, remainder, PURVIEW_NO_OPERATION)
PURVIEW_BINARY_OPERATOR_OF_TEMPORARIES(+, add)
PURVIEW_BINARY_OPERATOR_OF_TEMPORARIES(-, subtract)
PURVIEW_BINARY_OPERATOR_OF_TEMPORARIES(*, multiply)
PURVIEW_BINARY_OPERATOR_OF_TEMPORARIES(/, divide)
PURVIEW_UNARY_OPERATOR(-, negative, PURVIEW_NO_OPERATION)

} // namespace purview
