#pragma once

#include <purview/base/index.hpp>

#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace purview::inline v0_1::sparse {

/// The characters of a file from outside, by lines. Blanks are spaces, tabs and carriage returns.
inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

inline const char* skip_blanks(const char* at, const char* end) {
    while (at < end && is_blank(*at)) ++at;
    return at;
}

/// The end of the line that holds `at`: its line feed, or the end of the file.
inline const char* line_end(const char* at, const char* end) {
    if (at == end) return end;
    const void* const feed = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
    return feed == nullptr ? end : static_cast<const char*>(feed);
}

/// Reads the digits at `at`, which moves behind them; returns false if there are none. A number of
/// more than 19 digits becomes 2^64 - 1.
inline bool read_digits(const char*& at, const char* end, std::uint64_t& value) {
    const char* const begin = at;
    std::uint64_t read = 0;
    while (at < end) {
        const auto digit = static_cast<unsigned char>(*at - '0');
        if (digit > 9) break;
        read = read * 10 + digit;
        ++at;
    }
    const auto digits = at - begin;
    if (digits > 19) { // zeros in front do not count
        const char* first = begin;
        while (first < at && *first == '0') ++first;
        if (at - first > 19) read = ~std::uint64_t{0};
    }
    value = read;
    return digits > 0;
}

/// "WHERE: line N: 'TEXT' WHAT" for the line that holds a position of the file.
std::string line_message(const std::string& where, std::span<const char> file, const char* position,
                         std::string_view what);

} // namespace purview::sparse
