#pragma once

#include <purview/dimensions/dimensions.hpp>

namespace purview::inline v0_1::dimensions {

/// Drops every axis of size 1. Always folds.
PURVIEW_EXPORT Dimensions squeeze(const Dimensions& dims);

/// Drops the axes named. Always folds. Throws `ShapeError` where one has not size 1, `IndexError`
/// for an axis out of range or named twice.
PURVIEW_EXPORT Dimensions squeeze(const Dimensions& dims, ShapeSpan axes);

/// Inserts an axis of size 1, which will be axis `axis` of the result: in [-rank - 1, rank].
/// Always folds. Throws `IndexError` outside of that, `ShapeError` above 64 axes.
PURVIEW_EXPORT Dimensions new_axis(const Dimensions& dims, index_t axis);

} // namespace purview::dimensions
