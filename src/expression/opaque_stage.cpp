#include <purview/expression/opaque_stage.hpp>

#include <purview/base/errors.hpp>
#include <purview/expression/loop.hpp>

#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace purview::inline v0_1 {
namespace {

struct KnownFunctions {
    std::mutex mutex;
    std::map<std::string, StageFunctionMaker, std::less<>> makers;
};
/// Never destroyed: computations may be loaded while the program ends.
KnownFunctions& known_functions() {
    static auto& known = *new KnownFunctions;
    return known;
}

} // namespace

StageFunction::~StageFunction() = default;

std::shared_ptr<const StageFunction> StageFunction::of_parts() const { return nullptr; }
std::optional<std::vector<index_t>> StageFunction::attributes() const { return std::nullopt; }

Derivatives StageFunction::reverse(std::span<const Operand>, std::span<const Operand>,
                                   const Derivatives&, std::size_t) const {
    throw SymbolError("gradient: '" + std::string(name()) +
                      "' has no derivative: take stop_gradient of its result");
}
Derivatives StageFunction::forward(std::span<const Operand> operands, std::span<const Operand>,
                                   const Derivatives&, ShapeSpan) const {
    return reverse(operands, {}, {}, 0);
}

OpaqueStage::OpaqueStage(std::shared_ptr<const StageFunction> function,
                         std::vector<Operand> operands)
    : OpaqueStage(function, operands, function->results(operands)) {}
OpaqueStage::OpaqueStage(std::shared_ptr<const StageFunction> function,
                         std::vector<Operand> operands, std::vector<ResultType> results)
    : Node(kKind, results[0].dtype, Kind::computed, Below::symbol),
      function_(std::move(function)),
      operands_(std::move(operands)),
      results_(std::move(results)) {}

std::vector<Operand> results_of_stage(const NodePtr& stage) {
    std::vector<Operand> results{own_operand(stage)};
    for (std::size_t i = 0; i < result_count(*stage); ++i)
        results.push_back(result_operand(stage, i));
    return results;
}

void register_stage_function(const std::string& name, StageFunctionMaker make) {
    KnownFunctions& known = known_functions();
    const std::lock_guard lock(known.mutex);
    known.makers[name] = make;
}

std::shared_ptr<const StageFunction>
registered_stage_function(std::string_view name, std::span<const index_t> attributes) {
    KnownFunctions& known = known_functions();
    const std::lock_guard lock(known.mutex);
    const auto found = known.makers.find(name);
    return found == known.makers.end() ? nullptr : found->second(attributes);
}

} // namespace purview
