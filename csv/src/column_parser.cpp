#include "column_parser.hpp"

#include "base/quoted_text.hpp"
#include "table/column_cast.hpp"

#include <purview/evaluation/parallel.hpp>
#include <purview/tensor/as_span.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace purview::inline v0_1::csv {
namespace {

constexpr index_t kSampleRows = 100;

} // namespace

bool ColumnParser::parse(const FieldType& type, std::string_view text, void* element) const {
    if (notation_.is_plain()) return type.parse(text, element);
    if (&type == &field_type(Inferred::integers)) { // which are read as the text that they are
        const PlainNumber number(text, notation_);
        return number.is_good() && type.parse(number.text(), element) &&
               field_type(Inferred::text).parse(text, element);
    }
    if (type.parse_front == nullptr) return type.parse(text, element);
    const PlainNumber number(text, notation_);
    return number.is_good() && type.parse(number.text(), element);
}

Inferred ColumnParser::widened_by(Inferred type, std::string_view text) const {
    if (notation_.is_plain()) return widened(type, text);
    const PlainNumber number(text, notation_);
    const auto is_number = [](Inferred found) { return found <= Inferred::float64; };
    if (is_number(type) && number.is_good()) {
        const Inferred found = widened(type, number.text());
        if (is_number(found)) return found;
    }
    // "1.5" is a word where the decimal is ','.
    const Inferred found = widened(type, text);
    return is_number(found) ? Inferred::text : found;
}

/// A fill of times need not say an offset where they do.
bool ColumnParser::parse_fill(const ColumnState& column, void* element) const {
    const bool is_time =
        column.inferred >= Inferred::seconds && column.inferred <= Inferred::zoned_nanoseconds;
    return parse(is_time ? *find_field_type(column.type->dtype) : *column.type, *column.fill,
                 element);
}

void ColumnParser::infer_types_from_sample() {
    if (chunks_.count() == 0) return;
    FieldCursor cursor(text_, marks_, chunks_.text(0), chunks_.has_lone_returns());
    for (index_t row = 0; row < kSampleRows; ++row) {
        if (columns_.size() > 1) cursor.skip_empty_lines();
        if (cursor.at_end()) return;
        std::size_t c = 0;
        do {
            const Field field = cursor.field();
            if (c == columns_.size()) return; // said when the row is read
            ColumnState& column = columns_[c++];
            if (!column.is_given && !is_gap(column, field))
                column.inferred = widened_by(column.inferred, field.text);
        } while (cursor.next_field());
    }
}

bool ColumnParser::is_gap(const ColumnState& column, const Field& field) const {
    const bool is_text = column.type == nullptr ? column.inferred == Inferred::text
                                                : column.type->dtype == kDType<std::string>;
    if (is_text && (field.quoted || !field.text.empty())) return false;
    const std::string_view text = is_text ? field.text : trimmed(field.text);
    return std::ranges::find(options_.gaps, text) != options_.gaps.end();
}

void ColumnParser::prepare(ColumnState& column) const {
    if (!column.is_given) column.type = &field_type(column.inferred);
    column.values = column.type->allocate(chunks_.rows());
    column.missing = zeros<bool>({chunks_.rows()});
    column.memory = static_cast<std::byte*>(column.type->memory(column.values));
    column.element_bytes = column.type->dtype.size_bytes();
    column.gap = as_span(column.missing).data();
    column.is_read = false;
    column.is_point = column.is_given && column.type->dtype.name().starts_with("datetime64");
    // A gap that looks like a number has to be seen first.
    std::int64_t room = 0;
    column.front = column.type->parse_front;
    if (column.front != nullptr && std::ranges::any_of(options_.gaps, [&](const std::string& gap) {
            return column.type->parse(gap, &room);
        }))
        column.front = nullptr;
    if (!column.is_given && column.inferred == Inferred::nothing) column.front = nullptr;
    if (!notation_.is_plain()) column.front = nullptr;
}

void ColumnParser::read_columns() {
    const std::size_t width = columns_.size();
    for (ColumnState& column : columns_)
        if (!column.is_read) prepare(column);
    std::vector<Found> found(static_cast<std::size_t>(chunks_.count()) * width);
    const double bytes = static_cast<double>(text_.all().size());
    parallel_ranges(chunks_.count(), 1, 2 * bytes, [&](index_t first, index_t last) {
        for (index_t chunk = first; chunk < last; ++chunk)
            read_chunk(chunk, found.data() + static_cast<std::size_t>(chunk) * width);
    });
    for (std::size_t c = 0; c < width; ++c) {
        ColumnState& column = columns_[c];
        if (column.is_read) continue;
        Found all{.wider = column.inferred};
        for (std::size_t at = c; at < found.size(); at += width) {
            all.wider = joined(all.wider, found[at].wider);
            all.quoted_gap |= found[at].quoted_gap;
            all.gap |= found[at].gap;
            all.bad_fill |= found[at].bad_fill;
            all.with_zone |= found[at].with_zone;
            all.without_zone |= found[at].without_zone;
        }
        if (!column.is_given && all.wider == Inferred::nothing && all.gap) {
            if (column.fill != nullptr)
                all.wider = widened_by(all.wider, *column.fill);
            else if (all.quoted_gap) // strings that are all empty
                all.wider = Inferred::text;
        }
        column.is_read = all.wider == column.inferred;
        column.inferred = all.wider;
        if (!all.gap) column.gap = nullptr;
        if (column.is_read && all.bad_fill) fail_fill(column);
        if (all.with_zone && all.without_zone) fail_zones(column);
        if (column.is_read && all.gap && column.fill == nullptr && !column.type->clear_says_missing)
            mark_gaps(column);
    }
}

