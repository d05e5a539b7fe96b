// Defines functional/applied/saved/node_builder.hpp.
#include "base/same_extents.hpp"
#include "functional/applied/saved/node_builder.hpp"

#include <purview/base/errors.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/loop.hpp>
#include <purview/expression/symbol.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace purview::inline v0_1::saved {
namespace {

/// Checking functions takes a time that is proportional to what was read: nodes that several functions have
/// in common are numbers, and few.
constexpr index_t kVisitsOfPart = 16;
constexpr index_t kVisitsOfAny = 1'000'000;
constexpr int kMostCompared = 8; // functions of one hash

/// Of what tells one function from another.
std::size_t hash_of_nodes(const TracedOutputs& graph) {
    std::size_t value = graph.placeholders.size();
    const auto add = [&](std::size_t part) { value = (value ^ part) * 0x9e3779b97f4a7c15 + 1; };
    for (const NodePtr& each : graph.placeholders) add(std::hash<const void*>{}(each.get()));
    for (const Operand& each : graph.outputs) {
        add(std::hash<const void*>{}(each.node.get()));
        add(each.dims.hash());
    }
    return value;
}

bool fits(const Operand& given, DType dtype, ShapeSpan shape) {
    return given.dtype() == dtype && same_extents(given.dims.max_shape(), shape);
}

} // namespace

std::optional<std::size_t> too_large_result(const Node& source) {
    for (std::size_t i = 0; i < result_count(source); ++i) {
        const Shape shape = result_type(source, i).shape;
        if (shape.size() > static_cast<std::size_t>(kMaxRank)) return i;
        try {
            if (Dimensions::row_major(shape).size() > kMostElements) return i;
        } catch (const ShapeError&) {
            return i;
        }
    }
    return std::nullopt;
}

SharedGraph NodeBuilder::function(TracedOutputs graph) {
    if (graph.outputs.empty()) fail("a function has no outputs");
    const std::size_t hash = hash_of_nodes(graph);
    const auto [first, last] = functions_.equal_range(hash);
    int compared = 0;
    for (auto known = first; known != last && compared < kMostCompared; ++known, ++compared) {
        const TracedOutputs& other = *known->second;
        if (graph.placeholders == other.placeholders &&
            std::ranges::equal(graph.outputs, other.outputs,
                               [](const Operand& x, const Operand& y) {
                                   return x.node == y.node && x.dims == y.dims;
                               }))
            return known->second;
    }
    for (std::size_t i = 0; i < graph.placeholders.size(); ++i)
        if (!is_placeholder(*graph.placeholders[i]) ||
            static_cast<const SymbolNode&>(*graph.placeholders[i]).slot() != i)
            fail(fmt::format("argument {} of a function is another node", i));
    int depth = 1;
    const std::vector<const Node*> nodes = nodes_below(graph.outputs);
    for (const Node* const node : nodes) {
        visits_ += 1 + static_cast<index_t>(operand_count(*node));
        if (const auto* const symbol = node_as<SymbolNode>(*node)) {
            if (!is_placeholder(*node)) fail("a function reads a symbol that is no argument");
            if (symbol->slot() >= graph.placeholders.size() ||
                graph.placeholders[symbol->slot()].get() != node)
                fail("a function reads an argument of another one");
        }
        if (const auto found = depths_.find(node); found != depths_.end())
            depth = std::max(depth, found->second + 1);
    }
    if (visits_ > kVisitsOfAny + kVisitsOfPart * parts_)
        fail("functions have too many nodes in common");
    if (depth > kDeepest) fail("functions are nested too deep");
    auto made = std::make_shared<const TracedOutputs>(std::move(graph));
    functions_.emplace(hash, made);
    function_depths_.emplace(made.get(), depth);
    return made;
}

void NodeBuilder::check_arguments(const TracedOutputs& function,
                                  std::span<const Operand> arguments) const {
    if (arguments.size() != function.placeholders.size())
        fail(fmt::format("a function of {} arguments is given {}", function.placeholders.size(),
                         arguments.size()));
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Node& own = *function.placeholders[i];
        if (!fits(arguments[i], own.dtype(), shape_of(own)))
            fail(fmt::format("argument {} of a function has another type or shape", i));
    }
}

/// Results are of built-in types, and their elements can be counted.
void NodeBuilder::check_results(const Node& source) const {
    for (std::size_t i = 0; i < result_count(source); ++i) {
        const DType dtype = result_type(source, i).dtype;
        if (!dtype.is_builtin()) fail(fmt::format("elements of {} are not carried", dtype.name()));
    }
    if (const auto i = too_large_result(source))
        fail(fmt::format("result {} has too many elements", *i));
}

