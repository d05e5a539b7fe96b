#pragma once

#include <purview/dtype/dtype.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace purview::inline v0_1::saved {

// A saved computation is a sequence of tokens: words, strings, integers, references to nodes, lists and
// elements. docs/design/computation_format.md says in which order, and what each is in bytes and in
// text.

/// The newest version. Those before it lack what has been added: 2 has loops and choices, 3 functions of whole operands.
inline constexpr std::uint32_t kVersion = 3;

/// Tokens as bytes.
class BytesWriter {
public:
    explicit BytesWriter(std::uint32_t version);
    std::string take() { return std::move(bytes_); }

    void word(std::string_view text);
    void string(std::string_view text);
    void integer(index_t value) {
        const auto bits = static_cast<std::uint64_t>(value);
        unsigned_integer((bits << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0));
    }
    void extent(index_t value) { integer(value); }
    void reference(std::size_t node) { unsigned_integer(node); }
    void open(std::size_t count) { unsigned_integer(count); }
    void close() {}
    bool option(std::string_view, bool is_there) {
        bytes_ += is_there ? '\1' : '\0';
        return is_there;
    }
    void elements(DType dtype, const void* data, index_t count);
    void label(std::size_t) {}
    void line() {}

private:
    void unsigned_integer(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
        bytes_ += static_cast<char>(value);
    }

    std::string bytes_;
    std::vector<std::string> words_;              ///< in the order of their numbers
    std::array<std::size_t, 256> last_of_hash_{}; ///< number of the last word of a hash, 0 before
};

/// Reads them. All functions throw `FormatError` where the input ends or is malformed.
class BytesReader {
public:
    /// Throws also for another kind or a newer version.
    explicit BytesReader(std::string_view bytes);
    static bool is_this(std::string_view bytes) noexcept;

    std::string_view word();
    std::string_view string();
    index_t integer();
    index_t extent() { return integer(); }
    std::size_t reference() { return unsigned_integer(); }
    void open();
    /// Whether the list has another token; closes it if not.
    bool more() {
        if (lists_.back()-- > 0) return true;
        lists_.pop_back();
        return false;
    }
    bool option(std::string_view word);
    /// Throws unless so many elements may still come.
    void expect(DType dtype, index_t count) const;
    /// To constructed elements. Precondition: they were expected.
    void elements(DType dtype, index_t count, void* out);
    void label(std::size_t) {}
    void end() const;

private:
    std::uint64_t unsigned_integer() {
        if (rest_.empty() || static_cast<unsigned char>(rest_[0]) >= 0x80) return long_integer();
        const auto value = static_cast<unsigned char>(rest_[0]);
        rest_.remove_prefix(1);
        return value;
    }
    std::uint64_t long_integer();
    unsigned char byte();
    std::string_view take(std::size_t count);

    std::string_view rest_;
    std::vector<std::string_view> words_;
    std::vector<std::size_t> lists_; ///< how many tokens of each open list are left
};

} // namespace purview::saved
