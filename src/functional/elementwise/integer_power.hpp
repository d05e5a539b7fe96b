#pragma once

#include <purview/expression/elementwise.hpp>

namespace purview::inline v0_1 {

/// `x` to the power of `y`, of integers, which wrap, broadcast and cast to `compute`. Lazy.
Operand integer_power(const Operand& x, const Operand& y, DType compute);

} // namespace purview
