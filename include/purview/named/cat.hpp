#pragma once

#include <purview/named/concatenation.hpp>

namespace purview {

/// `cat({x, y}, i, n)`: tensors of one type, one behind the other along Dim `i` or a positional axis that each of
/// them has, which becomes the new Dim `n` of the result: its size is bound to the sum of theirs. Where these
/// are different Dims or axes, they are all given: `cat({a(i), b(j)}, {i, j}, n)`. Otherwise the result is
/// over the union of their dims; a tensor without one of them repeats over it, and so does one without `i`.
///
/// Eager: a copy in memory of its own, in which `n` lies where the axis of the first tensor lay. O(size of the
/// result). Throws `DimError` for a Dim that is bound already, has another size or none, `ShapeError` for other
/// positional axes that differ, for no tensors, or for a wrong number of axes, `IndexError`.
template <TypedTensor X, std::size_t N>
auto cat(const X (&tensors)[N], const Axes& axes, const Dim& new_dim) {
    return concatenated<typename X::value_type>(plan_cat(bound_operands(tensors), axes, new_dim));
}
// Of lists in which some can be written and others only read.
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
