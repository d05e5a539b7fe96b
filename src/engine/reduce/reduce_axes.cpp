#include "engine/reduce/reduce_axes.hpp"

#include <purview/reader/allocation.hpp>

#include "dtype/element_block.hpp"
#include "engine/compile/plan_cache.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/realise/assign_dense.hpp"
#include "engine/reduce/fold_plan.hpp"
#include "engine/reduce/reduce_rows.hpp"
#include "engine/reduce/reduce_windows.hpp"
#include "engine/run/plan_threads.hpp"
#include "engine/ways/way.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// Groups of at least this many elements along the fastest axis are folded on the lanes of a
/// program.
constexpr index_t kLongGroup = 256;

/// The most elements of a row into which `widen` joins shorter rows.
constexpr index_t kWideRow = 1024;

/// The most elements of a cell: cells are computed into a scratch block before they are folded.
constexpr index_t kLargestCell = kBlock;
/// About as many elements of cells make up a range for a thread.
constexpr index_t kPartOfCells = 64 * kBlock;

/// Cuts the row-major order of a source into cells and folds the rows of each cell to `cell.width`
/// elements of `out`, one cell after the other.
void reduce_cells(const FoldKind& kind, const Operand& source, Cell cell, std::byte* out) {
    const Values values(source);
    const std::shared_ptr<const Plan> plan = plan_for(values, {});
    const index_t limit = kBlock / cell.size() * cell.size();
    const index_t bytes = kind.dtype.size_bytes();
    const auto part = [&](index_t first, index_t last) {
        // Blocks end with the rows of the plan too, which may be in the middle of a cell: its
        // elements wait at the begin of the block for the others.
        alignas(64) std::byte block[2 * static_cast<std::size_t>(kBlock) * sizeof(FoldValue)];
        Runner(*plan, values)
            .run(
                first, last - first, limit,
                [&](index_t begin, index_t) { return block + (begin - first) * bytes; },
                [&](index_t begin, index_t count) {
                    const index_t cells = (begin + count - first) / cell.size();
                    kind.fold_cells(block, cells, cell,
                                    out + first / cell.size() * cell.width * bytes);
                    first += cells * cell.size();
                    if (const index_t rest = begin + count - first; rest > 0 && cells > 0)
                        std::memmove(block, block + cells * cell.size() * bytes,
                                     static_cast<std::size_t>(rest * bytes));
                });
    };
    parallel_for(plan->size, kPartOfCells / limit * limit, threads_for(*plan, plan->size), part);
}

/// How one step of a reduction is done.
struct AxesStep {
    enum class Form : std::uint8_t {
        way,       ///< as `way` says
        copy,      ///< no axis is left to reduce
        wide_rows, ///< short rows are taken as fewer, longer ones
        exchanged  ///< the reduced axis moves next to the innermost one, for cells
    };
    Way way = Way::groups;
    Form form = Form::way;
    std::size_t axis = 0; ///< of rows and cells
    std::optional<Windows> windows = {};
};

/// A step that folds `elements` to `results`, as `explain` tells it.
std::string text_of(const AxesStep& step, index_t elements, index_t results, index_t chunk) {
    const index_t each = elements / std::max<index_t>(results, 1);
    switch (step.form) {
    case AxesStep::Form::copy: return fmt::format("{} elements copied", elements);
    case AxesStep::Form::wide_rows: return "short rows taken as fewer, longer ones";
    case AxesStep::Form::exchanged: return "the reduced axis walked next to the innermost one";
    case AxesStep::Form::way: break;
    }
    switch (step.way) {
    case Way::windows:
        return fmt::format("the {} elements of a window in one expression of shifted views", each);
    case Way::line_windows:
        return fmt::format("lines of windows of {} elements folded to one, then its windows", each);
    case Way::outer_axes: return "the elements along outer axes in one expression of shifted views";
    case Way::last_axis:
        return fmt::format("the {} elements along the last axis in one expression of columns",
                           each);
    case Way::rows: return fmt::format("rows folded into rows, in parts of up to {}", kRowsInPart);
    case Way::cells: return "blocks computed into scratch, in which cells are folded";
    default:
        return fmt::format("fused loop,{} lanes joined every {} elements",
                           results == 1 ? "" : " one result after the other,", chunk);
    }
}

