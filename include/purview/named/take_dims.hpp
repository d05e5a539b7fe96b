#pragma once

#include <purview/dimensions/axes.hpp>
#include <purview/named/dim_tensor.hpp>

#include <initializer_list>
#include <span>

namespace purview {

/// `take` and `take_along_axis` with bound dims: over the union of the dims, as loops around them
/// would. A Dim that is the axis is removed. They throw as `take` does, and `DimError`.
PURVIEW_EXPORT DimOperand take_over_dims(const DimOperand& x, const DimOperand& indexes,
                                         const AxisOrDim& axis);
PURVIEW_EXPORT DimOperand take_over_dims(const DimOperand& x, const DimOperand& indexes);
PURVIEW_EXPORT DimOperand take_over_dims(const DimOperand& x, const Axes& axes,
                                         std::span<const DimOperand> indexes);
PURVIEW_EXPORT DimOperand take_along_over_dims(const DimOperand& x, const DimOperand& indexes,
                                               const AxisOrDim& axis);

// Called by the functions of functional/assembly/take.hpp.
template <TensorLike X, TensorLike I>
DimOperand take_bound(const X& x, const I& indexes, const AxisOrDim& axis) {
    return take_over_dims(bound_operand(x), bound_operand(indexes), axis);
}
template <TensorLike X, TensorLike I>
DimOperand take_bound(const X& x, const I& indexes) {
    return take_over_dims(bound_operand(x), bound_operand(indexes));
}
template <TensorLike X, TensorLike... I>
DimOperand take_bound(const X& x, const Axes& axes, const I&... indexes) {
    return take_over_dims(bound_operand(x), axes,
                          std::array<DimOperand, sizeof...(I)>{bound_operand(indexes)...});
}
template <TensorLike X, TensorLike I>
DimOperand take_along_bound(const X& x, const I& indexes, const AxisOrDim& axis) {
    return take_along_over_dims(bound_operand(x), bound_operand(indexes), axis);
}

} // namespace purview
