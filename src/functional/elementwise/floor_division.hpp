#pragma once

#include <purview/expression/elementwise.hpp>

namespace purview::inline v0_1 {

/// `x / y` rounded down, of integers or floats, broadcast and cast to `compute`. Lazy.
Operand floor_quotient(const Operand& x, const Operand& y, DType compute);
/// The remainder of it, which has the sign of `y`.
Operand floor_remainder(const Operand& x, const Operand& y, DType compute);

} // namespace purview
