#pragma once

#include "distributions/axis_parts.hpp"
#include "messages/ranks.hpp"

#include <purview/mpi/distribution.hpp>

#include <vector>

namespace purview::inline v0_1::mpi {

/// Equal blocks on a grid, or, where that has more axes than the shape, along the first axis.
Distribution blocks_on(const Grid& grid, ShapeSpan shape);
/// Axes divided so, on a grid of as many places: as many as there are ranks, in their order.
Distribution divided(const Communicator& communicator, ShapeSpan shape,
                     std::vector<AxisParts> parts);
/// The ranks have equal blocks along one axis, one after the other, and all of the others.
Distribution blocks_along_alone(const Distribution& d, ShapeSpan shape, std::size_t axis);
/// The same, but in equal blocks along an axis that is dealt out.
Distribution in_blocks_along(const Distribution& d, index_t axis);
/// The ranks that are where `rank` is but along the given axes of the tensor; `rank`'s place is the group's.
Group ranks_along(const Distribution& d, ShapeSpan axes, int rank);

} // namespace purview
