#include "functional/elementwise/floor_division.hpp"
#include "functional/elementwise/operations_in.hpp"

#include <purview/expression/derivatives.hpp>
#include <purview/functional/elementwise/composed.hpp>

namespace purview::inline v0_1 {
namespace {

Operand is_either(const Operand& x, const Operand& y) {
    return binary_operand(Op::logical_or, x, y, boolean, boolean);
}

/// Whether the remainder of a division towards zero is not one of a division downwards.
Operand has_other_sign(const Operand& remainder, const Operand& y, const OperationsIn& of) {
    const Operand is_left = of.binary(Op::not_equal, remainder, 0);
    const Operand differs = y.dtype().is_integer()
                                ? of.binary(Op::less, of.binary(Op::bit_xor, remainder, y), 0)
                                : binary_operand(Op::not_equal, of.binary(Op::less, remainder, 0),
                                                 of.binary(Op::less, y, 0), boolean, boolean);
    return binary_operand(Op::logical_and, is_left, differs, boolean, boolean);
}

bool is_unsigned(DType dtype) {
    return dtype == uint8 || dtype == uint16 || dtype == uint32 || dtype == uint64;
}

} // namespace

Operand floor_quotient(const Operand& given_x, const Operand& given_y, DType compute) {
    const OperationsIn of(compute);
    const auto [x, y] = of.cast(given_x, given_y);
    const Operand plain = of.binary(Op::divide, x, y);
    if (is_unsigned(compute)) return plain;
    if (compute.is_integer()) {
        const Operand rest = of.binary(Op::subtract, x, of.binary(Op::multiply, plain, y));
        return choose_operand(has_other_sign(rest, y, of), of.binary(Op::subtract, plain, 1), plain,
                              compute);
    }
    // As CPython's: of the exact multiple, and a quotient of 0 has the sign of the plain one. Zeros and what is infinite are
    // divided plainly: array-api-tests want -0.0 of 1.0 // -inf, where NumPy gives -1.0, and inf of inf // 1.0, where it gives NaN.
    const Operand rest = of.binary(Op::remainder, x, y);
    const Operand quotient = of.binary(Op::divide, of.binary(Op::subtract, x, rest), y);
    const Operand down = choose_operand(has_other_sign(rest, y, of),
                                        of.binary(Op::subtract, quotient, 1), quotient, compute);
    // Rounded to the nearest whole number, ties down: what is halfway was rounded up from below.
    const Operand floor = of.unary(Op::floor, down);
    const Operand is_above = of.binary(Op::less, 0.5, of.binary(Op::subtract, down, floor));
    const Operand whole = choose_operand(is_above, of.binary(Op::add, floor, 1), floor, compute);
    const auto is_infinite = [](const Operand& z) {
        return composed_operand(Composed::is_infinite, z);
    };
    const Operand is_plain =
        is_either(of.binary(Op::equal, x, 0), is_either(is_infinite(plain), is_infinite(y)));
    const Operand rounded = choose_operand(of.binary(Op::equal, whole, 0),
                                           of.binary(Op::multiply, plain, 0), whole, compute);
    const Operand result = choose_operand(is_plain, plain, rounded, compute);
    // In a traced function what is divided plainly has derivative 0 too.
    return result.node->reads(Below::symbol) ? without_derivative(result) : result;
}

Operand floor_remainder(const Operand& given_x, const Operand& given_y, DType compute) {
    const OperationsIn of(compute);
    const auto [x, y] = of.cast(given_x, given_y);
    const Operand rest = of.binary(Op::remainder, x, y);
    if (is_unsigned(compute)) return rest;
    const Operand moved =
        choose_operand(has_other_sign(rest, y, of), of.binary(Op::add, rest, y), rest, compute);
    if (compute.is_integer()) return moved;
    const Operand zero =
        choose_operand(of.binary(Op::less, y, 0), of.number(-0.0), of.number(0), compute);
    const Operand is_zero = of.binary(Op::equal, moved, 0);
    if (!moved.node->reads(Below::symbol)) return choose_operand(is_zero, zero, moved, compute);
    // In a traced function multiples of y have the derivatives of others: what is subtracted from the zero
    // is a positive zero, which leaves the sign.
    const Operand nothing = of.binary(Op::subtract, without_derivative(moved), moved);
    return choose_operand(is_zero, of.binary(Op::subtract, zero, nothing), moved, compute);
}

} // namespace purview
