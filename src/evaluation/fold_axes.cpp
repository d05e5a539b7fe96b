#include "evaluation/fold_axes.hpp"

#include "base/axis_order.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// Whether axis `b` is walked outside of axis `a`: decided by the first leaf whose steps along the
/// two differ.
bool lies_outside(const LeafStrides& leaves, std::size_t b, std::size_t a) {
    for (const ShapeSpan strides : leaves)
        if (const index_t compared = compare_steps(strides[b], strides[a])) return compared > 0;
    return false;
}

/// The longest reduced axis inside of which runs have at least kShortestRow elements; the number of
/// axes if there is none.
std::size_t row_axis(const ReducedSource& source) {
    const ReducedAxes& axes = source.axes;
    std::size_t found = axes.size();
    for (std::size_t i = 0; i + 1 < axes.size(); ++i)
        if (!axes[i].kept && source.inner_run(i) >= kShortestRow &&
            (found == axes.size() || axes[i].extent > axes[found].extent))
            found = i;
    return found;
}

} // namespace

Operand ReducedSource::operand() const {
    Shape extents;
    Shape strides;
    for (const ReducedAxis& axis : axes) {
        extents.push_back(axis.extent);
        strides.push_back(axis.stride);
    }
    return {node, Dimensions::strided(extents, strides, base)};
}

Operand ReducedSource::kept_first() const {
    ReducedSource ordered{node, base, {}};
    for (const bool kept : {true, false})
        for (const ReducedAxis& axis : axes)
            if (axis.kept == kept) ordered.axes.push_back(axis);
    return ordered.operand();
}

index_t ReducedSource::groups() const {
    index_t groups = 1;
    for (const ReducedAxis& axis : axes)
        if (axis.kept) groups *= axis.extent;
    return groups;
}

index_t ReducedSource::inner_run(std::size_t axis) const {
    index_t length = 1;
    for (std::size_t i = axes.size(); i-- > axis + 1;) {
        length *= axes[i].extent;
        if (i == 0 || !axes[i - 1].joins_next) break;
    }
    return length;
}

index_t ReducedSource::elements_before(std::size_t last) const {
    index_t elements = 1;
    for (std::size_t i = 0; i < last; ++i)
        if (!axes[i].kept) elements *= axes[i].extent;
    return elements;
}

index_t ArrangedSource::columns() const {
    index_t columns = 1;
    for (std::size_t i = source.axes.size(); i-- > 0 && source.axes[i].kept;)
        columns *= source.axes[i].extent;
    return columns;
}

Operand ArrangedSource::columns_last() const {
    ReducedSource ordered = source;
    const auto last = std::ranges::find_if(ordered.axes.rbegin(), ordered.axes.rend(),
                                           [](const ReducedAxis& axis) { return !axis.kept; });
    std::stable_partition(ordered.axes.begin(), last.base(),
                          [](const ReducedAxis& axis) { return axis.kept; });
    return ordered.operand();
}

std::size_t kept_axes(ShapeSpan shape, index_t groups) {
    std::size_t kept = 0;
    for (index_t count = 1; kept < shape.size() && count < groups; ++kept) count *= shape[kept];
    return kept;
}

Shape backward_axes(const LeafStrides& leaves) {
    Shape axes;
    for (std::size_t axis = 0; axis < leaves[0].size(); ++axis) {
        const auto [least, greatest] = std::ranges::minmax(
            leaves, {}, [axis](const ShapeSpan strides) { return strides[axis]; });
        if (greatest[axis] <= 0 && least[axis] < 0) axes.push_back(static_cast<index_t>(axis));
    }
    return axes;
}

AxisNumbers order_of_memory(ShapeSpan shape, const LeafStrides& leaves) {
    AxisNumbers order;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (shape[axis] != 1) order.push_back(axis);
    order_axes(
        order.size(),
        [&](std::size_t b, std::size_t a) { return lies_outside(leaves, order[b], order[a]); },
        [&](std::size_t a, std::size_t b) { std::swap(order[a], order[b]); });
    return order;
}

