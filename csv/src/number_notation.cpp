#include "number_notation.hpp"

#include "csv_text.hpp"
#include "field_type.hpp"

#include "base/quoted_text.hpp"

#include <purview/base/errors.hpp>

#include <utility>

namespace purview::inline v0_1::csv {
namespace {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

std::string quoted_mark(const char& mark) { return file::quoted_text({&mark, 1}); }

} // namespace

void NumberNotation::check(const char* what, const Marks& marks) const {
    if (decimal != '.' && (is_part_of_values(decimal) || decimal == ' ' || decimal == '\t'))
        throw Error(fmt::format("{}: the decimal {} has to be no letter, digit, sign, blank or "
                                "line end",
                                what, quoted_mark(decimal)));
    for (const auto& [name, mark] :
         {std::pair{"delimiter", marks.delimiter}, std::pair{"quote", marks.quote}})
        if (decimal == mark)
            throw Error(fmt::format("{}: the decimal and the {} are both {}, and have to differ",
                                    what, name, quoted_mark(mark)));
    if (thousands == '\0') return;
    if (thousands != '.' && is_part_of_values(thousands))
        throw Error(fmt::format("{}: the thousands separator {} has to be no letter, digit, sign "
                                "or line end",
                                what, quoted_mark(thousands)));
    // The delimiter it may be, of numbers in quotes.
    for (const auto& [name, mark] :
         {std::pair{"decimal", decimal}, std::pair{"quote", marks.quote}})
        if (thousands == mark)
            throw Error(fmt::format("{}: the thousands separator and the {} are both {}, and have "
                                    "to differ",
                                    what, name, quoted_mark(mark)));
}

std::string NumberNotation::described() const {
    if (is_plain()) return {};
    std::string text = fmt::format(" (decimal {}", quoted_mark(decimal));
    if (thousands != '\0') text += fmt::format(", thousands {}", quoted_mark(thousands));
    return text + ")";
}

PlainNumber::PlainNumber(std::string_view text, NumberNotation notation) {
    text = trimmed(text);
    std::size_t begin = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
    append(text.substr(0, begin));
    std::size_t behind = begin;
    while (behind < text.size() && (is_digit(text[behind]) || (text[behind] == notation.thousands &&
                                                               notation.thousands != '\0')))
        ++behind;
    is_good_ = append_whole_part(text.substr(begin, behind - begin), notation.thousands);
    std::string_view rest = text.substr(behind);
    if (!rest.empty() && rest[0] == notation.decimal) {
        room_.push_back('.');
        rest.remove_prefix(1);
    }
    // A point that is not the decimal would be read as one.
    if (rest.find('.') != std::string_view::npos) is_good_ = false;
    append(rest);
}

/// Groups of three digits; before the last one also of two, as in India. Others are none: with the
/// separator ',', "1,5" is no 15. Nor is what begins with 0: "0.123" with the separator '.' is a
/// fraction in the other notation, and no 123.
bool PlainNumber::append_whole_part(std::string_view whole, char thousands) {
    std::size_t group = 0;
    bool is_first = true;
    for (const char c : whole) {
        if (c != thousands || thousands == '\0') {
            room_.push_back(c);
            ++group;
            continue;
        }
        if (group > 3 || group < (is_first ? 1U : 2U)) return false;
        if (is_first && whole.front() == '0') return false;
        is_first = false;
        group = 0;
    }
    return is_first || group == 3;
}

} // namespace purview::csv
