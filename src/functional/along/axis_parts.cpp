#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/dimensions/squeeze.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/functional/along/axis_parts.hpp>
#include <purview/reader/allocation.hpp>

#include "evaluation/lane_slabs.hpp"
#include "functional/along/lane_segments.hpp"
#include "functional/reductions/slab_results.hpp"

#include <fmt/format.h>

#include <array>

namespace purview::inline v0_1 {

index_t AxisParts::axis() const {
    for (std::size_t a = 0; a < restoring_permutation.size(); ++a)
        if (restoring_permutation[a] + 1 == std::ssize(restoring_permutation))
            return static_cast<index_t>(a);
    return 0;
}

index_t AxisParts::inner() const {
    index_t count = 1;
    for (index_t a = axis(); a + 1 < std::ssize(restoring_permutation); ++a)
        count *= operand.dims.max_shape()[static_cast<std::size_t>(a)];
    return count;
}

index_t AxisParts::inner_of_all() const {
    if (begin.empty()) return inner();
    index_t count = 1;
    for (auto a = static_cast<std::size_t>(axis()) + 1; a < shape_of_all.size(); ++a)
        count *= shape_of_all[a];
    return count;
}

Operand AxisParts::restored(const Operand& result) const {
    if (std::ssize(restoring_permutation) == result.dims.rank())
        return {result.node, dimensions::transpose(result.dims, restoring_permutation)};
    const index_t last = result.dims.rank() - 1;
    return {result.node, dimensions::squeeze(result.dims, {&last, 1})};
}

Operand AxisParts::mask_beside(const char* what, const Operand& mask) const {
    const Shape shape = to_shape(restored(operand).dims.max_shape());
    const Shape& expected = begin.empty() ? shape : shape_of_all;
    if (to_shape(mask.dims.max_shape()) != expected)
        throw ShapeError(fmt::format("{}: a mask of shape {} for a tensor of shape {}", what,
                                     to_string(mask.dims.max_shape()), to_string(expected)));
    return {mask.node, box_from(mask.dims, begin, shape)};
}

std::any* AxisParts::carried_at(std::size_t i) const {
    if (carried == nullptr) return nullptr;
    if (!carried->has_value()) *carried = std::array<std::any, 2>();
    return &std::any_cast<std::array<std::any, 2>&>(*carried)[i];
}

AxisParts axis_parts(const char* what, const Operand& x, index_t axis) {
    const int rank = x.dims.rank();
    const index_t chosen = checked_axis(axis, rank, what);
    AxisParts parts;
    Shape order;
    for (index_t a = 0; a < rank; ++a) {
        if (a != chosen) {
            order.push_back(a);
            parts.groups *= x.dims.max_shape()[static_cast<std::size_t>(a)];
        }
        parts.restoring_permutation.push_back(a < chosen ? a : a == chosen ? rank - 1 : a - 1);
    }
    order.push_back(chosen);
    parts.length = x.dims.max_shape()[static_cast<std::size_t>(chosen)];
    parts.operand = {x.node, dimensions::transpose(x.dims, order)};
    return parts;
}

AxisParts axis_parts(const char* what, const Operand& x) {
    if (x.dims.rank() > 0) return axis_parts(what, x, -1);
    AxisParts parts;
    parts.operand = x;
    return parts;
}

AxisParts single_parts(const Operand& x) {
    AxisParts parts;
    for (index_t axis = 0; axis < x.dims.rank(); ++axis)
        parts.restoring_permutation.push_back(axis);
    parts.operand = {x.node, dimensions::new_axis(x.dims, x.dims.rank())};
    parts.groups = x.dims.size();
    return parts;
}

AxisParts axis_parts(const char* what, const Operand& x, const ChosenAxis& axis) {
    if (!axis) return axis_parts(what, x);
    return axis_parts(what, x, Axes{*axis}.positional(what)[0]);
}

namespace {

/// Puts the result of a slab of x in its place: with an axis of another length, or without it.
void add_part(SlabResults& results, const Operand& x, index_t axis, const Operand& part,
              ShapeSpan begin) {
    const bool drops = part.dims.rank() < x.dims.rank();
    Shape shape;
    Shape first;
    for (index_t a = 0, at = 0; a < x.dims.rank(); ++a) {
        if (a == axis && drops) continue;
        const index_t extent = part.dims.max_shape()[static_cast<std::size_t>(at++)];
        shape.push_back(a == axis ? extent : x.dims.max_shape()[static_cast<std::size_t>(a)]);
        first.push_back(begin[static_cast<std::size_t>(a)]);
    }
    results.add(part, first, shape);
}

Operand worked_in_slabs(const char* what, const Operand& x, std::optional<index_t> position,
                        AxisWork work, const CutParts& given) {
    const auto parts_of = [&](const Operand& operand) {
        return position ? axis_parts(what, operand, *position) : single_parts(operand);
    };
    if (!x.node->reads(Below::blocks)) {
        const AxisParts parts = parts_of(x);
        return parts.restored(work(parts));
    }
    checked_bytes(x.dims.size(), x.dtype().size_bytes(), what);
    SlabResults results(what, x);
    const auto work_on = [&](const Operand& slab, ShapeSpan begin) {
        AxisParts parts = parts_of(slab);
        parts.begin = to_shape(begin);
        parts.shape_of_all = to_shape(x.dims.max_shape());
        add_part(results, x, position.value_or(-1), parts.restored(work(parts)), begin);
    };
    const index_t axis = position.value_or(0);
    const ShapeSpan whole = ShapeSpan(&axis, position ? 1 : 0);
    const bool is_long = given.parts != GivenParts::slabs && !slabs_have_room(x, whole);
    if (is_long && given.parts == GivenParts::long_parts)
        for_each_lane(x, axis, work_on);
    else if (!is_long || !worked_in_segments(what, x, axis, given.segments, work, results))
        for_each_slab(what, x, whole, work_on);
    return std::move(results).take();
}

} // namespace

Operand worked_along(const char* what, const Operand& x, const ChosenAxis& axis, AxisWork work,
                     const CutParts& given) {
    if (!axis && x.dims.rank() == 0) {
        Operand result = work(axis_parts(what, x));
        bring_to(x, result);
        return result;
    }
    const index_t chosen = axis ? Axes{*axis}.positional(what)[0] : index_t{-1};
    const std::optional<index_t> position = checked_axis(chosen, x.dims.rank(), what);
    return worked_along(what, x, position, work, given);
}

Operand worked_along(const char* what, const Operand& x, std::optional<index_t> position,
                     AxisWork work, const CutParts& given) {
    Operand result;
    if (given.parts != GivenParts::at_once) {
        result = worked_in_slabs(what, x, position, work, given);
    } else {
        const AxisParts parts = position ? axis_parts(what, x, *position) : single_parts(x);
        result = parts.restored(work(parts));
    }
    bring_to(x, result);
    return result;
}

void require_positional(const char* what, const ChosenAxis& axis) {
    if (axis && axis->dim)
        throw DimError(
            fmt::format("{}: Dim '{}' keeps its size; order({}) makes a positional axis of it",
                        what, axis->dim->name(), axis->dim->name()));
}

} // namespace purview
