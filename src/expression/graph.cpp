#include <purview/expression/graph.hpp>

#include <purview/expression/visit_node.hpp>

#include "expression/node_map.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// An operation on any number of operands.
class ElementwiseOfMany final : public Elementwise {
public:
    ElementwiseOfMany(Op op, DType dtype, std::span<const Operand> operands,
                      std::shared_ptr<const BlockFunction> function)
        : Elementwise(op, dtype, operands[0].dims, std::move(function)),
          inputs_(operands.begin(), operands.end()) {
        set_inputs(inputs_);
    }

private:
    std::vector<Input> inputs_;
};

/// The operands of a node that keeps them as they were given.
std::span<const Operand> given_operands(const Node& node) noexcept {
    using Given = std::span<const Operand>;
    return visit(
        node,
        [](const OneOf<Gather, Piecewise, Scatter, OpaqueStage, Loop, Choice> auto& several) {
            return several.operands();
        },
        [](const OneOf<Reduce, ScanNode, StageResult> auto& fold) {
            return Given(&fold.operand(), 1);
        },
        [](const OneOf<Leaf, Constant, Elementwise, SymbolNode> auto&) { return Given(); });
}

NodePtr on_operands(const Elementwise& operation, std::span<const Operand> operands) {
    return elementwise_node(operation.op(), operation.dtype(), operands,
                            operation.shared_function());
}
NodePtr on_operands(const Gather& gather, std::span<const Operand> operands) {
    return make_node<Gather>(gather.name(), Gather::Operands(operands.begin(), operands.end()),
                             gather.axes(), gather.shape());
}
NodePtr on_operands(const Piecewise& pieces, std::span<const Operand> operands) {
    return make_node<Piecewise>(pieces.name(),
                                std::vector<Operand>(operands.begin(), operands.end()),
                                pieces.begins(), pieces.shape());
}
NodePtr on_operands(const Reduce& fold, std::span<const Operand> operands) {
    return make_node<Reduce>(fold.reduction(), operands[0], fold.groups());
}
NodePtr on_operands(const Scatter& scatter, std::span<const Operand> operands) {
    return make_node<Scatter>(std::vector<Operand>(operands.begin(), operands.end()),
                              scatter.place());
}
NodePtr on_operands(const ScanNode& scan, std::span<const Operand> operands) {
    return make_node<ScanNode>(operands[0], scan.length(), scan.inner());
}
NodePtr on_operands(const OpaqueStage& stage, std::span<const Operand> operands) {
    return make_node<OpaqueStage>(stage.shared_function(),
                                  std::vector<Operand>(operands.begin(), operands.end()));
}
NodePtr on_operands(const Loop& loop, std::span<const Operand> operands) {
    return make_node<Loop>(loop.rule(), std::vector<Operand>(operands.begin(), operands.end()));
}
NodePtr on_operands(const Choice& choice, std::span<const Operand> operands) {
    return make_node<Choice>(choice.functions()[0], choice.functions()[1],
                             std::vector<Operand>(operands.begin(), operands.end()));
}
NodePtr on_operands(const StageResult& result, std::span<const Operand> operands) {
    return make_node<StageResult>(operands[0], result.number());
}
NodePtr on_operands(const OneOf<Leaf, Constant, SymbolNode> auto& node, std::span<const Operand>) {
    return NodePtr(&node);
}

} // namespace

std::size_t operand_count(const Node& node) noexcept {
    const auto* const operation = node_as<Elementwise>(node);
    return operation != nullptr ? operation->inputs().size() : given_operands(node).size();
}

Operand operand_of(const Node& node, std::size_t number) {
    const auto* const operation = node_as<Elementwise>(node);
    return operation != nullptr ? operation->operand(number) : given_operands(node)[number];
}

const Node& node_below(const Node& node, std::size_t number) noexcept {
    const auto* const operation = node_as<Elementwise>(node);
    return operation != nullptr ? *operation->inputs()[number].node
                                : *given_operands(node)[number].node;
}

std::vector<const Node*> nodes_below(std::span<const Operand> roots) {
    std::vector<const Node*> order;
    NodeSet seen;
    std::vector<std::pair<const Node*, std::size_t>> stack; // a node, and its next operand
    for (const Operand& root : roots) {
        if (seen.insert(root.node.get())) stack.emplace_back(root.node.get(), 0);
        while (!stack.empty()) {
            const Node* const node = stack.back().first;
            if (stack.back().second == operand_count(*node)) {
                order.push_back(node);
                stack.pop_back();
                continue;
            }
            const Node* const below = &node_below(*node, stack.back().second++);
            if (seen.insert(below)) stack.emplace_back(below, 0);
        }
    }
    return order;
}

