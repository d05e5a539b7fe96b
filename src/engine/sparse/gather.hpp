#pragma once

#include "engine/pairs/own_pairs.hpp"
#include "engine/sparse/gather_keys.hpp"

#include <vector>

namespace purview::engine {

/// A gather as pairs: at least of its addresses in `asked`, which is not empty. `source` has the pairs of
/// `unrepeated(node.source())` by row-major index; `views` are all those that the gather is seen through.
///
/// A join of what is stored with the indexes: both are looked at once, and where the source's first axes are those that are
/// read at indexes, rows are found by steps from one to the next. O(indexes + stored + result), and sorts by
/// digits of indexes and of the result where they do not ascend. Throws `IndexError` of an index that some view reads,
/// `KindError` naming `what` beyond 2³⁰ indexes or results.
OwnPairs gathered_pairs(const Gather& node, const SparsePairs& source, const AddressRange& asked,
                        const std::vector<Dimensions>& views, const char* what);

} // namespace purview::engine
