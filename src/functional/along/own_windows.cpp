// Defines purview/functional/along/rolling_window.hpp.

#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/expression/symbol.hpp>
#include <purview/functional/along/rolling_window.hpp>
#include <purview/functional/reductions/own_reducer.hpp>

#include "dtype/element_block.hpp"
#include "functional/reductions/typed_memory.hpp"
#include "reader/chunk_cache.hpp"

#include <algorithm>

namespace purview::inline v0_1 {

namespace {

/// How many states to keep, so that windows share them: none where it takes less to fold each window of `all` by
/// itself.
index_t states_worth_rolling(const FunctionReducer& own, const WindowEnds& windows,
                             const WindowEnds& all) {
    constexpr index_t kSmallState = 64;
    if (own.takes_places()) return 0;
    const index_t states = states_to_roll(windows);
    if (own.state_bytes() <= kSmallState || states == 0) return states;
    index_t folded = 0; // if each is folded by itself
    for (index_t i = 0; i < all.count; ++i) folded += all.end(i) - all.begin(i);
    const index_t joins = 2 * all.count; // each of some word of a state in a nanosecond
    return folded < joins * (own.state_bytes() / 8) ? 0 : states;
}

} // namespace

Operand own_windows(const LaneWindows& windows, const FunctionReducer& given, bool skips_nan) {
    if (windows.lanes.node->reads(Below::symbol))
        throw_no_elements(*windows.lanes.node, given.name());
    require_not_sparse(given.name(), windows.lanes);
    const auto [own, lanes, skips] = elements_for(given, windows.lanes, skips_nan);
    const Operand results = own.new_results(windows.shape);
    if (results.dims.size() == 0) return results;
    const Evaluation elements(lanes, Reads::within_one_operation);
    ElementBlock lane(own.element(), windows.length);
    const WindowEnds ends = windows.ends();
    const WindowRanges* const all = windows.of_all;
    const index_t kept = states_worth_rolling(
        own, ends,
        all == nullptr ? ends : WindowEnds{std::ssize(all->begin), all->begin, all->end});
    const CountedBytes counted(kept * own.state_bytes(), own.name());
    ElementBlock states(uint8, kept * own.state_bytes());
    std::byte* out = memory_of(results);
    for (index_t group = 0; group < windows.groups; ++group) {
        if (windows.length > 0) elements.read(group * windows.length, windows.length, lane.data());
        own.roll({lane.data(), ends, skips, states.at(0), kept}, out);
        out += ends.count * own.result().size_bytes();
    }
    return with_incomplete(results, windows.incomplete);
}

index_t states_to_roll(const WindowEnds& windows) {
    index_t most = 0;
    index_t turn = 0;
    index_t begin = 0; // of the last window that is not empty
    index_t end = 0;
    for (index_t i = 0; i < windows.count; ++i) {
        if (windows.begin(i) == windows.end(i)) continue;
        if (windows.begin(i) < begin || windows.end(i) < end) return 0;
        begin = windows.begin(i);
        end = windows.end(i);
        if (begin < turn) continue;
        most = std::max(most, end - begin);
        turn = end;
    }
    return most;
}

} // namespace purview
