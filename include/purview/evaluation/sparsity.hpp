#pragma once

#include <purview/expression/node.hpp>

namespace purview::inline v0_1 {

/// The kind and the fill of a node: found by the first call, which stores them in the node.
/// Iterative; each node below is visited once, even by several calls.
PURVIEW_EXPORT const Sparsity& sparsity_of(const Node& node);

/// The kind of a node's elements. Sparse are: a leaf of sparse pairs; an operation on sparse
/// operands and constants; and an operation in which the fills of sparse operands decide the
/// result wherever nothing is stored, whatever dense operands hold. O(1), except for the last
/// case and nodes above one, where the first call computes the operations on the fills.
inline Kind storage_kind_of(const Node& node) {
    return node.known_storage_kind() == Node::kUndecided ? sparsity_of(node).kind
                                                         : node.known_storage_kind();
}

/// Whether an operand is sparse (`storage_kind_of`). Its elements can then be computed in time
/// proportional to what is stored.
inline bool is_sparse(const Operand& operand) {
    return operand.node->reads(Below::sparse) && storage_kind_of(*operand.node) == Kind::sparse;
}

} // namespace purview
