#pragma once

#include <purview/expression/elementwise.hpp>

namespace purview::inline v0_1 {

/// A constant of a run-time type: a copy of `value`, or the first element of an operand.
NodePtr block_constant(DType dtype, const void* value);
NodePtr block_constant(const Operand& source);

inline bool is_constant(const Operand& operand) noexcept {
    return operand.node->kind() == NodeKind::constant;
}

/// Computes an operation on constants to a constant without axes. Returns the operation as it is if
/// its operands are not constants, or if computing it throws: the error belongs to whoever reads it.
Operand computed_constant(Operand operation);
/// The same with the shape of the operation, if its operands are of built-in types and it calls no
/// function of the user's.
Operand folded(Operand operation);

/// Turns a division by a constant into a multiplication by its reciprocal where both are exact: a
/// float that is a power of two, neither it nor the reciprocal denormal. Then `x / c` and `x * (1 /
/// c)` are the same number, rounded once, for every x.
void multiply_if_exact(Op& op, NodePtr& divisor);

/// Whether an exponent is the constant 2, of a float type: then the power is the square, rounded
/// once.
bool is_two(const Operand& exponent);

} // namespace purview
