#pragma once

#include <purview/dtype/dtype.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace purview::inline v0_1::saved {

/// Tokens as text: as `BytesWriter`.
class TextWriter {
public:
    explicit TextWriter(std::uint32_t version);
    std::string take() { return std::move(text_); }

    void word(std::string_view text) { next() += text; }
    void string(std::string_view text);
    void integer(index_t value) { next() += std::to_string(value); }
    void extent(index_t value);
    void reference(std::size_t node) { (next() += '%') += std::to_string(node); }
    void open(std::size_t) {
        next() += '[';
        is_first_ = true;
    }
    void close() {
        text_ += ']';
        is_first_ = false;
    }
    bool option(std::string_view option_word, bool is_there) {
        if (is_there) word(option_word);
        return is_there;
    }
    void elements(DType dtype, const void* data, index_t count);
    void label(std::size_t node) {
        reference(node);
        word("=");
    }
    void line() {
        text_ += '\n';
        is_first_ = true;
    }

private:
    /// The text, after what separates tokens.
    std::string& next() {
        if (!is_first_) text_ += ' ';
        is_first_ = false;
        return text_;
    }

    std::string text_;
    bool is_first_ = true;
};

/// Reads them: as `BytesReader`. Errors name the line.
class TextReader {
public:
    explicit TextReader(std::string_view text);
    static bool is_this(std::string_view text) noexcept;

    std::string_view word() { return token("a word"); }
    std::string_view string();
    index_t integer();
    index_t extent();
    std::size_t reference();
    void open() { punctuation('['); }
    bool more();
    bool option(std::string_view word);
    void expect(DType dtype, index_t count) const;
    void elements(DType dtype, index_t count, void* out);
    void label(std::size_t node);
    void end();

private:
    [[noreturn]] void fail(std::string_view message) const;
    void skip_space() noexcept;
    void punctuation(char expected);
    std::string_view token(const char* what);

    std::string_view all_;
    std::size_t at_ = 0;
    std::string unescaped_;
};

} // namespace purview::saved
