#pragma once

#include <purview/base/index.hpp>
#include <purview/reader/mapped_file.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace purview::inline v0_1::csv {

/// What separates fields, and what quotes them.
struct Marks {
    char delimiter;
    char quote;

    /// Throws `Error` naming `what` where they cannot be told from numbers, line ends or each other.
    void check(const char* what) const;
};

/// Whether a character stands in numbers, words and times, or ends a line.
constexpr bool is_part_of_values(char c) noexcept {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' ||
           c == '-' || c == '.' || c == '\n' || c == '\r';
}

constexpr bool is_line_end(char c) noexcept { return c == '\n' || c == '\r'; }
/// The size of the line end at `at`; 0 if there is none. Every one that programs write: "\n", "\r\n",
/// "\r" of old Macs, and "\r\r\n", which is "\r\n" put into text mode.
constexpr int line_end_size(const char* at, const char* end) noexcept {
    if (at == end || !is_line_end(*at)) return 0;
    if (*at == '\n') return 1;
    if (end - at > 1 && at[1] == '\n') return 2;
    return end - at > 2 && at[1] == '\r' && at[2] == '\n' ? 3 : 1;
}

/// A mapped file of text behind its byte-order mark, in UTF-8 where that says UTF-16, and what is said of it. It is not moved.
class CsvText {
public:
    explicit CsvText(const std::string& path);
    CsvText(const CsvText&) = delete;
    CsvText& operator=(const CsvText&) = delete;

    /// Begins behind so many lines, whatever they hold.
    void skip_lines(index_t count);
    /// Leaves out what stands behind `comment` in a line, outside of quotes, and lines that hold nothing else. Copies the text if there is any.
    void remove_comments(Marks marks, char comment);

    const std::string& path() const noexcept { return file_.path(); }
    std::string_view all() const noexcept { return text_; }
    /// Throws `FormatError` naming the file.
    [[noreturn]] void fail(std::string_view what) const;
    /// Throws naming the line that a position lies in, too.
    [[noreturn]] void fail_at(const char* position, std::string_view what) const;

private:
    MappedFile file_;
    std::string transcoded_;
    std::string_view text_;
    index_t skipped_lines_ = 0;
    std::string without_comments_;
    std::vector<std::size_t> lines_left_out_; ///< where they were, in `without_comments_`
};

} // namespace purview::csv
