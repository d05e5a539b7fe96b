#pragma once

#include <purview/evaluation/scatter.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/named/dim_tensor.hpp>

namespace purview::inline v0_1 {

/// `assign` and `add_to` for arguments with bound dims.
template <typename V, typename Destination>
void scatter_bound(const char* what, ScatterKind how, const V& values,
                   const Destination& destination) {
    if constexpr (TensorLike<V>)
        scatter_over_dims(what, how, bound_operand(values), bound_operand(destination));
    else
        scatter_over_dims(what, how, dim_operand(values), bound_operand(destination));
}

/// `destination = destination op values`, in place, in loops over the dims of the destination. Sums
/// and differences apply every value that a loop brings to an element. Other operations require
/// that each element occurs once, and that values have no dims that the destination lacks. Throws
/// `DimError`, `ReadOnlyError`, and as `update_operand` does.
PURVIEW_EXPORT void update_over_dims(const char* what, Op op, const DimOperand& values,
                                     const DimOperand& destination);

/// Compound assignment (`+=` etc.) for arguments with bound dims.
template <typename V, typename Destination>
void update_bound(const char* what, Op op, const V& values, const Destination& destination) {
    if constexpr (TensorLike<V>)
        update_over_dims(what, op, bound_operand(values), bound_operand(destination));
    else
        update_over_dims(what, op, dim_operand(values), bound_operand(destination));
}

} // namespace purview
