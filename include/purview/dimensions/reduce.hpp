#pragma once

#include <purview/dimensions/dimensions.hpp>

namespace purview::dimensions {

/// The same addresses in the same order with the fewest axes: axes of size 1 go, neighbours that can
/// be walked as one are merged, also where the outer one is rotated or tiled; layers that fold into
/// the next one do. An empty one becomes shape [0]. O(rank) per layer.
PURVIEW_EXPORT Dimensions reduce(const Dimensions& dims);

} // namespace purview::dimensions
