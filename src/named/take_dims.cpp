#include <purview/base/checked.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/squeeze.hpp>
#include <purview/named/index.hpp>
#include <purview/named/lifted_view.hpp>
#include <purview/named/take_dims.hpp>

#include "named/gather_dims.hpp"
#include "named/positional.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using namespace named;

std::string name_of(const AxisOrDim& axis, int rank, const char* what) {
    return axis.dim ? fmt::format("Dim '{}'", axis.dim->name())
                    : fmt::format("axis {}", checked_axis(axis.axis, rank, what));
}

DimVector joined(const DimOperand& x, std::span<const DimOperand> others) {
    std::vector<const DimOperand*> all{&x};
    for (const DimOperand& other : others) all.push_back(&other);
    return joined_dims(all);
}

} // namespace

DimOperand take_operand(const DimOperand& x, const DimOperand& indexes, const AxisOrDim& axis) {
    if (axis.dim) return take_operand(x, Axes{axis}, {&indexes, 1});
    const int rank = rank_of(x);
    std::vector<DimIndex> at(static_cast<std::size_t>(rank), TensorIndex(all));
    at[static_cast<std::size_t>(checked_axis(axis.axis, rank, "take"))] = indexes;
    return index_with_dims(x, at, {}, "take");
}

DimOperand take_operand(const DimOperand& given, const DimOperand& indexes) {
    const DimOperand x = settled(given);
    const Shape flat{checked_size(positional_shape(x), "take")};
    return take_operand(lifted_view(x, &reshape_operand, ViewValues::extents, flat), indexes, 0);
}

DimOperand take_operand(const DimOperand& given, const Axes& axes,
                        std::span<const DimOperand> indexes) {
    const DimOperand x = axes_first("take", settled(given), axes);
    const auto count = static_cast<std::size_t>(axes.end() - axes.begin());
    if (count != indexes.size())
        throw ShapeError(
            fmt::format("take: {} axes are given, and {} index tensors", count, indexes.size()));
    std::vector<DimOperand> at;
    Shape positional;
    for (const DimOperand& index : indexes) {
        at.push_back(settled(index));
        positional = dimensions::broadcast_shapes(positional, positional_shape(at.back()));
    }
    const ShapeSpan left = positional_shape(x).subspan(count);
    std::vector<GatherAxis> places;
    std::vector<PlacedIndex> placed;
    for (const AxisOrDim& axis : axes) {
        const std::size_t number = places.size();
        places.push_back(
            GatherAxis::at(static_cast<index_t>(number), name_of(axis, rank_of(given), "take")));
        placed.push_back({&at[number], static_cast<int>(left.size())});
    }
    for (const index_t extent : left) {
        places.push_back(GatherAxis::along(std::ssize(positional)));
        positional.push_back(extent);
    }
    return gather_over_dims("take", x, joined(x, at), places, placed, positional);
}

DimOperand take_along_axis_operand(const DimOperand& given, const DimOperand& indexes,
                                   const AxisOrDim& axis) {
    constexpr const char* kWhat = "take_along_axis";
    DimOperand x = settled(given);
    const std::string name = name_of(axis, rank_of(x), kWhat);
    const DimOperand index = settled(indexes);
    // The axis is moved to the front, and has size 1 while the shapes are broadcast.
    x = axes_first(kWhat, x, Axes{axis});
    DimOperand at = index;
    if (!axis.dim) {
        if (rank_of(index) != rank_of(given))
            throw ShapeError(fmt::format("{}: indexes have rank {}, and the tensor {}", kWhat,
                                         rank_of(index), rank_of(given)));
        at = axes_first(kWhat, index, Axes{axis});
    }
    const std::size_t own = axis.dim ? 0 : 1; // the number of positional axes of the index along
                                              // the axis
    const ShapeSpan rest = positional_shape(x).subspan(1);
    Shape shape = to_shape(positional_shape(at).subspan(own));
    while (shape.size() < rest.size()) shape.insert(shape.begin(), 1);
    if (!dimensions::broadcast_into(shape, rest))
        throw ShapeError(fmt::format("{}: shapes {} and {} do not broadcast together beside {}",
                                     kWhat, to_string(positional_shape(given)),
                                     to_string(positional_shape(index)), name));
    DimOperand spread = x;
    Shape extents = to_shape(x.operand.dims.max_shape().first(x.dims.size() + 1));
    extents.insert(extents.end(), shape.begin(), shape.end());
    for (std::size_t missing = shape.size() - rest.size(); missing > 0; --missing)
        spread.operand.dims = dimensions::new_axis(spread.operand.dims, x.dim_count() + 1);
    spread.operand.dims = dimensions::expand(spread.operand.dims, extents);
    std::vector<GatherAxis> places{GatherAxis::at(0, name)};
    for (std::size_t i = 0; i < shape.size(); ++i)
        places.push_back(GatherAxis::along(static_cast<index_t>(own + i)));
    if (own > 0) shape.insert(shape.begin(), positional_shape(at)[0]);
    const PlacedIndex placed{&at, 0};
    DimOperand result =
        gather_over_dims(kWhat, spread, joined(x, {&at, 1}), places, {&placed, 1}, shape);
    if (axis.dim) return result;
    // Moves the axis back to its position.
    const Shape move{0, checked_axis(axis.axis, rank_of(given), kWhat)};
    return lifted_view(result, move_axis_operand, ViewValues::axis_pair, move);
}

} // namespace purview
