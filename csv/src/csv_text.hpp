#pragma once

#include <purview/reader/mapped_file.hpp>

#include <string>
#include <string_view>

namespace purview::inline v0_1::csv {

/// What separates fields, and what quotes them.
struct Marks {
    char delimiter;
    char quote;

    /// Throws `Error` naming `what` where they cannot be told from numbers, line ends or each other.
    void check(const char* what) const;
};

constexpr bool is_line_end(char c) noexcept { return c == '\n' || c == '\r'; }
/// The size of the line end at `at`; 0 if there is none. Every one that programs write: "\n", "\r\n",
/// "\r" of old Macs, and "\r\r\n", which is "\r\n" put into text mode.
constexpr int line_end_size(const char* at, const char* end) noexcept {
    if (at == end || !is_line_end(*at)) return 0;
    if (*at == '\n') return 1;
    if (end - at > 1 && at[1] == '\n') return 2;
    return end - at > 2 && at[1] == '\r' && at[2] == '\n' ? 3 : 1;
}

/// A mapped file of text behind its byte-order mark, and what is said of it.
class CsvText {
public:
    explicit CsvText(const std::string& path);

    const std::string& path() const noexcept { return file_.path(); }
    std::string_view all() const noexcept { return text_; }
    /// Throws `FormatError` naming the file.
    [[noreturn]] void fail(std::string_view what) const;
    /// Throws naming the line that a position lies in, too.
    [[noreturn]] void fail_at(const char* position, std::string_view what) const;

private:
    MappedFile file_;
    std::string_view text_;
};

} // namespace purview::csv
