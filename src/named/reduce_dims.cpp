#include <purview/base/checked.hpp>
#include <purview/named/reduce_dims.hpp>

#include <purview/expression/elementwise.hpp>

#include "named/positional.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace purview::inline v0_1 {
namespace {

index_t axis_of(const char* what, const DimOperand& x, const AxisOrDim& entry, bool keep) {
    if (!entry.dim) return x.dim_count() + checked_axis(entry.axis, rank_of(x), what);
    const index_t at = position_of(*entry.dim, x.dims);
    if (at < 0)
        throw DimError(fmt::format("{}: the tensor has no Dim '{}', its dims are {}", what,
                                   entry.dim->name(), to_string(x.dims)));
    if (keep)
        throw DimError(fmt::format("{}: keep_dims keeps positional axes, and '{}' is a Dim", what,
                                   entry.dim->name()));
    return at;
}

} // namespace

DimVector broadcast_over_dims(const char* what, const std::array<const DimOperand*, 2>& operands,
                              std::array<Operand, 2>& both) {
    DimVector dims = align_dims(operands, both);
    try {
        broadcast_operands(both, what);
    } catch (const ShapeError&) {
        for (std::size_t i = 0; i < 2; ++i)
            both[i] = named::positional_stand_in(operands[i]->operand, operands[i]->dims.size());
        broadcast_operands(both, what);
        throw;
    }
    return dims;
}

DimReduction dims_to_reduce(const char* what, const DimOperand& given, const Axes* axes,
                            bool keep) {
    DimOperand x = settled(given);
    Shape reduced;
    if (axes == nullptr)
        for (index_t axis = x.dim_count(); axis < x.operand.dims.rank(); ++axis)
            reduced.push_back(axis);
    else
        for (const AxisOrDim& entry : *axes) {
            const index_t axis = axis_of(what, x, entry, keep);
            if (std::ranges::count(reduced, axis) > 0) {
                if (entry.dim)
                    throw DimError(
                        fmt::format("{}: Dim '{}' is given twice", what, entry.dim->name()));
                throw IndexError(
                    fmt::format("{}: axis {} is given twice", what, axis - x.dim_count()));
            }
            reduced.push_back(axis);
        }
    DimVector left;
    for (index_t at = 0; at < x.dim_count(); ++at)
        if (std::ranges::count(reduced, at) == 0)
            left.push_back(x.dims[static_cast<std::size_t>(at)]);
    return {std::move(x.operand), std::move(reduced), std::move(left)};
}

} // namespace purview
