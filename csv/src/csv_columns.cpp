#include "io/quoted_text.hpp"

#include <purview/base/errors.hpp>
#include <purview/csv/csv_columns.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace purview {

void CsvColumn::require(DType expected) const {
    if (dtype() != expected)
        throw DtypeError(fmt::format("CsvColumn: column {} is {}, and {} was asked for",
                                     file::quoted_text(name), dtype().name(), expected.name()));
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
