// Defines expression/derivatives/graph_builder.hpp.
#include "expression/derivatives/graph_builder.hpp"
#include "expression/node_map.hpp"

#include <algorithm>
#include <utility>

namespace purview::inline v0_1::derivatives {

ActiveParts::ActiveParts(const Loop& loop, std::vector<bool> given) : operands(std::move(given)) {
    const LoopRule& rule = loop.rule();
    const TracedOutputs& step = *rule.step;
    std::vector<bool> now = operands;
    for (bool changes = true; changes;) {
        changes = false;
        NodeSet depends;
        for (std::size_t i = 0; i < now.size(); ++i)
            if (now[i]) depends.insert(step.placeholders[i].get());
        for (const Node* const node : nodes_below(step.outputs))
            if (std::ranges::any_of(nodes_of(*node),
                                    [&](const Node& below) { return depends.contains(&below); }))
                depends.insert(node);
        outputs.clear();
        for (const Operand& output : step.outputs)
            outputs.push_back(has_slope(output.dtype()) && depends.contains(output.node.get()));
        for (std::size_t i = 0; i < rule.states; ++i) {
            if (operands[i]) outputs[i] = true;
            if (outputs[i] && !now[i]) changes = now[i] = true;
        }
    }
}

} // namespace purview::derivatives