/// Reduces a source whose axes are in the order of its memory. Every step reduces one axis, or all
/// that are left. With an account, steps are told, and nothing is read or written.
class AxesReduction {
public:
    AxesReduction(const FoldKind& kind, Ways allowed, AxesAccount* account)
        : kind_(kind), allowed_(allowed), account_(account) {}

    /// With `averages`, windows are divided by the number of their elements, if they are the first
    /// step: returns whether they are.
    bool run(ReducedSource source, std::byte* out, bool averages = false) const {
        const AxesStep step = choose(source);
        note(step, source);
        if (step.windows) {
            compute([&] { fold_windows(*step.windows, kind_.operation, source, averages, out); });
            return averages;
        }
        if (step.form == AxesStep::Form::copy)
            copy(source, out);
        else if (step.form == AxesStep::Form::wide_rows)
            widen(source, step.axis, out);
        else if (step.form == AxesStep::Form::exchanged)
            exchange(std::move(source), step.axis, out);
        else if (step.way == Way::outer_axes)
            run(std::move(source), out);
        else if (step.way == Way::line_windows)
            compute([&] { fold_line_windows(kind_, source, out); });
        else if (step.way == Way::last_axis)
            compute([&] { fold_last_axis(kind_.operation, source, out); });
        else if (step.way == Way::rows)
            add_rows(source, step.axis, out);
        else if (step.way == Way::cells)
            fold_cells_of(source, step.axis, out);
        else
            fold_groups(source.kept_first(), source.groups(), out);
        return false;
    }

    void fold_groups(const Operand& source, index_t groups, std::byte* out) const {
        note({}, source.dims.size(), groups);
        if (account_ != nullptr) {
            account_->loop = source;
            account_->results = groups;
        }
        compute([&] { fold_equal_groups(kind_, source, groups, out); });
    }

    /// Cells of an operand that is not arranged: groups of neighbours.
    void fold_neighbours(const Operand& source, index_t group, std::byte* out) const {
        note({.way = Way::cells}, group, 1);
        compute([&] { reduce_cells(kind_, source, {group, 1}, out); });
    }

    bool allows(Way way) const noexcept { return allowed_.has(way); }

private:
    DType dtype() const noexcept { return kind_.dtype; }

    /// Decides a step. For `outer_axes`, `source` becomes the one in which they are folded.
    AxesStep choose(ReducedSource& source) const {
        using Form = AxesStep::Form;
        const ReducedAxes& axes = source.axes;
        std::size_t last_reduced = axes.size();
        std::size_t count = 0;
        for (std::size_t i = 0; i < axes.size(); ++i)
            if (!axes[i].kept) {
                last_reduced = i;
                ++count;
            }
        if (count == 0) return {.form = Form::copy};
        if (count == axes.size()) return {};
        if (allows(Way::line_windows) && has_line_windows(kind_, source))
            return {.way = Way::line_windows};
        if (allows(Way::windows))
            if (const std::optional<Windows> windows = find_windows(source))
                return {.way = Way::windows, .windows = windows};
        if (allows(Way::outer_axes) && count > 1 && fold_outer_axes(kind_.operation, source))
            return {.way = Way::outer_axes};
        const bool innermost = !axes.back().kept;
        const index_t inner = axes.back().extent;
        if (innermost && count == 1 && allows(Way::last_axis) && has_short_last_axis(source))
            return {.way = Way::last_axis};
        if (allows(Way::rows) && (!innermost || (count > 1 && inner < 2 * kLongGroup)))
            if (const std::size_t axis = row_axis(source); axis < axes.size())
                return {.way = Way::rows, .axis = axis};
        // Longer rows are taken as such, unless that is forbidden.
        if (!allows(Way::cells) || inner >= (innermost ? kLongGroup : kShortestRow)) return {};
        const Form form = innermost ? Form::way : form_of_narrow_rows(source, last_reduced);
        return {.way = Way::cells, .form = form, .axis = last_reduced};
    }

