#pragma once

#include <purview/mpi/distribution.hpp>

namespace purview::inline v0_1::mpi {

/// How many lanes there are along an axis.
index_t lanes_along(ShapeSpan shape, std::size_t axis) noexcept;
/// Whether an axis is divided.
bool is_divided(const Distribution& d, std::size_t axis) noexcept;
/// The same shape, divided along other axes alone, as evenly as can be, in blocks.
Distribution with_whole_lanes(const Distribution& d, std::size_t axis);

} // namespace purview
