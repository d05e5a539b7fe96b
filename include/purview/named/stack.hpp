#pragma once

#include <purview/named/concatenation.hpp>

namespace purview::inline v0_1 {

/// `stack({x, y}, n)`: joins tensors of one type and one positional shape along a new Dim `n`, over
/// the union of their dims: the first is at n = 0, the second at n = 1. The size of `n` is bound to
/// their number. A tensor without a Dim that others have repeats over it. The position of `n` in
/// memory is before the axis or Dim that is given last, as in torchdim, `stack({x, y}, n, j)`; by
/// default it is first.
///
/// Eager, of symbols traced: a copy in new memory, O(size of the result). (For two tensors, `where(n == 0, x, y)` is
/// lazy.) Throws `DimError` for a Dim that is bound already or has another size; `ShapeError` for
/// positional shapes that differ, or for an empty list; `IndexError`.
template <TypedTensor X, std::size_t N>
auto stack(const X (&tensors)[N], const Dim& new_dim, const std::optional<AxisOrDim>& place = {}) {
    return concatenated<typename X::value_type>(
        plan_stack(bound_operands(tensors), new_dim, place));
}
// For lists of both writable and read-only tensors.
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
