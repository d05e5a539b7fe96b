#pragma once

#include <purview/dimensions/axes.hpp>
#include <purview/named/index_dims.hpp>
#include <purview/tensor/views.hpp>

namespace purview::inline v0_1 {

/// A view of the positional axes of a tensor with dims; its dims stay. Throws as the view does, and
/// `DimError` for a Dim without a size.
PURVIEW_EXPORT DimOperand lifted_view(const DimOperand& x, ViewOperand view, ViewValues values_are,
                                      ShapeSpan values);
inline DimOperand lifted_view(const char*, const DimOperand& x, ViewOperand view,
                              ViewValues values_are, ShapeSpan values) {
    return lifted_view(x, view, values_are, values);
}
/// A view of axes and dims. Dims keep their positions, or, if their sizes change, are first made
/// positional, in front, as by `order`. Throws `DimError` naming `what` for a Dim that the tensor
/// does not have, or that has no size.
PURVIEW_EXPORT DimOperand lifted_view(const char* what, const DimOperand& x, ViewOperand view,
                                      ViewValues values_are, const Axes& values);

/// `t | select(…)` for a tensor with dims.
PURVIEW_EXPORT DimOperand select_positional(const DimOperand& x,
                                            std::span<const TensorIndex> indexes);
template <HasDims X>
DimOperand select_positional(const X& x, std::span<const TensorIndex> indexes) {
    return select_positional(dim_operand(x), indexes);
}

} // namespace purview
