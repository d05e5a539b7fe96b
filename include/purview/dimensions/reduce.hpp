#pragma once

#include <purview/dimensions/dimensions.hpp>

namespace purview::dimensions {

/// The same addresses in the same order with the fewest layers and then axes. Axes of size 1 go,
/// neighbours that can be walked as one are merged, also where the outer one is rotated or tiled.
/// Layers that fold into the next one do, axes being split for it where that helps: a transpose
/// reshaped to a line is walked as the transpose again. An empty one becomes shape [0].
/// O(rank²) per layer.
PURVIEW_EXPORT Dimensions reduce(const Dimensions& dims);

} // namespace purview::dimensions
