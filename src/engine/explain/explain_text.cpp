#include "engine/explain/explain_text.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace purview::inline v0_1::engine {
namespace {

/// Values named in one line; more are counted.
constexpr std::size_t kNamed = 8;

std::string names(const std::vector<ValueId>& values) {
    std::string text;
    for (std::size_t i = 0; i < std::min(values.size(), kNamed); ++i)
        text += fmt::format("{}%{}", i == 0 ? "" : " ", values[i]);
    if (values.size() > kNamed) text += fmt::format(" … {} more", values.size() - kNamed);
    return text;
}

template <typename T>
std::string rest_of(const Shown<T>& shown) {
    const std::size_t hidden = shown.total - shown.entries.size();
    return hidden == 0 ? "" : fmt::format("  … {} more\n", hidden);
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

std::string text_of(ScratchReason reason, const LeafDescription& leaf,
                    const PlanDescription& plan) {
    switch (reason) {
    case ScratchReason::none: return "";
    case ScratchReason::stride:
        return fmt::format("neighbours in the innermost loop are {} bytes apart",
                           leaf.strides.back());
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

std::string_view text_of(LoadAccess access) {
    switch (access) {
    case LoadAccess::direct: return "read where it lies";
    case LoadAccess::repeated: return "one element for each row, repeated";
    case LoadAccess::strided: return "gathered into scratch by strides";
    case LoadAccess::panel: return "transposed into scratch";
    case LoadAccess::streamed: return "read into scratch by index";
    case LoadAccess::gathered: return "gathered into scratch";
    }
    std::unreachable();
}

std::string line_of(const LeafDescription& leaf, const PlanDescription& plan) {
    std::string text = fmt::format("  leaf %{}: {}", leaf.id, text_of(leaf.access));
    if (!leaf.source.empty()) text += ": " + leaf.source;
    if (leaf.scratch_reason != ScratchReason::none)
        text += fmt::format(", because {}", text_of(leaf.scratch_reason, leaf, plan));
    if (leaf.one_thread) text += "; by one thread at a time";
    return text + "\n";
}

std::string text_of(const StepDescription& step) {
    using enum StepDescription::Kind;
    switch (step.kind) {
    case load: return fmt::format("load {}", names(step.values));
    case convert:
        return fmt::format("convert a block: {}{}", names(step.values),
                           step.checked ? ", checked" : "");
    case call: return fmt::format("call the function on a block: {}", names(step.values));
    case fill: return fmt::format("fill with {}", names(step.values));
    case tiles: break;
    }
    std::string text = fmt::format("tiles of {} {}-byte lanes", step.lanes, step.lane_bytes);
    if (!step.values.empty()) text += fmt::format(": {}", names(step.values));
    if (step.values.size() > 1) text += ", fused";
    if (step.folds)
        text += step.folds_in_registers ? ", folded in registers" : ", folded in memory";
    text += fmt::format("; {} instruction{}", step.instructions, step.instructions == 1 ? "" : "s");
    if (step.machine_code) return text + ", as machine code";
    if (step.spilled > 0) text += fmt::format(", {} kept in scratch between them", step.spilled);
    return text;
}

std::string loops_of(const PlanDescription& plan) {
    std::string text = "  loops " + to_string(plan.loops) + std::string(text_of(plan.order));
    if (!plan.by_rows)
        text += fmt::format("; rows of {} are short, so that blocks of {} span them", plan.row,
                            plan.block);
    else if (plan.panel_rows != 0)
        text += fmt::format("; panels of {} rows of {}", plan.panel_rows, plan.block);
    else if (plan.block != 0)
        text += fmt::format("; rows in blocks of {}", plan.block);
    return text + "\n";
}

} // namespace

std::string text_of(const Shown<ValueDescription>& values) {
    std::string text = "tree\n";
    for (const ValueDescription& value : values.entries)
        text += fmt::format("  %{} = {}{}{} -> {}{}\n", value.id, value.what,
                            value.operands.empty() ? "" : " ", names(value.operands),
                            value.dtype.name(), value.kind);
    return text + rest_of(values);
}

std::string text_of(const PlanDescription& plan) {
    std::string text =
        fmt::format("plan: {} kernels, {}\n", plan.target, text_of(plan.cache_state));
    text += loops_of(plan);
    for (const LeafDescription& leaf : plan.leaves.entries) text += line_of(leaf, plan);
    text += rest_of(plan.leaves);
    std::size_t number = 0;
    for (const StepDescription& step : plan.steps.entries)
        text += fmt::format("  step {}: {}\n", ++number, text_of(step));
    text += rest_of(plan.steps);
    text += fmt::format("  bytes for each element: {} read, {} written\n", plan.read_bytes,
                        plan.write_bytes);
    if (plan.scratch_blocks > 0)
        text += fmt::format("  scratch: {} block{}, {} bytes\n", plan.scratch_blocks,
                            plan.scratch_blocks == 1 ? "" : "s", plan.scratch_bytes);
    return text;
}

} // namespace purview::engine
