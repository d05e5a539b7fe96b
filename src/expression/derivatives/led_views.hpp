#pragma once

#include <purview/expression/node.hpp>

#include <cstddef>

namespace purview::inline v0_1::derivatives {

// Derivatives may have leading axes, which operands of the graph do not have: one for each row of a
// Jacobian. `lead` says how many.

/// The leading axes of `x`, and then `shape`.
Shape led_shape(const Operand& x, std::size_t lead, ShapeSpan shape);

/// `x`, of another shape behind the leading axes.
Operand led_reshape(const Operand& x, std::size_t lead, ShapeSpan shape);

/// `x`, behind its leading axes the `size` elements of a node, seen through a view of that node.
Operand led_view(const Operand& x, std::size_t lead, const Dimensions& view, index_t size);

/// The opposite: `g`, behind its leading axes of the shape of the view, at the addresses of a node, the
/// row-major indexes of `own`, of which shape the result is; 0 where the view reads nothing, sums where it reads an element several times.
/// Views that cut, repeat, reverse, rotate or exchange axes become such views; others, such as lists
/// and windows that overlap, scatters.
Operand led_adjoint(const Operand& g, std::size_t lead, const Dimensions& view, ShapeSpan own);

} // namespace purview::derivatives
