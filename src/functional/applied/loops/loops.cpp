#include <purview/functional/applied/loops.hpp>

#include "base/explained_call.hpp"
#include "base/same_extents.hpp"
#include "expression/loops/rows_ahead.hpp"
#include "functional/applied/loops/captured_operands.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/evaluation/loops.hpp>
#include <purview/evaluation/program.hpp>
#include <purview/expression/loop.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace purview::inline v0_1 {
namespace {

std::string type_text(const Operand& operand) {
    return std::string(operand.dtype().name()) + to_string(operand.dims.max_shape());
}

/// Throws where `given` is of another type or shape than `wanted`. `text` says what both are.
void check_same(const Operand& given, const Operand& wanted, const auto& text) {
    if (given.dtype() != wanted.dtype()) throw DtypeError(text());
    if (!same_extents(given.dims.max_shape(), wanted.dims.max_shape())) throw ShapeError(text());
}

void check_types(const char* what, std::span<const Operand> operands) {
    for (const Operand& operand : operands)
        if (!operand.dtype().is_builtin())
            throw DtypeError(fmt::format("{}: elements of type {} cannot be carried: states are "
                                         "numbers and bools",
                                         what, operand.dtype().name()));
}

void check_states(const char* what, std::span<const Operand> next,
                  std::span<const Operand> states) {
    for (std::size_t i = 0; i < states.size(); ++i)
        check_same(next[i], states[i], [&] {
            return fmt::format("{}: the step takes state {} as {}, and returns {}", what, i,
                               type_text(states[i]), type_text(next[i]));
        });
}

void check_inputs(const LoopRequest& request) {
    const char* const what = request.what;
    for (std::size_t i = 0; i < request.inputs.size(); ++i) {
        const ShapeSpan shape = request.inputs[i].dims.max_shape();
        if (shape.empty())
            throw ShapeError(fmt::format("{}: input {} is a number, and has no axis", what, i));
        if (shape[0] != request.inputs[0].dims.max_shape()[0])
            throw ShapeError(fmt::format(
                "{}: input {} has the shape {}, and input 0 {}: their first "
                "axes have different lengths",
                what, i, to_string(shape), to_string(request.inputs[0].dims.max_shape())));
    }
}

/// The length of a step's input: a row.
Operand row_of(const Operand& input) {
    Shape shape = to_shape(input.dims.max_shape());
    shape.erase(shape.begin());
    return placeholder_operand(input.dtype(), shape, 0);
}

/// Steps between kept states: of so many steps.
index_t interval(index_t most, index_t keep) {
    if (most == 0) return 1;
    if (keep == 0) return steps_between_kept(most);
    return most / keep + (most % keep > 0);
}

void check_numbers(const LoopRequest& request, index_t most) {
    if (most < 0) throw ShapeError(fmt::format("{}: {} steps", request.what, most));
    if (request.condition != nullptr && most == 0)
        throw ShapeError(fmt::format("{}: at least one step is taken, and at most 0 are asked for",
                                     request.what));
    if (request.keep < 0)
        throw ShapeError(fmt::format("{}: {} states are to be kept", request.what, request.keep));
    if (request.every < 1)
        throw ShapeError(
            fmt::format("{}: a call after every {} steps", request.what, request.every));
}

TracedOutputs condition_of(const LoopRequest& request, CapturedOperands& captured) {
    std::vector<Operand> both = request.states;
    both.insert(both.end(), request.states.begin(), request.states.end());
    TracedOutputs traced = captured.trace(*request.condition, both);
    const Operand& holds = traced.outputs.at(0);
    if (traced.outputs.size() != 1 || holds.dtype() != boolean || holds.dims.rank() != 0)
        throw DtypeError(fmt::format("{}: the condition is one bool, and not {}", request.what,
                                     type_text(holds)));
    return traced;
}

bool reads_symbols(std::span<const Operand> operands) {
    return std::ranges::any_of(
        operands, [](const Operand& operand) { return operand.node->reads(Below::symbol); });
}

/// The element of a loop or a choice, and its results with numbers below `count`: as symbols, or computed
/// now.
std::vector<Operand> results_below(const NodePtr& source, bool are_symbols, std::size_t count,
                                   const StepWatch* watch = nullptr) {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < count; ++i) numbers.push_back(i);
    if (!are_symbols) {
        explained_as([&] { return explain_results(*source); });
        return results_of(*source, numbers, watch);
    }
    std::vector<Operand> results{own_operand(source)};
    for (const std::size_t number : numbers) results.push_back(result_operand(source, number));
    return results;
}

