#pragma once

#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/leaf.hpp>

#include <cstdint>
#include <vector>

namespace purview::engine {

/// Refers to a value by its number.
using ValueId = std::uint32_t;
inline constexpr ValueId kNoValue = UINT32_MAX;

/// A distinct (node, view) pair: something that an evaluation computes once per block.
struct Value {
    const Node* node;
    Dimensions view; ///< from the coordinates of the root; rank 0 for a constant
    boost::container::small_vector<ValueId, 3> operands;
    std::uint32_t need =
        0; ///< blocks that its evaluation needs at once, by Sethi and Ullman's count
    bool ordered = false;

    const Leaf* leaf() const noexcept {
        return node->kind() == NodeKind::leaf ? static_cast<const Leaf*>(node) : nullptr;
    }
    const Constant* constant() const noexcept {
        return node->kind() == NodeKind::constant ? static_cast<const Constant*>(node) : nullptr;
    }
    const Elementwise* operation() const noexcept {
        return node->kind() == NodeKind::elementwise ? static_cast<const Elementwise*>(node)
                                                     : nullptr;
    }
};

/// The values below a root, views carried down to the leaves; operands come before their users, and
/// the root last, in an order that keeps few of them alive at a time. Iterative: an expression may be
/// a million nodes deep. Linear in the number of distinct pairs.
struct Values {
    explicit Values(const Operand& root);

    const Value& root() const noexcept { return all.front(); }
    const Value& operator[](ValueId id) const noexcept { return all[id]; }
    std::size_t size() const noexcept { return all.size(); }

    boost::container::small_vector<Value, 8> all; ///< by number; the root is 0
    std::vector<ValueId> order;
};

} // namespace purview::engine
