#pragma once

#include "distributions/axis_parts.hpp"

#include <purview/dimensions/dimensions.hpp>

#include <optional>
#include <vector>

namespace purview::inline v0_1::mpi {

/// Coordinates along one axis of a tensor, in the order in which something reads them: evenly spaced, round and round the axis, or a
/// list.
struct AxisCoordinates {
    index_t first = 0;
    index_t step = 1;
    index_t count = 1;
    index_t extent = 1;          ///< of the axis
    std::vector<index_t> list{}; ///< instead of first and step, if not empty

    index_t at(index_t i) const noexcept {
        if (!list.empty()) return list[static_cast<std::size_t>(i)];
        const index_t c = (first + step * i) % extent;
        return c < 0 ? c + extent : c;
    }
    /// Neighbours one after the other: what can be joined with others such.
    bool is_interval() const noexcept { return list.empty() && (step == 1 || count == 1); }
    friend bool operator==(const AxisCoordinates&, const AxisCoordinates&) = default;
};
/// The elements of a tensor at the product of coordinates along each axis.
using DistributedRegion = std::vector<AxisCoordinates>;

Shape strides_in_order(ShapeSpan shape);
Shape counts_of(const DistributedRegion& region);
index_t size_of(const DistributedRegion& region) noexcept;

/// Consecutive coordinates of an axis that one place has: at `position` in the order of a region, and
/// from coordinate `local` of its part on.
struct Run {
    index_t position;
    index_t local;
    index_t step;
    index_t count;
};
using Runs = std::vector<Run>;

/// The coordinates by the places that have them; empty for a place that has none.
std::vector<Runs> runs_by_place(const AxisCoordinates& coordinates, const AxisParts& parts);
/// How many coordinates they are.
index_t count_of(const Runs& runs) noexcept;
/// Whether a place has all of them.
bool has_all(const AxisCoordinates& coordinates, const AxisParts& parts, index_t place);

/// The elements of an array of `shape`, row-major, at the product of runs along each axis: at their
/// coordinates in a part, or at their positions in a region.
enum class RunEnd : bool { local, position };
Dimensions view_of_runs(ShapeSpan shape, std::span<const Runs> axes, RunEnd end);

} // namespace purview
