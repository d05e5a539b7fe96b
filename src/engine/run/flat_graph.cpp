#include "engine/run/flat_graph.hpp"

#include "engine/compile/tile_operations.hpp"
#include "engine/compile/values.hpp"
#include "engine/places/line_in_memory.hpp"
#include "engine/threads/parallel.hpp"

#include <utility>

namespace purview::inline v0_1::engine {

/// Its plans serve any number of elements. Key 0 is that of `plan_for`.
PlanKey FlatGraph::key(TileOp fold) const noexcept {
    return {{words_.data(), count_}, static_cast<std::uint64_t>(fold) + 1};
}

/// The number of a node, which is added if it is new. Nodes are numbered as `Values` numbers them.
std::uint64_t FlatGraph::number_of(const Node* node, const void* place,
                                   std::uint64_t word) noexcept {
    if (!node->is_shared()) return add_new(node, place, word); // nothing else refers to it
    if (shared_count_ < kFewNodes) {
        for (std::size_t i = 0; i < shared_count_; ++i) {
            const std::uint8_t number = shared_[i];
            if (nodes_[number] == node && places_[number] == place) return number;
        }
        if (count_ < kMostNodes) shared_[shared_count_++] = static_cast<std::uint8_t>(count_);
        return add_new(node, place, word);
    }
    if (shared_count_ == kFewNodes) {
        ++shared_count_;
        numbers_.fill(0);
        for (const std::uint8_t number : shared_)
            number_in_table(nodes_[number], places_[number]) =
                static_cast<std::uint8_t>(number + 1);
    }
    std::uint8_t& number = number_in_table(node, place);
    if (number > 0) return number - 1;
    if (count_ == kMostNodes) return kNotFlat;
    number = static_cast<std::uint8_t>(count_ + 1);
    return add_new(node, place, word);
}

std::uint64_t FlatGraph::add_new(const Node* node, const void* place, std::uint64_t word) noexcept {
    if (count_ == kMostNodes) return kNotFlat;
    nodes_[count_] = node;
    places_[count_] = place;
    words_[count_] = word;
    return count_++;
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

std::uint64_t FlatGraph::add(const Operand& operand) noexcept {
    const Node* const node = operand.node.get();
    const DType dtype = node->dtype();
    if (!dtype.is_builtin()) return kNotFlat;
    const std::uint64_t word =
        static_cast<std::uint64_t>(node->kind()) | static_cast<std::uint64_t>(dtype.id()) << 8;
    switch (node->kind()) {
    case NodeKind::leaf: {
        const auto& leaf = static_cast<const Leaf&>(*node);
        if (!is_line(leaf.memory(), dtype, operand.dims)) return kNotFlat;
        return number_of(node, element_of(leaf, operand.dims.base()), word);
    }
    case NodeKind::constant: {
        return number_of(node, operand_of(static_cast<const Constant&>(*node)), word);
    }
    case NodeKind::elementwise: {
        const auto* const operation = static_cast<const Elementwise*>(node);
        if (operation->op() == Op::map || !operand.dims.is_identity()) return kNotFlat;
        return number_of(node, nullptr, word | static_cast<std::uint64_t>(operation->op()) << 16);
    }
    default: return kNotFlat;
    }
}

bool FlatGraph::find(const Operand& root) noexcept {
    if (root.node->kind() != NodeKind::elementwise && root.node->kind() != NodeKind::leaf)
        return false;
    size_ = root.dims.size();
    if (size_ <= 0 || size_ > kLargest || add(root) == kNotFlat) return false;
    for (std::size_t i = 0; i < count_; ++i) {
        if (nodes_[i]->kind() != NodeKind::elementwise) continue;
        int shift = 24;
        for (const Operand& operand : static_cast<const Elementwise*>(nodes_[i])->operands()) {
            const std::uint64_t number = add(operand);
            if (number == kNotFlat) return false;
            words_[i] |= (number + 1) << shift;
            shift += 8;
        }
    }
    return true;
}

const Plan* FlatGraph::plan(const Operand& root, TileOp fold, const void* neutral) const {
    const PlanKey key = this->key(fold);
    RememberedPlan* const place = key.place();
    if (place == nullptr) return nullptr;
    if (!key.is_of(*place)) {
        const Values values(root);
        bool same = values.size() == count_;
        for (ValueId id = 0; same && id < values.size(); ++id) same = values[id].node == nodes_[id];
        // one leaf, seen through views that differ in axes of one element
        if (!same) return nullptr;
        auto made = plan_for(values, {Walk::in_order, nullptr, fold, neutral});
        key.remember(*place, is_direct(*made) ? std::move(made) : nullptr);
    }
    const Plan* const plan = place->plan.get();
    if (plan == nullptr || most_worthwhile_threads(plan->cost * static_cast<double>(size_)) > 1)
        return nullptr;
    return plan;
}

bool FlatGraph::is_remembered(TileOp fold) const {
    const PlanKey key = this->key(fold);
    const RememberedPlan* const place = key.place();
    return place != nullptr && key.is_of(*place) && place->plan != nullptr;
}

bool FlatGraph::may_write(const void* first, index_t element_bytes) const noexcept {
    const auto* const begin = static_cast<const std::byte*>(first);
    const std::byte* const end = begin + size_ * element_bytes;
    for (std::size_t i = 0; i < count_; ++i) {
        if (nodes_[i]->kind() != NodeKind::leaf) continue;
        const index_t bytes = nodes_[i]->dtype().size_bytes();
        const auto* const place = static_cast<const std::byte*>(places_[i]);
        if (place == begin && bytes == element_bytes) continue;
        if (place < end && begin < place + size_ * bytes) return false;
    }
    return true;
}

} // namespace purview::engine
