#pragma once

#include <purview/functional/reductions/built_in_reduction.hpp>

#include <vector>

namespace purview::inline v0_1 {

/// The reductions of every `step`-th window of padded lanes, as those of ranges: `roll` of what has
/// `roll_ranges`.
inline bool roll_as_ranges(const BuiltInReduction& reduction, const PaddedLanes& lanes,
                           index_t width, index_t step, NanRule nan, void* out) {
    std::vector<index_t> begins;
    std::vector<index_t> ends;
    for (index_t begin = 0; begin + width <= lanes.length(); begin += step) {
        begins.push_back(begin);
        ends.push_back(begin + width);
    }
    return reduction.roll_ranges(lanes.padded, lanes.groups, begins, ends, nan, out);
}

} // namespace purview
