#pragma once

#include <purview/dimensions/dimensions.hpp>

namespace purview::inline v0_1::dimensions {

/// Rotates each axis: the element at g moves to `(g + amount) mod size`. Amounts may be negative
/// and larger than the axis. Folds, unless an axis is a partial view of one that was rotated or
/// tiled before: then adds one layer. Throws `ShapeError` when there is not one amount per axis.
PURVIEW_EXPORT Dimensions rotate(const Dimensions& dims, ShapeSpan amounts);

} // namespace purview::dimensions
