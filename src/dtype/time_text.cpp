#include <purview/base/errors.hpp>
#include <purview/dtype/time_text.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace purview::inline v0_1 {
namespace {

class TimeParser {
public:
    explicit TimeParser(std::string_view text) : text_(text), rest_(text) {}

    bool at_end() const noexcept { return rest_.empty(); }
    bool skip(char expected) {
        if (rest_.empty() || rest_.front() != expected) return false;
        rest_.remove_prefix(1);
        return true;
    }
    void require(bool condition, const char* what) const {
        if (!condition)
            throw FormatError(
                fmt::format("parse_times: '{}' is no time in ISO 8601: {}", text_, what));
    }
    std::int64_t number(std::size_t digits, std::int64_t least, std::int64_t most,
                        const char* what) {
        std::int64_t value = 0;
        require(rest_.size() >= digits, what);
        for (std::size_t i = 0; i < digits; ++i) {
            const char digit = rest_[i];
            require(digit >= '0' && digit <= '9', what);
            value = value * 10 + (digit - '0');
        }
        rest_.remove_prefix(digits);
        require(value >= least && value <= most, what);
        return value;
    }
    bool has_offset() const noexcept { return has_offset_; }
    bool at_digit() const noexcept {
        return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
    }
    /// Four digits, or behind a sign, as years beyond them are written, up to nine.
    std::int64_t year() {
        const bool before = skip('-');
        if (!before && !skip('+')) return number(4, 0, 9999, "a year of four digits");
        const std::size_t digits = std::min(rest_.find('-'), rest_.size());
        require(digits >= 4 && digits <= 9, "a year of four to nine digits behind its sign");
        const std::int64_t year =
            number(digits, 0, 999'999'999, "a year of digits behind its sign");
        return before ? -year : year;
    }
    /// Reads "Z", "+01", "+0100", "+01:00", "+01:00:00", behind a blank or not, or nothing, as the
    /// seconds that a clock is ahead of UTC.
    std::int64_t offset() {
        has_offset_ = !at_end();
        if (skip('Z') || skip('z')) return 0;
        if (rest_.starts_with(" +") || rest_.starts_with(" -") || rest_ == " Z") skip(' ');
        if (skip('Z')) return 0;
        const bool ahead = skip('+');
        if (!ahead && !skip('-')) return 0;
        std::int64_t offset = 3600 * number(2, 0, 23, "the hours of an offset");
        const bool has_colon = skip(':');
        if (has_colon || at_digit()) offset += 60 * number(2, 0, 59, "the minutes of an offset");
        if (has_colon && skip(':')) offset += number(2, 0, 59, "the seconds of an offset");
        return ahead ? offset : -offset;
    }
    /// Reads the decimals of a second, and returns them in ticks of 1/den seconds.
    std::int64_t fraction(std::int64_t den) {
        require(at_digit(), "a digit behind the point");
        std::int64_t value = 0;
        for (std::int64_t unit = den; at_digit();) {
            const std::int64_t digit = number(1, 0, 9, "a decimal");
            const bool fits = unit % 10 == 0;
            require(fits || digit == 0, "more decimals than a tick of the type has");
            if (!fits) continue;
            unit /= 10;
            value += digit * unit;
        }
        return value;
    }

private:
    std::string_view text_;
    std::string_view rest_;
    bool has_offset_ = false;
};

} // namespace

void throw_far_day() { throw CastError("calendar: a day is 2^39 or more days from 1970-01-01"); }

void throw_far_months(std::int64_t day, std::int64_t months) {
    throw CastError(fmt::format(
        "plus_months: {} months after day {} since 1970 are beyond the type of the times", months,
        day));
}

std::int64_t parse_time_point(std::string_view text, std::int64_t num, std::int64_t den) {
    return read_time_point(text, num, den).count;
}

ReadTime read_time_point(std::string_view text, std::int64_t num, std::int64_t den) {
    TimeParser parser(text);
    const std::int64_t year = parser.year();
    parser.require(parser.skip('-'), "'-' behind the year");
    const std::int64_t month = parser.number(2, 1, 12, "a month from 01 to 12");
    parser.require(parser.skip('-'), "'-' behind the month");
    const std::int64_t first = days_before_month(year, month - 1);
    const std::int64_t size =
        days_before_month(month == 12 ? year + 1 : year, month == 12 ? 0 : month) - first;
    const std::int64_t day = parser.number(2, 1, size, "a day that the month has");
    std::int64_t seconds = (first + day - 1) * 86400;
    std::int64_t fraction = 0;
    if (!parser.at_end()) {
        parser.require(parser.skip('T') || parser.skip(' ') || parser.skip('t'),
                       "'T' between the day and the time");
        seconds += 3600 * parser.number(2, 0, 23, "an hour from 00 to 23");
        if (parser.skip(':')) {
            seconds += 60 * parser.number(2, 0, 59, "a minute from 00 to 59");
            if (parser.skip(':')) {
                seconds += parser.number(2, 0, 59, "a second from 00 to 59");
                if (parser.skip('.')) fraction = parser.fraction(den);
            }
        }
        seconds -= parser.offset();
    }
    parser.require(parser.at_end(), "nothing behind the time");
    parser.require(seconds % num == 0, "the time lies between two ticks of the type");
    __extension__ typedef __int128 Wide; // the second before the fraction may lie beyond int64
    const Wide count = static_cast<Wide>(seconds / num) * den + fraction;
    if (count > INT64_MAX || count <= INT64_MIN) // the lowest count is NaT
        throw CastError(fmt::format("parse_times: '{}' does not fit the type", text));
    return {static_cast<std::int64_t>(count), parser.has_offset()};
}

} // namespace purview
