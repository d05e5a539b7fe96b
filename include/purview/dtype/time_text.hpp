#pragma once

#include <purview/base/config.hpp>

#include <cstdint>
#include <string_view>

namespace purview {

/// The days of a year and a month counted from 0, from 1970 on.
constexpr std::int64_t days_before_month(std::int64_t year, std::int64_t month) {
    const std::int64_t shifted = month < 2 ? year - 1 : year;
    const std::int64_t era = (shifted >= 0 ? shifted : shifted - 399) / 400;
    const std::int64_t of_era = shifted - era * 400;
    const std::int64_t from_march = (month + 10) % 12;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + (153 * from_march + 2) / 5 -
           719468;
}

/// Ticks since 1970 of a text in ISO 8601: "2020-02-29", and behind "T" or a blank a time of day to the minute, the second or
/// decimals of it, and "Z" or an offset like "+01:30" behind that. Throws `FormatError` naming the text, for digits that a tick
/// cannot hold as well.
PURVIEW_EXPORT std::int64_t parse_time_point(std::string_view text, std::int64_t num,
                                             std::int64_t den);

} // namespace purview
