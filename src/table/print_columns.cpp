// Defines purview/table/columns.hpp.

#include "dtype/element_block.hpp"

#include <purview/evaluation/evaluate.hpp>
#include <purview/table/columns.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace purview::inline v0_1 {
namespace {

/// Of longer axes, only so many entries are printed at each end.
constexpr index_t kEdgeRows = 5;
constexpr index_t kEdgeColumns = 8;
constexpr std::size_t kMostCharacters = 40;
constexpr index_t kMostElements = 6; ///< of a value that is a tensor

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; } // of UTF-8

std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

/// In one line, and not too long.
std::string shortened(std::string_view text) {
    std::string shown;
    std::size_t characters = 0;
    for (const char c : text) {
        if (begins_character(c) && ++characters > kMostCharacters) return shown + "…";
        if (c == '\n')
            shown += "\\n";
        else
            shown += static_cast<unsigned char>(c) < ' ' || c == '\x7F' ? '?' : c;
    }
    return shown;
}

/// What is printed of one column, from its name down, to one width.
struct PrintedColumn {
    std::vector<std::string> texts;
    bool right = true; ///< whether it is aligned there, as numbers are

    std::size_t width() const {
        std::size_t most = 0;
        for (const std::string& text : texts) most = std::max(most, width_of(text));
        return most;
    }
};

/// The entries [0, edge) and the last ones of `count`, or all of them: where each of the two parts begins and ends.
struct Parts {
    index_t head_end;
    index_t tail_begin;
    index_t end;

    Parts(index_t count, index_t edge)
        : head_end(count > 2 * edge ? edge : count),
          tail_begin(count > 2 * edge ? count - edge : count),
          end(count) {}
    bool is_elided() const { return tail_begin > head_end; }
};

/// An element as a stream with the settings of `stream` prints it.
std::string element_text(DType dtype, const std::byte* element, const std::ios_base& stream) {
    std::ostringstream text;
    text.precision(stream.precision());
    text.setf(stream.flags() & std::ios_base::floatfield, std::ios_base::floatfield);
    text.exceptions(std::ios::badbit); // running out of memory throws
    if (dtype == boolean)
        text << (*reinterpret_cast<const bool*>(element) ? "true" : "false");
    else if (dtype.descriptor().print != nullptr)
        dtype.descriptor().print(text, element);
    else
        text << '<' << dtype.name() << '>';
    return std::move(text).str();
}

void append_rows(const Column& column, index_t begin, index_t end, const std::ios_base& stream,
                 PrintedColumn& printed) {
    const index_t count = end - begin;
    if (count == 0) return;
    const bool is_tensor = column.values.rank() > 1;
    const index_t width = column.values.size() / column.rows();
    const index_t shown = std::min(width, kMostElements);
    ElementBlock values(column.dtype(), count * shown);
    ElementBlock gaps(boolean, count);
    const Evaluation source(column.values.operand(), Reads::within_one_operation);
    if (shown == width)
        source.read(begin * width, count * width, values.data());
    else
        for (index_t i = 0; i < count; ++i)
            source.read((begin + i) * width, shown, values.at(i * shown));
    Evaluation(column.missing.operand(), Reads::within_one_operation)
        .read(begin, count, gaps.data());
    for (index_t i = 0; i < count; ++i) {
        if (*reinterpret_cast<const bool*>(gaps.at(i))) {
            printed.texts.emplace_back("-");
            continue;
        }
        std::string text;
        for (index_t e = i * shown; e < (i + 1) * shown; ++e)
            text += (text.empty() ? "" : " ") + element_text(column.dtype(), values.at(e), stream);
        if (is_tensor) text = fmt::format("[{}{}]", text, shown < width ? " …" : "");
        printed.texts.push_back(shortened(text));
    }
}

/// `float64`, and of values that are tensors their shape, `float64[2 3]`.
std::string type_text(const Column& column) {
    std::string text(column.dtype().name());
    if (column.values.rank() > 1)
        text += to_string(ShapeSpan(column.values.dimensions().max_shape()).subspan(1));
    return text;
}

PrintedColumn printed_column(const Column& column, const Parts& rows, const std::ios_base& stream) {
    PrintedColumn printed{{shortened(column.name), type_text(column)},
                          column.dtype().is_builtin() && column.dtype() != boolean};
    append_rows(column, 0, rows.head_end, stream, printed);
    if (rows.is_elided()) printed.texts.emplace_back("…");
    append_rows(column, rows.tail_begin, rows.end, stream, printed);
    return printed;
}

PrintedColumn row_numbers(const Parts& rows) {
    PrintedColumn numbers{{"", ""}};
    for (index_t row = 0; row < rows.head_end; ++row) numbers.texts.push_back(std::to_string(row));
    if (rows.is_elided()) numbers.texts.emplace_back("…");
    for (index_t row = rows.tail_begin; row < rows.end; ++row)
        numbers.texts.push_back(std::to_string(row));
    return numbers;
}

std::string counted(index_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void print_table(std::ostream& out, std::span<const Column> columns) {
    const index_t count = std::ssize(columns);
    const index_t row_count = count == 0 ? 0 : columns.front().rows();
    const Parts rows(row_count, kEdgeRows);
    const Parts places(count, kEdgeColumns);
    std::vector<PrintedColumn> printed{row_numbers(rows)};
    for (index_t c = 0; c < count; ++c) {
        if (c == places.head_end && places.is_elided()) {
            printed.push_back({std::vector<std::string>(printed.front().texts.size(), "…")});
            c = places.tail_begin;
        }
        printed.push_back(printed_column(columns[static_cast<std::size_t>(c)], rows, out));
    }
    std::vector<std::size_t> widths;
    for (const PrintedColumn& column : printed) widths.push_back(column.width());
    for (std::size_t line = 0; count > 0 && line < printed.front().texts.size(); ++line) {
        std::string text;
        for (std::size_t c = 0; c < printed.size(); ++c) {
            const std::string& field = printed[c].texts[line];
            const std::string blanks(widths[c] - width_of(field), ' ');
            text += (c > 0 ? "  " : "") + (printed[c].right ? blanks + field : field + blanks);
        }
        text.erase(text.find_last_not_of(' ') + 1);
        out << text << '\n';
    }
    out << '[' << counted(row_count, "row") << ", " << counted(count, "column") << ']';
}

template <typename X>
std::string printed_text(const X& x) {
    std::ostringstream out;
    out << x;
    return std::move(out).str();
}

} // namespace

std::ostream& operator<<(std::ostream& out, const Columns& columns) {
    print_table(out, {columns.begin(), columns.end()});
    return out;
}
std::ostream& operator<<(std::ostream& out, const Column& column) {
    print_table(out, {&column, 1});
    return out;
}

std::string to_string(const Columns& columns) { return printed_text(columns); }
std::string to_string(const Column& column) { return printed_text(column); }

} // namespace purview