NodePtr NodeBuilder::loop(LoopRule rule, std::vector<Operand> operands) {
    const TracedOutputs& step = *rule.step;
    const std::size_t head = rule.is_counted ? 1 : 0;
    const std::size_t carried = rule.states + rule.inputs;
    if (rule.most < 0 || rule.most > kMostElements || rule.keep < 1)
        fail("a loop has no such number of steps");
    if (rule.states < 1 || rule.states > operands.size() || rule.inputs > operands.size() ||
        head + carried > operands.size() || rule.states > step.outputs.size())
        fail("a loop has no such number of states");
    if (rule.is_counted && !fits(operands[0], int64, {})) fail("a loop has no count of steps");
    std::vector<Operand> arguments(operands.begin() + static_cast<std::ptrdiff_t>(head),
                                   operands.end());
    const std::vector<Operand> others(arguments.begin() + static_cast<std::ptrdiff_t>(carried),
                                      arguments.end());
    for (std::size_t i = rule.states; i < carried; ++i) {
        const ShapeSpan shape = arguments[i].dims.max_shape();
        if (!arguments[i].dtype().is_builtin())
            fail(fmt::format("elements of {} are not carried", arguments[i].dtype().name()));
        if (shape.empty() || shape[0] != rule.most) fail("an input has not one row for each step");
        arguments[i] = placeholder_operand(arguments[i].dtype(), shape.subspan(1), 0);
    }
    check_arguments(step, arguments);
    for (std::size_t i = 0; i < rule.states; ++i)
        if (!fits(step.outputs[i], arguments[i].dtype(), arguments[i].dims.max_shape()))
            fail(fmt::format("a step changes the type or the shape of state {}", i));
    if (rule.may_end_early && rule.condition == nullptr) fail("a loop without a condition ends");
    int depth = function_depths_.at(rule.step.get());
    if (rule.condition != nullptr) {
        if (rule.is_counted) fail("a loop has a condition and a count");
        if (rule.is_backwards) fail("a loop that has a condition begins with the last step");
        if (rule.condition->outputs.size() != 1 || !fits(rule.condition->outputs[0], boolean, {}))
            fail("a condition is one bool");
        std::vector<Operand> both;
        for (int twice = 0; twice < 2; ++twice)
            both.insert(both.end(), arguments.begin(),
                        arguments.begin() + static_cast<std::ptrdiff_t>(rule.states));
        both.insert(both.end(), others.begin(), others.end());
        check_arguments(*rule.condition, both);
        depth = std::max(depth, function_depths_.at(rule.condition.get()));
    }
    NodePtr made = make_node<Loop>(std::move(rule), std::move(operands));
    check_results(*made);
    depths_.emplace(made.get(), depth);
    return made;
}

NodePtr NodeBuilder::choice(SharedGraph chosen, SharedGraph other, std::vector<Operand> operands) {
    if (operands.empty() || !fits(operands[0], boolean, {})) fail("a condition is one bool");
    const std::span<const Operand> arguments = std::span(operands).subspan(1);
    check_arguments(*chosen, arguments);
    check_arguments(*other, arguments);
    if (!std::ranges::equal(chosen->outputs, other->outputs,
                            [](const Operand& x, const Operand& y) {
                                return fits(x, y.dtype(), y.dims.max_shape());
                            }))
        fail("two functions have other results");
    const int depth = std::max(function_depths_.at(chosen.get()), function_depths_.at(other.get()));
    NodePtr made = make_node<Choice>(std::move(chosen), std::move(other), std::move(operands));
    check_results(*made);
    depths_.emplace(made.get(), depth);
    return made;
}

NodePtr NodeBuilder::stage(std::string_view name, std::span<const index_t> attributes,
                           std::vector<Operand> operands) const {
    std::shared_ptr<const StageFunction> function = registered_stage_function(name, attributes);
    if (function == nullptr)
        fail(fmt::format(
            "the function '{}' is not known here with these attributes: its library has to be "
            "linked",
            name));
    try {
        NodePtr made = make_node<OpaqueStage>(std::move(function), std::move(operands));
        check_results(*made);
        return made;
    } catch (const ShapeError& error) {
        fail(error.what());
    } catch (const DtypeError& error) {
        fail(error.what());
    }
}

NodePtr NodeBuilder::result(const NodePtr& source, index_t number) const {
    if (result_count(*source) == 0) fail("a result is one of a loop, a choice or a stage");
    if (number < 0 || number >= static_cast<index_t>(result_count(*source)))
        fail(fmt::format("there is no result {}", number));
    return make_node<StageResult>(own_operand(source), static_cast<std::size_t>(number));
}

} // namespace purview::saved
