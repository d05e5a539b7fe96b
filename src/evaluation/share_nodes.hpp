#pragma once

#include <purview/expression/node.hpp>

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

} // namespace purview
