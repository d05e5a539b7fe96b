#pragma once

#include <purview/expression/elementwise.hpp>

namespace purview::inline v0_1::engine {

/// A function of complex numbers that there is no kernel for, with parts of type `part`: that of
/// <complex>, or `expm1`, `log2`, `log1p`. Lazy. Throws `DtypeError` where there is none.
Operand complex_function(Op op, const Operand& z, DType part);

/// `x` to the power of `y`, broadcast, one of which may be real. Lazy. Throws `ShapeError`.
Operand complex_power(const Operand& x, const Operand& y, DType part);

} // namespace purview::engine
