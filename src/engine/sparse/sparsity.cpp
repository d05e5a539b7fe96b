#include <purview/evaluation/sparsity.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/visit_node.hpp>

#include "dtype/element_block.hpp"
#include "engine/sparse/fill_decision.hpp"
#include "expression/constants.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// How many of the nodes below decide the sparsity of a node: of a gather, the source alone.
std::size_t part_count(const Node& node) noexcept {
    return node.kind() == NodeKind::gather ? 1 : operand_count(node);
}

/// Whether the sparsity of a node is not known yet and depends on its parts.
bool is_open(const Node& node) {
    return node.may_be_sparse() && node.known_sparsity() == nullptr && part_count(node) > 0;
}

/// The sparsity of a node that is not open. The fill of a leaf is read each time: it belongs to the
/// reader.
Sparsity decided_sparsity(const Node& node) {
    if (const Sparsity* const known = node.known_sparsity()) return *known;
    const Kind kind = node.known_storage_kind();
    if (node.kind() == NodeKind::constant) return {kind, NodePtr(&node)};
    const auto* const leaf = node_as<Leaf>(node);
    if (leaf == nullptr || kind > Kind::sparse) return {kind, nullptr};
    const AnyReader& reader = leaf->reader();
    if (kind == Kind::sparse) return {kind, block_constant(node.dtype(), reader.pairs().fill)};
    ElementBlock element(node.dtype(), 1);
    reader.read_into(0, 1, 1, element.data());
    return {kind, block_constant(node.dtype(), element.data())};
}

Kind most_of(const std::vector<Sparsity>& parts) {
    return std::ranges::max_element(parts, {}, &Sparsity::kind)->kind;
}

/// The fill of pieces is the most frequent one. Unless all are equal, only an evaluation finds out
/// which one that is.
Sparsity together(const std::vector<Sparsity>& pieces) {
    if (most_of(pieces) > Kind::sparse) return {};
    const bool equal = std::ranges::all_of(
        pieces, [&](const Sparsity& piece) { return same_fill(pieces[0], piece); });
    return {Kind::sparse, equal ? pieces[0].fill : nullptr};
}

Sparsity operation_on(const Elementwise& operation, const std::vector<Sparsity>& operands) {
    if (const Kind most = most_of(operands); most <= Kind::sparse) {
        std::vector<Operand> fills;
        for (const Sparsity& operand : operands) {
            if (operand.fill == nullptr) return {most, nullptr};
            fills.push_back({operand.fill, Dimensions()});
        }
        const Operand fill = computed_constant({with_operands(operation, fills), Dimensions()});
        return {most, fill.node->kind() == NodeKind::constant ? fill.node : nullptr};
    }
    const std::optional<FillDecision> decision = decision_of(operation, operands);
    if (!decision) return {};
    // Entries that a view repeats would be stored as often as they are repeated, while dense
    // operands are streamed: such an operation is dense.
    const auto repeats = [&](std::size_t i) {
        return operands[i].kind == Kind::sparse && operation.operand(i).dims.is_broadcast();
    };
    if (std::ranges::any_of(decision->united, repeats) ||
        (decision->intersected && std::ranges::all_of(*decision->intersected, repeats)))
        return {};
    return {Kind::sparse, operands[decision->fill_of].fill};
}

Sparsity found(const Node& node) {
    std::vector<Sparsity> parts;
    for (std::size_t i = 0; i < part_count(node); ++i)
        parts.push_back(decided_sparsity(node_below(node, i)));
    return visit(
        node, [&](const Elementwise& operation) { return operation_on(operation, parts); },
        [&](const Gather&) { return parts[0].kind == Kind::sparse ? parts[0] : Sparsity{}; },
        [&](const Piecewise&) { return together(parts); },
        [](const StageNodeOr<Leaf, Constant, SymbolNode> auto&) { return Sparsity{}; });
}

} // namespace

const Sparsity& sparsity_of(const Node& root) {
    struct Visit {
        const Node* node;
        std::size_t next;
    };
    if (root.known_sparsity() == nullptr && !is_open(root))
        root.set_sparsity(decided_sparsity(root));
    std::vector<Visit> visits;
    if (root.known_sparsity() == nullptr) visits.push_back({&root, 0});
    while (!visits.empty()) {
        auto& [node, next] = visits.back();
        const std::size_t parts = part_count(*node);
        while (next < parts && !is_open(node_below(*node, next))) ++next;
        if (next < parts) {
            visits.push_back({&node_below(*node, next), 0});
        } else {
            node->set_sparsity(found(*node));
            visits.pop_back();
        }
    }
    return *root.known_sparsity();
}

} // namespace purview
