#include "column_cast.hpp"

#include "io/quoted_text.hpp"

#include <purview/base/errors.hpp>
#include <purview/csv/csv_columns.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace purview {

AnyTensor CsvColumn::values_as(DType type) const {
    if (dtype() == type) return values;
    if (!dtype().is_builtin() || !type.is_builtin())
        throw DtypeError(fmt::format("CsvColumn: column {} is {}, and {} was asked for",
                                     file::quoted_text(name), dtype().name(), type.name()));
    const csv::ColumnCast cast = csv::cast_column(values, is_filled ? nullptr : &missing, type);
    if (cast.misfit < 0) return cast.values;
    const bool is_gap = !is_filled && missing(cast.misfit);
    throw CastError(
        fmt::format("CsvColumn: column {}, row {}: {}", file::quoted_text(name), cast.misfit,
                    is_gap ? fmt::format("nothing is there, and {} has no value that says so: give "
                                         "CsvOptions::fills when the file is loaded",
                                         type.name())
                           : cast.refusal()));
}

CsvColumns::CsvColumns(std::vector<CsvColumn> columns) : columns_(std::move(columns)) {
    std::unordered_set<std::string_view> names;
    for (const CsvColumn& column : columns_) {
        const std::string name = file::quoted_text(column.name);
        if (column.values.rank() != 1)
            throw ShapeError(fmt::format("CsvColumns: column {} has the shape {}, and not [rows]",
                                         name, to_string(column.values.shape())));
        if (column.rows() != rows())
            throw ShapeError(fmt::format("CsvColumns: column {} has {} rows, and column {} has {}",
                                         name, column.rows(),
                                         file::quoted_text(columns_.front().name), rows()));
        if (column.missing.shape() != column.values.shape())
            throw ShapeError(
                fmt::format("CsvColumns: column {} has the shape {}, and its mask has {}", name,
                            to_string(column.values.shape()), to_string(column.missing.shape())));
        if (!names.insert(column.name).second)
            throw FormatError(fmt::format("CsvColumns: two columns are called {}", name));
    }
}

const CsvColumn& CsvColumns::operator[](std::string_view name) const& {
    if (const CsvColumn* const found = find(name)) return *found;
    std::string names;
    constexpr std::ptrdiff_t kMost = 10;
    for (auto at = begin(); at != end() && at - begin() < kMost; ++at)
        names += (at == begin() ? "" : ", ") + file::quoted_text(at->name);
    throw IndexError(fmt::format("CsvColumns: no column is called {}; there are {}{}",
                                 file::quoted_text(name), names.empty() ? "none" : names,
                                 size() > kMost ? ", …" : ""));
}

const CsvColumn* CsvColumns::find(std::string_view name) const noexcept {
    const auto found = std::ranges::find(columns_, name, &CsvColumn::name);
    return found == columns_.end() ? nullptr : &*found;
}

} // namespace purview
