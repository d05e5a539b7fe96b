#pragma once

#include <purview/expression/elementwise.hpp>

#include <cstdint>

namespace purview::inline v0_1 {

// Complex numbers by kernels: complex64 and complex128, whose parts are float32 and float64. All
// operands are lazy, and results too.

PURVIEW_EXPORT bool is_complex(DType dtype) noexcept;
/// The type of the parts of complex64 and complex128: float32 and float64.
PURVIEW_EXPORT DType part_dtype(DType complex) noexcept;
/// The complex type with parts of a type: complex64 for float32, complex128 for float64.
PURVIEW_EXPORT DType complex_dtype(DType part) noexcept;

/// `op(x, y)`, of one of `add`, `subtract`, `multiply`, `divide`, `equal`, `not_equal` and `pow`,
/// broadcast. Operands are complex or real numbers, not both real; they are computed with in the
/// complex type `compute`. Products are (ac - bd) + (ad + bc)i, as NumPy has them; quotients by
/// Smith's algorithm (1962); powers are those of <complex>, element by element. Throws `ShapeError`; `DtypeError` for other operations and operands.
PURVIEW_EXPORT Operand complex_binary(Op op, const Operand& x, const Operand& y, DType compute);

/// Whether there is `complex_unary`: by kernels `negative`, `absolute` (of the parts' type),
/// `square`, `exp`, `signum` (z / |z|, of 0 itself 0) and `rint` (of each part); element by element
/// the functions of <complex>, and `expm1`, `log2` and `log1p`. `tanh` of an infinite real part has an
/// imaginary part with the sign of z's, as the Array API asks (C's has that of sin 2b).
constexpr bool has_complex_unary(Op op) noexcept {
    switch (op) {
    case Op::negative:
    case Op::absolute:
    case Op::square:
    case Op::signum:
    case Op::rint:
    case Op::square_root:
    case Op::exp:
    case Op::expm1:
    case Op::log:
    case Op::log2:
    case Op::log10:
    case Op::log1p:
    case Op::sin:
    case Op::cos:
    case Op::tan:
    case Op::asin:
    case Op::acos:
    case Op::atan:
    case Op::sinh:
    case Op::cosh:
    case Op::tanh:
    case Op::asinh:
    case Op::acosh:
    case Op::atanh: return true;
    default: return false;
    }
}
constexpr bool has_complex_binary(Op op) noexcept {
    return op == Op::add || op == Op::subtract || op == Op::multiply || op == Op::divide ||
           op == Op::equal || op == Op::not_equal || op == Op::pow;
}
/// `op` of complex numbers. Throws `DtypeError` for other operations.
PURVIEW_EXPORT Operand complex_unary(Op op, const Operand& z);
/// `cast_operand`, also from real and complex numbers to complex ones.
PURVIEW_EXPORT Operand convert_operand(const Operand& x, DType dtype, Op cast);
PURVIEW_EXPORT Operand complex_conjugate(const Operand& z);
PURVIEW_EXPORT Operand real_part(const Operand& z);
PURVIEW_EXPORT Operand imaginary_part(const Operand& z);
/// The complex numbers of these parts, two operands of float32 or of float64, broadcast.
PURVIEW_EXPORT Operand complex_from_parts(const Operand& real, const Operand& imaginary);

} // namespace purview
