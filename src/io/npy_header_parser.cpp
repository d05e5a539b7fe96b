// Defines purview/io/npy_header.hpp.

#include <purview/base/errors.hpp>
#include <purview/dimensions/dimensions.hpp>
#include <purview/io/npy_header.hpp>

#include "io/npy_descr.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace purview::inline v0_1 {
namespace {

using npy::quoted;

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::array<std::string_view, 3> kKeys{"descr", "fortran_order", "shape"};

std::string_view as_text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Little-endian on every machine.
index_t unsigned_number(std::string_view bytes) {
    index_t number = 0;
    for (std::size_t i = bytes.size(); i-- > 0;)
        number = number * 256 + static_cast<unsigned char>(bytes[i]);
    return number;
}

/// Parses the Python dictionary in a header: the part of the language that NumPy has ever written
/// there. One pass from left to right, without recursion.
class HeaderText {
public:
    HeaderText(std::string_view text, const std::string& where) : text_(text), where_(where) {}

    /// Fills in the members of `header` from the dictionary.
    void parse(NpyHeader& header) {
        expect('{', "a dictionary");
        while (!take('}')) {
            parse_item(header);
            if (take(',')) continue;
            expect('}', "',' or '}' after a value");
            break;
        }
        skip_space();
        if (position_ < text_.size())
            fail(fmt::format("goes on behind the dictionary: {}", rest()));
        for (std::size_t i = 0; i < kKeys.size(); ++i)
            if (!seen_[i]) fail(fmt::format("has no key '{}'", kKeys[i]));
    }

private:
    [[noreturn]] void fail(const std::string& problem) const {
        throw FormatError(fmt::format("{}: the header {}", where_, problem));
    }
    [[noreturn]] void fail_expected(std::string_view what) const {
        fail(fmt::format("has {} at byte {} of its dictionary, where {} was expected",
                         position_ < text_.size() ? rest() : "its end", position_, what));
    }
    std::string rest() const { return quoted(text_.substr(position_)); }

    void parse_item(NpyHeader& header) {
        const std::string_view key = string("a key");
        const auto known = std::ranges::find(kKeys, key);
        if (known == kKeys.end()) fail(fmt::format("has an unknown key {}", quoted(key)));
        bool& seen = seen_[static_cast<std::size_t>(known - kKeys.begin())];
        if (seen) fail(fmt::format("has the key {} twice", quoted(key)));
        seen = true;
        expect(':', "':' after a key");
        if (key == "shape")
            parse_shape(header.shape);
        else if (key == "fortran_order")
            header.column_major = boolean();
        else
            parse_descr(header);
    }

    void skip_space() {
        while (position_ < text_.size() && std::string_view(" \t\n\r\f").contains(text_[position_]))
            ++position_;
    }
    char peek() {
        skip_space();
        return position_ < text_.size() ? text_[position_] : '\0';
    }
    bool take(char c) {
        if (peek() != c || position_ == text_.size()) return false;
        ++position_;
        return true;
    }
    void expect(char c, std::string_view what) {
        if (!take(c)) fail_expected(what);
    }
    bool take_word(std::string_view word) {
        skip_space();
        if (!text_.substr(position_).starts_with(word)) return false;
        position_ += word.size();
        return true;
    }

    /// The text between two quotes. No type or key that is accepted needs an escape.
    std::string_view string(std::string_view what) {
        const char quote = peek();
        if (quote != '\'' && quote != '"') fail_expected(what);
        const std::size_t begin = position_ + 1;
        const std::size_t end = text_.find_first_of(quote == '"' ? "\"\\\n" : "'\\\n", begin);
        if (end == text_.npos || text_[end] == '\n')
            fail(fmt::format("has a string without an end: {}", rest()));
        if (text_[end] == '\\') fail(fmt::format("has a string with an escape: {}", rest()));
        position_ = end + 1;
        return text_.substr(begin, end - begin);
    }

    void parse_descr(NpyHeader& header) {
        const char first = peek();
        if (first == '[' || first == '(' || first == '{')
            throw DtypeError(
                fmt::format("{}: descr {} (structured) is an element type that Purview "
                            "does not have",
                            where_, rest()));
        const npy::Descr descr = npy::parse_descr(string("an element type in quotes"), where_);
        header.dtype = descr.dtype;
        header.byte_swapped = descr.byte_swapped;
    }

    bool boolean() {
        if (take_word("True")) return true;
        if (take_word("False")) return false;
        fail_expected("True or False");
    }

