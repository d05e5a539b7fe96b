#include <purview/base/errors.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/functional/reductions/reduced_view.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace purview::inline v0_1 {
ReducedView reduced_view(const char* what, const Operand& x, ShapeSpan axes, bool keep) {
    const int rank = x.dims.rank();
    std::vector<bool> reduced(static_cast<std::size_t>(rank), false);
    for (const index_t given : axes) {
        const auto axis = static_cast<std::size_t>(checked_axis(given, rank, what));
        if (reduced[axis]) throw IndexError(fmt::format("{}: axis {} is given twice", what, axis));
        reduced[axis] = true;
    }
    ReducedView view;
    Shape kept;
    Shape folded;
    for (index_t axis = 0; axis < rank; ++axis) {
        const bool is_reduced = reduced[static_cast<std::size_t>(axis)];
        const index_t extent = x.dims.max_shape()[static_cast<std::size_t>(axis)];
        (is_reduced ? folded : kept).push_back(axis);
        if (!is_reduced) view.groups *= extent;
        if (!is_reduced || keep) view.shape.push_back(is_reduced ? 1 : extent);
    }
    for (const index_t axis : folded) kept.push_back(axis);
    view.operand = {x.node, dimensions::transpose(x.dims, kept)};
    view.kept = rank - static_cast<int>(folded.size());
    return view;
}

ReducedView reduced_view_as_named(const char* what, const Operand& x, ShapeSpan axes, bool keep) {
    ReducedView view = reduced_view(what, x, axes, keep);
    Shape order;
    Shape ascending;
    for (const index_t axis : axes) ascending.push_back(checked_axis(axis, x.dims.rank(), what));
    const Shape named = ascending;
    std::ranges::sort(ascending);
    if (named == ascending) return view;
    for (int axis = 0; axis < view.kept; ++axis) order.push_back(axis);
    for (const index_t axis : named)
        order.push_back(view.kept +
                        (std::ranges::lower_bound(ascending, axis) - ascending.begin()));
    view.operand.dims = dimensions::transpose(view.operand.dims, order);
    return view;
}

ReducedView reduced_view(const Operand& x) { return {x, {}, 1, 0}; }

void require_elements(const char* what, const ReducedView& view) {
    if (view.groups > 0 && view.operand.dims.size() == 0)
        throw ShapeError(fmt::format(
            "{}: there is no element to choose from in a part of shape {}", what,
            to_string(view.operand.dims.max_shape().subspan(static_cast<std::size_t>(view.kept)))));
}

} // namespace purview
