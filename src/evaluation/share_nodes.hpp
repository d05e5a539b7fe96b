#pragma once

#include <purview/expression/graph.hpp>

#include <cstddef>
#include <span>
#include <unordered_map>
#include <vector>

namespace purview::inline v0_1 {

/// Nodes of which no two are equal: the same operation on the same operands, or the same number.
class NodeTable {
public:
    /// `node`, or the equal one that was given before.
    NodePtr shared(NodePtr node);

private:
    std::unordered_multimap<std::size_t, NodePtr> nodes_; ///< by their hashes
};

/// The same operands, with equal nodes below them replaced by one. Iterative.
std::vector<Operand> share_nodes(std::span<const Operand> roots);

/// Whether two graphs, which read nothing but their placeholders and numbers, give equal outputs for equal
/// arguments by the same operations. Iterative; O(nodes).
bool are_same_graphs(const TracedOutputs& x, const TracedOutputs& y);
/// Equal for such graphs.
std::size_t hash_of(const TracedOutputs& graph);

} // namespace purview
