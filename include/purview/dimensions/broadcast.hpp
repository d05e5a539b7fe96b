#pragma once

#include <purview/dimensions/dimensions.hpp>

namespace purview::dimensions {

/// Tiles: each extent of `shape` is a multiple of the old one; axes are added on the left. Size 1
/// becomes a stride of 0 and may take any extent, 0 too; other axes repeat by a period. Folds, unless an axis was
/// rotated or tiled already and its extent is not a whole number of its cycles: then one layer
/// more. Throws `ShapeError`, naming the axis and both sizes, where no multiple, and when `shape` has
/// fewer axes.
PURVIEW_EXPORT Dimensions broadcast(const Dimensions& dims, ShapeSpan shape);

/// NumPy's `broadcast_to`: only axes of size 1 grow, by a stride of 0; axes are added on the left.
/// Always folds. Throws `ShapeError`, naming both shapes.
PURVIEW_EXPORT Dimensions expand(const Dimensions& dims, ShapeSpan shape);

/// The shape that two shapes broadcast to by NumPy's rule: aligned on the right, sizes equal or one
/// of them 1. Throws `ShapeError`, naming both shapes.
PURVIEW_EXPORT Shape broadcast_shapes(ShapeSpan a, ShapeSpan b);

/// The same in place, for a `shape` of at least as many axes. False where they do not fit together.
PURVIEW_EXPORT bool broadcast_into(Shape& shape, ShapeSpan other) noexcept;

} // namespace purview::dimensions