    static AxesStep::Form form_of_narrow_rows(const ReducedSource& source, std::size_t axis) {
        const index_t width = extent_of(source.axes, axis + 1);
        const index_t rows = source.axes[axis].extent;
        if (rows <= kRowsInPart && rows * width <= kLargestCell) return AxesStep::Form::way;
        const bool is_next = axis + 2 == source.axes.size() && source.axes[axis].joins_next;
        return is_next ? AxesStep::Form::wide_rows : AxesStep::Form::exchanged;
    }

    template <typename F>
    void compute(F&& f) const {
        if (account_ == nullptr) f();
    }

    void note(const AxesStep& step, const ReducedSource& source) const {
        if (step.way != Way::groups || step.form == AxesStep::Form::copy)
            note(step, source.size(), source.groups());
    }
    /// Counts a way that is taken, or tells it.
    void note(const AxesStep& step, index_t elements, index_t groups) const {
        if (account_ != nullptr)
            account_->steps += (account_->steps.empty() ? "" : "; then ") +
                               text_of(step, elements, groups, kind_.chunk);
        else if (step.form == AxesStep::Form::way)
            take(step.way);
    }

    void copy(const ReducedSource& source, std::byte* out) const {
        const Operand operand = source.operand();
        compute([&] {
            assign_dense(operand,
                         {memory_leaf(dtype(), out, source.size()),
                          Dimensions::row_major(operand.dims.max_shape())},
                         allowed_);
        });
    }

    /// The longest reduced axis inside of which runs have at least kShortestRow elements; the
    /// number of axes if there is none.
    static std::size_t row_axis(const ReducedSource& source) {
        std::size_t found = source.axes.size();
        for (std::size_t i = 0; i + 1 < source.axes.size(); ++i)
            if (!source.axes[i].kept && inner_run_length(source, i) >= kShortestRow &&
                (found == source.axes.size() || source.axes[i].extent > source.axes[found].extent))
                found = i;
        return found;
    }

    /// Calls `step(memory)` to compute the results along `axes`: into `out` if all of these are
    /// kept, else into scratch, which is then reduced further.
    template <typename Step>
    void in_steps(const ReducedAxes& axes, std::byte* out, Step step) const {
        const bool last =
            std::ranges::all_of(axes, [](const ReducedAxis& axis) { return axis.kept; });
        if (last) return step(out);
        if (account_ != nullptr) { // memory that is not read
            auto* const results = reinterpret_cast<std::byte*>(kAllocationAlignment);
            step(results);
            run(over_results(dtype(), results, axes), out);
            return;
        }
        ElementBlock results(dtype(), extent_of(axes));
        step(results.at(0));
        run(over_results(dtype(), results.data(), axes), out);
    }

    void add_rows(const ReducedSource& source, std::size_t axis, std::byte* out) const {
        ReducedAxes left = source.axes;
        left[axis].extent = parts_of(left[axis].extent);
        left[axis].kept = left[axis].extent == 1;
        in_steps(left, out, [&](std::byte* results) {
            compute(
                [&] { reduce_rows(kind_.operation, kind_.start.bytes, source, axis, results); });
        });
    }

    /// Folds cells that consist of the axes from `axis` on. Other reduced axes are reduced
    /// afterwards.
    void fold_cells_of(const ReducedSource& source, std::size_t axis, std::byte* out) const {
        const Cell cell{source.axes[axis].extent, extent_of(source.axes, axis + 1)};
        ReducedAxes left = source.axes;
        left[axis] = {1, 0, true, true};
        in_steps(left, out, [&](std::byte* results) {
            compute([&] { reduce_cells(kind_, source.operand(), cell, results); });
        });
    }

    /// The reduced axis moves next to the innermost one. Results come in the order of the kept
    /// axes, wherever the reduced axis is.
    void exchange(ReducedSource source, std::size_t axis, std::byte* out) const {
        const std::size_t inner = source.axes.size() - 1;
        for (; axis + 1 < inner; ++axis) std::swap(source.axes[axis], source.axes[axis + 1]);
        for (ReducedAxis& each : source.axes) each.joins_next = false;
        const index_t part = std::min(kRowsInPart, kLargestCell / source.axes[inner].extent);
        if (source.axes[axis].extent > part) return split(source, axis, part, true, out);
        note({.way = Way::cells}, source);
        fold_cells_of(source, axis, out);
    }

