#pragma once

#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/reduce.hpp>

namespace purview::inline v0_1 {

inline Operand elements_as(const Operand& x, DType dtype) {
    return x.dtype() == dtype ? x : cast_operand(x, dtype, Op::cast);
}

/// A number of a floating type.
inline Operand float_constant(DType dtype, double value) {
    return dtype == float32 ? constant_operand(static_cast<float>(value)) : constant_operand(value);
}

/// Bools: whether elements of a floating type are numbers.
Operand is_number(const Operand& x);
/// Elements of a floating type, of which each NaN has been replaced by `other`.
Operand numbers_only(const Operand& x, double other);
/// The number that a reduction does not see.
double neutral_number(Reduction reduction);
/// By that.
Operand numbers_only(const Operand& x, Reduction reduction);

/// `results` as the floating type `result`, NaN where none was a number: where `any` is false. Lazy.
Operand nan_of_none(const Operand& any, const Operand& results, DType result);
/// By how many were: what numbers were `folded` to, or their means, divided in the type of that. Lazy.
Operand results_of_numbers(const Operand& folded, const Operand& counts, bool averages,
                           DType result);

} // namespace purview
