// Defines purview/functional/along/rolling_window.hpp.

#include <purview/evaluation/evaluate.hpp>
#include <purview/functional/along/rolling_window.hpp>
#include <purview/functional/reductions/own_reducer.hpp>

#include "dtype/element_block.hpp"
#include "functional/reductions/typed_memory.hpp"

namespace purview::inline v0_1 {

Operand own_windows(const LaneWindows& windows, const FunctionReducer& own, bool skips_nan) {
    const Operand lanes = elements_for(own, windows.lanes);
    const Operand results = own.new_results(windows.shape);
    if (results.dims.size() == 0) return results;
    const Evaluation elements(lanes, Reads::within_one_operation);
    ElementBlock lane(own.element(), windows.length);
    std::byte* out = memory_of(results);
    for (index_t group = 0; group < windows.groups; ++group) {
        if (windows.length > 0) elements.read(group * windows.length, windows.length, lane.data());
        own.roll(lane.data(), windows.length, windows.ranges.begin, windows.ranges.end, skips_nan,
                 out);
        out += std::ssize(windows.ranges.begin) * own.result().size_bytes();
    }
    return with_incomplete(results, windows.incomplete);
}

} // namespace purview
