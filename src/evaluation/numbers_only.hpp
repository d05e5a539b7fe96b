#pragma once

#include <purview/expression/elementwise.hpp>
#include <purview/expression/reduce.hpp>

namespace purview::inline v0_1 {

inline Operand elements_as(const Operand& x, DType dtype) {
    return x.dtype() == dtype ? x : cast_operand(x, dtype, Op::cast);
}

/// Bools: whether elements of a floating type are numbers.
Operand is_number(const Operand& x);
/// Elements of a floating type, of which each NaN has been replaced by `other`.
Operand numbers_only(const Operand& x, double other);
/// By what a reduction does not see.
Operand numbers_only(const Operand& x, Reduction reduction);

} // namespace purview
