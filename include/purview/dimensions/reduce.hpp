#pragma once

#include <purview/dimensions/dimensions.hpp>

namespace purview::inline v0_1::dimensions {

/// `dims` with the fewest layers and, after that, the fewest axes that give its addresses in its
/// order. Axes of size 1 are dropped; neighbouring axes that can be walked as one are merged, also
/// if the outer one is rotated or tiled. Layers that fold into the next one are folded, after
/// splitting axes where that makes it possible: a transpose that was reshaped to rank 1 becomes the
/// transpose again. An empty one becomes shape [0]. O(rank²) per layer.
PURVIEW_EXPORT Dimensions reduce(const Dimensions& dims);

} // namespace purview::dimensions
