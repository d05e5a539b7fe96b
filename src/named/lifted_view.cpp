#include <purview/base/checked.hpp>
#include <purview/dimensions/squeeze.hpp>
#include <purview/named/lifted_view.hpp>
#include <purview/named/order.hpp>

#include "named/positional.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace purview::inline v0_1 {
namespace {

/// Converts numbers of positional axes, of which there are `rank`, to numbers of the operand's
/// axes.
void shift_axes(Shape& values, std::size_t count, int rank, index_t dims) {
    for (std::size_t i = 0; i < std::min(count, values.size()); ++i)
        values[i] = dims + checked_axis(values[i], rank, "view");
}

/// Infers an extent of -1, from the positional sizes alone, because dims may have size 0.
void infer_extent(Shape& extents, ShapeSpan positional) {
    if (std::ranges::count(extents, -1) != 1) return;
    index_t others = 1;
    for (const index_t extent : extents)
        if (extent != -1) others = checked_multiply(others, extent, "reshape");
    const index_t size = checked_size(positional, "reshape");
    if (others > 0 && size % others == 0) *std::ranges::find(extents, -1) = size / others;
}

Shape lifted_values(const DimOperand& x, ViewValues values_are, ShapeSpan given) {
    const index_t dims = x.dim_count();
    const int rank = rank_of(x);
    Shape values = to_shape(given);
    Shape first;
    switch (values_are) {
    case ViewValues::permutation:
        shift_axes(values, values.size(), rank, dims);
        for (index_t axis = 0; axis < dims; ++axis) first.push_back(axis);
        break;
    case ViewValues::amounts: first.resize(x.dims.size(), 0); break;
    case ViewValues::repetitions:
        first.resize(x.dims.size(), 1);
        while (std::ssize(values) < rank) values.insert(values.begin(), 1);
        break;
    case ViewValues::extents: infer_extent(values, named::positional_shape(x)); [[fallthrough]];
    case ViewValues::tiled_extents:
        first = to_shape(x.operand.dims.max_shape().first(x.dims.size()));
        break;
    case ViewValues::axes:
    case ViewValues::dropped_axes: shift_axes(values, values.size(), rank, dims); break;
    case ViewValues::axis:
    case ViewValues::repeated_axis: shift_axes(values, 1, rank, dims); break;
    case ViewValues::axis_pair: shift_axes(values, 2, rank, dims); break;
    case ViewValues::inserted_axis: shift_axes(values, 1, rank + 1, dims); break;
    }
    first.insert(first.end(), values.begin(), values.end());
    return first;
}

bool is_dim(const AxisOrDim& entry) { return entry.dim.has_value(); }

/// The view of axes and dims that keep their positions.
DimOperand view_of_axes_in_place(const char* what, DimOperand x, ViewOperand view,
                                 ViewValues values_are, const Axes& given) {
    Shape values;
    for (const AxisOrDim& entry : given) {
        if (values_are == ViewValues::axis && !values.empty()) {
            values.push_back(entry.axis);
            continue;
        }
        const index_t at = entry.dim ? position_of(*entry.dim, x.dims)
                                     : x.dim_count() + checked_axis(entry.axis, rank_of(x), what);
        if (at < 0)
            throw DimError(fmt::format("{}: the tensor has no Dim '{}', its dims are {}", what,
                                       entry.dim->name(), to_string(x.dims)));
        values.push_back(at);
    }
    x.operand = view(x.operand, values);
    return x;
}

} // namespace

DimOperand lifted_view(const DimOperand& given, ViewOperand view, ViewValues values_are,
                       ShapeSpan values) {
    DimOperand x = settled(given);
    try {
        if (values_are == ViewValues::tiled_extents || values_are == ViewValues::repetitions)
            for (index_t missing = std::ssize(values) - rank_of(x); missing > 0; --missing)
                x.operand.dims = dimensions::new_axis(x.operand.dims, x.dim_count());
        x.operand = view(x.operand, lifted_values(x, values_are, values));
    } catch (const Error&) {
        const DimOperand source = settled(given);
        static_cast<void>(
            view(named::positional_stand_in(source.operand, source.dims.size()), values));
        throw;
    }
    return x;
}

DimOperand lifted_view(const char* what, const DimOperand& x, ViewOperand view,
                       ViewValues values_are, const Axes& given) {
    if (std::none_of(given.begin(), given.end(), is_dim))
        return lifted_view(x, view, values_are, given.positional(what));
    if (values_are == ViewValues::axes || values_are == ViewValues::axis)
        return view_of_axes_in_place(what, settled(x), view, values_are, given);
    auto axes = static_cast<std::size_t>(given.end() - given.begin());
    if (values_are == ViewValues::repeated_axis) axes = 1;
    if (values_are == ViewValues::axis_pair) axes = 2;
    std::vector<OrderedAxis> front;
    Shape values;
    for (const AxisOrDim& entry : given) {
        if (front.size() == axes) {
            values.push_back(entry.axis);
            continue;
        }
        values.push_back(std::ssize(front));
        front.push_back(entry.dim ? OrderedAxis(*entry.dim) : OrderedAxis(entry.axis));
    }
    return lifted_view(order_dims(x, front, what), view, values_are, values);
}

DimOperand select_positional(const DimOperand& x, std::span<const TensorIndex> indexes) {
    const InlineVector<DimIndex, 4> list(indexes.begin(), indexes.end());
    return index_with_dims(x, {list.data(), list.size()});
}

} // namespace purview
