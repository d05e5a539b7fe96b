#pragma once

#include <purview/dimensions/dimensions.hpp>

namespace purview::dimensions {

/// `result(g) = source(view(g))`: the addresses of `view` are row-major indexes of `source`. Has the
/// shape of `view`.
///
/// Folds into the layer of `source` where the coordinates in `source` are affine in those of `view`
/// (decided exactly, O(rank²)) and each axis of `source` with an index map is fed by at most one
/// axis of `view`; otherwise the layers of both are put one on the other. No allocation when both
/// are strided and their ranks are at most 6. Lists of `view` over a mapped axis are looked up, O(list).
///
/// Throws `ShapeError` when `view` could address outside of [0, source.size()).
PURVIEW_EXPORT Dimensions compose(const Dimensions& view, const Dimensions& source);

} // namespace purview::dimensions
