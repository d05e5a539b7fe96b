#pragma once

#include <purview/dimensions/dimensions.hpp>

namespace purview::inline v0_1::dimensions {

/// Dimensions of `shape` over `groups` contiguous values. The leading axes of `shape` have `groups`
/// elements together; along the other axes each value is repeated, with stride 0.
PURVIEW_EXPORT Dimensions repeated_groups(ShapeSpan shape, index_t groups);

} // namespace purview::dimensions
