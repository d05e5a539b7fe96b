#include "base/json_cursor.hpp"

#include <purview/base/errors.hpp>

#include "base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace purview::inline v0_1 {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Appends a code point up to U+10FFFF that is no surrogate.
void append_utf8(std::string& text, unsigned point) {
    const auto append = [&](unsigned byte) { text += static_cast<char>(byte); };
    if (point < 0x80) return append(point);
    if (point < 0x800) {
        append(0xC0 | point >> 6);
    } else {
        if (point < 0x10000) {
            append(0xE0 | point >> 12);
        } else {
            append(0xF0 | point >> 18);
            append(0x80 | (point >> 12 & 0x3F));
        }
        append(0x80 | (point >> 6 & 0x3F));
    }
    append(0x80 | (point & 0x3F));
}

} // namespace

void JsonCursor::fail(std::string_view expected) const {
    throw FormatError(
        fmt::format("{}: {} expected at byte {} of {}", where_, expected, at_, text_.size()));
}

void JsonCursor::skip_space() {
    at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
}

bool JsonCursor::take_word(std::string_view word) {
    skip_space();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
}

void JsonCursor::expect(char c) {
    if (!take(c)) fail(fmt::format("'{}'", c));
}

void JsonCursor::expect_end() {
    skip_space();
    if (at_ != text_.size()) fail("the end");
}

std::string JsonCursor::string() {
    expect('"');
    const std::size_t begin = at_;
    std::string decoded;
    while (true) {
        if (at_ == text_.size()) fail("'\"'");
        const char c = text_[at_];
        if (static_cast<unsigned char>(c) < 0x20) fail("an escape for a control character");
        ++at_;
        if (c == '"') break;
        if (c == '\\')
            append_escaped(decoded);
        else
            decoded += c;
    }
    if (is_utf8(decoded)) return decoded;
    at_ = begin;
    fail("UTF-8");
}

/// What follows a backslash.
void JsonCursor::append_escaped(std::string& decoded) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    if (const std::size_t known = kLetters.find(c); known != std::string_view::npos) {
        ++at_;
        decoded += kMeanings[known];
        return;
    }
    if (c != 'u') fail("an escape");
    ++at_;
    unsigned point = hexadecimal();
    if (point >= 0xD800 && point < 0xE000) { // a pair of surrogates is one character
        const bool is_first = point < 0xDC00 && text_.substr(at_).starts_with("\\u");
        if (!is_first) fail("a pair of surrogates up to here");
        at_ += 2;
        const unsigned second = hexadecimal();
        if (second < 0xDC00 || second >= 0xE000) fail("a pair of surrogates up to here");
        point = 0x10000 + ((point - 0xD800) << 10) + (second - 0xDC00);
    }
    append_utf8(decoded, point);
}

unsigned JsonCursor::hexadecimal() {
    const std::string_view digits = text_.substr(at_, 4);
    unsigned value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [rest, error] = std::from_chars(digits.data(), end, value, 16);
    if (digits.size() < 4 || error != std::errc{} || rest != end) fail("four hexadecimal digits");
    at_ += 4;
    return value;
}

bool JsonCursor::boolean() {
    if (take_word("true")) return true;
    if (!take_word("false")) fail("true or false");
    return false;
}

Shape JsonCursor::integers(int most) {
    Shape values;
    list('[', ']', [&] {
        if (std::ssize(values) == most) fail(fmt::format("at most {} integers", most));
        values.push_back(integer<index_t>());
    });
    return values;
}

void JsonCursor::skip_value(int depth) {
    skip_space();
    if (depth > kMaxDepth) fail("less depth");
    if (at_ == text_.size()) fail("a value");
    switch (text_[at_]) {
    case '"': string(); return;
    case '[': return list('[', ']', [&] { skip_value(depth + 1); });
    case '{':
        return list('{', '}', [&] {
            string();
            expect(':');
            skip_value(depth + 1);
        });
    default:
        if (!take_word("true") && !take_word("false") && !take_word("null")) skip_number();
    }
}

void JsonCursor::skip_number() {
    const auto passes = [&](std::string_view letters) {
        const bool is_one =
            at_ < text_.size() && letters.find(text_[at_]) != std::string_view::npos;
        at_ += is_one ? 1 : 0;
        return is_one;
    };
    const bool is_negative = passes("-");
    if (at_ == text_.size() || !is_digit(text_[at_])) fail(is_negative ? "a digit" : "a value");
    if (!passes("0")) skip_digits();
    if (passes(".")) skip_digits();
    if (!passes("eE")) return;
    passes("+-");
    skip_digits();
}

void JsonCursor::skip_digits() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    if (at_ == begin) fail("a digit");
}

} // namespace purview
