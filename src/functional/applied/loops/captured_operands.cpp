#include "functional/applied/loops/captured_operands.hpp"

#include "evaluation/share_nodes.hpp"
#include "evaluation/stages.hpp"

#include <purview/expression/graph.hpp>
#include <purview/expression/progression.hpp>
#include <purview/expression/symbol.hpp>

#include <algorithm>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// What does not change from step to step is computed once, if it takes no more room than this, or than
/// what it is made of.
constexpr index_t kSmall = 4096;

bool is_number_or_progression(const Node& node) {
    return node.kind() == NodeKind::constant ||
           (node.kind() == NodeKind::leaf && progression_of(node).has_value());
}

} // namespace

CapturedOperands::CapturedOperands(std::span<const Operand> computed_anyway) : anyway_(NodeSet()) {
    for (const Node* const node : nodes_below(computed_anyway)) anyway_->insert(node);
}

TracedOutputs CapturedOperands::trace(const FunctionOfSymbols& function,
                                      std::span<const Operand> arguments) {
    TracedOutputs traced;
    std::vector<Operand> placeholders;
    NodeSet depends;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        placeholders.push_back(
            placeholder_operand(arguments[i].dtype(), arguments[i].dims.max_shape(), i));
        traced.placeholders.push_back(placeholders.back().node);
        depends.insert(placeholders.back().node.get());
    }
    traced.outputs = share_nodes(function.call(placeholders));
    for (const Node* const node : nodes_below(traced.outputs))
        if (std::ranges::any_of(nodes_of(*node),
                                [&](const Node& below) { return depends.contains(&below); }))
            depends.insert(node);
    for (const Operand& output : traced.outputs)
        if (!depends.contains(output.node.get())) capture(*output.node);
    for (const Node* const node : nodes_below(traced.outputs)) {
        if (!depends.contains(node)) continue;
        for (const Node& below : nodes_of(*node))
            if (!depends.contains(&below)) capture(below);
    }
    return traced;
}

/// Makes operands of a node that does not depend on arguments: of itself, or of those below it. Iterative.
void CapturedOperands::capture(const Node& root) {
    std::vector<const Node*> open{&root};
    while (!open.empty()) {
        const Node& node = *open.back();
        open.pop_back();
        if (is_number_or_progression(node) || !seen_.insert(&node)) continue;
        if (!is_computed(node) || is_worth_computing(node)) {
            numbers_.try_emplace(&node, operands_.size());
            const index_t size = size_of(node);
            operands_.push_back({NodePtr(&node), size == 1
                                                     ? Dimensions::row_major({})
                                                     : Dimensions::row_major(ShapeSpan(&size, 1))});
            continue;
        }
        for (const Node& below : nodes_of(node)) open.push_back(&below);
    }
}

/// Whether a node is computed once, and read in each call: where stages compute it, or where it takes no
/// more room than what it is made of.
bool CapturedOperands::is_worth_computing(const Node& node) const {
    if (!node.dtype().is_builtin() || (anyway_ && !anyway_->contains(&node))) return false;
    const Operand root{NodePtr(&node), {}};
    index_t below = 0;
    for (const Node* const each : nodes_below({&root, 1})) {
        if (is_stage(*each)) return true;
        if (!is_computed(*each)) below = std::max(below, size_of(*each));
    }
    return size_of(node) <= std::max(kSmall, below);
}

SharedGraph CapturedOperands::graph(const TracedOutputs& traced) const {
    TracedOutputs own = traced;
    for (std::size_t i = 0; i < operands_.size(); ++i)
        own.placeholders.push_back(placeholder_operand(operands_[i].dtype(),
                                                       operands_[i].dims.max_shape(),
                                                       traced.placeholders.size() + i)
                                       .node);
    own.outputs = rewritten(traced.outputs, [&](const Node& node, NodePtr now) {
        const std::size_t* const number = numbers_.find(&node);
        return number == nullptr ? now : own.placeholders[traced.placeholders.size() + *number];
    });
    return std::make_shared<const TracedOutputs>(std::move(own));
}

} // namespace purview
