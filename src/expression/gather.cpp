#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/gather.hpp>

#include "expression/joined_gather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace purview::inline v0_1 {
namespace {

/// An index as int64, broadcast to `shape`. A uint64 that no int64 holds becomes the largest int64,
/// which is out of range for every axis.
Operand index_operand(const char* what, const Operand& index, ShapeSpan shape) {
    const DType dtype = index.dtype();
    if (!dtype.is_builtin() || dtype == boolean || dtype == float32 || dtype == float64)
        throw DtypeError(fmt::format("{}: an index is of type {}, no integer", what, dtype.name()));
    Operand result = index;
    if (dtype == uint64) {
        constexpr auto kLargest =
            static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        result = binary_operand(Op::minimum, result, constant_operand(kLargest), uint64, uint64);
    }
    result = cast_operand(std::move(result), int64, Op::wrapping_cast);
    if (std::ranges::equal(result.dims.max_shape(), shape)) return result;
    try {
        result.dims = dimensions::expand(result.dims, shape);
    } catch (const ShapeError&) {
        throw ShapeError(fmt::format("{}: indexes of shape {} do not broadcast to shape {}", what,
                                     to_string(index.dims.max_shape()), to_string(shape)));
    }
    return result;
}

void check_axes(const char* what, const Operand& source, const GatherAxes& axes,
                std::size_t indexes, ShapeSpan shape) {
    const ShapeSpan extents = source.dims.max_shape();
    if (axes.size() != extents.size())
        throw ShapeError(
            fmt::format("{}: {} axes are given for rank {}", what, axes.size(), extents.size()));
    for (std::size_t a = 0; a < axes.size(); ++a) {
        const std::size_t limit = axes[a].computed ? indexes : shape.size();
        if (axes[a].number < 0 || static_cast<std::size_t>(axes[a].number) >= limit)
            throw IndexError(fmt::format("{}: axis {} is read at {} {} of {}", what, a,
                                         axes[a].computed ? "index" : "axis", axes[a].number,
                                         limit));
        if (axes[a].computed) continue;
        const index_t extent = shape[static_cast<std::size_t>(axes[a].number)];
        if (extents[a] != extent)
            throw ShapeError(fmt::format("{}: axis {} of size {} is read along one of size {}",
                                         what, a, extents[a], extent));
    }
}

} // namespace

Operand gather_operand(OperationName name, Operand source, GatherAxes axes,
                       std::span<const Operand> indexes, ShapeSpan shape) {
    const char* const what = name.text();
    check_axes(what, source, axes, indexes.size(), shape);
    Dimensions dims = Dimensions::row_major(shape);
    Gather::Operands operands;
    operands.reserve(indexes.size() + 1);
    operands.push_back(std::move(source));
    for (const Operand& index : indexes) operands.push_back(index_operand(what, index, shape));
    join_with_source(operands, axes, shape);
    return {make_node<Gather>(std::move(name), std::move(operands), std::move(axes), shape),
            std::move(dims)};
}

} // namespace purview
