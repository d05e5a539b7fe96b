#pragma once

#include <purview/dimensions/dimensions.hpp>

namespace purview::dimensions {

/// A row of one value for each of `groups`, seen under a shape whose leading axes have as many elements: each is repeated along
/// the other axes.
PURVIEW_EXPORT Dimensions repeated_groups(ShapeSpan shape, index_t groups);

} // namespace purview::dimensions
