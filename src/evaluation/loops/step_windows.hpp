#pragma once

#include "evaluation/loops/step_boxes.hpp"

#include <string>

namespace purview::inline v0_1 {

/// A part of all states, which have one shape: of its first two axes, the others whole. On an axis that is a ring it may
/// begin before the first coordinate, and end behind the last one, by less than the axis has.
struct StateWindow {
    Shape begin;
    Shape end;

    /// Of an axis of so many coordinates: whether all are there, and it ends where they do.
    bool is_whole(std::size_t axis, index_t extent) const noexcept {
        return begin[axis] == 0 && end[axis] == extent;
    }
    /// Whether nothing comes before the window, or behind it: else what is there is missing in the first step.
    bool has_begin(std::size_t axis, index_t extent, const AxisReach& reach) const noexcept {
        return is_whole(axis, extent) || (!reach.is_ring && begin[axis] == 0);
    }
    bool has_end(std::size_t axis, index_t extent, const AxisReach& reach) const noexcept {
        return is_whole(axis, extent) || (!reach.is_ring && end[axis] == extent);
    }
    Shape extents() const {
        Shape lengths;
        for (std::size_t a = 0; a < begin.size(); ++a) lengths.push_back(end[a] - begin[a]);
        return lengths;
    }
};

/// Why the steps cannot be taken in windows of these axes; empty where they can.
PURVIEW_EXPORT std::string refusal_of_windows(const LoopRule& rule, const StepBoxes& whole,
                                              bool rows_only);

/// The boxes of a step within a window, over placeholders of its shape, as far as they read within it. `begin` counts
/// from that of the window.
StepBoxes boxes_in(const LoopRule& rule, const StepBoxes& whole, const StateWindow& window);

} // namespace purview
