#pragma once

#include <purview/dimensions/dimensions.hpp>

namespace purview::inline v0_1::dimensions {

/// Reorders axes: axis a of the result is axis `permutation[a]`. Negative axes count from the end.
/// Always folds. Throws `ShapeError` when `permutation` has not one entry per axis, and
/// `IndexError` for an axis out of range or named twice.
PURVIEW_EXPORT Dimensions transpose(const Dimensions& dims, ShapeSpan permutation);

/// Exchanges two axes. Always folds. Throws `IndexError` for an axis out of range.
PURVIEW_EXPORT Dimensions swap_axes(const Dimensions& dims, index_t axis0, index_t axis1);

/// Moves an axis to another place and keeps the order of the others. Always folds. Throws
/// `IndexError` for an axis out of range.
PURVIEW_EXPORT Dimensions move_axis(const Dimensions& dims, index_t from, index_t to);

} // namespace purview::dimensions
