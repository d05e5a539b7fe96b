#pragma once

#include <purview/named/concatenation.hpp>

namespace purview {

/// `stack({x, y}, n)`: tensors of one type and one positional shape as one, over a new Dim and the union of
/// their dims: at n = 0 the first, at n = 1 the second. The size of `n` is bound to their number. A tensor
/// without a Dim that others have repeats over it. Where the result is to lie in memory may be said as in
/// torchdim, by the axis or Dim that `n` comes before: `stack({x, y}, n, j)`; otherwise it comes first.
///
/// Eager: a copy in memory of its own, O(size of the result). (Of two, `where(n == 0, x, y)` is lazy.)
/// Throws `DimError` for a Dim that is bound already or has another size, `ShapeError` for positional shapes
/// that differ, or for no tensors, `IndexError`.
template <TypedTensor X, std::size_t N>
auto stack(const X (&tensors)[N], const Dim& new_dim, const std::optional<AxisOrDim>& place = {}) {
    return concatenated<typename X::value_type>(
        plan_stack(bound_operands(tensors), new_dim, place));
}
// Of lists in which some can be written and others only read.
template <ElementType T, std::size_t N>
auto stack(const DimTensor<T> (&tensors)[N], const Dim& new_dim,
           const std::optional<AxisOrDim>& place = {}) {
    return concatenated<T>(plan_stack(bound_operands(tensors), new_dim, place));
}
template <TypedTensor X>
auto stack(const std::vector<X>& tensors, const Dim& new_dim,
           const std::optional<AxisOrDim>& place = {}) {
    return concatenated<typename X::value_type>(
        plan_stack(bound_operands(tensors), new_dim, place));
}

} // namespace purview