/// A loop over tensors, of which nothing is left to be computed by a program.
NodePtr with_computed_operands(NodePtr made) {
    const auto& loop = static_cast<const Loop&>(*made);
    std::vector<Operand> operands(loop.operands().begin(), loop.operands().end());
    std::vector<Operand> lazy, computed;
    for (const Operand& operand : operands)
        if (operand.node->reads(Below::symbol)) lazy.push_back(operand);
    if (lazy.empty()) return made;
    const Program program(lazy, {});
    std::vector<Destination> destinations;
    computed.reserve(lazy.size());
    for (std::size_t i = 0; i < lazy.size(); ++i) {
        computed.push_back(program.new_output(i, {}));
        destinations.emplace_back(computed.back());
    }
    program.run({}, destinations);
    auto next = computed.begin();
    for (Operand& operand : operands)
        if (operand.node->reads(Below::symbol)) operand = std::move(*next++);
    return make_node<Loop>(loop.rule(), std::move(operands));
}

} // namespace

std::vector<Operand> loop_operands(const LoopRequest& request) {
    check_inputs(request);
    const index_t most =
        request.inputs.empty() ? request.most : request.inputs[0].dims.max_shape()[0];
    check_numbers(request, most);
    check_types(request.what, request.states);
    check_types(request.what, request.inputs);
    const std::size_t states = request.states.size();

    CapturedOperands captured =
        most == 0 ? CapturedOperands(std::span<const Operand>()) : CapturedOperands();
    std::vector<Operand> arguments = request.states;
    for (const Operand& input : request.inputs) arguments.push_back(row_of(input));
    const TracedOutputs step = captured.trace(request.step, arguments);
    if (step.outputs.size() < states || (request.inputs.empty() && step.outputs.size() != states))
        throw ShapeError(fmt::format("{}: the step takes {} states, and returns {}", request.what,
                                     states, step.outputs.size()));
    check_states(request.what, step.outputs, request.states);
    check_types(request.what, step.outputs);

    LoopRule rule;
    // The graphs take what both have captured, so that both are traced first.
    if (request.condition != nullptr)
        rule.condition = captured.graph(condition_of(request, captured));
    rule.step = captured.graph(step);
    rule.most = most;
    rule.states = states;
    rule.inputs = request.inputs.size();
    rule.keep = interval(most, request.keep);
    rule.may_end_early = request.or_else == Ended::last;

    std::vector<Operand> operands = request.states;
    operands.insert(operands.end(), request.inputs.begin(), request.inputs.end());
    operands.insert(operands.end(), captured.operands().begin(), captured.operands().end());
    const bool are_symbols = request.is_put_off || reads_symbols(operands);
    if (request.call && are_symbols)
        throw SymbolError(fmt::format("{}: a step is watched when it is taken, and not where it is "
                                      "traced: leave `call` out",
                                      request.what));
    const std::size_t outputs = step.outputs.size();
    const StepWatch watch{request.every, request.call};
    NodePtr loop = loop_with_rows_ahead(std::move(rule), std::move(operands));
    if (!are_symbols) loop = with_computed_operands(std::move(loop));
    return results_below(loop, are_symbols, outputs, request.call ? &watch : nullptr);
}

std::vector<Operand> choice_operands(const Operand& condition, const FunctionOfSymbols& f,
                                     const FunctionOfSymbols& g, std::span<const Operand> arguments,
                                     bool is_put_off) {
    if (condition.dtype() != boolean)
        throw DtypeError(
            fmt::format("choose: the condition is one bool, and not {}", type_text(condition)));
    if (condition.dims.rank() != 0)
        throw ShapeError(
            fmt::format("choose: the condition is one bool, and not {}: `where` chooses "
                        "for each element",
                        type_text(condition)));
    check_types("choose", arguments);
    std::vector<Operand> anyway(arguments.begin(), arguments.end());
    anyway.push_back(condition);
    CapturedOperands captured(anyway);
    const TracedOutputs chosen = captured.trace(f, arguments);
    const TracedOutputs other = captured.trace(g, arguments);
    if (chosen.outputs.size() != other.outputs.size())
        throw ShapeError(fmt::format("choose: one function returns {} results, and the other {}",
                                     chosen.outputs.size(), other.outputs.size()));
    for (std::size_t i = 0; i < chosen.outputs.size(); ++i)
        check_same(other.outputs[i], chosen.outputs[i], [&] {
            return fmt::format("choose: result {} of one function is {}, and of the other {}", i,
                               type_text(chosen.outputs[i]), type_text(other.outputs[i]));
        });
    check_types("choose", chosen.outputs);
    std::vector<Operand> operands{condition};
    operands.insert(operands.end(), arguments.begin(), arguments.end());
    operands.insert(operands.end(), captured.operands().begin(), captured.operands().end());
    const bool are_symbols = is_put_off || reads_symbols(operands);
    NodePtr choice =
        make_node<Choice>(captured.graph(chosen), captured.graph(other), std::move(operands));
    std::vector<Operand> results = results_below(choice, are_symbols, chosen.outputs.size());
    results.erase(results.begin()); // the condition
    return results;
}

void check_no_captured_symbol(const char* what, std::span<const Operand> results) {
    if (reads_symbols(results))
        throw SymbolError(
            fmt::format("{}: what it calls reads a symbol, and so its result is one: give "
                        "an argument as a symbol, as `pv::constant(x)`",
                        what));
}

} // namespace purview
