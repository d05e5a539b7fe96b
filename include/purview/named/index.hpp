#pragma once

#include <purview/dimensions/axes.hpp>
#include <purview/named/index_dims.hpp>
#include <purview/tensor/stage.hpp>

namespace purview {

/// The axes and dims given as one positional axis, the first one. Throws `DimError`, `IndexError`.
PURVIEW_EXPORT DimOperand joined_first(const DimOperand& x, const Axes& axes);

template <TypedTensor X, DimIndexLike V>
auto index_joined(const X& x, const Axes& axes, const V& value) {
    const DimIndex place = dim_index(value);
    const auto indexed = [&](const DimOperand& operand) {
        return DimTensor<typename X::value_type>(
            index_with_dims(joined_first(operand, axes), {&place, 1}));
    };
    if constexpr (HasDims<X>)
        return indexed(dim_operand(x));
    else
        return indexed(dim_operand(x.operand()));
}

/// `index(t, i, value)`, or `t | index(i, value)`: takes a bound Dim (or a positional axis; or several, in
/// braces, as if they were one) away, and indexes with the value in its place: an integer, a range or list,
/// another Dim, `joint(…)`, an index expression. A view, O(1). Throws `DimError`, `IndexError`.
template <TypedTensor X, DimIndexLike V>
    requires(!AxisLike<X>)
auto index(const X& x, const Axes& axes, const V& value) { return index_joined(x, axes, value); }
template <TypedTensor X, AxisLike A, DimIndexLike V>
    requires(!AxisLike<X>)
auto index(const X& x, const A& axis, const V& value) {
    Axes axes;
    axes.add(axis);
    return index_joined(x, axes, value);
}
template <DimIndexLike V>
auto index(const Axes& axes, const V& value) {
    return Stage([axes, value]<TypedTensor X>(const X& x) { return index_joined(x, axes, value); });
}
template <AxisLike A, DimIndexLike V>
auto index(const A& axis, const V& value) {
    Axes axes;
    axes.add(axis);
    return index(axes, value);
}

} // namespace purview
