#include "csv_text.hpp"

#include "utf16.hpp"

#include "base/quoted_text.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace purview::inline v0_1::csv {

void Marks::check(const char* what) const {
    if (is_part_of_values(delimiter) || is_part_of_values(quote) || delimiter == quote)
        throw Error(fmt::format(
            "{}: the delimiter {} and the quote {} have to differ, and be no letter, digit, sign, "
            "point or line end",
            what, file::quoted_text({&delimiter, 1}), file::quoted_text({&quote, 1})));
}

CsvText::CsvText(const std::string& path)
    : file_(path),
      text_(reinterpret_cast<const char*>(file_.bytes().data()), file_.bytes().size()) {
    using namespace std::string_view_literals;
    if (text_.starts_with("\xEF\xBB\xBF"sv)) {
        text_.remove_prefix(3);
        return;
    }
    if (text_.starts_with("\xFF\xFE\0\0"sv) || text_.starts_with("\0\0\xFE\xFF"sv))
        fail("is text in UTF-32, which is not read");
    const bool is_little = text_.starts_with("\xFF\xFE"sv);
    if (!is_little && !text_.starts_with("\xFE\xFF"sv)) return;
    auto [text, is_whole] =
        text_of_utf16(file_.bytes().subspan(2), is_little ? ByteOrder::little : ByteOrder::big);
    transcoded_ = std::move(text);
    text_ = transcoded_;
    if (!is_whole)
        fail_at(text_.data() + text_.size(), " is no UTF-16: half a character stands in it");
}

void CsvText::skip_lines(index_t count) {
    for (; skipped_lines_ < count && !text_.empty(); ++skipped_lines_) {
        const std::size_t end = std::min(text_.find_first_of("\r\n"), text_.size());
        text_.remove_prefix(end);
        text_.remove_prefix(
            static_cast<std::size_t>(line_end_size(text_.data(), text_.data() + text_.size())));
    }
}

void CsvText::fail(std::string_view what) const {
    throw FormatError(fmt::format("load_csv: '{}': {}", path(), what));
}

void CsvText::fail_at(const char* position, std::string_view what) const {
    const auto offset = static_cast<std::size_t>(position - text_.data());
    std::ptrdiff_t line =
        1 + skipped_lines_ +
        std::ranges::count_if(lines_left_out_, [&](std::size_t at) { return at <= offset; });
    const char* const end = text_.data() + text_.size();
    for (const char* at = text_.data(); at < position;) {
        const int size = line_end_size(at, end);
        if (size > 0) ++line;
        at += size > 0 ? size : 1;
    }
    fail(fmt::format("line {}{}", line, what));
}

} // namespace purview::csv
