// Defines purview/interop/arrow.hpp.
#include "interop/arrow_import.hpp"

#include <purview/base/errors.hpp>

#include "base/quoted_text.hpp"
#include "interop/arrow_taken_over.hpp"
#include "interop/arrow_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace arrow {
namespace {

constexpr std::size_t kMostColumns = 1 << 20;

std::string name_of(const Schema& schema) { return schema.name == nullptr ? "" : schema.name; }

Column made_column(const Import& import, Values values, std::string name) {
    fill_gaps(import, name, values);
    Column column = values.missing
                        ? Column(std::move(name), std::move(values.values), *values.missing)
                        : Column(std::move(name), std::move(values.values));
    column.is_filled = values.is_filled;
    column.time_zone = std::move(values.time_zone);
    return column;
}

/// Appends the columns of a struct that lies in structs whose gaps are `missing`.
void append_columns(const Import& import, const Slice& slice, const std::string& prefix,
                    const std::optional<Tensor<bool>>& missing, std::size_t& visited,
                    std::vector<Column>& columns) {
    const ArrowType type = type_of(slice);
    const CheckedSlice checked = checked_slice(slice, type);
    const auto gaps = missing_of_both(missing, missing_of(import, checked));
    for (index_t c = 0; c < slice.array.n_children; ++c) {
        if (++visited > kMostColumns)
            throw FormatError(
                fmt::format("from_arrow: more columns than the limit of {}", kMostColumns));
        const Schema* const schema = slice.schema.children[c];
        const bool is_readable = schema != nullptr && schema->release != nullptr;
        const std::string name = prefix + (is_readable ? name_of(*schema) : fmt::format("{}", c));
        const Slice child = child_slice(slice, checked, c, 1, name);
        if (type_of(child).kind == Kind::structure) {
            append_columns(import, child, name + '.', gaps, visited, columns);
            continue;
        }
        Values values = values_of(import, child);
        values.missing = missing_of_both(gaps, values.missing);
        columns.push_back(made_column(import, std::move(values), name));
    }
}

/// What an array of unknown contents held, which is released even if this runs out of memory.
struct TakenArray {
    Import import;
    Array said; ///< what the import's owner holds

    TakenArray(TakenOver<Array> own, const ArrowOptions& options)
        : import{nullptr, options}, said(*own) {
        import.owner = std::make_shared<const TakenOver<Array>>(std::move(own));
    }
};

/// Calls `import_one` with what both hold, which is released in any case.
template <typename ImportOne>
auto taking_over(Array* array, Schema* schema, const ArrowOptions& options, ImportOne import_one) {
    Array nothing{};
    Schema unsaid{};
    const TakenOver<Schema> said(schema == nullptr ? unsaid : *schema);
    return import_one(array == nullptr ? nothing : *array, *said, options);
}

} // namespace

Column imported_column(Array& array, const Schema& schema, const ArrowOptions& options) {
    const TakenArray taken(TakenOver<Array>(array), options);
    const std::string name = schema.release == nullptr ? "" : name_of(schema);
    const Slice slice = whole_array(&taken.said, &schema, name, 0);
    return made_column(taken.import, values_of(taken.import, slice), name);
}

Columns imported_batch(Array& array, const Schema& schema, const ArrowOptions& options) {
    const TakenArray taken(TakenOver<Array>(array), options);
    const std::string name = schema.release == nullptr ? "" : name_of(schema);
    const Slice slice = whole_array(&taken.said, &schema, name, 0);
    if (type_of(slice).kind != Kind::structure)
        throw DtypeError(fmt::format("from_arrow: the array has the format {}, and is no table: "
                                     "column_from_arrow takes it",
                                     file::quoted_text(schema.format)));
    std::vector<Column> columns;
    columns.reserve(static_cast<std::size_t>(std::clamp<index_t>(slice.array.n_children, 0, 64)));
    std::size_t visited = 0;
    append_columns(taken.import, slice, "", std::nullopt, visited, columns);
    return Columns(std::move(columns));
}

} // namespace arrow

Columns from_arrow(arrow::Array* array, arrow::Schema* schema, const ArrowOptions& options) {
    return arrow::taking_over(array, schema, options, arrow::imported_batch);
}
Column column_from_arrow(arrow::Array* array, arrow::Schema* schema, const ArrowOptions& options) {
    return arrow::taking_over(array, schema, options, arrow::imported_column);
}

} // namespace purview
