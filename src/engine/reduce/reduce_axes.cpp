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
#include "evaluation/fold_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

static_assert(kLargestCell <= kBlock);
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

/// A way in which `elements` are folded to `results`, as `explain` describes it.
std::string text_of(Way way, index_t elements, index_t results, index_t chunk) {
    const index_t each = elements / std::max<index_t>(results, 1);
    switch (way) {
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
/// that are left. With an account, steps are described, and nothing is read or written.
class AxesReduction : public FoldSteps<AxesReduction> {
public:
    AxesReduction(const FoldKind& kind, Ways allowed, AxesAccount* account)
        : kind_(kind), allowed_(allowed), account_(account) {}

    /// With `averages`, windows are divided by the number of their elements, if they are the first
    /// step: returns whether they are.
    bool run(ReducedSource source, std::byte* out, bool averages = false) const {
        std::optional<Windows> windows;
        if (const std::optional<Way> way = choose_by_views(source, windows)) {
            note(*way, source);
            if (*way == Way::outer_axes) return run(std::move(source), out), false;
            compute([&] {
                if (windows)
                    fold_windows(*windows, kind_.operation, source, averages, out);
                else if (*way == Way::line_windows)
                    fold_line_windows(kind_, source, out);
                else
                    fold_last_axis(kind_.operation, source, out);
            });
            return averages && windows;
        }
        const AxesStep step = choose_step(source, allows(Way::rows), allows(Way::cells));
        if (step.form == AxesStep::Form::wide_rows)
            describe("short rows taken as fewer, longer ones");
        else if (step.form == AxesStep::Form::exchanged)
            describe("the reduced axis walked next to the innermost one");
        do_step(step, std::move(source), out);
        return false;
    }

    void fold_groups(const Operand& source, index_t groups, std::byte* out) const {
        note(Way::groups, source.dims.size(), groups);
        if (account_ != nullptr) {
            account_->loop = source;
            account_->results = groups;
        }
        compute([&] { fold_equal_groups(kind_, source, groups, out); });
    }

    /// Cells of an operand that is not arranged: groups of neighbours.
    void fold_neighbours(const Operand& source, index_t group, std::byte* out) const {
        note(Way::cells, group, 1);
        compute([&] { reduce_cells(kind_, source, {group, 1}, out); });
    }

    bool allows(Way way) const noexcept { return allowed_.has(way); }

    // What `FoldSteps` asks for.

    void fold(ReducedSource source, std::byte* out) const { run(std::move(source), out); }
    void copy(const ReducedSource& source, std::byte* out) const {
        const Operand operand = source.operand();
        if (account_ != nullptr) return describe(fmt::format("{} elements copied", source.size()));
        assign_dense(operand,
                     {memory_leaf(dtype(), out, source.size()),
                      Dimensions::row_major(operand.dims.max_shape())},
                     allowed_);
    }
    void fold_groups(const ReducedSource& source, std::byte* out) const {
        fold_groups(source.kept_first(), source.groups(), out);
    }
    void fold_rows(const ReducedSource& source, std::size_t axis, std::byte* out) const {
        note(Way::rows, source);
        compute([&] { reduce_rows(kind_.operation, kind_.start.bytes, source, axis, out); });
    }
    void fold_cells(const ReducedSource& source, std::size_t axis, std::byte* out) const {
        note(Way::cells, source);
        const Cell cell{source.axes[axis].extent, extent_of(source.axes, axis + 1)};
        compute([&] { reduce_cells(kind_, source.operand(), cell, out); });
    }
    void combine(std::byte* out, const std::byte* more, index_t count) const {
        compute([&] { kind_.combine_each(out, more, count); });
    }
    NodePtr leaf_over(std::byte* memory, index_t size) const {
        return memory_leaf(dtype(), memory, size);
    }
    template <typename F>
    void with_scratch(index_t size, F&& f) const {
        if (account_ != nullptr) // memory that is not read
            return f(reinterpret_cast<std::byte*>(kAllocationAlignment));
        ElementBlock results(dtype(), size);
        f(results.at(0));
    }

private:
    DType dtype() const noexcept { return kind_.dtype; }

    /// A way in which results are computed side by side from shifted views. For `outer_axes`,
    /// `source` becomes the one in which they are folded.
    std::optional<Way> choose_by_views(ReducedSource& source,
                                       std::optional<Windows>& windows) const {
        const std::size_t count = CountOfReduced(source.axes).count;
        if (count == 0 || count == source.axes.size()) return {};
        if (allows(Way::line_windows) && has_line_windows(kind_, source)) return Way::line_windows;
        if (allows(Way::windows) && (windows = find_windows(source))) return Way::windows;
        if (allows(Way::outer_axes) && count > 1 && fold_outer_axes(kind_.operation, source))
            return Way::outer_axes;
        if (count == 1 && !source.axes.back().kept && allows(Way::last_axis) &&
            has_short_last_axis(source))
            return Way::last_axis;
        return {};
    }

    template <typename F>
    void compute(F&& f) const {
        if (account_ == nullptr) f();
    }

    void describe(const std::string& step) const {
        if (account_ != nullptr)
            account_->steps += (account_->steps.empty() ? "" : "; then ") + step;
    }
    void note(Way way, const ReducedSource& source) const {
        note(way, source.size(), source.groups());
    }
    /// Counts a way that is taken, or describes it.
    void note(Way way, index_t elements, index_t groups) const {
        if (account_ != nullptr)
            describe(text_of(way, elements, groups, kind_.chunk));
        else
            count_way(way);
    }

    const FoldKind& kind_;
    Ways allowed_;
    AxesAccount* account_;
};

/// The whole reduction; or an account of it, where there is one.
bool reduce_or_describe(const FoldKind& kind, const Operand& source, index_t groups, bool averages,
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
    return reduce_or_describe(kind, source, groups, averages, out, allowed, nullptr);
}

AxesAccount describe_axes(const FoldKind& kind, const Operand& source, index_t groups,
                          Ways allowed) {
    AxesAccount account;
    reduce_or_describe(kind, source, groups, false,
                       reinterpret_cast<std::byte*>(kAllocationAlignment), allowed, &account);
    return account;
}

} // namespace purview::engine
