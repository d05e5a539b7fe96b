#include <purview/base/errors.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/functional/reductions/reduced_view.hpp>

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

} // namespace purview
