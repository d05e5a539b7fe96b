#include <purview/base/checked.hpp>
#include <purview/named/index.hpp>
#include <purview/named/lifted_view.hpp>
#include <purview/named/order.hpp>

#include "named/dim_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace purview::inline v0_1 {
namespace {

/// The names of axes in messages about computed indexes.
std::vector<std::string> names_of(const DimOperand& x, const Axes& axes) {
    std::vector<std::string> names;
    for (const AxisOrDim& entry : axes)
        names.push_back(
            entry.dim ? fmt::format("Dim '{}'", entry.dim->name())
                      : fmt::format("axis {}", checked_axis(entry.axis, rank_of(x), "index")));
    return names;
}

bool has_dims(const DimIndex& index) { return named::made_from<DimOperand>(index) != nullptr; }

} // namespace

DimOperand axes_first(const char* what, const DimOperand& x, const Axes& axes) {
    const std::vector<OrderedAxis> places = ordered_axes(axes);
    return order_dims(x, std::span<const OrderedAxis>(places), what);
}

DimOperand joined_first(const char* what, const DimOperand& x, const Axes& axes) {
    const DimOperand ordered = axes_first(what, x, axes);
    const std::size_t count = static_cast<std::size_t>(axes.end() - axes.begin());
    if (count == 1) return ordered;
    const ShapeSpan old = ordered.operand.dims.max_shape().subspan(ordered.dims.size());
    Shape shape{checked_size(old.first(count), what)};
    shape.insert(shape.end(), old.begin() + static_cast<std::ptrdiff_t>(count), old.end());
    return lifted_view(ordered, &reshape_operand, ViewValues::extents, shape);
}

/// Throws for an index that is known already and out of range, naming the axis.
void check_known(const DimIndex& value, index_t extent, const std::string& name) {
    const auto* const positional = named::made_from<TensorIndex>(value);
    if (positional == nullptr) return;
    const IndexArgument argument = positional->argument();
    const auto check = [&](index_t index) {
        if (index < -extent || index >= extent)
            throw IndexError(fmt::format("index: index {} is out of range for {} of size {}", index,
                                         name, extent));
    };
    if (const auto* const index = std::get_if<index_t>(&argument)) check(*index);
    if (const auto* const list = std::get_if<IndexSequencePtr>(&argument))
        if ((*list)->size() > 0) {
            check((*list)->min());
            check((*list)->max());
        }
}

DimOperand index_joined(const DimOperand& x, const Axes& axes, const DimIndex& value) {
    const DimOperand first = joined_first("index", x, axes);
    std::string name;
    for (const std::string& part : names_of(x, axes)) name += name.empty() ? part : " with " + part;
    check_known(value, first.operand.dims.max_shape()[first.dims.size()], name);
    if (!has_dims(value)) return index_with_dims(first, {&value, 1}, {}, "index");
    return index_with_dims(first, {&value, 1}, {&name, 1}, "index");
}

DimOperand index_each(const DimOperand& x, const Axes& axes, std::span<const DimIndex> values) {
    const std::ptrdiff_t count = axes.end() - axes.begin();
    if (count != std::ssize(values))
        throw ShapeError(
            fmt::format("index: {} axes are given, and {} values", count, values.size()));
    const DimOperand first = axes_first("index", x, axes);
    const std::vector<std::string> names = names_of(x, axes);
    for (std::size_t i = 0; i < values.size(); ++i)
        check_known(values[i], first.operand.dims.max_shape()[first.dims.size() + i], names[i]);
    const bool known = std::ranges::none_of(values, has_dims);
    return index_with_dims(first, values, known ? std::vector<std::string>() : names, "index");
}

} // namespace purview
