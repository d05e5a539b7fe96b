#pragma once

#include <purview/named/concatenation.hpp>

namespace purview::inline v0_1 {

/// `cat({x, y}, i, n)`: concatenates tensors of one type along Dim `i` or a positional axis that
/// each of them has. It becomes the new Dim `n` of the result, whose size is bound to the sum of
/// the tensors' sizes. If the Dims or axes differ, they are all given:
/// `cat({a(i), b(j)}, {i, j}, n)`. Otherwise the result is over the union of the tensors' dims; a
/// tensor without one of these dims, or without `i`, repeats over it.
///
/// Eager: a copy in new memory, in which `n` has the position that the axis had in the first
/// tensor. O(size of the result). Throws `DimError` for a Dim that is bound already, has another
/// size or none; `ShapeError` for other positional axes that differ, for an empty list, or for a
/// wrong number of axes; `IndexError` for an axis out of range.
template <TypedTensor X, std::size_t N>
auto cat(const X (&tensors)[N], const Axes& axes, const Dim& new_dim) {
    return concatenated<typename X::value_type>(plan_cat(bound_operands(tensors), axes, new_dim));
}
// For lists of both writable and read-only tensors.
template <ElementType T, std::size_t N>
auto cat(const DimTensor<T> (&tensors)[N], const Axes& axes, const Dim& new_dim) {
    return concatenated<T>(plan_cat(bound_operands(tensors), axes, new_dim));
}
template <ElementType T, std::size_t N, AxisLike A>
auto cat(const DimTensor<T> (&tensors)[N], const A& axis, const Dim& new_dim) {
    Axes axes;
    axes.add(axis);
    return cat(tensors, axes, new_dim);
}
template <TypedTensor X, std::size_t N, AxisLike A>
auto cat(const X (&tensors)[N], const A& axis, const Dim& new_dim) {
    Axes axes;
    axes.add(axis);
    return cat(tensors, axes, new_dim);
}
template <TypedTensor X>
auto cat(const std::vector<X>& tensors, const Axes& axes, const Dim& new_dim) {
    return concatenated<typename X::value_type>(plan_cat(bound_operands(tensors), axes, new_dim));
}
template <TypedTensor X, AxisLike A>
auto cat(const std::vector<X>& tensors, const A& axis, const Dim& new_dim) {
    Axes axes;
    axes.add(axis);
    return cat(tensors, axes, new_dim);
}

} // namespace purview
