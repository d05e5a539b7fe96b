#include <purview/dtype/time_element.hpp>
#include <purview/dtype/time_text.hpp>

#include <fmt/format.h>

#include <ostream>

namespace purview::inline v0_1 {
namespace {

constexpr std::int64_t kDay = 86400;

/// What `floor_quotient` leaves, from 0 to by - 1. (The quotient times `by` may lie below the first int64.)
std::int64_t left_of(std::int64_t x, std::int64_t by) { return x % by + (x % by < 0 ? by : 0); }

/// The date of a day counted from 1970-01-01, by Hinnant's civil_from_days.
std::string text_of_day(std::int64_t days) {
    const std::int64_t era = floor_quotient(days, 146097);
    // Counted from 0000-03-01, which lies 719468 days before 1970-01-01: 4 eras of 146097 days, and
    // 135080 days.
    std::int64_t of_era = left_of(days, 146097) + 135080;
    const std::int64_t later = of_era / 146097;
    of_era -= later * 146097;
    const std::int64_t of_400 = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const std::int64_t day = of_era - (365 * of_400 + of_400 / 4 - of_400 / 100);
    const std::int64_t month = (5 * day + 2) / 153;
    const std::int64_t year = of_400 + (era + later + 4) * 400 + (month >= 10 ? 1 : 0);
    return date_text(year, month < 10 ? month + 3 : month - 9, day - (153 * month + 2) / 5 + 1);
}

/// The number of decimals that shows a multiple of 1/den seconds; -1 if `den` is no power of ten.
int digits_of(std::int64_t den) {
    int digits = 0;
    for (; den % 10 == 0 && den > 1; den /= 10) ++digits;
    return den == 1 ? digits : -1;
}

} // namespace

// Years that are not of four digits have a sign.
std::string date_text(std::int64_t year, std::int64_t month, std::int64_t day) {
    std::string text;
    if (year != kNoField)
        text = year >= 0 && year <= 9999 ? fmt::format("{:04}", year) : fmt::format("{:+05}", year);
    for (const std::int64_t field : {month, day})
        if (field != kNoField) text += fmt::format("{}{:02}", text.empty() ? "" : "-", field);
    return text;
}

std::string weekday_text(unsigned weekday) {
    constexpr const char* kNames[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    return weekday < 8 ? kNames[weekday] : fmt::format("{}", weekday);
}

std::string time_point_text(std::int64_t count, std::int64_t num, std::int64_t den) {
    if (den == 1 && num % kDay == 0) {
        std::int64_t days = 0;
        if (__builtin_mul_overflow(count, num / kDay, &days)) return duration_text(count, num, den);
        return text_of_day(days);
    }
    const int digits = digits_of(den);
    if (digits < 0 || (num != 1 && (den != 1 || kDay % num != 0)))
        return duration_text(count, num, den);
    const std::int64_t ticks_per_second = den;
    std::int64_t seconds = floor_quotient(count, ticks_per_second);
    const std::int64_t rest = left_of(count, ticks_per_second);
    if (__builtin_mul_overflow(seconds, num, &seconds)) return duration_text(count, num, den);
    const std::int64_t days = floor_quotient(seconds, kDay);
    const std::int64_t of_day = left_of(seconds, kDay);
    std::string text =
        fmt::format("{}T{:02}:{:02}", text_of_day(days), of_day / 3600, of_day / 60 % 60);
    if (num % 60 != 0) text += fmt::format(":{:02}", of_day % 60);
    if (digits > 0) text += fmt::format(".{:0{}}", rest, digits);
    return text;
}

namespace {

template <typename Count>
std::string with_unit(Count count, std::int64_t num, std::int64_t den) {
    const std::string_view suffix = time_unit(num, den).suffix;
    if (!suffix.empty()) return fmt::format("{}{}", count, suffix);
    return den == 1 ? fmt::format("{}[{}]s", count, num)
                    : fmt::format("{}[{}/{}]s", count, num, den);
}

} // namespace

std::string duration_text(std::int64_t count, std::int64_t num, std::int64_t den) {
    return with_unit(count, num, den);
}
std::string duration_text(double count, std::int64_t num, std::int64_t den) {
    return with_unit(count, num, den);
}

void print_text(std::ostream& out, const std::string& text) { out << text; }

} // namespace purview