    /// Short rows that are contiguous in memory are added as fewer, longer rows; what these add up
    /// to is then reduced as short rows.
    void widen(const ReducedSource& source, std::size_t axis, std::byte* out) const {
        const index_t rows = source.axes[axis].extent;
        const index_t width = source.axes[axis + 1].extent;
        index_t joined =
            std::clamp(rows / 16, (kShortestRow + width - 1) / width, kWideRow / width);
        if (joined > 32) joined = joined / 32 * 32; // whole tiles
        split(source, axis, joined, false, out);
    }

    /// Replaces the reduced axis in front of the last one by two, the inner one of `count` elements,
    /// and reduces one of them, with `inner_first` the inner one, then the other. What is left of
    /// the axis is reduced by itself and combined into `out`.
    void split(ReducedSource rest, std::size_t axis, index_t count, bool inner_first,
               std::byte* out) const {
        if (axis > 0) rest.axes[axis - 1].joins_next = false;
        const index_t stride = rest.axes[axis].stride;
        const index_t times = rest.axes[axis].extent / count;
        ReducedSource main = rest;
        main.axes[axis] = {times, count * stride, inner_first, !inner_first};
        main.axes.insert(main.axes.begin() + static_cast<std::ptrdiff_t>(axis + 1),
                         {count, stride, !inner_first, !inner_first});
        ReducedAxes left;
        std::ranges::copy_if(main.axes, std::back_inserter(left), &ReducedAxis::kept);
        left[left.size() - 2].kept = false;
        in_steps(left, out, [&](std::byte* results) { run(main, results); });
        rest.axes[axis].extent -= times * count;
        if (rest.axes[axis].extent == 0) return;
        rest.base += times * count * stride;
        if (account_ != nullptr) return run(rest, out), void();
        const index_t groups = rest.groups();
        ElementBlock results(dtype(), groups);
        run(rest, results.at(0));
        kind_.combine_each(out, results.data(), groups);
    }

    const FoldKind& kind_;
    Ways allowed_;
    AxesAccount* account_;
};

/// The whole reduction; or an account of it, where there is one.
bool reduce_or_tell(const FoldKind& kind, const Operand& source, index_t groups, bool averages,
                    std::byte* out, Ways allowed, AxesAccount* account) {
    const AxesReduction reduction(kind, allowed, account);
    ArrangedSource arranged;
    if (groups == 1) {
        reduction.fold_groups(source, 1, out);
    } else if (!arrange(source, groups, arranged)) {
        const index_t group = source.dims.size() / groups;
        if (group >= kLongGroup || !reduction.allows(Way::cells))
            reduction.fold_groups(source, groups, out);
        else
            reduction.fold_neighbours(source, group, out);
    } else if (!arranged.results || account != nullptr) {
        return reduction.run(std::move(arranged.source), out, averages);
    } else {
        ElementBlock results(source.dtype(), groups);
        reduction.run(std::move(arranged.source), results.at(0));
        assign_dense({memory_leaf(source.dtype(), results.data(), groups),
                      Dimensions::row_major(arranged.results->max_shape())},
                     {memory_leaf(source.dtype(), out, groups), *arranged.results}, allowed);
    }
    return false;
}

} // namespace

bool reduce_axes(const FoldKind& kind, const Operand& source, index_t groups, bool averages,
                 std::byte* out, Ways allowed) {
    return reduce_or_tell(kind, source, groups, averages, out, allowed, nullptr);
}

AxesAccount tell_axes(const FoldKind& kind, const Operand& source, index_t groups, Ways allowed) {
    AxesAccount account;
    reduce_or_tell(kind, source, groups, false, reinterpret_cast<std::byte*>(kAllocationAlignment),
                   allowed, &account);
    return account;
}

} // namespace purview::engine
