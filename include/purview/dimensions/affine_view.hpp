#pragma once

#include <purview/dimensions/dimensions.hpp>

#include <span>

namespace purview::inline v0_1::dimensions {

/// One term of an affine view: a step along axis `axis` of the result adds `coefficient` to the
/// coordinate of axis `source`.
struct AxisFeed {
    int axis;   ///< of the result
    int source; ///< of the source
    index_t coefficient;
};

/// A view whose source coordinates are affine in the coordinates of the result: for the element at
/// g, source coordinate `s` is `origin[s] + Σ coefficient·g[axis]` over the feeds of s. Covers
/// diagonals, windows, strides and transposes. Folds if the source is strided, else where `compose`
/// folds. Throws `ShapeError` if a coordinate would leave the source.
PURVIEW_EXPORT Dimensions affine_view(const Dimensions& source, ShapeSpan shape,
                                      std::span<const AxisFeed> feeds, ShapeSpan origin);

} // namespace purview::dimensions
