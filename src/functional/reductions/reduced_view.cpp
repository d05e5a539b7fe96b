#include <purview/base/errors.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/functional/reductions/reduced_view.hpp>

#include "evaluation/lane_slabs.hpp"
#include "functional/reductions/slab_results.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace purview::inline v0_1 {
ReducedView reduced_view(const char* what, const Operand& x, ShapeSpan axes, bool keep,
                         AxisOrder order) {
    const int rank = x.dims.rank();
    Shape folded;
    for (const index_t given : axes) {
        const index_t axis = checked_axis(given, rank, what);
        if (std::ranges::find(folded, axis) != folded.end())
            throw IndexError(fmt::format("{}: axis {} is given twice", what, axis));
        folded.push_back(axis);
    }
    ReducedView view;
    Shape permutation;
    bool moves = false;
    for (index_t axis = 0; axis < rank; ++axis) {
        const bool is_reduced = std::ranges::find(folded, axis) != folded.end();
        const index_t extent = x.dims.max_shape()[static_cast<std::size_t>(axis)];
        if (!is_reduced) {
            moves = moves || axis != std::ssize(permutation);
            permutation.push_back(axis);
            view.groups *= extent;
        }
        if (!is_reduced || keep) view.shape.push_back(is_reduced ? 1 : extent);
    }
    view.kept = static_cast<int>(permutation.size());
    if (order == AxisOrder::of_operand) std::ranges::sort(folded);
    moves = moves || !std::ranges::is_sorted(folded);
    for (const index_t axis : folded) permutation.push_back(axis);
    view.operand = {x.node, moves ? dimensions::transpose(x.dims, permutation) : x.dims};
    return view;
}

ReducedView reduced_view(const Operand& x) { return {x, {}, 1, 0}; }

void copy_number(const Operand& result, void* out) {
    if (result.node->reads(Below::device)) // folded to itself, there
        return reduce_groups(Reduction::maximum, result, 1, out);
    read_all(result, out);
}

void require_elements(const char* what, const ReducedView& view) {
    if (view.groups > 0 && view.operand.dims.size() == 0)
        throw ShapeError(fmt::format(
            "{}: there is no element to choose from in a part of shape {}", what,
            to_string(view.operand.dims.max_shape().subspan(static_cast<std::size_t>(view.kept)))));
}

void for_each_group(const char* what, const ReducedView& view,
                    FunctionRef<void(const Operand& parts, index_t at, index_t group)> work) {
    Shape whole;
    for (index_t axis = view.kept; axis < view.operand.dims.rank(); ++axis) whole.push_back(axis);
    if (!view.operand.node->reads(Below::blocks) || view.groups < 2 ||
        !slabs_have_room(view.operand, whole)) {
        for (index_t group = 0; group < view.groups; ++group) work(view.operand, group, group);
        return;
    }
    const auto kept = static_cast<std::size_t>(view.kept);
    const Shape all = to_shape(view.operand.dims.max_shape().first(kept));
    for_each_slab(what, view.operand, whole, [&](const Operand& slab, ShapeSpan begin) {
        const Shape extents = to_shape(slab.dims.max_shape().first(kept));
        const Dimensions groups = box_from(Dimensions::row_major(all), begin.first(kept), extents);
        for (index_t at = 0; at < groups.size(); ++at) work(slab, at, groups.global_to_local(at));
    });
}

} // namespace purview
