#pragma once

#include <purview/dimensions/dimensions.hpp>

namespace purview::inline v0_1::dimensions {

/// Reverses the axes named. Always folds. Throws `IndexError` for an axis out of range or named
/// twice.
PURVIEW_EXPORT Dimensions flip(const Dimensions& dims, ShapeSpan axes);

/// Reverses every axis. Always folds.
PURVIEW_EXPORT Dimensions flip(const Dimensions& dims);

} // namespace purview::dimensions
