#pragma once

#include <purview/expression/elementwise.hpp>

#include <cstdint>
#include <span>
#include <vector>

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

/// The operations of complex numbers. By kernels: the arithmetic, `absolute` (of the parts' type), `exp`,
/// `signum` (z / |z|, of 0 itself 0) and `rint` (of each part); element by element: the other functions,
/// which are those of <complex>, and `expm1`, `log2` and `log1p`. `tanh` of an infinite real part has an
/// imaginary part with the sign of z's, as the Array API asks (C's has that of sin 2b).
inline constexpr Op kComplexOperations[] = {
    Op::negative, Op::absolute,  Op::square, Op::signum, Op::rint,     Op::square_root, Op::exp,
    Op::expm1,    Op::log,       Op::log2,   Op::log10,  Op::log1p,    Op::sin,         Op::cos,
    Op::tan,      Op::asin,      Op::acos,   Op::atan,   Op::sinh,     Op::cosh,        Op::tanh,
    Op::asinh,    Op::acosh,     Op::atanh,  Op::add,    Op::subtract, Op::multiply,    Op::divide,
    Op::equal,    Op::not_equal, Op::pow};
constexpr bool is_of_complex(Op op) noexcept {
    for (const Op each : kComplexOperations)
        if (each == op) return true;
    return false;
}
/// Whether there is `complex_unary`, or `complex_binary`.
constexpr bool has_complex_unary(Op op) noexcept {
    return traits_of(op).arity == 1 && is_of_complex(op);
}
constexpr bool has_complex_binary(Op op) noexcept {
    return traits_of(op).arity == 2 && is_of_complex(op);
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

/// The same real numbers over symbols, in which complex numbers that depend on symbols are pairs of their parts: what
/// derivatives are taken of. Functions of <complex>, and stages without parts, stay. O(nodes below y).
PURVIEW_EXPORT std::vector<Operand> in_real_numbers(std::span<const Operand> y);

} // namespace purview