ReducedAxes arrange_axes(const Operand& source, std::size_t kept, ShapeSpan backward,
                         const LeafStrides& leaves, ArrangedSource& arranged) {
    const ShapeSpan shape = source.dims.max_shape();
    const AxisNumbers order = order_of_memory(shape, leaves);
    ReducedSource& result = arranged.source;
    result = {source.node, source.dims.base(), {}};
    ReducedAxes separate;
    boost::container::small_vector<bool, 8> merges;
    Shape out(kept, 0);
    index_t base = 0; // of the results
    index_t span = 1;
    for (std::size_t axis = kept; axis-- > 0; span *= shape[axis]) out[axis] = span;
    for (const index_t axis : backward) {
        if (axis >= static_cast<index_t>(kept)) break;
        index_t& stride = out[static_cast<std::size_t>(axis)];
        base += stride * (shape[static_cast<std::size_t>(axis)] - 1);
        stride = -stride;
    }
    Shape kept_extents;
    Shape kept_strides;
    index_t previous = -1;
    bool in_place = base == 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::size_t axis = order[i];
        const bool is_kept = axis < kept;
        const auto joins = [&](const ShapeSpan strides) {
            return is_one_axis(strides[axis], strides[order[i + 1]], shape[order[i + 1]]);
        };
        const bool joins_next = i + 1 < order.size() && std::ranges::all_of(leaves, joins);
        merges.push_back(joins_next && joins(source.dims.strides()) &&
                         is_kept == (order[i + 1] < kept));
        separate.push_back({shape[axis], source.dims.strides()[axis], is_kept, joins_next});
        if (!is_kept) continue;
        in_place = in_place && static_cast<index_t>(axis) > previous;
        previous = static_cast<index_t>(axis);
        kept_extents.push_back(shape[axis]);
        kept_strides.push_back(out[axis]);
    }
    if (!in_place) arranged.results = Dimensions::strided(kept_extents, kept_strides, base);
    for (std::size_t i = 0; i < separate.size(); ++i)
        add_axis(result.axes, separate[i], i > 0 && merges[i - 1]);
    return separate;
}

ReducedSource over_results(NodePtr memory, const ReducedAxes& axes) {
    ReducedSource source{std::move(memory), 0, {}};
    index_t stride = extent_of(axes);
    for (const ReducedAxis& axis : axes) {
        stride /= axis.extent;
        const bool merged = !source.axes.empty() && source.axes.back().kept == axis.kept;
        add_axis(source.axes, {axis.extent, stride, axis.kept, true}, merged);
    }
    if (!source.axes.empty()) source.axes.back().joins_next = false;
    return source;
}

bool interleave(const ReducedAxes& axes, ShapeSpan strides) {
    for (std::size_t a = 0; a < axes.size(); ++a)
        for (std::size_t b = 0; b < axes.size(); ++b) {
            if (!axes[a].kept || axes[b].kept) continue;
            const index_t of_a = std::abs(strides[a]);
            const index_t of_b = std::abs(strides[b]);
            if (of_a != 0 && of_b != 0 && of_a < of_b * axes[b].extent &&
                of_b < of_a * axes[a].extent)
                return true;
        }
    return false;
}

AxesStep choose_step(const ReducedSource& source, bool by_rows, bool by_cells) {
    using enum AxesStep::Form;
    const ReducedAxes& axes = source.axes;
    const CountOfReduced reduced(axes);
    if (reduced.count == 0) return {copy};
    if (reduced.count == axes.size()) return {groups};
    const bool innermost = !axes.back().kept;
    const index_t inner = axes.back().extent;
    if (by_rows && (!innermost || (reduced.count > 1 && inner < 2 * kLongGroup)))
        if (const std::size_t axis = row_axis(source); axis < axes.size()) return {rows, axis};
    // Longer rows are taken as such, unless that is forbidden.
    if (!by_cells || inner >= (innermost ? kLongGroup : kShortestRow)) return {groups};
    const std::size_t last = reduced.last;
    const index_t width = extent_of(axes, last + 1);
    if (innermost ||
        (axes[last].extent <= kRowsInPart && axes[last].extent * width <= kLargestCell))
        return {cells, last};
    return {last + 2 == axes.size() && axes[last].joins_next ? wide_rows : exchanged, last};
}

} // namespace purview
