#pragma once

#include <purview/dimensions/axes.hpp>
#include <purview/named/index_dims.hpp>
#include <purview/tensor/views.hpp>

namespace purview {

/// A view of the positional axes of a tensor with dims; its dims stay. Throws as the view does, and
/// `DimError` for a Dim without a size.
PURVIEW_EXPORT DimOperand lifted_view(const DimOperand& x,
                                      Operand (*view)(const Operand&, ShapeSpan),
                                      ViewValues values_are, ShapeSpan values);

template <HasDims X>
DimOperand lifted_view(const X& x, Operand (*view)(const Operand&, ShapeSpan),
                       ViewValues values_are, ShapeSpan values) {
    return lifted_view(dim_operand(x), view, values_are, values);
}

/// A view of the given axes and dims, which keep their positions. `view` is called with their
/// numbers, followed by `more`. Throws `DimError` naming `what` for a Dim that the tensor does not
/// have, or that has no size.
PURVIEW_EXPORT DimOperand view_over_dims(const char* what, const DimOperand& x,
                                         Operand (*view)(const Operand&, ShapeSpan),
                                         const Axes& axes, ShapeSpan more = {});

template <HasDims X>
DimOperand view_over_dims(const char* what, const X& x, Operand (*view)(const Operand&, ShapeSpan),
                          const Axes& axes, ShapeSpan more = {}) {
    return view_over_dims(what, dim_operand(x), view, axes, more);
}

/// A view that changes the sizes of the given axes: they are first made positional, in front, as by
/// `order`.
PURVIEW_EXPORT DimOperand resizing_view_over_dims(const char* what, const DimOperand& x,
                                                  Operand (*view)(const Operand&, ShapeSpan),
                                                  ViewValues values_are, const Axes& axes,
                                                  ShapeSpan more = {});

template <HasDims X>
DimOperand resizing_view_over_dims(const char* what, const X& x,
                                   Operand (*view)(const Operand&, ShapeSpan),
                                   ViewValues values_are, const Axes& axes, ShapeSpan more = {}) {
    return resizing_view_over_dims(what, dim_operand(x), view, values_are, axes, more);
}

/// `t | select(…)` for a tensor with dims.
PURVIEW_EXPORT DimOperand select_positional(const DimOperand& x,
                                            std::span<const TensorIndex> indexes);
template <HasDims X>
DimOperand select_positional(const X& x, std::span<const TensorIndex> indexes) {
    return select_positional(dim_operand(x), indexes);
}

} // namespace purview
