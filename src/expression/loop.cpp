#include <purview/expression/loop.hpp>

#include <purview/expression/symbol.hpp>

#include <cmath>
#include <utility>

namespace purview::inline v0_1 {
namespace {

ResultType type_of(const Operand& operand) {
    return {operand.dtype(), to_shape(operand.dims.max_shape())};
}
/// `rows` of them.
ResultType rows_of(index_t rows, const Operand& operand) {
    ResultType type = type_of(operand);
    type.shape.insert(type.shape.begin(), rows);
    return type;
}

} // namespace

const char* LoopRule::name() const noexcept {
    if (condition != nullptr) return "iterate_while";
    return inputs > 0 || outputs() > 0 ? "scan_over" : "iterate";
}

index_t steps_between_kept(index_t most) noexcept {
    const auto root = static_cast<index_t>(std::ceil(std::sqrt(static_cast<double>(most))));
    if (root <= 1) return 1;
    // Above the root fewer states are kept.
    for (index_t steps = root; steps <= root + root / 2; ++steps)
        if (most % steps == 0) return steps;
    return root;
}

std::size_t result_count(const Node& source) noexcept {
    if (const auto* const loop = node_as<Loop>(source))
        return loop->rule().step->outputs.size() + loop->rule().states;
    if (const auto* const stage = node_as<OpaqueStage>(source)) return stage->results().size() - 1;
    const auto* const choice = node_as<Choice>(source);
    return choice == nullptr ? 0 : choice->functions()[0]->outputs.size();
}

ResultType result_type(const Node& source, std::size_t number) {
    if (const auto* const stage = node_as<OpaqueStage>(source)) return stage->results()[number + 1];
    const auto* const loop = node_as<Loop>(source);
    if (loop == nullptr)
        return type_of(static_cast<const Choice&>(source).functions()[0]->outputs[number]);
    const LoopRule& rule = loop->rule();
    const std::vector<Operand>& outputs = rule.step->outputs;
    if (number < rule.states) return type_of(outputs[number]);
    if (number < outputs.size()) return rows_of(rule.most, outputs[number]);
    return rows_of(rule.kept(), outputs[number - outputs.size()]);
}

StageResult::StageResult(Operand source, std::size_t number)
    : Node(kKind, result_type(*source.node, number).dtype, Kind::computed, Below::symbol),
      source_(std::move(source)),
      number_(number),
      shape_(result_type(*source_.node, number).shape) {}

Operand own_operand(NodePtr source) {
    const auto* const stage = node_as<OpaqueStage>(*source);
    Dimensions dims = Dimensions::row_major(stage == nullptr ? ShapeSpan() : stage->shape());
    return {std::move(source), std::move(dims)};
}

Operand result_operand(NodePtr source, std::size_t number) {
    NodePtr result = make_node<StageResult>(own_operand(std::move(source)), number);
    Dimensions dims = Dimensions::row_major(static_cast<const StageResult&>(*result).shape());
    return {std::move(result), std::move(dims)};
}

} // namespace purview
