#include "engine/sparse/parts.hpp"

#include <purview/evaluation/sparsity.hpp>
#include <purview/expression/visit_node.hpp>

#include "engine/places/compact_leaf.hpp"
#include "engine/places/line_in_memory.hpp"
#include "engine/sparse/gather.hpp"
#include "engine/sparse/pieces.hpp"

#include <algorithm>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// Adds a range to those that are read. Beyond kMostRanges, it is joined with the last one and all
/// that lies between.
void add_range(std::vector<AddressRange>& ranges, const AddressRange& range) {
    constexpr std::size_t kMostRanges = 16;
    if (range.empty) return;
    if (ranges.size() < kMostRanges) {
        ranges.push_back(range);
        return;
    }
    ranges.back().lowest = std::min(ranges.back().lowest, range.lowest);
    ranges.back().highest = std::max(ranges.back().highest, range.highest);
}

/// Calls `f(value)` for each sparse gather and `Piecewise` that is reached from the root through
/// sparse and constant values alone.
template <typename F>
void for_each_part(const Values& values, F&& f) {
    std::vector<bool> is_sparse(values.size(), false);
    is_sparse[0] = true;
    std::vector<ValueId> next{0};
    while (!next.empty()) {
        const ValueId id = next.back();
        next.pop_back();
        for (const ValueId operand : values.operands(id)) {
            if (is_sparse[operand] || storage_kind_of(*values[operand].node) > Kind::sparse)
                continue;
            is_sparse[operand] = true;
            next.push_back(operand);
        }
    }
    for (ValueId id = 0; id < values.size(); ++id)
        if (is_sparse[id] && values[id].is_block_source() &&
            storage_kind_of(*values[id].node) == Kind::sparse)
            f(values[id]);
}

/// Whether values can be copied as they are: numbers side by side, of an operand whose fill is that
/// of its pairs, as some of its elements are not stored. Any byte but 0 is a true one.
bool lie_side_by_side(const SparsePairs& pairs, const Operand& operand) {
    const DType dtype = operand.dtype();
    return dtype.is_builtin() && dtype != boolean && pairs.stored() < operand.dims.size() &&
           pairs.values.stride_bytes == dtype.size_bytes() && is_aligned(pairs.values.data, dtype);
}

OwnPairs empty_pairs(DType dtype) {
    return {{},
            std::make_shared<CompactReader>(dtype, 0, std::make_unique<ElementBlock>(dtype, 0)),
            default_element(dtype)};
}

} // namespace

SparseParts::SparseParts(const Values& values, const char* what) : what_(what) {
    const std::vector<const Node*> order = find(values);
    for (auto node = order.rbegin(); node != order.rend(); ++node)
        for (const Inner& inner : facts_.at(*node).inner)
            if (touches(**node, inner.operand)) add_view(*inner.node, inner.view);
    for (const Node* const node : order) {
        NodeFacts& facts = facts_.at(node);
        facts.own = assemble(*node);
        for (const Inner& inner : facts.inner)
            if (touches(*node, inner.operand))
                if (NodeFacts& read = facts_.at(inner.node); --read.readers == 0) read.own = {};
    }
}

std::vector<const Node*> SparseParts::find(const Values& values) {
    struct Visit {
        const Node* node;
        std::size_t next;
    };
    std::vector<const Node*> order;
    for_each_part(values, [&](const Value& value) {
        std::vector<Visit> visits;
        if (add(*value.node)) visits.push_back({value.node, 0});
        while (!visits.empty()) {
            auto& [node, next] = visits.back();
            const std::vector<Inner>& inner = facts_.at(node).inner;
            if (next == inner.size()) {
                order.push_back(node);
                visits.pop_back();
            } else if (const Node* const below = inner[next++].node; add(*below)) {
                visits.push_back({below, 0});
            }
        }
        add_view(*value.node, *value.view); // counts as a reader that is never done: these pairs
                                            // are kept
    });
    return order;
}

