#include "csv_text.hpp"
#include "field_type.hpp"
#include "number_notation.hpp"

#include "base/quoted_text.hpp"
#include "dtype/element_block.hpp"
#include "io/replacement_file.hpp"

#include <purview/base/errors.hpp>
#include <purview/csv/load_csv.hpp>
#include <purview/csv/save_csv.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/parallel.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <locale>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace purview::inline v0_1 {
namespace {

constexpr index_t kBlockRows = 1 << 15; ///< evaluated together
constexpr index_t kPartRows = 1 << 12;  ///< put into text together

/// Strings, in quotes where they could be taken for something else.
class TextWriter {
public:
    explicit TextWriter(csv::Marks marks) : marks_(marks) {}

    void append(std::string_view field, std::string& text) const {
        if (!needs_quotes(field)) {
            text += field;
            return;
        }
        text += marks_.quote;
        for (const char c : field) {
            if (c == marks_.quote) text += c;
            text += c;
        }
        text += marks_.quote;
    }

private:
    /// Whether a field that stands first in a file may be taken for a byte-order mark.
    static bool may_begin_mark(std::string_view field) {
        return field.starts_with('\xEF') || field.starts_with('\xFE') ||
               field.starts_with('\xFF') || field.starts_with('\0');
    }
    bool needs_quotes(std::string_view field) const {
        static const CsvOptions& defaults = *new CsvOptions; // outlives every user
        const char special[] = {marks_.delimiter, marks_.quote, '\n', '\r'};
        return field.find_first_of({special, sizeof special}) != std::string_view::npos ||
               may_begin_mark(field) ||
               std::ranges::find(defaults.gaps, field) != defaults.gaps.end();
    }

    csv::Marks marks_;
};

/// A column, block by block.
class ColumnBlocks {
public:
    ColumnBlocks(const CsvColumn& column, char decimal)
        : decimal_(decimal),
          dtype_(column.dtype()),
          type_(csv::find_field_type(dtype_)),
          values_(column.values.operand(), Reads::within_one_operation),
          missing_(column.missing.operand(), Reads::within_one_operation),
          block_(column.dtype(), std::min(column.rows(), kBlockRows)),
          gaps_(boolean, std::min(column.rows(), kBlockRows)) {}

    void read(index_t begin, index_t count) {
        values_.read(begin, count, block_.data());
        missing_.read(begin, count, gaps_.data());
    }
    void append(index_t i, const TextWriter& writer, std::string& text) {
        if (*reinterpret_cast<const bool*>(gaps_.at(i))) return;
        if (dtype_.is_builtin()) {
            const std::size_t begin = text.size();
            type_->append(block_.at(i), text);
            if (decimal_ == '.') return;
            if (const std::size_t point = text.find('.', begin); point != std::string::npos)
                text[point] = decimal_;
        } else if (dtype_ == kDType<std::string>) {
            writer.append(*reinterpret_cast<const std::string*>(block_.at(i)), text);
        } else { // a time may hold a colon that is the delimiter; NaT is a gap
            std::string field;
            if (type_ != nullptr)
                type_->append(block_.at(i), field);
            else
                field = printed(block_.at(i));
            if (dtype_.counted_in() != dtype_ && (field.empty() || field == "NaT")) return;
            writer.append(field, text);
        }
    }

private:
    /// As a stream prints it, with all digits of floats.
    std::string printed(const void* element) const {
        std::ostringstream out;
        out.imbue(std::locale::classic());
        out.precision(std::numeric_limits<double>::max_digits10);
        out.exceptions(std::ios::badbit); // running out of memory throws
        dtype_.descriptor().print(out, element);
        return std::move(out).str();
    }

    char decimal_;
    DType dtype_;
    const csv::FieldType* type_; ///< null for a type that is only printed
    Evaluation values_;
    Evaluation missing_;
    ElementBlock block_;
    ElementBlock gaps_;
};

} // namespace

void save_csv(const std::string& path, const CsvColumns& columns, const CsvSaveOptions& options) {
    const csv::Marks marks{options.delimiter, options.quote};
    marks.check("save_csv");
    csv::NumberNotation{options.decimal}.check("save_csv", marks);
    if (columns.size() == 0) throw ShapeError("save_csv: there are no columns");
    for (const CsvColumn& column : columns) {
        if (column.values.rank() > 1)
            throw ShapeError(fmt::format("save_csv: column {} has the shape {}, and a field holds "
                                         "one value: not [rows]",
                                         file::quoted_text(column.name),
                                         to_string(column.values.shape())));
        if (column.dtype().descriptor().print == nullptr)
            throw_dtype_unsupported("save_csv", column.dtype());
    }

    const TextWriter writer(marks);
    std::vector<std::unique_ptr<ColumnBlocks>> blocks;
    for (const CsvColumn& column : columns)
        blocks.push_back(std::make_unique<ColumnBlocks>(column, options.decimal));
    file::ReplacementFile file("save_csv", path);
    const auto write = [&](const std::string& text) { file.write(std::as_bytes(std::span(text))); };

    if (options.header) {
        std::string names;
        for (const CsvColumn& column : columns) {
            if (!names.empty()) names += marks.delimiter;
            writer.append(column.name, names);
        }
        write(names + '\n');
    }
    std::vector<std::string> parts(kBlockRows / kPartRows);
    for (index_t begin = 0; begin < columns.rows(); begin += kBlockRows) {
        const index_t count = std::min(kBlockRows, columns.rows() - begin);
        for (const auto& block : blocks) block->read(begin, count);
        const double nanoseconds = 30. * static_cast<double>(count * columns.size());
        parallel_ranges(count, kPartRows, nanoseconds, [&](index_t first, index_t last) {
            for (index_t i = first; i < last; ++i) {
                std::string& text = parts[static_cast<std::size_t>(i / kPartRows)];
                if (i % kPartRows == 0) text.clear();
                for (std::size_t c = 0; c < blocks.size(); ++c) {
                    if (c > 0) text += marks.delimiter;
                    blocks[c]->append(i, writer, text);
                }
                text += '\n';
            }
        });
        for (index_t part = 0; part * kPartRows < count; ++part)
            write(parts[static_cast<std::size_t>(part)]);
    }
    file.commit();
}

} // namespace purview