void ColumnParser::mark_gaps(ColumnState& column) const {
    const DType dtype = column.type->dtype;
    if (column.is_given || dtype == boolean)
        fail_gap(column, std::find(column.gap, column.gap + chunks_.rows(), true) - column.gap,
                 fmt::format("nothing is there, and {} has no value that says so", dtype.name()),
                 dtype == boolean ? "" : ", or the type float64, which has NaN");
    const Tensor<bool> missing = column.missing;
    table::ColumnCast cast = table::cast_column(column.values, &missing, float64);
    if (cast.misfit >= 0)
        fail_gap(column, cast.misfit,
                 cast.refusal() + ", as which integers are read where some are missing", "");
    column.values = std::move(cast.values);
}

void ColumnParser::check_counts() {
    for (ColumnState& column : columns_) column.is_read = true;
    std::vector<Found> found(columns_.size());
    for (index_t chunk = 0; chunk < chunks_.count(); ++chunk) read_chunk(chunk, found.data());
}

void ColumnParser::read_chunk(index_t chunk, Found* found) {
    FieldCursor cursor(text_, marks_, chunks_.text(chunk), chunks_.has_lone_returns());
    const std::size_t width = columns_.size();
    const index_t behind = chunks_.rows_before(chunk + 1);
    for (index_t row = chunks_.rows_before(chunk);; ++row) {
        if (width > 1) cursor.skip_empty_lines();
        if (cursor.at_end()) return;
        const char* const record = cursor.at();
        // Only where quotes were broken before, which is said by who read that.
        if (row == behind) text_.fail_at(record, ": quotes that do not match");
        std::size_t c = 0;
        bool is_more = true;
        for (; is_more && c < width; ++c) {
            read_field(cursor, columns_[c], row, found[c]);
            is_more = cursor.next_field();
        }
        if (c < width || is_more) {
            while (is_more) {
                cursor.field();
                is_more = cursor.next_field();
                ++c;
            }
            fail_count(record, fmt::format("{} field{}", c, c == 1 ? "" : "s"));
        }
    }
}

void ColumnParser::read_field(FieldCursor& cursor, const ColumnState& column, index_t row,
                              Found& found) const {
    if (column.is_read || found.wider != Inferred::nothing) {
        cursor.field();
        return;
    }
    void* const element = column.memory + row * column.element_bytes;
    if (column.front != nullptr) {
        const char* const behind = column.front(cursor.at(), cursor.end(), element);
        if (behind != nullptr && cursor.is_behind_field(behind)) {
            cursor.go_behind_field(behind);
            return;
        }
    }
    const char* const place = cursor.at();
    const Field field = cursor.field();
    if (is_gap(column, field)) {
        column.gap[row] = true;
        found.gap = true;
        found.quoted_gap |= field.quoted;
        if (column.fill == nullptr)
            column.type->clear(element);
        else if (!parse_fill(column, element))
            found.bad_fill = true;
        return;
    }
    const bool is_known = column.is_given || column.inferred != Inferred::nothing;
    if (is_known && parse(*column.type, field.text, element)) {
        if (column.is_point) (says_zone(field.text) ? found.with_zone : found.without_zone) = true;
        return;
    }
    if (column.is_given) fail_field(place, column, field.text);
    found.wider = widened_by(column.inferred, field.text);
}

std::string ColumnParser::described_notation(const ColumnState& column) const {
    return column.type->parse_front == nullptr ? std::string() : notation_.described();
}

void ColumnParser::fail_field(const char* place, const ColumnState& column,
                              std::string_view text) const {
    text_.fail_at(place, fmt::format(", column {}: {} is no {}{}", file::quoted_text(column.name),
                                     file::quoted_text(text), column.type->dtype.name(),
                                     described_notation(column)));
}

void ColumnParser::fail_gap(const ColumnState& column, index_t row, std::string_view what,
                            std::string_view advice) const {
    index_t chunk = 0;
    while (chunks_.rows_before(chunk + 1) <= row) ++chunk;
    FieldCursor cursor(text_, marks_, chunks_.text(chunk), chunks_.has_lone_returns());
    const bool one_column = columns_.size() == 1;
    for (index_t before = chunks_.rows_before(chunk); before < row; ++before) {
        if (!one_column) cursor.skip_empty_lines();
        do cursor.field();
        while (cursor.next_field());
    }
    if (!one_column) cursor.skip_empty_lines();
    const std::string name = file::quoted_text(column.name);
    text_.fail_at(cursor.at(),
                  fmt::format(", column {}, row {}: {}: give CsvOptions::fills, as {{{{\"{}\", "
                              "\"{}\"}}}}{}",
                              name, row, what, std::string_view(name).substr(1, name.size() - 2),
                              column.type->dtype == boolean ? "false" : "0", advice));
}

void ColumnParser::fail_zones(const ColumnState& column) const {
    text_.fail(
        fmt::format("column {} is {}, and some of its times have an offset or Z, others have "
                    "not: read it as strings",
                    file::quoted_text(column.name), column.type->dtype.name()));
}

void ColumnParser::fail_fill(const ColumnState& column) const {
    text_.fail(fmt::format("column {} is {}, and its fill {} is not{}",
                           file::quoted_text(column.name), column.type->dtype.name(),
                           file::quoted_text(*column.fill), described_notation(column)));
}

void ColumnParser::fail_count(const char* record, std::string_view how_many) const {
    const std::string_view rest(
        record, static_cast<std::size_t>(text_.all().data() + text_.all().size() - record));
    text_.fail_at(record,
                  fmt::format(" has {}, and there are {} columns: {}", how_many, columns_.size(),
                              file::quoted_text(rest.substr(0, rest.find_first_of("\r\n")))));
}

} // namespace purview::csv
