#pragma once

#include <purview/dimensions/axes.hpp>
#include <purview/named/dim_tensor.hpp>
#include <purview/tensor/stage.hpp>

#include <utility>
#include <vector>

namespace purview::inline v0_1 {

PURVIEW_EXPORT std::vector<DimOperand> unbind_operand(const DimOperand& x, const AxisOrDim& axis);

/// `unbind(t, i)`, or `t | unbind(i)`: a vector with, for each index of a bound Dim or of a
/// positional axis, the view of the tensor at that index. O(1) each. Throws `DimError` for a Dim
/// that the tensor does not have, `IndexError`.
template <TypedTensor X>
    requires(!AxisLike<X>)
auto unbind(const X& x, const AxisOrDim& axis) {
    std::vector<DimView<X>> views;
    for (DimOperand& operand : unbind_operand(bound_operand(x), axis))
        views.emplace_back(std::move(operand));
    return views;
}
inline auto unbind(const AxisOrDim& axis) {
    return Stage([axis]<TypedTensor X>(const X& x) { return unbind(x, axis); });
}

} // namespace purview
