#pragma once

#include <purview/expression/node.hpp>

#include "evaluation/fold_order.hpp"

#include <boost/container/small_vector.hpp>

#include <optional>
#include <span>

namespace purview::inline v0_1 {

// Folds over axes: in what order axes are walked, and in which steps they are folded. For the CPU
// and for purview::gpu; nothing of this reads or writes an element.

/// An axis of a source that is being reduced.
struct ReducedAxis {
    index_t extent = 1;
    index_t stride = 0; ///< in the source's node
    bool kept = false;
    bool joins_next = false; ///< every leaf can walk it and the next axis as one
};
using ReducedAxes = boost::container::small_vector<ReducedAxis, 8>;

/// The elements along the axes from number `first` on.
inline index_t extent_of(const ReducedAxes& axes, std::size_t first = 0) noexcept {
    index_t extent = 1;
    for (; first < axes.size(); ++first) extent *= axes[first].extent;
    return extent;
}
/// Adds an axis inside of the others; a `merged` one goes on with the last of them.
inline void add_axis(ReducedAxes& axes, const ReducedAxis& axis, bool merged) {
    if (!merged) return axes.push_back(axis);
    const index_t extent = axes.back().extent * axis.extent;
    axes.back() = axis;
    axes.back().extent = extent;
}

/// The source of a reduction: a node, seen through axes some of which are kept. Results are
/// contiguous, in row-major order of the kept axes.
struct PURVIEW_EXPORT ReducedSource {
    NodePtr node;
    index_t base = 0;
    ReducedAxes axes;

    Operand operand() const;
    Operand kept_first() const; ///< the operand with its axes in another order
    index_t size() const { return extent_of(axes); }
    index_t groups() const; ///< elements of the result
    /// The number of elements inside of `axis` that are walked as one run: the product of the
    /// fastest axes that join.
    index_t inner_run(std::size_t axis) const;
    /// The elements along the reduced axes in front of number `last`.
    index_t elements_before(std::size_t last) const;
};

/// A source whose axes are in the order of its memory: decreasing strides, and neighbours that are
/// both kept or both reduced merged where every leaf walks them as one. Axes that leaves walk
/// backwards only are reversed.
struct PURVIEW_EXPORT ArrangedSource {
    ReducedSource source;
    /// Where results belong: the kept axes in the order of `source`, as a view of the array of
    /// results. Nothing if the results are in that order already.
    std::optional<Dimensions> results;

    /// The place among the results of the one at `at` in the order of `source`.
    index_t result_place(index_t at) const { return results ? results->global_to_local(at) : at; }
    /// The elements of the kept axes at the end: 1 if a reduced axis is the last.
    index_t columns() const;
    /// The source as blocks of rows of `columns()` elements: other kept axes come first.
    Operand columns_last() const;
};

/// The number of leading axes that have `groups` elements together: those that are kept.
PURVIEW_EXPORT std::size_t kept_axes(ShapeSpan shape, index_t groups);

/// The strides of each leaf along the axes of a source of strided leaves, at least one.
using LeafStrides = boost::container::small_vector<ShapeSpan, 8>;

/// The axes that no leaf walks forwards, and some leaf backwards.
PURVIEW_EXPORT Shape backward_axes(const LeafStrides& leaves);

/// The axes of more than one element, from the outermost in memory to the innermost.
using AxisNumbers = boost::container::small_vector<std::size_t, 8>;
PURVIEW_EXPORT AxisNumbers order_of_memory(ShapeSpan shape, const LeafStrides& leaves);

/// Arranges a source of which the first `kept` axes are kept and those of `backward` have been
/// reversed. Returns its axes as they were before some were merged.
PURVIEW_EXPORT ReducedAxes arrange_axes(const Operand& source, std::size_t kept, ShapeSpan backward,
                                        const LeafStrides& leaves, ArrangedSource& arranged);

/// Results in memory, those of a leaf, as the source of the next reduction: contiguous, along axes
/// given by their extents and kinds.
PURVIEW_EXPORT ReducedSource over_results(NodePtr memory, const ReducedAxes& axes);

/// Whether a reduced and a kept axis run through the same addresses of a leaf: the stride of each is
/// less than the span (stride times extent) of the other.
PURVIEW_EXPORT bool interleave(const ReducedAxes& axes, ShapeSpan strides);

/// The reduced axes: how many there are, and which is the last one.
struct CountOfReduced {
    std::size_t count = 0;
    std::size_t last = 0;

