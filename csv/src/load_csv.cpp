#include "column_parser.hpp"

#include "base/quoted_text.hpp"

#include <purview/base/errors.hpp>
#include <purview/csv/load_csv.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace purview::inline v0_1 {
namespace {

using csv::ColumnState;
using csv::CsvText;
using csv::FieldCursor;
using csv::Marks;

/// The fields of the first record, and where the one behind it begins.
struct FirstRecord {
    std::vector<std::string> fields;
    std::size_t behind = 0;

    FirstRecord(const CsvText& text, const Marks& marks, index_t most_columns) {
        FieldCursor cursor(text, marks, text.all());
        cursor.skip_empty_lines();
        if (cursor.at_end()) return;
        do {
            if (std::ssize(fields) >= most_columns)
                text.fail(fmt::format("more columns than the limit of {}", most_columns));
            fields.emplace_back(cursor.field().text);
        } while (cursor.next_field());
        behind = static_cast<std::size_t>(cursor.at() - text.all().data());
    }
};

std::vector<std::string> column_names(const CsvText& text, const FirstRecord& first,
                                      const CsvOptions& options) {
    if (first.fields.empty() && (options.header || options.names.empty()))
        text.fail("no columns, as there is nothing in it");
    std::vector<std::string> names = options.names;
    if (names.empty() && options.header) names = first.fields;
    for (std::size_t c = 0; names.size() < first.fields.size() && options.names.empty(); ++c)
        names.push_back(fmt::format("{}", c));
    if (!first.fields.empty() && names.size() != first.fields.size())
        text.fail(
            fmt::format("{} columns, and {} names for them", first.fields.size(), names.size()));
    std::vector<std::string_view> sorted(names.begin(), names.end());
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
        text.fail(fmt::format("two columns are called {}; name them by CsvOptions::names",
                              file::quoted_text(*twice)));
    return names;
}

/// The columns, with what is said of them.
std::vector<ColumnState> columns_of(const CsvText& text, const std::vector<std::string>& names,
                                    const CsvOptions& options) {
    std::vector<ColumnState> columns;
    columns.reserve(names.size());
    const AnyTensor nothing{zeros<bool>({0})};
    for (const std::string& name : names)
        columns.push_back(
            {.name = name, .values = nothing, .missing = zeros<bool>({0}), .is_read = false});
    const auto column_called = [&](const std::string& name) -> ColumnState& {
        const auto found = std::ranges::find(columns, name, &ColumnState::name);
        if (found == columns.end())
            text.fail(fmt::format("no column is called {}, of which the options speak",
                                  file::quoted_text(name)));
        return *found;
    };
    for (const auto& [name, dtype] : options.types) {
        ColumnState& column = column_called(name);
        column.type = csv::find_field_type(dtype);
        column.is_given = true;
        if (column.type == nullptr) throw_dtype_unsupported("load_csv", dtype);
    }
    for (const auto& [name, fill] : options.fills) column_called(name).fill = &fill;
    return columns;
}

void check_comment(const CsvOptions& options) {
    const char& comment = options.comment;
    const std::string said = file::quoted_text({&comment, 1});
    if (csv::is_part_of_values(comment) || comment == ' ' || comment == '\t')
        throw Error(fmt::format("load_csv: the comment {} has to be no letter, digit, sign, "
                                "point, blank or line end",
                                said));
    const std::pair<const char*, char> others[] = {{"delimiter", options.delimiter},
                                                   {"quote", options.quote},
                                                   {"decimal", options.decimal},
                                                   {"thousands separator", options.thousands}};
    for (const auto& [name, other] : others)
        if (comment == other)
            throw Error(fmt::format("load_csv: the comment and the {} are both {}, and have to "
                                    "differ",
                                    name, said));
}

} // namespace

CsvColumns load_csv(const std::string& path, const CsvOptions& options) {
    const Marks marks{options.delimiter, options.quote};
    marks.check("load_csv");
    csv::NumberNotation{options.decimal, options.thousands}.check("load_csv", marks);
    if (options.comment != '\0') check_comment(options);
    if (options.skip_rows < 0)
        throw Error(
            fmt::format("load_csv: skip_rows is {}, and has to be at least 0", options.skip_rows));
    CsvText text(path);
    text.skip_lines(options.skip_rows);
    if (options.comment != '\0') text.remove_comments(marks, options.comment);
    const FirstRecord first(text, marks, options.most_columns);
    std::vector<ColumnState> columns =
        columns_of(text, column_names(text, first, options), options);
    const csv::RecordChunks chunks(text.all().substr(options.header ? first.behind : 0), marks,
                                   columns.size() == 1);
    csv::ColumnParser parser(text, marks, options, chunks, columns);
    // More records than this have too few fields: no memory for what they do not have.
    if (chunks.rows() > (std::ssize(text.all()) + 1) / std::ssize(columns)) parser.check_counts();
    parser.infer_types_from_sample();
    do parser.read_columns();
    while (!std::ranges::all_of(columns, &ColumnState::is_read));

    std::vector<CsvColumn> result;
    result.reserve(columns.size());
    for (ColumnState& column : columns) {
        if (column.gap == nullptr)
            result.emplace_back(std::move(column.name), column.values);
        else
            result.emplace_back(std::move(column.name), column.values, column.missing).is_filled =
                column.fill != nullptr;
    }
    return result;
}

} // namespace purview
