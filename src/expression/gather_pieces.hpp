#pragma once

#include <purview/expression/gather.hpp>
#include <purview/expression/piecewise.hpp>

#include "expression/index_runs.hpp"

#include <boost/container/small_vector.hpp>

#include <optional>

namespace purview::inline v0_1 {

/// The runs of the indexes of a gather, and for each the axis of the result that it runs along, or one that it does not
/// change along, if there is an axis. Nothing if some index runs along several axes, or is not known without reading memory.
struct GatherRuns {
    boost::container::small_vector<IndexRuns, 2> runs;
    boost::container::small_vector<int, 2> along;
};
std::optional<GatherRuns> gather_runs(const Gather& gather);

/// A gather at a few runs as pieces that are views of its source: `a(minimum(i + 1, n - 1))` is all of a
/// but for the first element, and the last one. The node has the same elements at the same addresses.
/// Null where the pieces are many or short, or some index is out of range.
NodePtr gather_pieces(const Gather& gather);

} // namespace purview
