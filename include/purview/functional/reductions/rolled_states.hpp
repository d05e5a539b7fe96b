#pragma once

#include <purview/base/index.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace purview::inline v0_1 {

/// Calls `found(state)` with the state of each window [begins[i], ends[i]) of a lane, joined in the order of
/// its elements. `fold(state, at)` adds an element, `join(state, next)` the state of what follows. Where
/// windows ascend, by a queue of two stacks: the front has the state of each of its suffixes, the back
/// one: O(elements + windows). Others are folded each by itself.
template <typename State, typename Fold, typename Join, typename Found>
void roll_states(index_t length, std::span<const index_t> begins, std::span<const index_t> ends,
                 const State& initial, Fold fold, Join join, Found found) {
    bool ascend = true;
    for (std::size_t i = 0, last = 0; i < begins.size(); ++i) {
        if (begins[i] == ends[i]) continue;
        ascend = ascend && begins[i] >= begins[last] && ends[i] >= ends[last];
        last = i;
    }
    std::vector<State> front(ascend ? static_cast<std::size_t>(length) : 0, initial);
    State back = initial;
    index_t turn = 0; // the front has elements before it
    index_t end = 0;  // the back those from there to here
    for (std::size_t i = 0; i < begins.size(); ++i) {
        State window = initial;
        if (!ascend) {
            for (index_t at = begins[i]; at < ends[i]; ++at) fold(window, at);
        } else if (begins[i] < ends[i]) {
            for (; end < ends[i]; ++end) {
                if (end == turn) back = initial;
                fold(back, end);
            }
            if (begins[i] >= turn) {
                State suffix = initial;
                for (index_t at = end; at-- > begins[i];) {
                    State one = initial;
                    fold(one, at);
                    if (at + 1 < end) join(one, suffix);
                    front[static_cast<std::size_t>(at)] = suffix = one;
                }
                turn = end;
            }
            window = front[static_cast<std::size_t>(begins[i])];
            if (turn < end) join(window, back);
        }
        found(window);
    }
}

} // namespace purview
