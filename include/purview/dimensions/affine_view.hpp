#pragma once

#include <purview/dimensions/dimensions.hpp>

#include <span>

namespace purview::dimensions {

/// What a new axis adds to an axis of the source: `coefficient` for each step.
struct AxisFeed {
    int axis;   ///< of the result
    int source; ///< of the source
    index_t coefficient;
};

/// A view whose coordinates are affine in those of the result: source coordinate `s` of the element at g is
/// `origin[s] + Σ coefficient·g[axis]` over the feeds of s. Diagonals, windows, strides and transposes in
/// one. Folds where the axes of the source that are fed by several axes, or beside others by one, are plain.
/// Throws `ShapeError` where a coordinate would leave the source.
PURVIEW_EXPORT Dimensions affine_view(const Dimensions& source, ShapeSpan shape,
                                      std::span<const AxisFeed> feeds, ShapeSpan origin);

} // namespace purview::dimensions
