// Defines purview/interop/arrow.hpp.
#include <purview/interop/arrow.hpp>

#include <purview/base/errors.hpp>

#include "base/quoted_text.hpp"
#include "interop/arrow_layout.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace purview {
namespace arrow {
namespace {

std::vector<Export> only(Export child) {
    std::vector<Export> children;
    children.push_back(std::move(child));
    return children;
}

Export exported_column(const Column& column) {
    if (column.values.rank() == 0)
        throw ShapeError(fmt::format("to_arrow: column {} is one value, without rows",
                                     file::quoted_text(column.name)));
    const Bits gaps = gaps_of(column);
    Layout bitmap{.format = "", .buffers = {nullptr}, .owners = {}};
    if (gaps.set > 0) {
        auto validity = std::make_shared<std::vector<std::uint8_t>>(*gaps.bytes);
        for (std::uint8_t& byte : *validity) byte = static_cast<std::uint8_t>(~byte);
        bitmap.buffers = {validity->data()};
        bitmap.owners = {std::move(validity)};
    }
    Layout elements = elements_of(column, gaps);
    const Shape shape(column.values.shape());
    const bool is_list = shape.size() > 1;
    Layout layout = is_list ? Layout{.format = "", .buffers = {nullptr}, .owners = {}} : bitmap;
    layout.format = std::move(elements.format);
    layout.buffers.insert(layout.buffers.end(), elements.buffers.begin(), elements.buffers.end());
    layout.owners.insert(layout.owners.end(), elements.owners.begin(), elements.owners.end());
    if (!is_list) return owned_array(std::move(layout), column.name, shape[0], gaps.set, {});
    index_t length = column.values.size();
    Export inner = owned_array(std::move(layout), "item", length, 0, {});
    for (std::size_t axis = shape.size() - 1; axis > 0; --axis) {
        length = 1;
        for (std::size_t outer = 0; outer < axis; ++outer) length *= shape[outer];
        Layout list = axis == 1 ? bitmap : Layout{.format = "", .buffers = {nullptr}, .owners = {}};
        list.format = fmt::format("+w:{}", shape[axis]);
        inner = owned_array(std::move(list), axis == 1 ? column.name : "item", length,
                            axis == 1 ? gaps.set : 0, only(std::move(inner)));
    }
    return inner;
}

} // namespace
} // namespace arrow

arrow::Export to_arrow(const Columns& columns) {
    std::vector<arrow::Export> children;
    for (const Column& column : columns) children.push_back(arrow::exported_column(column));
    return arrow::owned_array({.format = "+s", .buffers = {nullptr}, .owners = {}}, "",
                              columns.rows(), 0, std::move(children));
}

arrow::Export to_arrow(const Column& column) { return arrow::exported_column(column); }

arrow::Export to_arrow(const AnyTensor& t) { return arrow::exported_column(Column("", t)); }

} // namespace purview
