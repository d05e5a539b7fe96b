#include "csv_text.hpp"

#include "base/quoted_text.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <cstddef>

namespace purview::inline v0_1::csv {

void Marks::check(const char* what) const {
    const auto is_other = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               c == '+' || c == '-' || c == '.' || c == '\n' || c == '\r';
    };
    if (is_other(delimiter) || is_other(quote) || delimiter == quote)
        throw Error(fmt::format(
            "{}: the delimiter {} and the quote {} have to differ, and be no letter, digit, sign, "
            "point or line end",
            what, file::quoted_text({&delimiter, 1}), file::quoted_text({&quote, 1})));
}

CsvText::CsvText(const std::string& path)
    : file_(path),
      text_(reinterpret_cast<const char*>(file_.bytes().data()), file_.bytes().size()) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
}

void CsvText::fail(std::string_view what) const {
    throw FormatError(fmt::format("load_csv: '{}': {}", path(), what));
}

void CsvText::fail_at(const char* position, std::string_view what) const {
    std::ptrdiff_t line = 1;
    const char* const end = text_.data() + text_.size();
    for (const char* at = text_.data(); at < position;) {
        const int size = line_end_size(at, end);
        if (size > 0) ++line;
        at += size > 0 ? size : 1;
    }
    fail(fmt::format("line {}{}", line, what));
}

} // namespace purview::csv
