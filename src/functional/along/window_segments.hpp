#pragma once

#include "functional/along/lane_segments.hpp"

namespace purview::inline v0_1 {

/// `worked_in_segments` of windows that are listed, and neither begin nor end before the one before them: segments have as
/// many windows as there is room for with the elements that they reach, and begin with one that shares no states with those
/// before (`roll_states`). Returns false, and does nothing, for other windows, and where one such segment has no room.
bool worked_between_windows(const char* what, const Operand& x, index_t axis,
                            const WindowRanges& windows, AxisWork work, SlabResults& results);

} // namespace purview
