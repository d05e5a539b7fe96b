#pragma once

#include <purview/dtype/visit.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>

#include <utility>

namespace purview::inline v0_1 {

/// A constant of type `dtype`.
inline Operand number_of(DType dtype, double value) {
    return visit_dtype(dtype, "constant", [&]<typename T>(std::type_identity<T>) {
        return constant_operand<T>(static_cast<T>(value));
    });
}

/// Makes operations on operands of one type.
class OperationsIn {
public:
    explicit OperationsIn(DType dtype) : dtype_(dtype) {}

    /// Two operands, cast once: each operation on them would make casts of its own.
    std::pair<Operand, Operand> cast(const Operand& x, const Operand& y) const {
        return {cast_operand(x, dtype_, Op::cast), cast_operand(y, dtype_, Op::cast)};
    }
    Operand number(double value) const { return number_of(dtype_, value); }
    Operand unary(Op op, const Operand& x) const { return unary_operand(op, x, dtype_); }
    Operand binary(Op op, const Operand& x, const Operand& y) const {
        return binary_operand(op, x, y, dtype_, is_comparison(op) ? boolean : dtype_);
    }
    Operand binary(Op op, const Operand& x, double y) const { return binary(op, x, number(y)); }
    Operand binary(Op op, double x, const Operand& y) const { return binary(op, number(x), y); }

private:
    DType dtype_;
};

} // namespace purview
