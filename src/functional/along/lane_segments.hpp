#pragma once

#include <purview/functional/along/axis_parts.hpp>

#include "functional/reductions/slab_results.hpp"

namespace purview::inline v0_1 {

/// Longer segments are no faster.
inline constexpr index_t kMostSegmentBytes = index_t{64} << 20;

/// Calls `work` with segments of the parts of `x` along an axis, in memory, and puts their results in place: of all parts
/// together, or, where these have no room, of one part after the other. Each chunk is read once, but for what windows
/// reach beyond segments, and where parts that lie in one chunk are worked on one by one, or where segments are shorter than chunks that do not stay
/// cached, for those of all parts have no room. Returns false, and does nothing,
/// where the shortest segment of one part has no room.
bool worked_in_segments(const char* what, const Operand& x, index_t axis, const Segments& cut,
                        AxisWork work, SlabResults& results);

/// Calls `work` with each lane along the axis, as it is, and where it begins.
void for_each_lane(const Operand& x, index_t axis,
                   FunctionRef<void(const Operand& lane, ShapeSpan begin)> work);

/// Parts with more elements of their type in front of them, or behind them.
AxisParts with_elements(const AxisParts& parts, const Operand& more, bool behind = false);

/// The elements [begin, end) of each of some parts, which are along the last axis.
Operand part_of_lanes(const Operand& lanes, index_t begin, index_t end);

} // namespace purview
