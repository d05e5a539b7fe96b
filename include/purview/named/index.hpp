#pragma once

#include <purview/dimensions/axes.hpp>
#include <purview/named/index_dims.hpp>
#include <purview/tensor/stage.hpp>

#include <initializer_list>
#include <span>
#include <vector>

namespace purview::inline v0_1 {

/// The operand with the given axes and dims as its first positional axes (`axes_first`), or merged
/// into the first positional axis (`joined_first`). Throws `DimError`, `IndexError` naming `what`.
PURVIEW_EXPORT DimOperand axes_first(const char* what, const DimOperand& x, const Axes& axes);
PURVIEW_EXPORT DimOperand joined_first(const char* what, const DimOperand& x, const Axes& axes);

/// Indexes the given axes and dims: merged into one axis, by one value, or each by a value of its
/// own.
PURVIEW_EXPORT DimOperand index_joined(const DimOperand& x, const Axes& axes,
                                       const DimIndex& value);
PURVIEW_EXPORT DimOperand index_each(const DimOperand& x, const Axes& axes,
                                     std::span<const DimIndex> values);

/// One of the values when several axes are indexed, each by its own.
struct IndexValue {
    template <DimIndexLike I>
    IndexValue(const I& value) : index(dim_index(value)) {}

    DimIndex index;
};

/// `index(t, i, value)`, or `t | index(i, value)`: indexes a bound Dim (or a positional axis, or
/// several in braces, merged into one) with a value, which takes its place: an integer, a range or
/// list, another Dim, `joint(…)`, an index expression, a tensor of integers. A view, or a gather,
/// O(1). Throws `DimError`, `IndexError`; the error for an index that is read later names the Dim.
template <TypedTensor X, DimIndexLike V>
    requires(!AxisLike<X>)
auto index(const X& x, const Axes& axes, const V& value) {
    return DimView<X>(index_joined(bound_operand(x), axes, dim_index(value)));
}
template <TypedTensor X, AxisLike A, DimIndexLike V>
    requires(!AxisLike<X>)
auto index(const X& x, const A& axis, const V& value) {
    Axes axes;
    axes.add(axis);
    return index(x, axes, value);
}
/// `index(t, {i, j}, {rows(n), columns(n)})`: indexes several dims or axes, each with a value of
/// its own. Axes that the values leave positional come first. Throws `ShapeError` for a wrong
/// number of values.
template <TypedTensor X>
    requires(!AxisLike<X>)
auto index(const X& x, const Axes& axes, std::initializer_list<IndexValue> values) {
    std::vector<DimIndex> list;
    for (const IndexValue& value : values) list.push_back(value.index);
    return DimView<X>(index_each(bound_operand(x), axes, list));
}
template <DimIndexLike V>
auto index(const Axes& axes, const V& value) {
    return Stage([axes, value = dim_index(value)]<TypedTensor X>(const X& x) {
        return DimView<X>(index_joined(bound_operand(x), axes, value));
    });
}
template <AxisLike A, DimIndexLike V>
auto index(const A& axis, const V& value) {
    Axes axes;
    axes.add(axis);
    return index(axes, value);
}
inline auto index(const Axes& axes, std::initializer_list<IndexValue> values) {
    std::vector<DimIndex> list;
    for (const IndexValue& value : values) list.push_back(value.index);
    return Stage([axes, list = std::move(list)]<TypedTensor X>(const X& x) {
        return DimView<X>(index_each(bound_operand(x), axes, list));
    });
}

} // namespace purview
