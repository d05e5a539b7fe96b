#include "engine/explain/described_source.hpp"

#include <purview/evaluation/sparsity.hpp>
#include <purview/expression/library_function.hpp>
#include <purview/expression/visit_node.hpp>

#include "engine/realise/realised_operand.hpp"
#include "evaluation/other_backend.hpp"

#include <fmt/format.h>

#include <cstddef>

namespace purview::inline v0_1::engine {
namespace {

constexpr std::size_t kShown = 20;

std::string_view name_of_node(const Node& node) {
    return visit(
        node, [](const Elementwise& operation) { return name_of(operation); },
        [](const OneOf<Gather, Piecewise> auto& named) -> std::string_view { return named.what(); },
        [](const Reduce& fold) { return name_of(fold.reduction()); },
        [](const Scatter&) -> std::string_view { return "scatter"; },
        [](const ScanNode&) -> std::string_view { return "cumsum"; },
        [](const OpaqueStage& stage) { return stage.function().name(); },
        [](const OneOf<Loop, StageResult> auto&) -> std::string_view { return "loop"; },
        [](const Choice&) -> std::string_view { return "choose"; },
        [](const OneOf<Leaf, Constant, SymbolNode> auto&) -> std::string_view { return ""; });
}

} // namespace

DescribedSource::DescribedSource(const Operand& given) : source(given) {
    if (lies_elsewhere(given))
        if (const Backend* const backend = other_backend_of({&given, 1}))
            first =
                fmt::format("by the CPU, which reads what lies on '{}'; results are brought back\n",
                            backend->name());
    if (!may_repeat_work(given) || is_sparse(given)) return;
    const RepeatedWork work(given);
    if (work.changes_nothing()) return;
    source = over_imagined_memory(given, work);
    if (work.realised().empty()) return;
    first += "first, as it would be computed again and again, into memory\n";
    std::size_t shown = 0;
    for (const RepeatedWork::Realised& each : work.realised()) {
        if (shown++ == kShown) break;
        first += fmt::format("  {} {} {}\n", name_of_node(*each.node), each.node->dtype().name(),
                             to_string(each.slab.extents));
    }
    if (work.realised().size() > kShown)
        first += fmt::format("  … {} more\n", work.realised().size() - kShown);
}

std::string head(const char* what, const Operand& source) {
    return fmt::format("{} {} {}", what, source.dtype().name(), to_string(source.dims.max_shape()));
}

std::string with_plan(std::string_view way, const Values& values, const FoundPlan& found) {
    return fmt::format("way: {}\n{}", way, text_of(values, found));
}
std::string with_plan_in_order(std::string_view way, const Values& values) {
    return with_plan(way, values, look_up_plan(values, {}));
}

} // namespace purview::engine
