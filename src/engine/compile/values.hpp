#pragma once

#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/gather.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/expression/piecewise.hpp>

#include "engine/places/words.hpp"

#include <boost/container/small_vector.hpp>

#include <cstdint>
#include <forward_list>
#include <span>
#include <vector>

namespace purview::inline v0_1::engine {

/// Refers to a value by its number.
using ValueId = std::uint32_t;
inline constexpr ValueId kNoValue = UINT32_MAX;

/// A distinct (node, view) pair: something that an evaluation computes once per block.
struct Value {
    const Node* node;
    const Dimensions* view; ///< from the coordinates of the root; rank 0 for a constant
    std::uint32_t first_operand = 0;
    std::uint32_t operand_count = 0;

    const Leaf* leaf() const noexcept { return node_as<Leaf>(*node); }
    const Constant* constant() const noexcept { return node_as<Constant>(*node); }
    const Elementwise* operation() const noexcept { return node_as<Elementwise>(*node); }
    const Gather* gather() const noexcept { return node_as<Gather>(*node); }
    const Piecewise* pieces() const noexcept { return node_as<Piecewise>(*node); }
    /// A gather or pieces: its operands are evaluated apart from this plan.
    bool is_block_source() const noexcept {
        return node->kind() == NodeKind::gather || node->kind() == NodeKind::piecewise;
    }
    /// Read by blocks of the row-major order.
    bool is_streamed() const noexcept {
        return is_block_source() || (leaf() != nullptr && !is_strided_memory());
    }
    /// A leaf that lies in strided memory of words, and is seen at strides.
    bool is_strided_memory() const noexcept {
        const Leaf* const leaf = this->leaf();
        return leaf != nullptr && leaf->memory() && is_of_words(leaf->dtype()) &&
               view->is_strided();
    }
};

/// The values of an expression, views composed down to the leaves. Gathers and pieces are leaves
/// here: what they read is evaluated apart (block_source.hpp). The root comes first, the others in
/// the order in which a breadth-first walk finds them. Iterative: an expression may be a million
/// nodes deep. Linear in the number of distinct (node, view) pairs. The root has to outlive it.
class Values {
public:
    explicit Values(const Operand& root);
    Values(const Values&) = delete;
    Values& operator=(const Values&) = delete;

    const Value& root() const noexcept { return all_.front(); }
    const Value& operator[](ValueId id) const noexcept { return all_[id]; }
    std::size_t size() const noexcept { return all_.size(); }
    auto begin() const noexcept { return all_.begin(); }
    auto end() const noexcept { return all_.end(); }

    std::span<const ValueId> operands(ValueId id) const noexcept {
        return {links_.data() + all_[id].first_operand, all_[id].operand_count};
    }

private:
    friend class Discovery;

    boost::container::small_vector<Value, 16> all_;
    boost::container::small_vector<ValueId, 24> links_;
    std::forward_list<Dimensions> composed_; ///< views that no operand in the expression has
};

/// The values in an order that keeps few of them alive at a time: operands before their users, and
/// the root last.
std::vector<ValueId> evaluation_order(const Values& values);

} // namespace purview::engine
