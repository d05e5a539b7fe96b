#include "evaluation/elements_read.hpp"

#include <purview/expression/graph.hpp>
#include <purview/expression/loop.hpp>

#include <algorithm>
#include <limits>

namespace purview::inline v0_1 {
namespace {

/// To begin a step takes as long as so many elements.
constexpr index_t kElementsOfStep = 64;

constexpr index_t kMostCounted = std::numeric_limits<index_t>::max();
constexpr index_t saturated_sum(index_t a, index_t b) noexcept {
    return a > kMostCounted - b ? kMostCounted : a + b;
}
constexpr index_t saturated_product(index_t a, index_t b) noexcept {
    return b != 0 && a > kMostCounted / b ? kMostCounted : a * b;
}

index_t read_by_functions(const Node& node) {
    if (const auto* const loop = node_as<Loop>(node)) {
        const LoopRule& rule = loop->rule();
        index_t step = saturated_sum(elements_read(rule.step->outputs), kElementsOfStep);
        if (rule.condition != nullptr)
            step = saturated_sum(step, elements_read(rule.condition->outputs));
        return saturated_product(rule.most, step);
    }
    if (const auto* const choice = node_as<Choice>(node))
        return std::max(elements_read(choice->functions()[0]->outputs),
                        elements_read(choice->functions()[1]->outputs));
    return 0;
}

} // namespace

index_t elements_read(std::span<const Operand> outputs) {
    index_t elements = 0;
    for (const Operand& output : outputs) elements = saturated_sum(elements, output.dims.size());
    for (const Node* const node : nodes_below(outputs)) {
        for (const Operand& operand : operands_of(*node))
            elements = saturated_sum(elements, operand.dims.size());
        elements = saturated_sum(elements, read_by_functions(*node));
    }
    return elements;
}

} // namespace purview
