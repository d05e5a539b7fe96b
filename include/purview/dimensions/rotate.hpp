#pragma once

#include <purview/dimensions/dimensions.hpp>

namespace purview::dimensions {

/// Rotates each axis: the element at g goes to `g + amount`, modulo its size. Amounts may be
/// negative and larger than the axis. Folds, unless an axis is a partial view of something rotated
/// or tiled before: then one layer more. Throws `ShapeError` when there is not one amount per axis.
PURVIEW_EXPORT Dimensions rotate(const Dimensions& dims, ShapeSpan amounts);

} // namespace purview::dimensions
