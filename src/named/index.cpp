#include <purview/base/checked.hpp>
#include <purview/named/index.hpp>
#include <purview/named/lifted_view.hpp>
#include <purview/named/order.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace purview {
namespace {

/// What axes are called in errors of computed indexes.
std::vector<std::string> names_of(const DimOperand& x, const Axes& axes) {
    std::vector<std::string> names;
    for (const AxisOrDim& entry : axes)
        names.push_back(
            entry.dim ? fmt::format("Dim '{}'", entry.dim->name())
                      : fmt::format("axis {}", checked_axis(entry.axis, rank_of(x), "index")));
    return names;
}

bool has_dims(const DimIndex& index) { return std::holds_alternative<DimOperand>(index); }

} // namespace

DimOperand axes_first(const DimOperand& x, const Axes& axes) {
    std::vector<OrderedAxis> places;
    for (const AxisOrDim& entry : axes)
        if (entry.dim)
            places.emplace_back(*entry.dim);
        else
            places.emplace_back(entry.axis);
    return order_dims(x, std::span<const OrderedAxis>(places));
}

DimOperand joined_first(const DimOperand& x, const Axes& axes) {
    const DimOperand ordered = axes_first(x, axes);
    const std::size_t count = static_cast<std::size_t>(axes.end() - axes.begin());
    if (count == 1) return ordered;
    const ShapeSpan old = ordered.operand.dims.max_shape().subspan(ordered.dims.size());
    Shape shape{checked_size(old.first(count), "index")};
    shape.insert(shape.end(), old.begin() + static_cast<std::ptrdiff_t>(count), old.end());
    return lifted_view(ordered, &reshape_operand, ViewValues::extents, shape);
}

DimOperand index_joined(const DimOperand& x, const Axes& axes, const DimIndex& value) {
    const DimOperand first = joined_first(x, axes);
    if (!has_dims(value)) return index_with_dims(first, {&value, 1});
    std::string name;
    for (const std::string& part : names_of(x, axes)) name += name.empty() ? part : " with " + part;
    return index_with_dims(first, {&value, 1}, {&name, 1});
}

DimOperand index_each(const DimOperand& x, const Axes& axes, std::span<const DimIndex> values) {
    const std::ptrdiff_t count = axes.end() - axes.begin();
    if (count != std::ssize(values))
        throw ShapeError(
            fmt::format("index: {} axes are given, and {} values", count, values.size()));
    const DimOperand first = axes_first(x, axes);
    return index_with_dims(first, values,
                           std::ranges::any_of(values, has_dims) ? names_of(x, axes)
                                                                 : std::vector<std::string>());
}

} // namespace purview
