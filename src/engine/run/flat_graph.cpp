#include "engine/run/flat_graph.hpp"

#include "base/per_thread.hpp"
#include "engine/compile/plan_cache.hpp"
#include "engine/compile/tile_operations.hpp"
#include "engine/compile/values.hpp"
#include "engine/threads/parallel.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace purview::inline v0_1::engine {

/// A plan and the structure that it is for. It serves any number of elements.
struct FlatGraph::CacheEntry {
    std::vector<std::uint64_t> words;
    TileOp fold = TileOp::none;
    std::shared_ptr<const Plan> plan; ///< null if there is no direct one
};

FlatGraph::CacheEntry* FlatGraph::cache_entry_at(std::uint64_t hash) {
    constexpr std::size_t kPlans = 32;
    auto* const cached = of_this_thread<std::array<CacheEntry, kPlans>>();
    return cached == nullptr ? nullptr : &(*cached)[hash >> 32 & (kPlans - 1)];
}

/// A sum of products with odd numbers: no multiplication waits for another.
std::uint64_t FlatGraph::hash(TileOp fold) const noexcept {
    auto hash = static_cast<std::uint64_t>(fold);
    std::uint64_t factor = 0x9e3779b97f4a7c15;
    for (std::size_t i = 0; i < count_; ++i) {
        hash += (words_[i] ^ words_[i] >> 32) * factor;
        factor += 0x632be59bd9b4e01a;
    }
    return hash ^ hash >> 29;
}

bool FlatGraph::is_in(const CacheEntry& entry, TileOp fold) const noexcept {
    if (entry.fold != fold || entry.words.size() != count_) return false;
    // For a few words, a loop takes less time than a call of `memcmp`.
    std::uint64_t differences = 0;
    for (std::size_t i = 0; i < count_; ++i) differences |= entry.words[i] ^ words_[i];
    return differences == 0;
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
        const MemoryView memory = static_cast<const Leaf*>(node)->memory();
        const index_t bytes = dtype.size_bytes();
        if (!memory || memory.stride_bytes != bytes || !operand.dims.is_contiguous())
            return kNotFlat;
        return number_of(
            node, static_cast<const std::byte*>(memory.data) + operand.dims.base() * bytes, word);
    }
    case NodeKind::constant: {
        const void* const value = static_cast<const Constant*>(node)->value();
        return number_of(
            node, dtype == boolean ? mask_constant(*static_cast<const bool*>(value)) : value, word);
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
    CacheEntry* const place = cache_entry_at(hash(fold));
    if (place == nullptr) return nullptr;
    CacheEntry& entry = *place;
    if (!is_in(entry, fold)) {
        const Values values(root);
        bool same = values.size() == count_;
        for (ValueId id = 0; same && id < values.size(); ++id) same = values[id].node == nodes_[id];
        // one leaf, seen through views that differ in axes of one element
        if (!same) return nullptr;
        auto made = plan_for(values, {Walk::in_order, nullptr, fold, neutral});
        if (!is_direct(*made)) made = nullptr;
        entry = {{words_.data(), words_.data() + count_}, fold, std::move(made)};
    }
    const Plan* const plan = entry.plan.get();
    if (plan == nullptr || most_worthwhile_threads(plan->cost * static_cast<double>(size_)) > 1)
        return nullptr;
    return plan;
}

bool FlatGraph::is_remembered(TileOp fold) const {
    const CacheEntry* const entry = cache_entry_at(hash(fold));
    return entry != nullptr && is_in(*entry, fold) && entry->plan != nullptr;
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
