#include "io/cf_times.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/time_element.hpp>
#include <purview/dtype/time_text.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/functional/elementwise/emap.hpp>
#include <purview/functional/elementwise/strings.hpp>
#include <purview/functional/elementwise/where.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <regex>
#include <string_view>
#include <tuple>

namespace purview::inline v0_1::file {
namespace {

constexpr std::int64_t kNat = std::numeric_limits<std::int64_t>::min();

struct Unit {
    std::string_view names; ///< each behind a blank; of more than two letters, they may have an s
    std::int64_t nanoseconds;
};
/// By UDUNITS.
constexpr Unit kUnits[] = {
    {" nanosecond nanosec ns", 1},
    {" microsecond microsec us", 1'000},
    {" millisecond millisec msec ms", 1'000'000},
    {" second sec s", 1'000'000'000},
    {" minute min", 60'000'000'000},
    {" hour hr h", 3'600'000'000'000},
    {" day d", 86'400'000'000'000},
};

/// 0 if a word is no unit.
std::int64_t nanoseconds_of(std::string word) {
    if (word.size() > 2 && word.back() == 's') word.pop_back();
    for (const Unit& unit : kUnits)
        if ((std::string(unit.names) + ' ').find(' ' + word + ' ') != std::string::npos)
            return unit.nanoseconds;
    return 0;
}

/// Days from 1970-01-01; nothing for a day that there is not. The standard calendar is the Julian one
/// before 1582-10-15, without the ten days before that, and without a year 0.
std::optional<std::int64_t> day_of(std::int64_t year, std::int64_t month, std::int64_t day,
                                   bool is_proleptic) {
    const std::tuple date(year, month, day);
    const bool is_julian = !is_proleptic && date < std::tuple(1582, 10, 15);
    if (is_julian && (date >= std::tuple(1582, 10, 5) || year == 0)) return {};
    const bool is_leap_year = year % 4 == 0 && (is_julian || year % 100 != 0 || year % 400 == 0);
    const std::int64_t length = month == 2 ? (is_leap_year ? 29 : 28) : 31 - (month - 1) % 7 % 2;
    if (month < 1 || month > 12 || day < 1 || day > length) return {};
    const std::int64_t gregorian = days_before_month(year, month - 1) + day - 1;
    // Both calendars agree in the third century, and part with each leap day that only one of them has.
    const std::int64_t centuries = floor_quotient(month < 3 ? year - 1 : year, 100);
    return is_julian ? gregorian + centuries - floor_quotient(centuries, 4) - 2 : gregorian;
}

/// Ticks, of which a second has `per_second`, from 1970-01-01 to a date of the groups 2 to 10 below.
std::optional<std::int64_t> reference_of(const std::smatch& part, bool is_proleptic,
                                         std::int64_t per_second) {
    const auto number = [&](std::size_t group, std::int64_t otherwise) {
        return part[group].matched ? std::stoll(part[group].str()) : otherwise;
    };
    const auto days = day_of(number(2, 1), number(3, 1), number(4, 1), is_proleptic);
    const std::int64_t hours = number(5, 0), minutes = number(6, 0), seconds = number(7, 0);
    if (!days || hours > 23 || minutes > 59 || seconds > 59) return {};
    std::int64_t zone = number(10, 0) * 60 + number(11, 0);
    if (part[9] == "-") zone = -zone;
    std::int64_t result =
        *days * 86400 + (hours * 60 + minutes - zone) * 60 + seconds; // of six digits' years
    if (__builtin_mul_overflow(result, per_second, &result)) return {};
    double fraction = 0; // not by strtod, which asks the locale what a point is
    for (std::size_t k = part[8].str().size(); k-- > 0;)
        fraction = (fraction + (part[8].str()[k] - '0')) / 10;
    return result + std::llround(fraction * static_cast<double>(per_second));
}

[[noreturn]] void throw_no_time(const std::string& number, const CfTimeUnits& units) {
    throw CastError(fmt::format("cf_decoded: {} {} lies outside of {}", number, units.text,
                                units.per_second == 1'000'000'000 ? "times of nanoseconds"
                                                                  : "times of microseconds"));
}

std::int64_t count_of(std::int64_t number, const CfTimeUnits& units) {
    std::int64_t count = 0;
    if (__builtin_mul_overflow(number, units.ticks, &count) ||
        __builtin_add_overflow(count, units.reference, &count) || count == kNat)
        throw_no_time(fmt::format("{}", number), units);
    return count;
}

/// The whole units and what lies beyond are counted apart, so that none is rounded more than the number is.
std::int64_t count_of(double number, const CfTimeUnits& units) {
    if (std::isnan(number)) return kNat;
    const double whole = std::trunc(number);
    std::int64_t count = 0;
    if (!(std::abs(whole) < 0x1p63) ||
        __builtin_add_overflow(count_of(static_cast<std::int64_t>(whole), units),
                               std::llround((number - whole) * static_cast<double>(units.ticks)),
                               &count))
        throw_no_time(fmt::format("{}", number), units);
    return count;
}

} // namespace

std::optional<CfTimeUnits> cf_time_units(const Attributes& attributes) {
    const std::string text = attributes.text("units").value_or("");
    const std::string small = strings::to_lower(text);
    if (small.find(" since ") == std::string::npos) return {};
    const auto fail = [&](std::string_view what) {
        throw FormatError(fmt::format("cf_decoded: the units '{}' {}", text, what));
    };
    const std::string calendar =
        strings::to_lower(attributes.text("calendar").value_or("standard"));
    const bool is_proleptic = calendar == "proleptic_gregorian";
    if (!is_proleptic && calendar != "standard" && calendar != "gregorian")
        fail(fmt::format("are of the calendar '{}'; the standard and the proleptic_gregorian one "
                         "are decoded, the numbers are in the array itself",
                         calendar));
    // A unit; year, month and day; hours, minutes, seconds and their digits; sign, hours and minutes of a zone.
    static const std::regex pattern(
        R"(\s*([a-z_]+)\s+since\s+(\d{1,6})(?:-(\d\d?)(?:-(\d\d?))?)?)"
        R"((?:[t\s]\s*(\d\d?)(?::(\d\d?)(?::(\d\d?)(?:\.(\d{0,18}))?)?)?)?)"
        R"(\s*(?:z|utc|gmt|([+-])(\d\d?)(?::?(\d\d))?)?\s*)");
    constexpr std::size_t kLongest = 200; // more than any date has; the search is recursive
    std::smatch part;
    if (small.size() > kLongest || !std::regex_match(small, part, pattern)) fail("name no date");
    const std::int64_t nanoseconds = nanoseconds_of(part[1].str());
    if (nanoseconds == 0)
        fail("are counted in no unit of a fixed length, from nanoseconds to days");
    const std::int64_t per_second = nanoseconds == 1 ? 1'000'000'000 : 1'000'000;
    const auto reference = reference_of(part, is_proleptic, per_second);
    if (!reference) fail("name a day or time that there is not");
    return CfTimeUnits{text, nanoseconds == 1 ? 1 : nanoseconds / 1000, *reference, per_second};
}

AnyTensor cf_times(const AnyTensor& numbers, const std::optional<Tensor<bool>>& is_missing,
                   const CfTimeUnits& units) {
    const auto count = [units](auto number) { return count_of(number, units); };
    Tensor<std::int64_t> counts;
    if (numbers.dtype() == float64) {
        counts = emap(count, numbers.as<double>());
    } else {
        // What is missing need not fit: fills of uint64 are beyond int64.
        const auto whole = cast<std::int64_t>(
            is_missing ? AnyTensor(where(*is_missing, std::uint8_t{0}, numbers)) : numbers);
        counts = emap(count, whole.as<std::int64_t>());
        if (is_missing) counts = where(*is_missing, kNat, counts);
    }
    using namespace std::chrono;
    return counts_as_times(counts, units.per_second == 1'000'000 ? kDType<sys_time<microseconds>>
                                                                 : kDType<sys_time<nanoseconds>>);
}

} // namespace purview::file
