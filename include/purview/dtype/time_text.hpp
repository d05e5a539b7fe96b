#pragma once

#include <purview/base/config.hpp>

#include <cstdint>
#include <string_view>

namespace purview::inline v0_1 {

/// `x / by` rounded down; `by` is positive.
constexpr std::int64_t floor_quotient(std::int64_t x, std::int64_t by) {
    return x / by - (x % by < 0 ? 1 : 0);
}

/// The days from 1970-01-01 to the first day of a month; `month` counts from 0 (January).
constexpr std::int64_t days_before_month(std::int64_t year, std::int64_t month) {
    const std::int64_t shifted = month < 2 ? year - 1 : year;
    const std::int64_t era = (shifted >= 0 ? shifted : shifted - 399) / 400;
    const std::int64_t of_era = shifted - era * 400;
    const std::int64_t from_march = (month + 10) % 12;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + (153 * from_march + 2) / 5 -
           719468;
}

/// Throws `CastError` saying that a day is too far from 1970 for the calendar.
[[noreturn]] PURVIEW_EXPORT void throw_far_day();
/// Throws `CastError` saying that the time `months` after `day` (counted from 1970-01-01) does not
/// fit its type.
[[noreturn]] PURVIEW_EXPORT void throw_far_months(std::int64_t day, std::int64_t months);

/// The month, counted from January 1970, that contains a day counted from 1970-01-01, in the
/// proleptic Gregorian calendar: Hinnant's civil_from_days. Throws `CastError` for days that are
/// 2^39 or more from 1970.
constexpr std::int64_t month_of_day(std::int64_t day) {
    constexpr std::int64_t kFar = std::int64_t{1} << 39;
    if (day <= -kFar || day >= kFar) throw_far_day();
    const std::int64_t shifted = day + 719468; // from the 1st of March of the year 0
    const std::int64_t era = floor_quotient(shifted, 146097);
    const std::int64_t of_era = shifted - era * 146097;
    const std::int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const std::int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    const std::int64_t from_march = (5 * of_year + 2) / 153;
    return (era * 400 + year - 1970) * 12 + from_march + 2;
}

/// Parses ISO 8601 into ticks since 1970-01-01: a date "2020-02-29", optionally followed by "T" or
/// a blank and a time of day to the hour, the minute, the second or decimals of the second,
/// optionally followed by "Z" or an offset like "+01:30", "+0130" or "+01", behind a blank or not.
/// Years that are not of four digits have a sign, as `time_point_text` writes them. Throws
/// `FormatError` naming the text if it has another form, or digits finer than one tick, `CastError`
/// if int64 does not hold it, of which the lowest number is NaT.
PURVIEW_EXPORT std::int64_t parse_time_point(std::string_view text, std::int64_t num,
                                             std::int64_t den);
/// What `read_time_point` reads: ticks since 1970-01-01, and whether the text says an offset or
/// "Z".
struct ReadTime {
    std::int64_t count;
    bool has_offset;
};
/// Parses ISO 8601 into ticks since 1970-01-01, and tells whether the text says an offset or "Z".
/// Throws as `parse_time_point` does.
PURVIEW_EXPORT ReadTime read_time_point(std::string_view text, std::int64_t num, std::int64_t den);

} // namespace purview
