#pragma once

#include <purview/expression/node.hpp>
#include <purview/reader/buffer.hpp>

#include <memory>
#include <optional>

namespace purview::inline v0_1::engine {

class SparseGraph;

/// The pairs of a result that were computed while they were merged.
struct MergedPairs {
    BufferPtr<index_t> indexes; ///< with room to spare
    std::shared_ptr<const AnyReader> values;
    NodePtr fill;
    index_t stored = 0;
    bool are_pruned = false; ///< without those that equal the fill
};

/// If an operand adds, subtracts or multiplies two sparse leaves of floats, all of them as a whole
/// and in order, computes it in one pass over both. Nothing otherwise, where no element is stored
/// in one of them, where the fill is NaN, and where elements that are not finite meet a fill of 0.
std::optional<MergedPairs> merge_leaves(const Operand& root);
/// The same of the root of a graph over two sources whose views repeat no entries. Those of a view
/// that changes their order are moved with their values first.
std::optional<MergedPairs> merge_sources(const SparseGraph& graph, const char* what);

} // namespace purview::engine
