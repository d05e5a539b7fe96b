#include "engine/run/flat_graph.hpp"

#include "engine/compile/tile_operations.hpp"
#include "engine/compile/values.hpp"
#include "engine/places/line_in_memory.hpp"
#include "engine/threads/parallel.hpp"

#include <utility>

namespace purview::inline v0_1::engine {

/// Its plans serve any number of elements. The top byte of the first word is not 0, as it is in the
/// words of `plan_for`.
std::span<const std::uint64_t> FlatGraph::key(TileOp fold) noexcept {
    words_[0] = words_[0] << 8 >> 8 | (static_cast<std::uint64_t>(fold) + 1) << 56;
    return {words_.data(), count_};
}

/// The number of a node that several operands refer to, perhaps in this graph: `count`, the next
/// one, if it is new.
std::size_t FlatGraph::number_of_shared(const Node* node, const void* place,
                                        std::size_t count) noexcept {
    if (shared_count_ < kFewNodes) {
        for (std::size_t i = 0; i < shared_count_; ++i) {
            const std::uint8_t number = shared_[i];
            if (nodes_[number] == node && places_[number] == place) return number;
        }
        shared_[shared_count_++] = static_cast<std::uint8_t>(count);
        return count;
    }
    if (shared_count_ == kFewNodes) {
        ++shared_count_;
        numbers_.fill(0);
        for (const std::uint8_t number : shared_)
            number_in_table(nodes_[number], places_[number]) =
                static_cast<std::uint8_t>(number + 1);
    }
    std::uint8_t& number = number_in_table(node, place);
    if (number == 0) number = static_cast<std::uint8_t>(count + 1);
    return number - std::size_t{1};
}

/// The entry of the table for a node: its number plus one, or 0 if the node is new.
std::uint8_t& FlatGraph::number_in_table(const Node* node, const void* place) noexcept {
    const auto key =
        reinterpret_cast<std::uintptr_t>(node) ^ reinterpret_cast<std::uintptr_t>(place) * 3;
    std::size_t at = static_cast<std::uint64_t>(key) * 0x9e3779b97f4a7c15 >> 56;
    while (numbers_[at] > 0 &&
           (nodes_[numbers_[at] - 1] != node || places_[numbers_[at] - 1] != place))
        at = (at + 1) % kNumbers;
    return numbers_[at];
}

// Nodes are numbered as `Values` numbers them: operands that are new get the next numbers. So a word
// says only the numbers of those that are not, each plus one; their count follows from the operation.
bool FlatGraph::find(const Operand& root) noexcept {
    // No computed node below is seen through a view, and none is a gather or piecewise.
    if (root.node->recomputations() > 0 || root.node->kind() == NodeKind::constant) return false;
    if (is_computed(*root.node) && !root.dims.is_identity()) return false;
    size_ = root.dims.size();
    if (size_ <= 0 || size_ > kLargest) return false;
    std::array<std::uint8_t, kMostNodes + kMostOperands> operations; // their numbers
    std::size_t found = 0;
    std::size_t done = 0;
    std::size_t count = 0; // in a register, as `count_` would not be
    // Adds operand number `number` of the last of the operations that are done. `view` is null where
    // an operation sees the operand as it is.
    const auto add = [&](const Node* node, const Dimensions* view, std::size_t number) {
        const TypeId type = node->dtype().id();
        if (type == TypeId::other) return false;
        std::uint64_t word =
            static_cast<std::uint64_t>(node->kind()) | static_cast<std::uint64_t>(type) << 8;
        const void* place = nullptr;
        if (const auto* const operation = node_as<Elementwise>(*node)) {
            if (operation->op() == Op::map) return false;
            word |= static_cast<std::uint64_t>(operation->op()) << 16;
        } else if (const auto* const constant = node_as<Constant>(*node)) {
            place = operand_of(*constant);
        } else {
            const auto* const leaf = node_as<Leaf>(*node);
            if (leaf == nullptr || !has_elements_side_by_side(leaf->memory(), node->dtype()) ||
                (view != nullptr && !view->is_contiguous()))
                return false;
            place = element_of(*leaf, view == nullptr ? 0 : view->base());
        }
        if (node->is_shared()) {
            const std::size_t known = number_of_shared(node, place, count);
            if (known < count) {
                words_[operations[done - 1]] |= (known + 1) << (24 + 8 * number);
                return true;
            }
        }
        if (node->kind() == NodeKind::elementwise)
            operations[found++] = static_cast<std::uint8_t>(count);
        nodes_[count] = node;
        places_[count] = place;
        words_[count++] = word;
        return true;
    };
    if (!add(root.node.get(), &root.dims, 0)) return false;
    while (done < found) {
        const std::span<const Input> inputs =
            static_cast<const Elementwise*>(nodes_[operations[done++]])->inputs();
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const Input::View* const view = inputs[i].view.get();
            if (!add(inputs[i].node.get(), view == nullptr ? nullptr : &view->dims, i))
                return false;
        }
        if (count > kMostNodes) return false;
    }
    count_ = count;
    return true;
}

const Plan* FlatGraph::plan(const Operand& root, TileOp fold, const void* neutral) {
    auto* const plans = of_this_thread<RememberedPlans>();
    if (plans == nullptr) return nullptr;
    const std::span<const std::uint64_t> words = key(fold);
    const RememberedPlan* remembered = plans->find(words);
    if (remembered == nullptr) {
        const Values values(root);
        bool same = values.size() == count_;
        for (ValueId id = 0; same && id < values.size(); ++id) same = values[id].node == nodes_[id];
        // one leaf, seen through views that differ in axes of one element
        if (!same) return nullptr;
        auto made = plan_for(values, {Walk::in_order, nullptr, fold, neutral});
        remembered = &plans->remember(words, is_direct(*made) ? std::move(made) : nullptr);
    }
    const Plan* const plan = remembered->plan.get();
    if (plan == nullptr || most_worthwhile_threads(plan->cost * static_cast<double>(size_)) > 1)
        return nullptr;
    return plan;
}

bool FlatGraph::is_remembered(TileOp fold) {
    auto* const plans = of_this_thread<RememberedPlans>();
    const RememberedPlan* const known = plans == nullptr ? nullptr : plans->find(key(fold));
    return known != nullptr && known->plan != nullptr;
}

} // namespace purview::engine
