#pragma once

#include <purview/functional/reductions/nan_policy.hpp>

namespace purview::inline v0_1 {

/// Throws the `ArithmeticError` of `require_no_nan`, for the NaN at a row-major place of an operand.
[[noreturn]] PURVIEW_EXPORT void throw_found_nan(const char* what, const Operand& x, index_t place,
                                                 const DimVector& dims);

} // namespace purview
