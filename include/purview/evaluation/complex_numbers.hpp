#pragma once

#include <purview/expression/elementwise.hpp>

#include <cstdint>

namespace purview::inline v0_1 {

// Complex numbers by kernels: complex64 and complex128, whose parts are float32 and float64. All
// operands are lazy, and results too.

PURVIEW_EXPORT bool is_complex(DType dtype) noexcept;
/// Of complex64 and complex128: float32 and float64.
PURVIEW_EXPORT DType part_dtype(DType complex) noexcept;
/// The reverse.
PURVIEW_EXPORT DType complex_dtype(DType part) noexcept;

/// `op(x, y)`, of one of `add`, `subtract`, `multiply`, `divide`, `equal` and `not_equal`, broadcast.
/// Operands are complex or real numbers, not both real; they are computed with in the complex type
/// `compute`. Products are (ac - bd) + (ad + bc)i, as NumPy has them; quotients by Smith's algorithm
/// (1962). Throws `ShapeError`; `DtypeError` for other operations and operands.
PURVIEW_EXPORT Operand complex_binary(Op op, const Operand& x, const Operand& y, DType compute);

/// Whether there is `complex_unary`: `negative`, `absolute` (of the parts' type), `square`, `exp`.
constexpr bool has_complex_unary(Op op) noexcept {
    return op == Op::negative || op == Op::absolute || op == Op::square || op == Op::exp;
}
constexpr bool has_complex_binary(Op op) noexcept {
    return op == Op::add || op == Op::subtract || op == Op::multiply || op == Op::divide ||
           op == Op::equal || op == Op::not_equal;
}
/// Throws `DtypeError` for other operations.
PURVIEW_EXPORT Operand complex_unary(Op op, const Operand& z);
/// `cast_operand`, also from real and complex numbers to complex ones.
PURVIEW_EXPORT Operand convert_operand(const Operand& x, DType dtype, Op cast);
PURVIEW_EXPORT Operand complex_conjugate(const Operand& z);
PURVIEW_EXPORT Operand real_part(const Operand& z);
PURVIEW_EXPORT Operand imaginary_part(const Operand& z);
/// The complex numbers of these parts, two operands of float32 or of float64, broadcast.
PURVIEW_EXPORT Operand complex_from_parts(const Operand& real, const Operand& imaginary);

} // namespace purview
