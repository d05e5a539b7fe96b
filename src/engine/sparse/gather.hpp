#pragma once

#include "engine/sparse/gather_keys.hpp"
#include "engine/sparse/own_pairs.hpp"

#include <vector>

namespace purview::inline v0_1::engine {

/// The entries of a gather as pairs: at least those at addresses in `asked`, which is not empty.
/// `source` has the pairs of `unrepeated(node.source())` by row-major index; `views` are all those
/// through which the gather is read.
///
/// A join of the stored entries with the indexes: each of both is read once, and where the source's
/// first axes are read at indexes, rows are found by a galloping search. O(indexes + stored +
/// result), and radix sorts of the indexes and of the result where they do not ascend. Throws
/// `IndexError` for an index out of range that some view reads, `KindError` naming `what` beyond
/// 2³⁰ indexes or results.
OwnPairs gathered_pairs(const Gather& node, const SparsePairs& source, const AddressRange& asked,
                        const std::vector<Dimensions>& views, const char* what);

} // namespace purview::engine
