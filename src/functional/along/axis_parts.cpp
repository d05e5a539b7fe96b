#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/dimensions/squeeze.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/functional/along/axis_parts.hpp>

#include <fmt/format.h>

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

Operand AxisParts::restored(const Operand& result) const {
    if (std::ssize(restoring_permutation) == result.dims.rank())
        return {result.node, dimensions::transpose(result.dims, restoring_permutation)};
    const index_t last = result.dims.rank() - 1;
    return {result.node, dimensions::squeeze(result.dims, {&last, 1})};
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

Operand worked_along(const char* what, const Operand& x, const ChosenAxis& axis, AxisWork work) {
    const AxisParts parts = axis_parts(what, x, axis);
    Operand result = parts.restored(work(parts));
    bring_to(x, result);
    return result;
}

Operand worked_along(const char* what, const Operand& x, std::optional<index_t> position,
                     AxisWork work) {
    const AxisParts parts = position ? axis_parts(what, x, *position) : single_parts(x);
    Operand result = parts.restored(work(parts));
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
