#pragma once

#include <purview/base/export.hpp>
#include <purview/base/index.hpp>

#include <algorithm>
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
    const auto fold_suffixes = [&](index_t begin) {
        State suffix = initial;
        for (index_t at = end; at-- > begin;) {
            State one = initial;
            fold(one, at);
            if (at + 1 < end) join(one, suffix);
            front[static_cast<std::size_t>(at - begin)] = suffix = one;
        }
        first = begin;
        turn = end;
        back = initial;
    };
    for (index_t i = 0; i < windows.count; ++i) {
        const index_t begin = windows.begin(i);
        const index_t stop = windows.end(i);
        if (front.empty()) {
            State window = initial;
            for (index_t at = begin; at < stop; ++at) fold(window, at);
            found(window);
        } else if (begin >= stop) {
            found(initial);
        } else {
            if (begin < turn) {
                while (end < stop) fold(back, end++);
            } else { // what lies before is in no window to come
                end = stop;
                fold_suffixes(begin);
            }
            State window = front[static_cast<std::size_t>(begin - first)];
            if (turn < end) join(window, back);
            found(window);
            if (!windows.begins.empty() || windows.begin_step != 1 || windows.end_step != 1)
                continue;
            // The next ones, each of one element more of the back, and one less of the front.
            const index_t last = (std::min)(windows.count - 1, i + turn - 1 - begin);
            for (; i < last; ++i) {
                fold(back, end++);
                window = front[static_cast<std::size_t>(i + 1 - first)];
                join(window, back);
                found(window);
            }
        }
    }
}

} // namespace purview
