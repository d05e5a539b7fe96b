#include "engine/explain/plan_text.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/sparsity.hpp>
#include <purview/expression/library_function.hpp>

#include "engine/compile/block_source.hpp"
#include "engine/compile/plan.hpp"
#include "engine/explain/describe_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <limits>
#include <span>
#include <sstream>

namespace purview::inline v0_1::engine {
namespace {

/// Lines of a list, and values named in one line; more are counted.
constexpr std::size_t kLines = 100;
constexpr std::size_t kNamed = 8;

/// Longer printed constants are cut.
constexpr std::size_t kConstantWidth = 40;

std::string names(std::span<const ValueId> values) {
    std::string text;
    for (std::size_t i = 0; i < std::min(values.size(), kNamed); ++i)
        text += fmt::format("{}%{}", i == 0 ? "" : " ", values[i]);
    if (values.size() > kNamed) text += fmt::format(" … {} more", values.size() - kNamed);
    return text;
}

/// The lines of a list: those behind the first are only counted.
class Lines {
public:
    template <typename Line>
    void add(Line line) {
        if (total_++ < kLines) text_ += line();
    }
    std::string text() const {
        return total_ <= kLines ? text_ : text_ + fmt::format("  … {} more\n", total_ - kLines);
    }

private:
    std::string text_;
    std::size_t total_ = 0;
};

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

std::string describe_value(const Values& values, ValueId id) {
    const Value& value = values[id];
    const auto what = [&]() -> std::string {
        if (value.operation() != nullptr) return std::string(name_of(*value.operation()));
        if (value.constant() != nullptr) return describe_constant(*value.constant());
        if (value.gather() != nullptr) return describe_gather(*value.gather(), *value.view);
        if (value.pieces() != nullptr) return describe_pieces(*value.pieces(), *value.view);
        return describe_leaf(*value.leaf(), *value.view);
    };
    const auto operands = values.operands(id);
    const std::string_view kind = !value.node->reads(Below::sparse)              ? ""
                                  : storage_kind_of(*value.node) == Kind::sparse ? ", sparse"
                                                                                 : ", lazily dense";
    return fmt::format("  %{} = {}{}{} -> {}{}\n", id, what(), operands.empty() ? "" : " ",
                       names(operands), value.node->dtype().name(), kind);
}

std::string_view text_of(PlanCacheState state) {
    switch (state) {
    case PlanCacheState::cached: return "remembered";
    case PlanCacheState::missing: return "new";
    case PlanCacheState::uncacheable: return "made each time";
    }
    std::unreachable();
}

std::string_view text_of(SpaceOrder order) {
    switch (order) {
    case SpaceOrder::free: return "";
    case SpaceOrder::asked: return ", in row-major order";
    case SpaceOrder::conversion:
        return ", in row-major order, because a checked conversion names the index that does not fit";
    case SpaceOrder::leaf: return ", in row-major order, because a leaf is read by index";
    }
    std::unreachable();
}

/// Why an array is in scratch.
std::string reason_of(const Array& array, const Plan& plan, const Values& values) {
    switch (array.scratch_reason) {
    case ScratchReason::none: return "";
    case ScratchReason::stride:
        return fmt::format("neighbours in the innermost loop are {} bytes apart",
                           plan.space.operands[array.operand].strides.back() *
                               values[array.value].leaf()->memory().stride_bytes);
    case ScratchReason::short_rows:
        return fmt::format("rows of {} are short, and it has gaps between them", plan.row);
    case ScratchReason::user_bool: return "a step on blocks reads bools as bytes 0 and 1";
    case ScratchReason::user_alignment: return "a step on blocks reads aligned elements";
    case ScratchReason::user_repetition: return "a step on blocks reads every element";
    case ScratchReason::repeated_bool: return "instructions do not repeat a bool";
    case ScratchReason::view: return "no strides describe its view";
    case ScratchReason::reader: return "it reveals no memory";
    case ScratchReason::element_type: return "its type is no built-in one";
    }
    std::unreachable();
}

std::string_view text_of(LoadWay way) {
    switch (way) {
    case LoadWay::direct: return "read where it lies";
    case LoadWay::repeated: return "one element for each row, repeated";
    case LoadWay::strided: return "gathered into scratch by strides";
    case LoadWay::panel: return "transposed into scratch";
    case LoadWay::streamed: return "read into scratch by index";
    case LoadWay::gathered: return "gathered into scratch";
    }
    std::unreachable();
}

std::string line_of(const Array& array, const Plan& plan, const Values& values) {
    const BlockSource* const source = array.source.get();
    std::string text = fmt::format(
        "  leaf %{}: {}", array.value,
        array.rows ? "gathered into scratch, several short rows at a time" : text_of(array.way));
    if (source != nullptr) text += ": " + source->describe();
    if (array.scratch_reason != ScratchReason::none)
        text += ", because " + reason_of(array, plan, values);
    const bool thread_safe =
        source != nullptr ? source->is_thread_safe() : values[array.value].leaf()->is_thread_safe();
    return text + (thread_safe ? "\n" : "; by one thread at a time\n");
}

std::string text_of(const TileStep& step, const Plan& plan) {
    const TileProgram& program = step.program;
    std::string text =
        fmt::format("tiles of {} {}-byte lanes", plan.kernels.tile_bytes / program.lane_bytes,
                    program.lane_bytes);
    if (!step.values.empty())
        text += fmt::format(": {}", names({step.values.data(), step.values.size()}));
    if (step.values.size() > 1) text += ", fused";
    if (program.accumulates()) // One instruction loads the accumulator, the last one stores it.
        text += program.accumulators.size() == 2 ? ", folded in registers" : ", folded in memory";
    text +=
        fmt::format("; {} instruction{}", program.code.size(), program.code.size() == 1 ? "" : "s");
    if (program.machine_code.exists()) return text + ", as machine code";
    if (program.spill_slots > 0)
        text += fmt::format(", {} kept in scratch between them", program.spill_slots);
    return text;
}

std::string text_of(const Step& step, const Plan& plan) {
    if (const auto* const load = std::get_if<LoadStep>(&step))
        return fmt::format("load %{}", plan.arrays[load->from].value);
    if (const auto* const cast = std::get_if<CastStep>(&step))
        return fmt::format("convert a block: %{}{}", cast->value, cast->checked ? ", checked" : "");
    if (const auto* const map = std::get_if<MapStep>(&step))
        return fmt::format("call the function on a block: %{}", map->value);
    if (const auto* const fill = std::get_if<FillStep>(&step))
        return fmt::format("fill with %{}", fill->value);
    return text_of(std::get<TileStep>(step), plan);
}

std::string loops_of(const Plan& plan) {
    std::string text =
        "  loops " + to_string(plan.space.extents) + std::string(text_of(plan.order));
    if (!plan.by_rows)
        text += fmt::format("; rows of {} are short, so that blocks of {} span them", plan.row,
                            plan.block);
    else if (plan.panel_rows != 0)
        text += fmt::format("; panels of {} rows of {}", plan.panel_rows, plan.block);
    else if (plan.block != std::numeric_limits<index_t>::max())
        text += fmt::format("; rows in blocks of {}", plan.block);
    return text + "\n";
}

} // namespace

std::string text_of(const Values& values) {
    Lines lines;
    for (ValueId id = 0; id < values.size(); ++id)
        lines.add([&] { return describe_value(values, id); });
    return "tree\n" + lines.text();
}

std::string text_of(const Values& values, const FoundPlan& found) {
    const Plan& plan = *found.plan;
    Lines leaves;
    index_t read_bytes = 0;
    for (const Array& array : plan.arrays) {
        if (array.value == kNoValue) continue;
        leaves.add([&] { return line_of(array, plan, values); });
        if (array.way != LoadWay::repeated) read_bytes += array.dtype.size_bytes();
    }
    Lines steps;
    std::size_t number = 0;
    index_t write_bytes = plan.dtype.size_bytes();
    for (const Step& step : plan.steps) {
        steps.add([&] { return fmt::format("  step {}: {}\n", ++number, text_of(step, plan)); });
        const auto* const tiles = std::get_if<TileStep>(&step);
        if (tiles != nullptr && tiles->program.accumulates()) write_bytes = 0;
    }
    std::string text =
        fmt::format("plan: {} kernels, {}\n", plan.kernels.name, text_of(found.cache_state));
    text += loops_of(plan) + leaves.text() + steps.text();
    text += fmt::format("  bytes for each element: {} read, {} written\n", read_bytes, write_bytes);
    if (plan.blocks.empty()) return text;
    index_t scratch_bytes = 0; // of an element
    for (const DType dtype : plan.blocks) scratch_bytes += dtype.size_bytes();
    return text + fmt::format("  scratch: {} block{}, {} bytes\n", plan.blocks.size(),
                              plan.blocks.size() == 1 ? "" : "s", scratch_bytes * plan.block);
}

} // namespace purview::engine
