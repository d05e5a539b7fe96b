#include "field_cursor.hpp"

#include "base/quoted_text.hpp"

namespace purview::inline v0_1::csv {

Field FieldCursor::quoted_field() {
    const char* const opening = at_;
    const char* begin = at_ + 1;
    bool doubled = false;
    for (;;) {
        const char* const quote = static_cast<const char*>(
            std::memchr(begin, marks_.quote, static_cast<std::size_t>(end_ - begin)));
        const std::string_view said(opening, static_cast<std::size_t>(end_ - opening));
        if (quote == nullptr)
            text_.fail_at(opening, ": a quoted field does not end: " + file::quoted_text(said));
        const bool again = end_ - quote > 1 && quote[1] == marks_.quote;
        if (again || doubled) {
            if (!doubled) unquoted_.clear();
            doubled = true;
            unquoted_.append(begin, quote + (again ? 1 : 0));
        }
        if (again) {
            begin = quote + 2;
            continue;
        }
        at_ = quote + 1;
        if (!is_behind_field(at_))
            text_.fail_at(at_, ": text behind the quotes of a field: " + file::quoted_text(said));
        if (doubled) return {unquoted_, true};
        return {{begin, static_cast<std::size_t>(quote - begin)}, true};
    }
}

} // namespace purview::csv
