#pragma once

#include <purview/expression/elementwise.hpp>

namespace purview::inline v0_1 {

// Operands of two are broadcast and cast to `compute`, float32 or float64. Lazy.

/// Whether the sign of each float is set, of -0 and NaN too.
Operand sign_bits(const Operand& x);
/// `x` with the signs of `y`, of NaN too.
Operand with_signs(const Operand& x, const Operand& y, DType compute);
/// The floats that follow those of `x` in the direction of those of `y`.
Operand next_towards(const Operand& x, const Operand& y, DType compute);

} // namespace purview