std::vector<std::size_t> slots_below(const Operand& root) {
    std::vector<std::size_t> slots;
    for (const Node* const node : nodes_below(std::span(&root, 1)))
        if (is_placeholder(*node)) slots.push_back(static_cast<const SymbolNode&>(*node).slot());
    return slots;
}

NodePtr with_operands(const Node& node, std::span<const Operand> operands) {
    return visit(node, [&](const auto& each) { return on_operands(each, operands); });
}

NodePtr elementwise_node(Op op, DType dtype, std::span<const Operand> operands,
                         std::shared_ptr<const BlockFunction> function) {
    const auto with = [&]<std::size_t... I>(std::index_sequence<I...>) {
        return make_node<ElementwiseOf<sizeof...(I)>>(op, dtype, operands[0].dims,
                                                      std::move(function), operands[I]...);
    };
    switch (operands.size()) {
    case 1: return with(std::make_index_sequence<1>{});
    case 2: return with(std::make_index_sequence<2>{});
    case 3: return with(std::make_index_sequence<3>{});
    default: return make_node<ElementwiseOfMany>(op, dtype, operands, std::move(function));
    }
}

ShapeSpan shape_of(const Node& node) noexcept {
    return visit(
        node,
        [](const OneOf<Elementwise, Gather, Piecewise, SymbolNode, OpaqueStage, StageResult> auto&
               shaped) -> ShapeSpan { return shaped.shape(); },
        [](const OneOf<Leaf, Constant, Reduce, Scatter, ScanNode, Loop, Choice> auto&)
            -> ShapeSpan { std::unreachable(); });
}

index_t size_of(const Node& node) noexcept {
    return visit(
        node, [](const Leaf& leaf) { return leaf.size(); },
        [](const Constant&) { return index_t{1}; },
        [](const Reduce& fold) { return fold.groups(); },
        [](const Scatter& scatter) { return scatter.place().size; },
        [](const ScanNode& scan) { return scan.operand().dims.size(); },
        [](const OneOf<Loop, Choice> auto&) { return index_t{1}; },
        [](const OneOf<Elementwise, Gather, Piecewise, SymbolNode, OpaqueStage, StageResult> auto&
               shaped) {
            index_t size = 1;
            for (const index_t extent : shaped.shape()) size *= extent;
            return size;
        });
}

std::vector<Operand> rewritten(std::span<const Operand> roots,
                               FunctionRef<NodePtr(const Node&, NodePtr)> f) {
    const std::vector<const Node*> order = nodes_below(roots);
    NodeMap<std::size_t> last_user;
    for (std::size_t i = 0; i < order.size(); ++i)
        for (const Node& below : nodes_of(*order[i])) last_user[&below] = i;
    for (const Operand& root : roots) last_user[root.node.get()] = order.size();
    NodeMap<NodePtr> done; // null again behind their last users
    const auto now = [&](const Operand& operand) {
        const NodePtr* const found = done.find(operand.node.get());
        return found == nullptr ? operand : Operand{*found, operand.dims};
    };
    std::vector<Operand> operands;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const Node& node = *order[i];
        NodePtr result(&node);
        if (std::ranges::any_of(nodes_of(node),
                                [&](const Node& below) { return done.contains(&below); })) {
            operands.clear();
            for (const Operand& operand : operands_of(node)) operands.push_back(now(operand));
            result = with_operands(node, operands);
            operands.clear();
        }
        result = f(node, std::move(result));
        for (const Node& below : nodes_of(node))
            if (NodePtr* const found = done.find(&below);
                found != nullptr && last_user[&below] == i)
                *found = nullptr;
        if (result.get() != &node) done[&node] = std::move(result);
    }
    std::vector<Operand> results;
    for (const Operand& root : roots) results.push_back(now(root));
    return results;
}

Operand replaced(const Operand& operand, const Operand& by) {
    if (by.dims.is_identity()) return {by.node, operand.dims};
    return seen_through(operand.dims, by);
}

Substitution::Substitution(std::span<const Operand> roots) : roots_(roots) {
    NodeMap<std::uint32_t> known;
    const auto step_of = [&](const Node& below) {
        const std::uint32_t* const found = known.find(&below);
        return found == nullptr ? kKept : *found;
    };
    for (const Node* const node : nodes_below(roots)) {
        Step step{node, {}};
        bool changes = is_placeholder(*node);
        for (const Node& below : nodes_of(*node)) {
            step.operands.push_back(step_of(below));
            changes = changes || step.operands.back() != kKept;
        }
        if (!changes) continue;
        known.try_emplace(node, static_cast<std::uint32_t>(steps_.size()));
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
        if (const auto* const symbol = node_as<SymbolNode>(*step.node)) {
            done.push_back(*bindings[symbol->slot()]);
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
