#pragma once

#include <purview/base/refused.hpp>
#include <purview/functional/elementwise/operation_functions.hpp>
#include <purview/tensor/stage.hpp>

#include <utility>

namespace purview::inline v0_1 {

// Element-wise comparisons and logic, lazy, broadcasting: tensors of bool. Whether two tensors are
// equal as a whole is `all_of(x == y)`. Every comparison with NaN is false, except `!=`.

PURVIEW_BINARY_OPERATOR(==, equal, PURVIEW_NO_OPERATION)
PURVIEW_BINARY_OPERATOR(!=, not_equal, PURVIEW_NO_OPERATION)
PURVIEW_BINARY_OPERATOR(<, less, PURVIEW_NO_OPERATION)
PURVIEW_BINARY_OPERATOR(<=, less_equal, PURVIEW_NO_OPERATION)
PURVIEW_BINARY_OPERATOR(>, greater, PURVIEW_NO_OPERATION)
PURVIEW_BINARY_OPERATOR(>=, greater_equal, PURVIEW_NO_OPERATION)

// Both operands are evaluated: there is no short-circuit. Of numbers, not silently those of what a
// handle without dims or axes left converts to: write `x != 0`.
#define PURVIEW_NO_LOGIC "&&, || and ! are of bools: of numbers write x != 0"
PURVIEW_BINARY_OPERATOR(&&, logical_and, PURVIEW_NO_LOGIC)
PURVIEW_BINARY_OPERATOR(||, logical_or, PURVIEW_NO_LOGIC)
PURVIEW_UNARY_OPERATOR(!, logical_not, PURVIEW_NO_LOGIC)
#undef PURVIEW_NO_LOGIC

} // namespace purview
