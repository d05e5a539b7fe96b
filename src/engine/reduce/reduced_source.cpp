#include "engine/reduce/reduced_source.hpp"

#include <purview/dimensions/flip.hpp>

#include "base/axis_order.hpp"
#include "engine/places/memory_leaf.hpp"

#include <algorithm>
#include <optional>

namespace purview::inline v0_1::engine {
namespace {

using LeafViews = boost::container::small_vector<const Dimensions*, 8>;

/// Whether the root's axis `b` is walked outside of axis `a`: decided by the first leaf whose steps
/// along the two differ.
bool lies_outside(const LeafViews& views, std::size_t b, std::size_t a) {
    for (const Dimensions* const view : views)
        if (const index_t compared = compare_steps(view->strides()[b], view->strides()[a]))
            return compared > 0;
    return false;
}

bool follows(const Dimensions& view, std::size_t outer, std::size_t inner) {
    return is_one_axis(view.strides()[outer], view.strides()[inner], view.max_shape()[inner]);
}

/// The strided leaves' views; false if there is a leaf of another kind, or none.
bool collect_views(const Values& values, LeafViews& views) {
    for (const Value& value : values) {
        if (value.is_streamed()) return false;
        if (value.leaf() == nullptr) continue;
        views.push_back(value.view);
    }
    return !views.empty();
}

void add_axis(ReducedAxes& axes, const ReducedAxis& axis, bool merged) {
    if (merged) {
        const index_t extent = axes.back().extent * axis.extent;
        axes.back() = axis;
        axes.back().extent = extent;
    } else {
        axes.push_back(axis);
    }
}

/// Whether all leaves are strided once axes are merged: where nodes of several shapes are involved,
/// views that were strided may not be any more.
bool stays_strided(const ReducedSource& source) {
    if (source.node->kind() == NodeKind::leaf) return true;
    const Operand operand = source.operand();
    const Values values(operand);
    LeafViews views;
    return collect_views(values, views);
}

/// The axes that no leaf walks forwards, and some leaf backwards.
Shape backward_axes(const LeafViews& views) {
    Shape axes;
    for (std::size_t axis = 0; axis < views[0]->strides().size(); ++axis) {
        const auto& [least, greatest] = std::ranges::minmax(
            views, {}, [axis](const Dimensions* view) { return view->strides()[axis]; });
        if (greatest->strides()[axis] <= 0 && least->strides()[axis] < 0)
            axes.push_back(static_cast<index_t>(axis));
    }
    return axes;
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

bool arrange(const Operand& given, index_t groups, ArrangedSource& arranged) {
    if (!given.dims.is_strided()) return false;
    Operand source = given;
    std::optional<Values> values(std::in_place, source);
    LeafViews views;
    if (!collect_views(*values, views)) return false;
    // All axes are kept where an order is asked for, not a reduction.
    const Shape backward = groups < source.dims.size() ? backward_axes(views) : Shape{};
    if (!backward.empty()) {
        source.dims = dimensions::flip(source.dims, backward);
        values.emplace(source);
        views.clear();
        collect_views(*values, views);
    }

    const ShapeSpan shape = source.dims.max_shape();
    const std::size_t kept = kept_axes(shape, groups);
    boost::container::small_vector<std::size_t, 8> order;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (shape[axis] != 1) order.push_back(axis);
    order_axes(
        order.size(),
        [&](std::size_t b, std::size_t a) { return lies_outside(views, order[b], order[a]); },
        [&](std::size_t a, std::size_t b) { std::swap(order[a], order[b]); });

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
        const auto joins = [&](const Dimensions* view) {
            return follows(*view, axis, order[i + 1]);
        };
        const bool joins_next = i + 1 < order.size() && std::ranges::all_of(views, joins);
        merges.push_back(joins_next && joins(&source.dims) && is_kept == (order[i + 1] < kept));
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
    if (result.axes.size() < separate.size() && !stays_strided(result)) result.axes = separate;
    return true;
}

ReducedSource over_results(DType dtype, void* memory, const ReducedAxes& axes) {
    ReducedSource source;
    index_t stride = extent_of(axes);
    source.node = memory_leaf(dtype, memory, stride);
    for (const ReducedAxis& axis : axes) {
        stride /= axis.extent;
        const bool merged = !source.axes.empty() && source.axes.back().kept == axis.kept;
        add_axis(source.axes, {axis.extent, stride, axis.kept, true}, merged);
    }
    if (!source.axes.empty()) source.axes.back().joins_next = false;
    return source;
}

} // namespace purview::engine
