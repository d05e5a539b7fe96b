#include <purview/base/checked.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/functional/assembly/take.hpp>

#include <boost/container/small_vector.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace purview::inline v0_1 {
namespace {

constexpr const char* kTake = "take";
constexpr const char* kTakeAlongAxis = "take_along_axis";

/// The index with `after` more axes of size 1 at the end.
Operand with_trailing_axes(const Operand& index, std::size_t after) {
    if (after == 0) return index;
    Shape shape = to_shape(index.dims.max_shape());
    shape.insert(shape.end(), after, 1);
    return {index.node, dimensions::reshape(index.dims, shape)};
}

} // namespace

Operand take_operand(const Operand& x, ShapeSpan axes, std::span<const Operand> indexes) {
    const int rank = x.dims.rank();
    if (axes.size() != indexes.size())
        throw ShapeError(fmt::format("take: {} axes are given, and {} index tensors", axes.size(),
                                     indexes.size()));
    GatherAxes places(static_cast<std::size_t>(rank));
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const int axis = checked_axis(axes[i], rank, kTake);
        GatherAxis& place = places[static_cast<std::size_t>(axis)];
        if (place.computed) throw IndexError(fmt::format("take: axis {} is given twice", axis));
        place = GatherAxis::at(static_cast<index_t>(i));
    }
    Shape shape;
    for (const Operand& index : indexes)
        shape = dimensions::broadcast_shapes(shape, index.dims.max_shape());
    std::size_t left = 0;
    for (std::size_t axis = 0; axis < places.size(); ++axis) {
        if (places[axis].computed) continue;
        places[axis] = GatherAxis::along(std::ssize(shape));
        shape.push_back(x.dims.max_shape()[axis]);
        ++left;
    }
    boost::container::small_vector<Operand, 2> spread;
    for (const Operand& index : indexes) spread.push_back(with_trailing_axes(index, left));
    return gather_operand(kTake, x, std::move(places), {spread.data(), spread.size()}, shape);
}

Operand take_operand(const Operand& x, const Operand& indexes, index_t axis) {
    const int rank = x.dims.rank();
    const int taken = checked_axis(axis, rank, kTake);
    const ShapeSpan extents = x.dims.max_shape();
    Shape shape;
    GatherAxes places;
    for (int a = 0; a < rank; ++a) {
        if (a == taken) {
            places.push_back(GatherAxis::at(0));
            for (const index_t extent : indexes.dims.max_shape()) shape.push_back(extent);
        } else {
            places.push_back(GatherAxis::along(std::ssize(shape)));
            shape.push_back(extents[static_cast<std::size_t>(a)]);
        }
    }
    const Operand spread = with_trailing_axes(indexes, static_cast<std::size_t>(rank - taken - 1));
    return gather_operand(kTake, x, std::move(places), {&spread, 1}, shape);
}

Operand take_operand(const Operand& x, const Operand& indexes) {
    const index_t size = x.dims.size();
    return take_operand({x.node, dimensions::reshape(x.dims, ShapeSpan(&size, 1))}, indexes, 0);
}

Operand take_along_axis_operand(const Operand& x, const Operand& indexes, index_t axis) {
    const int rank = x.dims.rank();
    if (indexes.dims.rank() != rank)
        throw ShapeError(fmt::format("take_along_axis: indexes have rank {}, and the tensor {}",
                                     indexes.dims.rank(), rank));
    const int taken = checked_axis(axis, rank, kTakeAlongAxis);
    const auto at = static_cast<std::size_t>(taken);
    // Both are broadcast together except for the axis itself.
    Shape of_x = to_shape(x.dims.max_shape());
    Shape shape = to_shape(indexes.dims.max_shape());
    const index_t extent = std::exchange(of_x[at], shape[at]);
    if (!dimensions::broadcast_into(shape, of_x))
        throw ShapeError(fmt::format(
            "take_along_axis: shapes {} and {} do not broadcast together beside axis {}",
            to_string(x.dims.max_shape()), to_string(indexes.dims.max_shape()), taken));
    of_x = shape;
    of_x[at] = extent;
    GatherAxes places;
    for (int a = 0; a < rank; ++a)
        places.push_back(a == taken ? GatherAxis::at(0) : GatherAxis::along(a));
    return gather_operand(kTakeAlongAxis, {x.node, dimensions::expand(x.dims, of_x)},
                          std::move(places), {&indexes, 1}, shape);
}

} // namespace purview
