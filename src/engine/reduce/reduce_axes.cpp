#include "engine/reduce/reduce_axes.hpp"

#include "dtype/element_block.hpp"
#include "engine/compile/plan_cache.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/realise/assign_dense.hpp"
#include "engine/reduce/fold_plan.hpp"
#include "engine/reduce/reduce_rows.hpp"
#include "engine/reduce/reduce_windows.hpp"
#include "engine/run/plan_threads.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

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

/// Reduces a source whose axes are in the order of its memory. Every step reduces one axis, or all
/// that are left.
class AxesReduction {
public:
    explicit AxesReduction(const FoldKind& kind) : kind_(kind) {}

    void run(const ReducedSource& source, std::byte* out) const {
        const ReducedAxes& axes = source.axes;
        std::size_t last_reduced = axes.size();
        std::size_t count = 0;
        for (std::size_t i = 0; i < axes.size(); ++i)
            if (!axes[i].kept) {
                last_reduced = i;
                ++count;
            }
        if (count == 0) return copy(source, out);
        if (count == axes.size()) return fold_equal_groups(kind_, source.operand(), 1, out);
        if (reduce_alternate_windows(kind_, source, out)) return;
        if (reduce_windows(kind_.operation, source, out)) return;
        if (ReducedSource one = source; count > 1 && fold_outer_axes(kind_.operation, one))
            return run(one, out);
        const bool innermost = !axes.back().kept;
        const index_t inner = axes.back().extent;
        if (innermost && count == 1 && fold_last_axis(kind_.operation, source, out)) return;
        if (!innermost || (count > 1 && inner < 2 * kLongGroup))
            if (const std::size_t axis = row_axis(source); axis < axes.size())
                return add_rows(source, axis, out);
        if (!innermost) return reduce_narrow_rows(source, last_reduced, out);
        if (inner < kLongGroup) return fold_cells_of(source, last_reduced, out);
        fold_equal_groups(kind_, source.kept_first(), source.groups(), out);
    }

private:
    DType dtype() const noexcept { return kind_.dtype; }

    void copy(const ReducedSource& source, std::byte* out) const {
        const Operand operand = source.operand();
        assign_dense(operand, {memory_leaf(dtype(), out, source.size()),
                               Dimensions::row_major(operand.dims.max_shape())});
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
        ElementBlock results(dtype(), extent_of(axes));
        step(results.at(0));
        run(over_results(dtype(), results.data(), axes), out);
    }

    void add_rows(const ReducedSource& source, std::size_t axis, std::byte* out) const {
        ReducedAxes left = source.axes;
        left[axis].extent = parts_of(left[axis].extent);
        left[axis].kept = left[axis].extent == 1;
        in_steps(left, out, [&](std::byte* results) {
            reduce_rows(kind_.operation, kind_.start.bytes, source, axis, results);
        });
    }

    /// Folds cells that consist of the axes from `axis` on. Other reduced axes are reduced
    /// afterwards.
    void fold_cells_of(const ReducedSource& source, std::size_t axis, std::byte* out) const {
        const Cell cell{source.axes[axis].extent, extent_of(source.axes, axis + 1)};
        ReducedAxes left = source.axes;
        left[axis] = {1, 0, true, true};
        in_steps(left, out,
                 [&](std::byte* results) { reduce_cells(kind_, source.operand(), cell, results); });
    }

    void reduce_narrow_rows(ReducedSource source, std::size_t axis, std::byte* out) const {
        const index_t width = extent_of(source.axes, axis + 1);
        const index_t rows = source.axes[axis].extent;
        if (rows <= kRowsInPart && rows * width <= kLargestCell)
            return fold_cells_of(source, axis, out);
        const std::size_t inner = source.axes.size() - 1;
        if (axis + 1 == inner && source.axes[axis].joins_next) return widen(source, axis, out);
        // The reduced axis moves next to the innermost one. Results come in the order of the kept
        // axes, wherever the reduced axis is.
        for (; axis + 1 < inner; ++axis) std::swap(source.axes[axis], source.axes[axis + 1]);
        for (ReducedAxis& each : source.axes) each.joins_next = false;
        const index_t part = std::min(kRowsInPart, kLargestCell / source.axes[inner].extent);
        if (rows <= part) return fold_cells_of(source, axis, out);
        split(source, axis, part, true, out);
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
        const index_t groups = rest.groups();
        ElementBlock results(dtype(), groups);
        run(rest, results.at(0));
        kind_.combine_each(out, results.data(), groups);
    }

    const FoldKind& kind_;
};

} // namespace

bool reduce_axes(const FoldKind& kind, const Operand& source, index_t groups, bool averages,
                 std::byte* out) {
    ArrangedSource arranged;
    if (groups == 1) {
        fold_equal_groups(kind, source, 1, out);
    } else if (!arrange(source, groups, arranged)) {
        const index_t group = source.dims.size() / groups;
        if (group >= kLongGroup)
            fold_equal_groups(kind, source, groups, out);
        else
            reduce_cells(kind, source, {group, 1}, out);
    } else if (!arranged.results) {
        if (averages && average_windows(arranged.source, out)) return true;
        AxesReduction(kind).run(arranged.source, out);
    } else {
        ElementBlock results(source.dtype(), groups);
        AxesReduction(kind).run(arranged.source, results.at(0));
        assign_dense({memory_leaf(source.dtype(), results.data(), groups),
                      Dimensions::row_major(arranged.results->max_shape())},
                     {memory_leaf(source.dtype(), out, groups), *arranged.results});
    }
    return false;
}

} // namespace purview::engine
