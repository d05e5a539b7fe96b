#pragma once

#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>

#include <cstddef>
#include <new>

namespace purview::inline v0_1 {

/// A number of a run-time type, which frees the block of memory that it ends. The block begins
/// `before` bytes before it.
class NumberConstant final : public Constant {
public:
    NumberConstant(DType dtype, PlainNumber number, std::size_t before = 0) noexcept
        : Constant(dtype, &number_), number_(number), before_(before) {}
    using Node::operator delete;
    static void operator delete(NumberConstant* self, std::destroying_delete_t) noexcept {
        const std::size_t before = self->before_;
        self->~NumberConstant();
        Node::operator delete(reinterpret_cast<std::byte*>(self) - before, before + sizeof(*self));
    }

private:
    PlainNumber number_;
    std::size_t before_;
};

/// A constant of a run-time type: a copy of `value`, or the first element of an operand.
NodePtr block_constant(DType dtype, const void* value);
NodePtr block_constant(const Operand& source);

inline bool is_constant(const Operand& operand) noexcept {
    return operand.node->kind() == NodeKind::constant;
}

/// Whether it is a constant of rank 0 and of the built-in type `dtype`; and its value.
inline bool is_number(const Operand& operand, DType dtype) noexcept {
    return is_constant(operand) && operand.dims.rank() == 0 && operand.dims.is_inline() &&
           dtype.is_builtin() && operand.dtype() == dtype;
}
inline PlainNumber number_of(const Node& constant) noexcept {
    return {static_cast<const Constant&>(constant).value(),
            static_cast<std::size_t>(constant.dtype().size_bytes())};
}

/// Computes an operation on constants to a constant without axes. Returns the operation as it is if
/// its operands are not constants, or if computing it throws: the error belongs to whoever reads it.
Operand computed_constant(Operand operation);
/// The same with the shape of the operation, if its operands are of built-in types and it calls no
/// function of the user's.
Operand folded(Operand operation);

/// Turns a divisor into its reciprocal where division and multiplication are both exact: a float that
/// is a power of two, neither it nor the reciprocal denormal. Then `x / c` and `x * (1 / c)` are the
/// same number, rounded once, for every x. Returns whether it is so.
bool becomes_reciprocal(PlainNumber& divisor, DType dtype);
/// Turns a division by such a constant into a multiplication.
void multiply_if_exact(Op& op, NodePtr& divisor);

/// Whether an exponent is the constant 2, of a float type: then the power is the square, rounded
/// once.
bool is_two(const Operand& exponent);

} // namespace purview
