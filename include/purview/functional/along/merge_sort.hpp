#pragma once

#include <purview/base/index.hpp>

#include <utility>

namespace purview {

/// Sorts `count` indexes stably by `before(a, b)`, with `count` entries of scratch memory at
/// `room`. O(n log n) comparisons. (Including <algorithm> instead would cost every user compile
/// time.)
template <typename Before>
void merge_sort(index_t* indexes, index_t* room, index_t count, const Before& before) {
    constexpr index_t kRun = 16;
    for (index_t begin = 0; begin < count; begin += kRun) {
        const index_t end = begin + kRun < count ? begin + kRun : count;
        for (index_t i = begin + 1; i < end; ++i) {
            const index_t moved = indexes[i];
            index_t at = i;
            for (; at > begin && before(moved, indexes[at - 1]); --at)
                indexes[at] = indexes[at - 1];
            indexes[at] = moved;
        }
    }
    index_t* from = indexes;
    index_t* to = room;
    for (index_t width = kRun; width < count; width *= 2) {
        for (index_t begin = 0; begin < count; begin += 2 * width) {
            const index_t middle = begin + width < count ? begin + width : count;
            const index_t end = middle + width < count ? middle + width : count;
            index_t left = begin;
            index_t right = middle;
            const bool merges = middle < end && before(from[middle], from[middle - 1]);
            for (index_t i = begin; i < end; ++i)
                to[i] =
                    left < middle && (!merges || right == end || !before(from[right], from[left]))
                        ? from[left++]
                        : from[right++];
        }
        std::swap(from, to);
    }
    if (from != indexes)
        for (index_t i = 0; i < count; ++i) indexes[i] = from[i];
}

} // namespace purview
