#pragma once

#include <purview/base/export.hpp>
#include <purview/base/index.hpp>

#include <cstddef>
#include <span>

namespace purview::inline v0_1 {

/// The most states of suffixes that `roll_states` keeps at once of windows [begins[i], ends[i]); 0 where
/// these do not ascend. O(windows).
PURVIEW_EXPORT index_t states_to_roll(std::span<const index_t> begins,
                                      std::span<const index_t> ends);

/// Calls `found(state)` with the state of each window [begins[i], ends[i]) of a lane, joined in the order of
/// its elements. `fold(state, at)` adds an element, `join(state, next)` the state of what follows. By a
/// queue of two stacks: `front` has the state of each suffix of what is left of it, the back one:
/// O(elements + windows). Without memory for `states_to_roll`, each window is folded by itself.
template <typename State, typename Fold, typename Join, typename Found>
void roll_states(std::span<const index_t> begins, std::span<const index_t> ends,
                 std::span<State> front, const State& initial, Fold fold, Join join, Found found) {
    State back = initial;
    index_t first = 0; // the front has elements from here
    index_t turn = 0;  // to here, the back
    index_t end = 0;   // those from there to here
    for (std::size_t i = 0; i < begins.size(); ++i) {
        const index_t begin = begins[i];
        State window = initial;
        if (front.empty()) {
            for (index_t at = begin; at < ends[i]; ++at) fold(window, at);
        } else if (begin < ends[i]) {
            for (; end < ends[i]; ++end) {
                if (end == turn) back = initial;
                fold(back, end);
            }
            if (begin >= turn) {
                State suffix = initial;
                for (index_t at = end; at-- > begin;) {
                    State one = initial;
                    fold(one, at);
                    if (at + 1 < end) join(one, suffix);
                    front[static_cast<std::size_t>(at - begin)] = suffix = one;
                }
                first = begin;
                turn = end;
            }
            window = front[static_cast<std::size_t>(begin - first)];
            if (turn < end) join(window, back);
        }
        found(window);
    }
}

} // namespace purview
