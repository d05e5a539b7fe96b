#include "engine/realise/leaf_gathers.hpp"

#include <purview/expression/elementwise.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/leaf.hpp>

#include "engine/compile/tile_operations.hpp"
#include "engine/compile/values.hpp"
#include "engine/places/cache_sizes.hpp"
#include "engine/places/costs.hpp"
#include "engine/places/gathered_places.hpp"
#include "expression/joined_gather.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

namespace purview::inline v0_1::engine {
namespace {

/// The most nodes of an expression that is examined.
constexpr std::size_t kMostNodes = 32;
/// The most views of computed values on a path to a leaf: each may see the leaves in another way.
constexpr int kMostViews = 2;
/// The most nodes of a computed index: the gather of each leaf computes it again.
constexpr std::size_t kMostIndexNodes = 4;

constexpr index_t kLineElements = 8; ///< consecutive elements that make a line

bool is_checked(const Elementwise& operation) {
    return operation.op() == Op::cast &&
           can_misfit(operation.inputs()[0].node->dtype(), operation.dtype());
}

/// Whether a node is made of at most `most` nodes: leaves, constants, and element-wise operations
/// but for checked casts.
bool is_small(const Node& root, std::size_t most) {
    if (root.reads(Below::symbol)) return false;
    std::vector<const Node*> open{&root};
    std::unordered_set<const Node*> seen{&root};
    while (!open.empty()) {
        const Node& node = *open.back();
        open.pop_back();
        if (!is_computed(node)) continue;
        const auto* const operation = node_as<Elementwise>(node);
        if (operation == nullptr || is_checked(*operation)) return false;
        for (const Node& below : nodes_of(node))
            if (seen.insert(&below).second) open.push_back(&below);
        if (seen.size() > most) return false;
    }
    return true;
}

bool is_cheap(const Operand& index) {
    if (!is_computed(*index.node)) return true;
    if (!is_small(*index.node, kMostIndexNodes)) return false;
    const std::vector<const Node*> nodes = nodes_below(std::span(&index, 1));
    return std::ranges::none_of(nodes, [](const Node* node) {
        const auto* const operation = node_as<Elementwise>(*node);
        return operation != nullptr &&
               (operation->op() == Op::map || is_transcendental(operation->op()));
    });
}

} // namespace

std::optional<LeafGathers> leaf_gathers(const Gather& gather) {
    const Operand& source = gather.source();
    if (source.node->kind() != NodeKind::elementwise || source.node->reads(Below::sparse) ||
        source.node->recomputations() > kMostViews || !is_small(*source.node, kMostNodes) ||
        !std::ranges::all_of(gather.indexes(), is_cheap))
        return std::nullopt;
    const bool in_lines = gathered_run(gather) >= kLineElements;
    const bool near = in_lines || reads_near(gather);
    const auto cost = [&](index_t bytes) {
        return in_lines                             ? costs::kElementInLine
               : near || bytes <= kSecondLevelBytes ? costs::kNearElement
               : bytes <= kAllCachesBytes           ? costs::kSpreadElement
                                                    : costs::kFarElement;
    };
    LeafGathers all;
    all.of_one = cost(source.dims.size() * source.dtype().size_bytes());
    const Values values(source);
    for (const Value& value : values) {
        if (value.leaf() == nullptr ||
            seen_without_indexes(gather.axes(), gather.shape(), *value.view))
            continue;
        all.element += cost(value.leaf()->size() * value.leaf()->dtype().size_bytes());
        ++all.gathers;
    }
    if (all.gathers == 0) return std::nullopt; // no gather would be left to check the indexes
    return all;
}

NodePtr with_leaves_gathered(const Gather& gather, std::span<const Operand> operands) {
    const ShapeSpan shape = gather.shape();
    const Dimensions rows = Dimensions::row_major(shape);
    const Values values(gather.source());
    std::vector<Operand> done(values.size());
    std::vector<Operand> in;
    for (const ValueId id : evaluation_order(values)) {
        const Value& value = values[id];
        const NodePtr node(value.node);
        if (value.constant() != nullptr) {
            done[id] = {node, Dimensions::strided(shape, Shape(shape.size(), 0))};
        } else if (value.leaf() != nullptr) {
            if (std::optional<Dimensions> view =
                    seen_without_indexes(gather.axes(), shape, *value.view)) {
                done[id] = {node, *std::move(view)};
                continue;
            }
            Gather::Operands read(operands.begin(), operands.end());
            read[0] = {node, *value.view};
            done[id] = {make_node<Gather>(gather.name(), std::move(read), gather.axes(), shape),
                        rows};
        } else {
            in.clear();
            for (const ValueId operand : values.operands(id)) in.push_back(done[operand]);
            done[id] = {with_operands(*value.node, in), rows};
        }
    }
    return done[0].node;
}

} // namespace purview::engine
