#pragma once

#include <purview/dimensions/dimensions.hpp>

namespace purview::inline v0_1::dimensions {

/// `result(g) = source(view(g))`: the addresses of `view` are row-major indexes of `source`. Has
/// the shape of `view`.
///
/// Folds into the layer of `source` where the coordinates in `source` are affine in those of `view`
/// (decided exactly, O(rank²)) and each axis of `source` with an index map is fed by at most one
/// axis of `view`; otherwise the layers of `view` are put on top of those of `source`. No
/// allocation when both are strided and their ranks are at most 6. Where `view` has lists over a
/// mapped axis, their entries are mapped through it, O(list).
///
/// Throws `ShapeError` when `view` could address outside of [0, source.size()).
PURVIEW_EXPORT Dimensions compose(const Dimensions& view, const Dimensions& source);

} // namespace purview::dimensions