    explicit CountOfReduced(const ReducedAxes& axes) noexcept : last(axes.size()) {
        for (std::size_t i = 0; i < axes.size(); ++i)
            if (!axes[i].kept) last = i, ++count;
    }
};

/// How one step of a reduction is done.
struct AxesStep {
    enum class Form : std::uint8_t {
        groups,    ///< the elements of one result, then those of the next, by chunks on lanes
        copy,      ///< no axis is left to reduce
        rows,      ///< rows are added to rows, in parts
        cells,     ///< short rows, or a few of them
        wide_rows, ///< short rows are taken as fewer, longer ones
        exchanged  ///< the reduced axis moves next to the innermost one, for cells
    } form = Form::groups;
    std::size_t axis = 0; ///< but of groups and copies
};
/// The next step; without those that are forbidden.
PURVIEW_EXPORT AxesStep choose_step(const ReducedSource& source, bool by_rows = true,
                                    bool by_cells = true);

/// The elements of the row into which the rows along `axis`, of `width` elements each, are joined.
constexpr index_t joined_rows(index_t rows, index_t width) {
    const index_t least = (kShortestRow + width - 1) / width;
    const index_t joined = rows / 16 < least              ? least
                           : rows / 16 > kWideRow / width ? kWideRow / width
                                                          : rows / 16;
    return joined > 32 ? joined / 32 * 32 : joined; // whole tiles
}

/// Does the steps of reductions. `Place` derives from it, knows where results go (a `Memory`), and
/// how: `fold(source, out)` reduces what is left, `copy`, `fold_groups`, `fold_rows`, `fold_cells`
/// do one step; `with_scratch(size, f)` calls `f(memory)`; `leaf_over(memory, size)`; `combine(out,
/// more, size)` folds elements to those of `out`.
template <typename Place>
class FoldSteps {
protected:
    template <typename Memory>
    void do_step(const AxesStep& step, ReducedSource source, const Memory& out) const {
        switch (step.form) {
        case AxesStep::Form::groups: return place().fold_groups(source, out);
        case AxesStep::Form::copy: return place().copy(source, out);
        case AxesStep::Form::rows: return add_rows(source, step.axis, out);
        case AxesStep::Form::cells: return fold_cells(source, step.axis, out);
        case AxesStep::Form::wide_rows: {
            const index_t joined =
                joined_rows(source.axes[step.axis].extent, source.axes[step.axis + 1].extent);
            return split(std::move(source), step.axis, joined, false, out);
        }
        case AxesStep::Form::exchanged: return exchange(std::move(source), step.axis, out);
        }
    }

private:
    const Place& place() const noexcept { return static_cast<const Place&>(*this); }

    /// Calls `step(memory)` to compute the results along `axes`: into `out` if all of these are
    /// kept, else into scratch, which is then reduced further.
    template <typename Memory, typename Step>
    void in_steps(const ReducedAxes& axes, const Memory& out, Step step) const {
        bool last = true;
        for (const ReducedAxis& axis : axes) last = last && axis.kept;
        if (last) return step(out);
        const index_t size = extent_of(axes);
        place().with_scratch(size, [&](const Memory& results) {
            step(results);
            place().fold(over_results(place().leaf_over(results, size), axes), out);
        });
    }

    template <typename Memory>
    void add_rows(const ReducedSource& source, std::size_t axis, const Memory& out) const {
        ReducedAxes left = source.axes;
        left[axis].extent = parts_of(left[axis].extent);
        left[axis].kept = left[axis].extent == 1;
        in_steps(left, out,
                 [&](const Memory& results) { place().fold_rows(source, axis, results); });
    }

    /// Folds cells that consist of the axes from `axis` on. Other reduced axes are reduced
    /// afterwards.
    template <typename Memory>
    void fold_cells(const ReducedSource& source, std::size_t axis, const Memory& out) const {
        ReducedAxes left = source.axes;
        left[axis] = {1, 0, true, true};
        in_steps(left, out,
                 [&](const Memory& results) { place().fold_cells(source, axis, results); });
    }

    /// The reduced axis moves next to the innermost one. Results come in the order of the kept
    /// axes, wherever the reduced axis is.
    template <typename Memory>
    void exchange(ReducedSource source, std::size_t axis, const Memory& out) const {
        const std::size_t inner = source.axes.size() - 1;
        for (; axis + 1 < inner; ++axis) std::swap(source.axes[axis], source.axes[axis + 1]);
        for (ReducedAxis& each : source.axes) each.joins_next = false;
        const index_t in_cell = kLargestCell / source.axes[inner].extent;
        const index_t part = in_cell < kRowsInPart ? in_cell : kRowsInPart;
        if (source.axes[axis].extent > part) return split(std::move(source), axis, part, true, out);
        fold_cells(source, axis, out);
    }

    /// Replaces the reduced axis in front of the last one by two, the inner one of `count` elements,
    /// and reduces one of them, with `inner_first` the inner one, then the other. What is left of
    /// the axis is reduced by itself and combined into `out`.
    template <typename Memory>
    void split(ReducedSource rest, std::size_t axis, index_t count, bool inner_first,
               const Memory& out) const {
        if (axis > 0) rest.axes[axis - 1].joins_next = false;
        const index_t stride = rest.axes[axis].stride;
        const index_t times = rest.axes[axis].extent / count;
        ReducedSource main = rest;
        main.axes[axis] = {times, count * stride, inner_first, !inner_first};
        main.axes.insert(main.axes.begin() + static_cast<std::ptrdiff_t>(axis + 1),
                         {count, stride, !inner_first, !inner_first});
        ReducedAxes left;
        for (const ReducedAxis& each : main.axes)
            if (each.kept) left.push_back(each);
        left[left.size() - 2].kept = false;
        in_steps(left, out, [&](const Memory& results) { place().fold(main, results); });
        rest.axes[axis].extent -= times * count;
        if (rest.axes[axis].extent == 0) return;
        rest.base += times * count * stride;
        const index_t groups = rest.groups();
        place().with_scratch(groups, [&](const Memory& results) {
            place().fold(std::move(rest), results);
            place().combine(out, results, groups);
        });
    }
};

} // namespace purview
