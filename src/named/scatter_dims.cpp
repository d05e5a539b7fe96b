#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/named/scatter_dims.hpp>

#include "named/align.hpp"

#include <fmt/format.h>

#include <array>

namespace purview {
namespace {

/// Where several coordinates have one address, each of them is written, one after the other.
Operand with_every_coordinate(const char* what, const Operand& destination) {
    if (gather_of(destination) != nullptr || leaf_of(destination) == nullptr ||
        destination.dims.is_unique())
        return destination;
    GatherAxes axes;
    for (index_t axis = 0; axis < destination.dims.rank(); ++axis)
        axes.push_back(GatherAxis::along(axis));
    const Shape shape = to_shape(destination.dims.max_shape());
    return gather_operand(what, destination, std::move(axes), {}, shape);
}

} // namespace

void scatter_over_dims(const char* what, Scatter how, const DimOperand& values,
                       const DimOperand& destination) {
    const DimOperand from = settled(values);
    const DimOperand to = settled(destination);
    const DimVector dims = joined_dims(std::array{&to, &from});
    Shape shape;
    for (const Dim& dim : dims) shape.push_back(dim.size());
    const ShapeSpan positional = to.operand.dims.max_shape().subspan(to.dims.size());
    shape.insert(shape.end(), positional.begin(), positional.end());
    const int rank = rank_of(to);
    if (rank_of(from) > rank)
        throw ShapeError(
            fmt::format("{}: shape {} does not broadcast to shape {}", what,
                        to_string(from.operand.dims.max_shape().subspan(from.dims.size())),
                        to_string(positional)));
    const Operand source{from.operand.node, named::aligned_dims(from, dims, rank)};
    const Operand target{to.operand.node,
                         dimensions::expand(named::aligned_dims(to, dims, rank), shape)};
    scatter(what, how, scattered_operand(what, source, target),
            with_every_coordinate(what, target));
}

} // namespace purview
