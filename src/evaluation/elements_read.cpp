#include "evaluation/elements_read.hpp"

#include <purview/expression/graph.hpp>
#include <purview/expression/loop.hpp>

#include <algorithm>
#include <limits>
#include <unordered_map>

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

/// Counts functions that several loops share once each: they may be nested as deep as nodes are.
class Counting {
public:
    index_t of(std::span<const Operand> outputs) {
        index_t elements = 0;
        for (const Operand& output : outputs)
            elements = saturated_sum(elements, output.dims.size());
        for (const Node* const node : nodes_below(outputs)) {
            for (const Operand& operand : operands_of(*node))
                elements = saturated_sum(elements, operand.dims.size());
            elements = saturated_sum(elements, of_functions(*node));
        }
        return elements;
    }

private:
    index_t of_functions(const Node& node) {
        if (const auto* const loop = node_as<Loop>(node)) {
            const LoopRule& rule = loop->rule();
            index_t step = saturated_sum(of_function(*rule.step), kElementsOfStep);
            if (rule.condition != nullptr) step = saturated_sum(step, of_function(*rule.condition));
            return saturated_product(rule.most, step);
        }
        if (const auto* const choice = node_as<Choice>(node))
            return std::max(of_function(*choice->functions()[0]),
                            of_function(*choice->functions()[1]));
        return 0;
    }
    index_t of_function(const TracedOutputs& function) {
        const auto known = known_.find(&function);
        if (known != known_.end()) return known->second;
        const index_t elements = of(function.outputs);
        known_.emplace(&function, elements);
        return elements;
    }

    std::unordered_map<const TracedOutputs*, index_t> known_;
};

} // namespace

index_t elements_read(std::span<const Operand> outputs) { return Counting().of(outputs); }

} // namespace purview