    void parse_shape(Shape& shape) {
        expect('(', "a tuple");
        bool comma = true; // a single number in parentheses without a comma is not a tuple
        while (!take(')')) {
            if (!comma) fail_expected("',' or ')'");
            if (shape.size() == static_cast<std::size_t>(kMaxRank))
                fail(fmt::format("has a shape of more than {} axes", kMaxRank));
            shape.push_back(extent(shape.size()));
            comma = take(',');
        }
        if (shape.size() == 1 && !comma)
            fail(fmt::format("has the shape ({}), which is a number and not a tuple", shape[0]));
    }

    index_t extent(std::size_t axis) {
        const bool negative = take('-');
        const char first = peek();
        if (first < '0' || first > '9') fail_expected("an extent");
        const std::size_t begin = position_;
        index_t value = 0;
        bool overflows = false;
        for (; position_ < text_.size() && text_[position_] >= '0' && text_[position_] <= '9';
             ++position_) {
            overflows |= __builtin_mul_overflow(value, 10, &value);
            overflows |= __builtin_add_overflow(value, text_[position_] - '0', &value);
        }
        const std::string_view digits = text_.substr(begin, position_ - begin);
        if (digits.size() > 1 && first == '0')
            fail(fmt::format("has the extent {} with a leading zero for axis {}", quoted(digits),
                             axis));
        if (overflows)
            fail(fmt::format("has the extent {} for axis {}, which does not fit 63 bits",
                             quoted(digits), axis));
        if (negative && value != 0)
            fail(fmt::format("has the negative extent -{} for axis {}", value, axis));
        // Python 2 wrote large numbers with this suffix.
        if (position_ < text_.size() && text_[position_] == 'L') ++position_;
        return value;
    }

    std::string_view text_;
    const std::string& where_;
    std::size_t position_ = 0;
    std::array<bool, kKeys.size()> seen_{};
};

/// Throws unless all elements fit the file's addresses, also with the extents of 0 replaced by 1.
void check_extent(const NpyHeader& header, const std::string& where) {
    index_t bytes = header.dtype.size_bytes();
    bool overflows = false;
    for (const index_t extent : header.shape)
        if (extent > 0) overflows |= __builtin_mul_overflow(bytes, extent, &bytes);
    overflows |= __builtin_add_overflow(bytes, header.data_offset, &bytes);
    if (overflows)
        throw FormatError(fmt::format("{}: shape {} of {} overflows 63 bits", where,
                                      to_string(header.shape), header.dtype.name()));
}

int checked_version(std::string_view text, const std::string& where) {
    const auto major = static_cast<unsigned char>(text[6]);
    const auto minor = static_cast<unsigned char>(text[7]);
    if (major < 1 || major > 3 || minor != 0)
        throw FormatError(fmt::format("{}: version {}.{} of the format is none of 1.0, 2.0 and 3.0",
                                      where, major, minor));
    return major;
}

} // namespace

index_t npy_data_offset(std::span<const std::byte> bytes, const std::string& where) {
    const std::string_view text = as_text(bytes.first(std::min<std::size_t>(bytes.size(), 12)));
    if (!text.starts_with(kMagic.substr(0, text.size())))
        throw FormatError(fmt::format("{}: it begins with {} and not with the magic {}", where,
                                      quoted(text.substr(0, kMagic.size())), quoted(kMagic)));
    const auto require = [&](std::size_t count) {
        if (text.size() < count)
            throw FormatError(fmt::format("{}: {} bytes are too few for a header, which begins "
                                          "with {}",
                                          where, text.size(), count));
    };
    require(10);
    const std::size_t length_bytes = checked_version(text, where) == 1 ? 2 : 4;
    require(8 + length_bytes);
    const index_t length = unsigned_number(text.substr(8, length_bytes));
    if (length > kMaxNpyHeaderBytes)
        throw FormatError(
            fmt::format("{}: a header of {} bytes is longer than the {} that are read", where,
                        length, kMaxNpyHeaderBytes));
    return static_cast<index_t>(8 + length_bytes) + length;
}

NpyHeader parse_npy_header(std::span<const std::byte> bytes, const std::string& where) {
    const index_t data_offset = npy_data_offset(bytes, where);
    const int version = checked_version(as_text(bytes), where);
    if (std::ssize(bytes) < data_offset)
        throw FormatError(fmt::format("{}: the header is said to end at byte {}, and there are "
                                      "only {}",
                                      where, data_offset, bytes.size()));
    const std::size_t begin = version == 1 ? 10 : 12;
    const std::size_t length = static_cast<std::size_t>(data_offset) - begin;
    NpyHeader header;
    HeaderText(as_text(bytes.subspan(begin, length)), where).parse(header);
    header.data_offset = data_offset;
    header.version = version;
    check_extent(header, where);
    return header;
}

} // namespace purview
