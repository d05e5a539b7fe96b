// Defines expression/derivatives/loop_rules.hpp.
#include "expression/derivatives/graph_builder.hpp"
#include "expression/derivatives/loop_rules.hpp"

#include <purview/expression/derivatives.hpp>

#include <utility>

namespace purview::inline v0_1::derivatives {
namespace {

/// The choice between functions made of those of a choice, of the same condition: `make(graph, builder)` puts each
/// together, and `operands` are its arguments.
template <typename Make>
NodePtr chosen_again(const Choice& choice, std::vector<Operand> operands, const Make& make) {
    std::vector<SharedGraph> graphs;
    for (const SharedGraph& function : choice.functions()) {
        GraphBuilder builder;
        std::vector<Operand> outputs = make(*function, builder);
        graphs.push_back(builder.build(std::move(outputs)));
    }
    operands.insert(operands.begin(), choice.operands()[0]);
    return make_node<Choice>(graphs[0], graphs[1], std::move(operands));
}

} // namespace

Derivatives reverse(const Choice& choice, const Derivatives& by_results, std::size_t lead,
                    DependsOn depends) {
    std::vector<Operand> seeds;
    std::vector<std::size_t> numbers; // of their results
    for (std::size_t i = 0; i < by_results.size(); ++i)
        if (by_results[i]) {
            seeds.push_back(*by_results[i]);
            numbers.push_back(i);
        }
    const std::span<const Operand> arguments = choice.arguments();
    std::vector<std::size_t> active;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (has_slope(arguments[i].dtype()) && depends(*arguments[i].node)) active.push_back(i);
    std::vector<Operand> operands = seeds;
    append(operands, arguments);
    const NodePtr again = chosen_again(
        choice, std::move(operands), [&](const TracedOutputs& function, GraphBuilder& builder) {
            const std::vector<Operand> own_seeds = builder.arguments(seeds);
            const std::vector<Operand> own = builder.arguments(arguments);
            const std::vector<Operand> outputs = outputs_for(function, own);
            std::vector<Operand> results, by;
            for (const std::size_t number : numbers) results.push_back(outputs[number]);
            for (const std::size_t number : active) by.push_back(own[number]);
            return reverse_derivatives(results, own_seeds, lead, by);
        });
    Derivatives by(choice.operands().size());
    for (std::size_t i = 0; i < active.size(); ++i) by[active[i] + 1] = result_operand(again, i);
    return by;
}

Derivatives forward(const Choice& choice, const Derivatives& tangents, ShapeSpan leading) {
    const std::span<const Operand> arguments = choice.arguments();
    std::vector<Operand> moving;
    std::vector<std::size_t> active;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (tangents[i + 1]) {
            moving.push_back(*tangents[i + 1]);
            active.push_back(i);
        }
    std::vector<std::size_t> numbers; // of results that have derivatives
    const std::vector<Operand>& outputs = choice.functions()[0]->outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i)
        if (has_slope(outputs[i].dtype())) numbers.push_back(i);
    Derivatives of_results(outputs.size());
    if (moving.empty()) return of_results;
    std::vector<Operand> operands(arguments.begin(), arguments.end());
    append(operands, moving);
    const NodePtr again = chosen_again(
        choice, std::move(operands), [&](const TracedOutputs& function, GraphBuilder& builder) {
            const std::vector<Operand> own = builder.arguments(arguments);
            const std::vector<Operand> along = builder.arguments(moving);
            const std::vector<Operand> values = outputs_for(function, own);
            std::vector<Operand> by, results;
            for (const std::size_t number : active) by.push_back(own[number]);
            for (const std::size_t number : numbers)
                results.push_back(forward_derivative(values[number], by, along, leading.size()));
            return results;
        });
    for (std::size_t i = 0; i < numbers.size(); ++i)
        of_results[numbers[i]] = result_operand(again, i);
    return of_results;
}

std::vector<const TracedOutputs*> functions_of(const Node& source) {
    if (const auto* const loop = node_as<Loop>(source)) return {loop->rule().step.get()};
    if (source.kind() == NodeKind::opaque) return {};
    const auto& choice = static_cast<const Choice&>(source);
    return {choice.functions()[0].get(), choice.functions()[1].get()};
}

} // namespace purview::derivatives
