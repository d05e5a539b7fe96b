#include "expression/graph.hpp"

#include <purview/expression/elementwise.hpp>
#include <purview/expression/gather.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/expression/piecewise.hpp>
#include <purview/expression/reduce.hpp>
#include <purview/expression/symbol.hpp>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// An operation on any number of operands.
class ElementwiseOfMany final : public Elementwise {
public:
    ElementwiseOfMany(const Elementwise& like, std::span<const Operand> operands)
        : Elementwise(like.op(), like.dtype(), operands[0].dims, like.shared_function()),
          inputs_(operands.begin(), operands.end()) {
        set_inputs(inputs_);
    }

private:
    std::vector<Input> inputs_;
};

/// The operands of a node that keeps them as they were given.
std::span<const Operand> given_operands(const Node& node) noexcept {
    if (node.kind() == NodeKind::gather) return static_cast<const Gather&>(node).operands();
    if (node.kind() == NodeKind::piecewise) return static_cast<const Piecewise&>(node).operands();
    if (node.kind() == NodeKind::reduce) return {&static_cast<const Reduce&>(node).operand(), 1};
    return {};
}

} // namespace

std::size_t operand_count(const Node& node) noexcept {
    return node.kind() == NodeKind::elementwise
               ? static_cast<const Elementwise&>(node).inputs().size()
               : given_operands(node).size();
}

Operand operand_of(const Node& node, std::size_t number) {
    return node.kind() == NodeKind::elementwise
               ? static_cast<const Elementwise&>(node).operand(number)
               : given_operands(node)[number];
}

const Node& node_below(const Node& node, std::size_t number) noexcept {
    return node.kind() == NodeKind::elementwise
               ? *static_cast<const Elementwise&>(node).inputs()[number].node
               : *given_operands(node)[number].node;
}

std::vector<const Node*> nodes_below(std::span<const Operand> roots) {
    std::vector<const Node*> order;
    std::unordered_set<const Node*> seen;
    std::vector<std::pair<const Node*, std::size_t>> stack; // a node, and its next operand
    for (const Operand& root : roots) {
        if (seen.insert(root.node.get()).second) stack.emplace_back(root.node.get(), 0);
        while (!stack.empty()) {
            const Node* const node = stack.back().first;
            if (stack.back().second == operand_count(*node)) {
                order.push_back(node);
                stack.pop_back();
                continue;
            }
            const Node* const below = &node_below(*node, stack.back().second++);
            if (seen.insert(below).second) stack.emplace_back(below, 0);
        }
    }
    return order;
}

std::vector<std::size_t> slots_below(const Operand& root) {
    std::vector<std::size_t> slots;
    for (const Node* const node : nodes_below(std::span(&root, 1)))
        if (node->kind() == NodeKind::symbol)
            slots.push_back(static_cast<const SymbolNode*>(node)->slot());
    return slots;
}

NodePtr with_operands(const Node& node, std::span<const Operand> operands) {
    if (node.kind() == NodeKind::reduce) {
        const auto& fold = static_cast<const Reduce&>(node);
        return make_node<Reduce>(fold.reduction(), operands[0], fold.groups());
    }
    if (node.kind() == NodeKind::gather) {
        const auto& gather = static_cast<const Gather&>(node);
        return make_node<Gather>(gather.what(), Gather::Operands(operands.begin(), operands.end()),
                                 gather.axes(), gather.shape());
    }
    if (node.kind() == NodeKind::piecewise) {
        const auto& pieces = static_cast<const Piecewise&>(node);
        return make_node<Piecewise>(pieces.what(),
                                    std::vector<Operand>(operands.begin(), operands.end()),
                                    pieces.begins(), pieces.shape());
    }
    const auto& operation = static_cast<const Elementwise&>(node);
    const auto with = [&]<std::size_t... I>(std::index_sequence<I...>) {
        return make_node<ElementwiseOf<sizeof...(I)>>(operation.op(), operation.dtype(),
                                                      operands[0].dims, operation.shared_function(),
                                                      operands[I]...);
    };
    switch (operands.size()) {
    case 1: return with(std::make_index_sequence<1>{});
    case 2: return with(std::make_index_sequence<2>{});
    case 3: return with(std::make_index_sequence<3>{});
    default: return make_node<ElementwiseOfMany>(operation, operands);
    }
}

ShapeSpan shape_of(const Node& node) noexcept {
    switch (node.kind()) {
    case NodeKind::symbol: return static_cast<const SymbolNode&>(node).shape();
    case NodeKind::gather: return static_cast<const Gather&>(node).shape();
    case NodeKind::piecewise: return static_cast<const Piecewise&>(node).shape();
    default: return static_cast<const Elementwise&>(node).shape();
    }
}

index_t size_of(const Node& node) noexcept {
    if (node.kind() == NodeKind::leaf) return static_cast<const Leaf&>(node).size();
    if (node.kind() == NodeKind::reduce) return static_cast<const Reduce&>(node).groups();
    index_t size = 1;
    for (const index_t extent : shape_of(node)) size *= extent;
    return size;
}

Operand replaced(const Operand& operand, const Operand& by) {
    if (by.dims.is_identity()) return {by.node, operand.dims};
    return seen_through(operand.dims, by);
}

Substitution::Substitution(std::span<const Operand> roots) : roots_(roots) {
    std::unordered_map<const Node*, std::uint32_t> known;
    const auto step_of = [&](const Node& below) {
        const auto found = known.find(&below);
        return found == known.end() ? kKept : found->second;
    };
    for (const Node* const node : nodes_below(roots)) {
        Step step{node, {}};
        bool changes = node->kind() == NodeKind::symbol &&
                       static_cast<const SymbolNode*>(node)->role() == Role::placeholder;
        for (const Node& below : nodes_of(*node)) {
            step.operands.push_back(step_of(below));
            changes = changes || step.operands.back() != kKept;
        }
        if (!changes) continue;
        known.emplace(node, static_cast<std::uint32_t>(steps_.size()));
        steps_.push_back(std::move(step));
    }
    for (const Operand& root : roots) root_steps_.push_back(step_of(*root.node));
}

std::vector<Operand> Substitution::operator()(std::span<const Operand* const> bindings) const {
    std::vector<Operand> done;
    done.reserve(steps_.size());
    std::vector<Operand> operands;
    const auto take = [&](const Operand& operand, std::uint32_t step) {
        return step == kKept ? operand : replaced(operand, done[step]);
    };
    for (const Step& step : steps_) {
        if (step.node->kind() == NodeKind::symbol) {
            done.push_back(*bindings[static_cast<const SymbolNode*>(step.node)->slot()]);
            continue;
        }
        operands.clear();
        for (std::size_t i = 0; i < step.operands.size(); ++i)
            operands.push_back(take(operand_of(*step.node, i), step.operands[i]));
        const index_t size = size_of(*step.node);
        done.push_back({with_operands(*step.node, operands),
                        Dimensions::row_major(ShapeSpan(&size, 1))}); // its own addresses
    }
    std::vector<Operand> results;
    for (std::size_t i = 0; i < roots_.size(); ++i)
        results.push_back(take(roots_[i], root_steps_[i]));
    return results;
}

} // namespace purview
