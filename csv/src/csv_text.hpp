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
