#include "functional/applied/saved/tokens_in_text.hpp"

#include <purview/base/errors.hpp>

#include "functional/applied/saved/element_text.hpp"
#include "functional/applied/saved/tokens_in_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>

namespace purview::inline v0_1::saved {
namespace {

constexpr std::string_view kKind = "purview computation, version ";

bool is_space(char c) { return c == ' ' || c == '\n'; }

} // namespace

TextWriter::TextWriter(std::uint32_t version) : text_(fmt::format("{}{}\n", kKind, version)) {}

void TextWriter::string(std::string_view text) {
    std::string& out = next();
    out += '"';
    for (const char c : text) {
        if (c == '"' || c == '\\')
            (out += '\\') += c;
        else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            out += fmt::format("\\{:02x}", static_cast<unsigned char>(c));
        else
            out += c;
    }
    out += '"';
}

void TextWriter::extent(index_t value) {
    if (value == -1)
        word("any");
    else
        integer(value);
}

void TextWriter::elements(DType dtype, const void* data, index_t count) {
    const auto* element = static_cast<const std::byte*>(data);
    for (index_t i = 0; i < count; ++i, element += dtype.size_bytes())
        append_element(next(), dtype, element);
}

bool TextReader::is_this(std::string_view text) noexcept { return text.starts_with(kKind); }

TextReader::TextReader(std::string_view text) : all_(text) {
    if (!is_this(text)) fail("this is other text");
    at_ = kKind.size();
    const std::string_view version = token("the version");
    std::uint64_t number = 0;
    const auto [end, error] =
        std::from_chars(version.data(), version.data() + version.size(), number);
    const bool is_number =
        end == version.data() + version.size() && error != std::errc::invalid_argument;
    if (!is_number) fail(fmt::format("'{}' is no version", version.substr(0, 30)));
    // It may be larger than any integer.
    if (error == std::errc::result_out_of_range || number < 1 || number > kVersion)
        throw FormatError(fmt::format("computation: version {} was saved; this library reads up to "
                                      "version {}",
                                      version.substr(0, 30), kVersion));
}

void TextReader::fail(std::string_view message) const {
    const auto line =
        1 + std::count(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
    throw FormatError(fmt::format("computation: line {}: {}", line, message));
}

void TextReader::skip_space() noexcept {
    while (at_ < all_.size() && is_space(all_[at_])) ++at_;
}

void TextReader::punctuation(char expected) {
    skip_space();
    if (at_ == all_.size() || all_[at_] != expected) fail(fmt::format("'{}' is missing", expected));
    ++at_;
}

std::string_view TextReader::token(const char* what) {
    skip_space();
    const std::size_t begin = at_;
    while (at_ < all_.size() && !is_space(all_[at_]) && all_[at_] != '[' && all_[at_] != ']' &&
           all_[at_] != '"')
        ++at_;
    if (at_ == begin) fail(fmt::format("{} is missing", what));
    return all_.substr(begin, at_ - begin);
}

std::string_view TextReader::string() {
    punctuation('"');
    unescaped_.clear();
    for (; at_ < all_.size() && all_[at_] != '"'; ++at_) {
        if (all_[at_] != '\\') {
            unescaped_ += all_[at_];
            continue;
        }
        const std::string_view next = all_.substr(at_ + 1, 2);
        if (next.starts_with('"') || next.starts_with('\\')) {
            unescaped_ += next[0];
            ++at_;
            continue;
        }
        unsigned value = 0;
        const auto [end, error] =
            std::from_chars(next.data(), next.data() + next.size(), value, 16);
        if (error != std::errc() || end != next.data() + 2) fail("a string is malformed");
        unescaped_ += static_cast<char>(value);
        at_ += 2;
    }
    punctuation('"');
    return unescaped_;
}

index_t TextReader::integer() {
    const std::string_view digits = token("an integer");
    index_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size())
        fail(fmt::format("'{}' is no integer", digits.substr(0, 30)));
    return value;
}

index_t TextReader::extent() { return option("any") ? -1 : integer(); }

std::size_t TextReader::reference() {
    punctuation('%');
    const index_t node = integer();
    if (node < 0) fail("a node has a negative number");
    return static_cast<std::size_t>(node);
}

bool TextReader::more() {
    skip_space();
    if (at_ == all_.size()) fail("']' is missing");
    if (all_[at_] != ']') return true;
    ++at_;
    return false;
}

bool TextReader::option(std::string_view word) {
    skip_space();
    const std::string_view rest = all_.substr(at_);
    if (!rest.starts_with(word)) return false;
    if (rest.size() > word.size() && !is_space(rest[word.size()]) && rest[word.size()] != '[' &&
        rest[word.size()] != ']' && rest[word.size()] != '"')
        return false;
    at_ += word.size();
    return true;
}

void TextReader::expect(DType dtype, index_t count) const {
    const auto rest = static_cast<index_t>(all_.size() - at_);
    if (count < 0 || count > rest / 2) // each is a character and what separates it
        fail(fmt::format("{} elements of type {} are more than the rest", count, dtype.name()));
}
void TextReader::elements(DType dtype, index_t count, void* out) {
    auto* element = static_cast<std::byte*>(out);
    for (index_t i = 0; i < count; ++i, element += dtype.size_bytes()) {
        const std::string_view text = token("an element");
        if (!parse_element(text, dtype, element))
            fail(fmt::format("'{}' is no {}", text.substr(0, 40), dtype.name()));
    }
}

void TextReader::label(std::size_t node) {
    if (reference() != node || token("'='") != "=") fail(fmt::format("'%{} =' is missing", node));
}

void TextReader::end() {
    skip_space();
    if (at_ != all_.size()) fail("something follows the end");
}

} // namespace purview::saved
