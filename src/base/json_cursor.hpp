#pragma once

#include <purview/base/index.hpp>

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// Reads JSON (RFC 8259) from the front of a text that comes from outside: whatever its bytes, it takes time in
/// proportion to them, and no more depth of calls than `kMaxDepth`. What does not fit is a `FormatError`.
class JsonCursor {
public:
    static constexpr int kMaxDepth = 64;

    /// `where` begins the messages of errors.
    JsonCursor(std::string where, std::string_view text) : where_(std::move(where)), text_(text) {}

    /// What messages begin with from now on.
    void set_where(std::string where) { where_ = std::move(where); }
    [[noreturn]] void fail(std::string_view expected) const;

    /// Whether this is what comes next, after spaces; if so, it is passed.
    bool take(char c) {
        skip_space();
        if (at_ == text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    bool take_word(std::string_view word);
    void expect(char c);
    void expect_end();

    /// A string of UTF-8, its escapes decoded.
    std::string string();
    template <typename Integer>
    Integer integer() {
        skip_space();
        const char* const first = text_.data() + at_;
        const char* const end = text_.data() + text_.size();
        Integer value{};
        const auto [rest, error] = std::from_chars(first, end, value);
        if (error != std::errc{}) fail("an integer of 64 bits");
        if (rest != end && (*rest == '.' || *rest == 'e' || *rest == 'E')) fail("an integer");
        const char* const digits = first + (*first == '-' ? 1 : 0);
        if (*digits == '0' && rest - digits > 1) fail("an integer without zeros before it");
        at_ = static_cast<std::size_t>(rest - text_.data());
        return value;
    }
    bool boolean();
    /// Calls `entry()` before each value of a list, up to the closing bracket.
    template <typename Entry>
    void list(char open, char close, Entry entry) {
        expect(open);
        if (take(close)) return;
        do entry();
        while (take(','));
        expect(close);
    }
    /// A list of at most so many integers.
    Shape integers(int most);
    void skip_value(int depth = 0);

private:
    void skip_space();
    void skip_number();
    void skip_digits();
    void append_escaped(std::string& decoded);
    unsigned hexadecimal();

    std::string where_;
    std::string_view text_;
    std::size_t at_ = 0;
};

} // namespace purview
