#include "engine/explain/plan_description.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/evaluation/sparsity.hpp>

#include "engine/compile/block_source.hpp"
#include "engine/explain/describe_view.hpp"

#include <fmt/format.h>

#include <concepts>
#include <limits>
#include <sstream>

namespace purview::inline v0_1::engine {
namespace {

/// Longer printed constants are cut.
constexpr std::size_t kConstantWidth = 40;

std::string printed(const Constant& constant) {
    const DType dtype = constant.dtype();
    std::string text;
    if (dtype.is_builtin()) {
        visit_dtype(dtype, "explain", [&]<typename T>(std::type_identity<T>) {
            const T value = *static_cast<const T*>(constant.value());
            if constexpr (std::same_as<T, bool> || std::floating_point<T>)
                text = fmt::format("{}", value);
            else
                text = fmt::format("{}", +value); // so that int8 is not printed as a character
        });
    } else if (dtype.descriptor().print != nullptr) {
        std::ostringstream out;
        out.exceptions(std::ios::badbit); // else bad_alloc would be swallowed
        dtype.descriptor().print(out, constant.value());
        text = std::move(out).str();
    }
    return text;
}

std::string describe_constant(const Constant& constant) {
    const std::string text = printed(constant);
    if (text.empty()) return "constant";
    return "constant " +
           (text.size() > kConstantWidth ? text.substr(0, kConstantWidth) + "…" : text);
}

std::string describe_leaf(const Leaf& leaf, const Dimensions& view) {
    std::string text = leaf.memory()                            ? "memory"
                       : leaf.reader().kind() == Kind::constant ? "constant reader"
                       : storage_kind_of(leaf) == Kind::sparse  ? "sparse pairs"
                                                                : "reader";
    if (leaf.memory() && leaf.memory().stride_bytes != leaf.dtype().size_bytes())
        text += fmt::format(" with elements every {} bytes", leaf.memory().stride_bytes);
    return fmt::format("{}, {}", text, describe_view(view));
}

/// What is gathered, and by how many indexes.
std::string describe_gather(const Gather& gather, const Dimensions& view) {
    const Leaf* const leaf = leaf_of(gather.source());
    std::string text = "gather " + to_string(gather.shape()) + " from ";
    text += leaf == nullptr ? "a computed source" : describe_leaf(*leaf, gather.source().dims);
    text += " by " + std::to_string(gather.indexes().size()) +
            (gather.indexes().size() == 1 ? " index" : " indexes");
    return view.is_identity() ? text : text + ", seen as " + describe_view(view);
}

std::string describe_pieces(const Piecewise& pieces, const Dimensions& view) {
    return fmt::format("{} of {} pieces {}, {}", pieces.what(), pieces.operands().size(),
                       to_string(pieces.shape()), describe_view(view));
}

ValueDescription describe_value(const Values& values, ValueId id) {
    const Value& value = values[id];
    const auto operands = values.operands(id);
    ValueDescription description{
        id, value.node->dtype(), {}, {operands.begin(), operands.end()}, {}};
    if (value.node->reads_sparse())
        description.kind =
            storage_kind_of(*value.node) == Kind::sparse ? ", sparse" : ", lazily dense";
    if (const Elementwise* const operation = value.operation(); operation != nullptr)
        description.what = name_of(operation->op());
    else if (const Constant* const constant = value.constant(); constant != nullptr)
        description.what = describe_constant(*constant);
    else if (const Gather* const gather = value.gather(); gather != nullptr)
        description.what = describe_gather(*gather, *value.view);
    else if (const Piecewise* const pieces = value.pieces(); pieces != nullptr)
        description.what = describe_pieces(*pieces, *value.view);
    else
        description.what = describe_leaf(*value.leaf(), *value.view);
    return description;
}

LeafDescription describe_leaf_access(const Plan& plan, const Values& values, const Array& array) {
    LeafDescription description{array.value, array.access, array.scratch_reason, {}, 0, false, {}};
    if (array.source != nullptr) {
        description.source = array.source->describe();
        description.element_bytes = array.dtype.size_bytes();
        description.one_thread = !array.source->is_thread_safe();
        return description;
    }
    const Leaf& leaf = *values[array.value].leaf();
    if (!array.stream)
        for (const index_t stride : plan.space.operands[array.operand].strides)
            description.strides.push_back(stride * leaf.memory().stride_bytes);
    if (array.access != LoadAccess::repeated) description.element_bytes = array.dtype.size_bytes();
    description.one_thread = !leaf.is_thread_safe();
    return description;
}

class StepDescriber {
public:
    explicit StepDescriber(const Plan& plan) : plan_(plan) {}

    StepDescription operator()(const LoadStep& step) const {
        return {.kind = StepDescription::Kind::load, .values = {plan_.arrays[step.from].value}};
    }
    StepDescription operator()(const CastStep& step) const {
        return {.kind = StepDescription::Kind::convert,
                .values = {step.value},
                .checked = step.checked};
    }
    StepDescription operator()(const MapStep& step) const {
        return {.kind = StepDescription::Kind::call, .values = {step.value}};
    }
    StepDescription operator()(const FillStep& step) const {
        return {.kind = StepDescription::Kind::fill, .values = {step.value}};
    }
    StepDescription operator()(const TileStep& step) const {
        const TileProgram& program = step.program;
        return {.kind = StepDescription::Kind::tiles,
                .values = {step.values.begin(), step.values.end()},
                .lanes = plan_.kernels.tile_bytes / program.lane_bytes,
                .lane_bytes = program.lane_bytes,
                .instructions = program.code.size(),
                .spilled = program.spill_slots,
                .folds = program.accumulates(),
                // One instruction loads the accumulator, the last one stores it.
                .folds_in_registers = program.accumulators.size() == 2,
                .machine_code = program.machine_code.exists()};
    }

private:
    const Plan& plan_;
};

} // namespace

Shown<ValueDescription> describe_values(const Values& values) {
    Shown<ValueDescription> shown;
    for (ValueId id = 0; id < values.size(); ++id)
        shown.add([&] { return describe_value(values, id); });
    return shown;
}

PlanDescription describe_plan(const Values& values, const FoundPlan& found) {
    const Plan& plan = *found.plan;
    PlanDescription description;
    description.target = plan.kernels.name;
    description.cache_state = found.cache_state;
    description.loops = plan.space.extents;
    description.order = plan.order;
    description.by_rows = plan.by_rows;
    description.row = plan.row;
    description.block = plan.block == std::numeric_limits<index_t>::max() ? 0 : plan.block;
    description.panel_rows = plan.panel_rows;
    for (const Array& array : plan.arrays) {
        if (array.value == kNoValue) continue;
        description.leaves.add([&] { return describe_leaf_access(plan, values, array); });
        if (array.access != LoadAccess::repeated)
            description.read_bytes += array.dtype.size_bytes();
    }
    const StepDescriber describe(plan);
    bool folds = false;
    for (const Step& step : plan.steps) {
        description.steps.add([&] { return std::visit(describe, step); });
        const auto* const tiles = std::get_if<TileStep>(&step);
        folds = folds || (tiles != nullptr && tiles->program.accumulates());
    }
    if (!folds) description.write_bytes = plan.dtype.size_bytes();
    description.scratch_blocks = plan.blocks.size();
    for (const DType dtype : plan.blocks)
        description.scratch_bytes += dtype.size_bytes() * plan.block;
    return description;
}

} // namespace purview::engine
