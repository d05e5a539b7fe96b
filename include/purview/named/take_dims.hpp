#pragma once

#include <purview/dimensions/axes.hpp>
#include <purview/named/dim_tensor.hpp>

#include <initializer_list>
#include <span>

namespace purview::inline v0_1 {

/// `take` and `take_along_axis` with bound dims: over the union of the dims, as loops around them
/// would. A Dim that is the axis is removed. They throw as `take` does, and `DimError`.
PURVIEW_EXPORT DimOperand take_operand(const DimOperand& x, const DimOperand& indexes,
                                       const AxisOrDim& axis);
PURVIEW_EXPORT DimOperand take_operand(const DimOperand& x, const DimOperand& indexes);
PURVIEW_EXPORT DimOperand take_operand(const DimOperand& x, const Axes& axes,
                                       std::span<const DimOperand> indexes);
PURVIEW_EXPORT DimOperand take_along_axis_operand(const DimOperand& x, const DimOperand& indexes,
                                                  const AxisOrDim& axis);

} // namespace purview
