#include "column_cast.hpp"

#include "base/quoted_text.hpp"

#include <purview/base/errors.hpp>
#include <purview/table/columns.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace purview::inline v0_1 {

AnyTensor Column::values_as(DType type) const {
    if (dtype() == type) return values;
    if (!dtype().is_builtin() || !type.is_builtin())
        throw DtypeError(fmt::format("Column: column {} is {}, and {} was asked for",
                                     file::quoted_text(name), dtype().name(), type.name()));
    const table::ColumnCast cast = table::cast_column(values, is_filled ? nullptr : &missing, type);
    if (cast.misfit < 0) return cast.values;
    const index_t row = cast.misfit / (values.size() / rows());
    const bool is_gap = !is_filled && missing(row);
    throw CastError(fmt::format(
        "Column: column {}, row {}: {}", file::quoted_text(name), row,
        is_gap ? fmt::format("nothing is there, and {} has no value that says so: give "
                             "a fill when it is loaded (CsvOptions::fills, ArrowOptions::fill)",
                             type.name())
               : cast.refusal()));
}

Columns::Columns(std::vector<Column> columns) : columns_(std::move(columns)) {
    std::unordered_set<std::string_view> names;
    for (const Column& column : columns_) {
        const auto name = [&] { return file::quoted_text(column.name); };
        if (column.values.rank() == 0)
            throw ShapeError(fmt::format("Columns: column {} is one value, without rows", name()));
        if (column.rows() != rows())
            throw ShapeError(fmt::format("Columns: column {} has {} rows, and column {} has {}",
                                         name(), column.rows(),
                                         file::quoted_text(columns_.front().name), rows()));
        if (column.missing.shape() != Shape{column.rows()})
            throw ShapeError(fmt::format("Columns: column {} has the shape {}, and its mask has {}",
                                         name(), to_string(column.values.shape()),
                                         to_string(column.missing.shape())));
        if (!names.insert(column.name).second)
            throw FormatError(fmt::format("Columns: two columns are called {}", name()));
    }
}

const Column& Columns::operator[](std::string_view name) const& {
    if (const Column* const found = find(name)) return *found;
    std::string names;
    constexpr std::ptrdiff_t kMost = 10;
    for (auto at = begin(); at != end() && at - begin() < kMost; ++at)
        names += (at == begin() ? "" : ", ") + file::quoted_text(at->name);
    throw IndexError(fmt::format("Columns: no column is called {}; there are {}{}",
                                 file::quoted_text(name), names.empty() ? "none" : names,
                                 size() > kMost ? ", …" : ""));
}

const Column* Columns::find(std::string_view name) const noexcept {
    const auto found = std::ranges::find(columns_, name, &Column::name);
    return found == columns_.end() ? nullptr : &*found;
}

} // namespace purview
