#pragma once

#include <purview/base/export.hpp>
#include <purview/base/index.hpp>

#include <cstddef>
#include <span>

namespace purview::inline v0_1 {

/// Windows of a lane: window i has the elements [begin(i), end(i)); their ends are listed, or in equal steps.
struct WindowEnds {
    index_t count = 0;
    std::span<const index_t> begins{}; ///< `count`, or empty
    std::span<const index_t> ends{};
    index_t begin_step = 0;
    index_t end_step = 0;
    index_t width = 0; ///< of the first one

    index_t begin(index_t i) const noexcept {
        return begins.empty() ? i * begin_step : begins[static_cast<std::size_t>(i)];
    }
    index_t end(index_t i) const noexcept {
        return ends.empty() ? i * end_step + width : ends[static_cast<std::size_t>(i)];
    }
};

/// The most states of suffixes that `roll_states` keeps at once; 0 where windows do not ascend.
/// O(windows).
PURVIEW_EXPORT index_t states_to_roll(const WindowEnds& windows);

/// Calls `found(state)` with the state of each window of a lane, joined in the order of its elements.
/// `fold(state, at)` adds an element, `join(state, next)` the state of what follows. By a queue of two
/// stacks: `front` has the state of each suffix of what is left of it, the back one: O(elements +
/// windows). Without memory for `states_to_roll`, each window is folded by itself.
template <typename State, typename Fold, typename Join, typename Found>
void roll_states(const WindowEnds& windows, std::span<State> front, const State& initial, Fold fold,
                 Join join, Found found) {
    State back = initial;
    index_t first = 0; // the front has elements from here
    index_t turn = 0;  // to here, the back
    index_t end = 0;   // those from there to here
    for (index_t i = 0; i < windows.count; ++i) {
        const index_t begin = windows.begin(i);
        const index_t stop = windows.end(i);
        State window = initial;
        if (front.empty()) {
            for (index_t at = begin; at < stop; ++at) fold(window, at);
        } else if (begin < stop) {
            for (; end < stop; ++end) {
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
