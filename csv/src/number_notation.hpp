#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace purview::inline v0_1::csv {

struct Marks;

/// How numbers are written: "1.234,5" has the decimal ',' and the thousands '.'.
struct NumberNotation {
    char decimal = '.';
    char thousands = '\0'; ///< none

    /// Whether numbers are what C++ reads.
    bool is_plain() const noexcept { return decimal == '.' && thousands == '\0'; }
    /// Throws `Error` naming `what` where they cannot be told from each other or from the marks of fields.
    void check(const char* what, const Marks& marks) const;
    /// What follows in messages on numbers: nothing of the plain notation.
    std::string described() const;
};

/// A number in the notation of C++.
class PlainNumber {
public:
    /// Of a number in a notation; blanks around it are skipped.
    PlainNumber(std::string_view text, NumberNotation notation);

    /// Whether the digits are grouped as the notation has it, and the decimal is its own. What else is no number shows when it is read.
    bool is_good() const noexcept { return is_good_; }
    std::string_view text() const noexcept { return {room_.data(), room_.size()}; }

private:
    void append(std::string_view text) { room_.append(text.data(), text.data() + text.size()); }
    bool append_whole_part(std::string_view whole, char thousands);

    fmt::basic_memory_buffer<char, 64> room_;
    bool is_good_;
};

} // namespace purview::csv
