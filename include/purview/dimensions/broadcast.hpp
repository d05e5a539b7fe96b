#pragma once

#include <purview/dimensions/dimensions.hpp>

namespace purview::inline v0_1::dimensions {

/// Repeats (tiles) axes up to `shape`, whose extents must be multiples of the old ones; missing
/// axes are added on the left. An axis of size 1 gets a stride of 0 and may take any extent, also
/// 0; other axes get a period. Folds, unless an axis was rotated or tiled already and its extent is
/// not a multiple of its cycle: then adds one layer. Throws `ShapeError`, naming the axis and both
/// sizes, if an extent is not a multiple, and if `shape` has fewer axes.
PURVIEW_EXPORT Dimensions broadcast(const Dimensions& dims, ShapeSpan shape);

/// NumPy's `broadcast_to`: only axes of size 1 grow, by a stride of 0; missing axes are added on
/// the left. Always folds. Throws `ShapeError` naming both shapes if they do not broadcast.
PURVIEW_EXPORT Dimensions expand(const Dimensions& dims, ShapeSpan shape);

/// One element, at address 0, for every index of `shape`, which is that of some Dimensions.
PURVIEW_EXPORT Dimensions repeated(ShapeSpan shape);

/// The shape that two shapes broadcast to by NumPy's rule: aligned on the right, with sizes equal
/// or one of them 1. Throws `ShapeError` naming both shapes if they do not broadcast.
PURVIEW_EXPORT Shape broadcast_shapes(ShapeSpan a, ShapeSpan b);

/// Broadcasts `shape`, which must have at least as many axes as `other`, in place to the shape that
/// both broadcast to. Returns false if they do not broadcast.
PURVIEW_EXPORT bool broadcast_into(Shape& shape, ShapeSpan other) noexcept;

} // namespace purview::dimensions
