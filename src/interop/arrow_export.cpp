// Defines purview/interop/arrow.hpp.
#include "interop/arrow_export.hpp"

#include <purview/base/errors.hpp>

#include "base/quoted_text.hpp"
#include "interop/arrow_layout.hpp"
#include "interop/arrow_text.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace arrow {
namespace {

std::vector<Export> only(Export child) {
    std::vector<Export> children;
    children.push_back(std::move(child));
    return children;
}

/// Arrow's names and zones end at the first NUL.
void check_ends(const Column& column) {
    const bool is_name = column.name.find('\0') != std::string::npos;
    if (is_name || column.time_zone.find('\0') != std::string::npos)
        throw FormatError(fmt::format("to_arrow: column {} has a {} with a NUL in it",
                                      file::quoted_text(column.name),
                                      is_name ? "name" : "time zone"));
}

} // namespace

Export exported_column(const Column& column, char text) {
    check_ends(column);
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
    Layout elements = elements_of(column, gaps, text);
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

char text_format(ArrowText text) {
    switch (text) {
    case ArrowText::utf8: return 'u';
    case ArrowText::binary: return 'z';
    case ArrowText::large_utf8: return 'U';
    case ArrowText::large_binary: return 'Z';
    default: return kAnyText;
    }
}

/// The format of what lies in lists, if it is one of texts.
char text_format(const Schema& column) {
    if (column.n_children == 1) return text_format(*column.children[0]);
    const std::string_view format = column.format;
    return format.size() == 1 && std::string_view("uzUZ").find(format[0]) != std::string_view::npos
               ? format[0]
               : kAnyText;
}

Export exported_batch(const Columns& columns, std::string_view texts) {
    std::vector<Export> children;
    for (const Column& column : columns) {
        const char text = children.size() < texts.size() ? texts[children.size()] : kAnyText;
        children.push_back(exported_column(column, text));
    }
    return owned_array({.format = "+s", .buffers = {nullptr}, .owners = {}}, "", columns.rows(), 0,
                       std::move(children));
}

} // namespace arrow

arrow::Export to_arrow(const Columns& columns) { return arrow::exported_batch(columns, {}); }

arrow::Export to_arrow(const Column& column) {
    return arrow::exported_column(column, arrow::kAnyText);
}

arrow::Export to_arrow(const AnyTensor& t) { return to_arrow(Column("", t)); }

} // namespace purview