void SparseParts::add_view(const Node& node, const Dimensions& view) {
    NodeFacts& facts = facts_.at(&node);
    add_range(facts.ranges, view.address_range());
    if (node.kind() == NodeKind::gather) facts.views.push_back(view);
    ++facts.readers;
}

bool SparseParts::add(const Node& node) {
    const auto [entry, is_new] = facts_.try_emplace(&node);
    if (!is_new) return false;
    NodeFacts& facts = entry->second;
    visit(
        node, [&](const Gather& gather) { add_inner(facts, unrepeated(gather.source()), 0); },
        [&](const Piecewise& pieces) {
            for (std::size_t i = 0; i < pieces.operands().size(); ++i)
                add_inner(facts, pieces.operands()[i], i);
        },
        [](const StageNodeOr<Leaf, Constant, Elementwise, SymbolNode> auto&) {});
    return true;
}

void SparseParts::add_inner(NodeFacts& facts, const Operand& operand, std::size_t number) {
    const Values values(operand);
    for_each_part(values, [&](const Value& value) {
        facts.inner.push_back({value.node, number, *value.view});
    });
}

bool SparseParts::touches(const Node& node, std::size_t operand) const {
    const std::vector<AddressRange>& ranges = facts_.at(&node).ranges;
    const auto* const pieces = node_as<Piecewise>(node);
    if (pieces == nullptr) return !ranges.empty();
    const AddressRange box = box_of(*pieces, operand).address_range();
    return !box.empty && std::ranges::any_of(ranges, [&](const AddressRange& range) {
        return box.lowest <= range.highest && range.lowest <= box.highest;
    });
}

std::optional<SparsePairs> SparseParts::in_place(const Operand& operand) const {
    const Node& node = *operand.node;
    if (storage_kind_of(node) != Kind::sparse || node.kind() == NodeKind::elementwise ||
        !operand.dims.is_contiguous())
        return std::nullopt;
    const Leaf* const leaf = leaf_of(operand);
    SparsePairs pairs = leaf != nullptr ? listed_pairs(leaf->reader()) : (*this)[node];
    const index_t begin = operand.dims.base() + pairs.offset;
    pairs = pairs_between(std::move(pairs), begin, begin + operand.dims.size());
    pairs.offset = begin;
    return pairs;
}

OwnPairs SparseParts::assemble(const Node& node) const {
    const NodeFacts& facts = facts_.at(&node);
    if (facts.ranges.empty()) return empty_pairs(node.dtype());
    return visit(
        node, [&](const Gather& gather) { return gathered(gather, facts); },
        [&](const Piecewise& pieces) { return joined(pieces); },
        [](const StageNodeOr<Leaf, Constant, Elementwise, SymbolNode> auto& other) {
            return empty_pairs(other.dtype());
        });
}

OwnPairs SparseParts::joined(const Piecewise& pieces) const {
    std::vector<Part> parts;
    for (std::size_t i = 0; i < pieces.operands().size(); ++i) {
        if (!touches(pieces, i)) continue;
        const Operand& piece = pieces.operands()[i];
        Part& part = parts.emplace_back(box_of(pieces, i), piece.dims.size());
        if (std::optional<SparsePairs> pairs = in_place(piece);
            pairs && lie_side_by_side(*pairs, piece))
            part.pairs = *std::move(pairs);
        else
            part.take(own_pairs(SparseEvaluation(piece, what_, this)));
    }
    return join_pieces(pieces, parts, what_);
}

OwnPairs SparseParts::gathered(const Gather& node, const NodeFacts& facts) const {
    AddressRange asked = facts.ranges.front();
    for (const AddressRange& range : facts.ranges) {
        asked.lowest = std::min(asked.lowest, range.lowest);
        asked.highest = std::max(asked.highest, range.highest);
    }
    const Operand source = unrepeated(node.source());
    if (const std::optional<SparsePairs> pairs = in_place(source))
        return gathered_pairs(node, *pairs, asked, facts.views, what_);
    const OwnPairs own = own_pairs(SparseEvaluation(source, what_, this));
    return gathered_pairs(node, own.pairs(), asked, facts.views, what_);
}

} // namespace purview::engine
