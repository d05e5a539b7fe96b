#include "functional/reductions/slab_results.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/dimensions/squeeze.hpp>
#include <purview/evaluation/evaluate.hpp>

#include "evaluation/lane_slabs.hpp"
#include "evaluation/large_results.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace purview::inline v0_1 {

Dimensions box_from(Dimensions dims, ShapeSpan begin, ShapeSpan extents) {
    for (std::size_t a = 0; a < begin.size(); ++a)
        dims = dimensions::select(dims, static_cast<index_t>(a),
                                  Range(begin[a], begin[a] + extents[a]));
    return dims;
}

void SlabResults::add(const Operand& part, ShapeSpan begin, ShapeSpan shape) {
    const ShapeSpan extents = part.dims.max_shape();
    if (std::ranges::equal(extents, shape)) {
        whole_ = part;
        return;
    }
    if (whole_.node == nullptr)
        whole_ = large_results(what_, source_, part.dtype(), shape);
    else if (!std::ranges::equal(whole_.dims.max_shape(), shape))
        throw ShapeError(fmt::format("{}: a result of shape {} beside others of shape {}", what_,
                                     to_string(shape), to_string(whole_.dims.max_shape())));
    assign(part, {whole_.node, box_from(whole_.dims, begin, extents)});
}

Operand worked_by_parts(const char* what, const Operand& x,
                        FunctionRef<Operand(const Operand&)> work) {
    if (!x.node->reads(Below::blocks)) return work(x);
    SlabResults results(what, x);
    for_each_slab(what, x, {}, [&](const Operand& part, ShapeSpan begin) {
        results.add(work(part), begin, x.dims.max_shape());
    });
    return std::move(results).take();
}

namespace {

/// A single group is folded in another order than each of several. What of all others lies in other slabs is worked on
/// twice, so that its bits are theirs.
Operand of_several(const ReducedView& part, FunctionRef<Operand(const ReducedView&)> work) {
    Dimensions twice = dimensions::new_axis(part.operand.dims, 0);
    Shape extents = to_shape(twice.max_shape());
    extents[0] = 2;
    twice = dimensions::expand(twice, extents);
    Shape shape = part.shape;
    shape.insert(shape.begin(), 2);
    const Operand made = work({{part.operand.node, std::move(twice)}, shape, 2, part.kept + 1});
    return {made.node, dimensions::select(made.dims, 0, index_t{0})};
}

/// The slab of a view that begins at these coordinates, and where its results begin among those of the view.
ReducedView view_of_slab(const ReducedView& view, const Operand& slab, ShapeSpan begin,
                         Shape& first) {
    const ShapeSpan of_all = view.operand.dims.max_shape();
    const ShapeSpan of_slab = slab.dims.max_shape();
    ReducedView part{slab, {}, 1, view.kept};
    std::size_t kept = 0;
    for (const index_t extent : view.shape) {
        // An axis that was kept as one of size 1 may be taken for one that was not: both begin at 0.
        const bool is_kept = kept < static_cast<std::size_t>(view.kept) && extent == of_all[kept];
        part.shape.push_back(is_kept ? of_slab[kept] : extent);
        first.push_back(is_kept ? begin[kept] : 0);
        if (is_kept) part.groups *= of_slab[kept++];
    }
    return part;
}

} // namespace

Operand reduced_in_slabs(const char* what, const ReducedView& view,
                         FunctionRef<Operand(const ReducedView&)> work) {
    if (!view.operand.node->reads(Below::blocks) || view.kept == 0 || view.groups < 2)
        return work(view);
    Shape whole;
    for (index_t axis = view.kept; axis < view.operand.dims.rank(); ++axis) whole.push_back(axis);
    SlabResults results(what, view.operand);
    for_each_slab(what, view.operand, whole, [&](const Operand& slab, ShapeSpan begin) {
        Shape first;
        const ReducedView part = view_of_slab(view, slab, begin, first);
        const Operand made = part.groups == 1 ? of_several(part, work) : work(part);
        Shape shape = view.shape;
        for (int axis = static_cast<int>(shape.size()); axis < made.dims.rank(); ++axis) {
            shape.push_back(made.dims.max_shape()[static_cast<std::size_t>(axis)]);
            first.push_back(0);
        }
        results.add(made, first, shape);
    });
    return std::move(results).take();
}

} // namespace purview
