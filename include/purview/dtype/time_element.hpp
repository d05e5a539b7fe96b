#pragma once

#include <purview/base/config.hpp>

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

// Durations and time points of `std::chrono` as element types, recognised by their members, so that
// <chrono> need not be included here.

template <typename T>
concept DurationElement = requires(const T& x) {
    typename T::rep;
    typename T::period;
    { x.count() } -> std::same_as<typename T::rep>;
    T::period::num;
    T::period::den;
}
&&std::is_arithmetic_v<typename T::rep>;

template <typename T>
concept PointElement = requires(const T& x) {
    typename T::clock;
    requires DurationElement<typename T::duration>;
    { x.time_since_epoch() } -> std::same_as<typename T::duration>;
};

template <typename T>
concept TimeElement = DurationElement<T> || PointElement<T>;

/// NaT, "not a time", as NumPy has it: the lowest count of a signed integer, NaN of a float. Counts without a sign have none.
template <typename Count>
constexpr bool is_nat_count(Count count) {
    if constexpr (std::is_floating_point_v<Count>)
        return count != count;
    else
        return std::is_signed_v<Count> && count == (std::numeric_limits<Count>::min)();
}
template <typename Count>
inline constexpr Count kNatCount = [] {
    if constexpr (std::is_floating_point_v<Count>)
        return std::numeric_limits<Count>::quiet_NaN();
    else
        return (std::numeric_limits<Count>::min)();
}();
/// Whether a value is a time and NaT.
template <typename T>
constexpr bool is_nat_value(const T& x) {
    if constexpr (PointElement<T>)
        return is_nat_count(x.time_since_epoch().count());
    else if constexpr (DurationElement<T>)
        return is_nat_count(x.count());
    else
        return false;
}
template <TimeElement T>
constexpr T nat_value() {
    if constexpr (PointElement<T>)
        return T(nat_value<typename T::duration>());
    else
        return T(kNatCount<typename T::rep>);
}

/// A day by its fields, as `std::chrono::year_month_day`.
template <typename T>
concept CivilDate = requires(const T& date) {
    static_cast<int>(date.year());
    static_cast<unsigned>(date.month());
    static_cast<unsigned>(date.day());
    date.ok();
};

/// `year`, `month`, `day`, `weekday` and `year_month` of `std::chrono`, recognised by their
/// differences, which are durations.
template <typename T>
concept CivilField = requires(const T& x) {
    { x.ok() } -> std::same_as<bool>;
    requires DurationElement<decltype(x - x)>;
};
/// A date or a field of one in `std::chrono`: a `CivilDate`, a `CivilField`, or a `month_day`.
template <typename T>
concept CalendarElement = CivilDate<T> || CivilField<T> || requires(const T& x) {
    { x.ok() } -> std::same_as<bool>;
    requires CivilField<decltype(x.month())>;
    requires CivilField<decltype(x.day())>;
};

/// Time points counted from 1970-01-01: those of the system clock, and local time points.
template <typename T>
concept CalendarPoint = PointElement<T> &&(
    requires(typename T::clock::time_point t) { T::clock::to_time_t(t); } ||
    !requires { typename T::clock::rep; });

/// The unit of one tick, as NumPy and as `std::chrono` write it. Both are empty for a period that
/// has no name.
struct TimeUnit {
    std::string_view numpy;  ///< "D"
    std::string_view suffix; ///< "d"
};
constexpr TimeUnit time_unit(std::intmax_t num, std::intmax_t den) {
    if (den == 1) {
        if (num == 604800) return {"W", "w"};
        if (num == 86400) return {"D", "d"};
        if (num == 3600) return {"h", "h"};
        if (num == 60) return {"m", "min"};
        if (num == 1) return {"s", "s"};
    } else if (num == 1) {
        if (den == 1000) return {"ms", "ms"};
        if (den == 1'000'000) return {"us", "us"};
        if (den == 1'000'000'000) return {"ns", "ns"};
    }
    return {"", ""};
}

/// NumPy's name of a type of integer ticks in one of NumPy's units, "datetime64[s]" or
/// "timedelta64[D]"; else "duration" or "time_point".
template <typename T>
constexpr std::string_view time_name() {
    constexpr bool kPoint = PointElement<T>;
    using D = decltype([] {
        if constexpr (kPoint)
            return std::type_identity<typename T::duration>{};
        else
            return std::type_identity<T>{};
    }())::type;
    constexpr std::string_view kUnit = time_unit(D::period::num, D::period::den).numpy;
    if (!std::integral<typename D::rep> || kUnit.empty() || (kPoint && !CalendarPoint<T>))
        return kPoint ? "time_point" : "duration";
    constexpr std::string_view kUnits[] = {"W", "D", "h", "m", "s", "ms", "us", "ns"};
    constexpr std::string_view kPoints[] = {"datetime64[W]",  "datetime64[D]", "datetime64[h]",
                                            "datetime64[m]",  "datetime64[s]", "datetime64[ms]",
                                            "datetime64[us]", "datetime64[ns]"};
    constexpr std::string_view kDurations[] = {
        "timedelta64[W]", "timedelta64[D]",  "timedelta64[h]",  "timedelta64[m]",
        "timedelta64[s]", "timedelta64[ms]", "timedelta64[us]", "timedelta64[ns]"};
    for (int i = 0; i < 8; ++i)
        if (kUnits[i] == kUnit) return kPoint ? kPoints[i] : kDurations[i];
    return "";
}

/// The name that `std::chrono` has for it; of a `CivilDate`, "year_month_day".
template <CalendarElement T>
constexpr std::string_view calendar_name() {
    if constexpr (CivilDate<T>)
        return "year_month_day";
    else if constexpr (!CivilField<T>)
        return "month_day";
    else if constexpr (requires(const T& x) { x.c_encoding(); })
        return "weekday";
    else if constexpr (requires(const T& x) { x.year(); })
        return "year_month";
    else if constexpr (requires(const T& x) { static_cast<int>(x); })
        return "year";
    else // what counts the days of a month differs by days
        return decltype(std::declval<const T&>() - std::declval<const T&>())::period::num == 86400
                   ? "day"
                   : "month";
}

/// A count of ticks since 1970-01-01 in ISO 8601, in the proleptic Gregorian calendar:
/// "2020-02-29", "2020-02-29T12:30:00.250". Years of more than four digits have a sign. If one tick
/// is neither a whole number of days nor a whole fraction of a day, the count is printed as a
/// duration.
PURVIEW_EXPORT std::string time_point_text(std::int64_t count, std::int64_t num, std::int64_t den);
/// A duration as `std::chrono` prints it: "90s", "3d", "5[2/3]s".
PURVIEW_EXPORT std::string duration_text(std::int64_t count, std::int64_t num, std::int64_t den);
PURVIEW_EXPORT std::string duration_text(double count, std::int64_t num, std::int64_t den);

PURVIEW_EXPORT void print_text(std::ostream& out, const std::string& text);

/// "2020-02-29", "2020-02", "-0044", "02", in ISO 8601, whether there is such a day or not: the
/// fields that are not `kNoField`.
inline constexpr std::int64_t kNoField = INT64_MIN;
PURVIEW_EXPORT std::string date_text(std::int64_t year, std::int64_t month, std::int64_t day);
/// "Mon"; 0 and 7 are Sunday. Others print as numbers.
PURVIEW_EXPORT std::string weekday_text(unsigned weekday);

/// An element of time as text; "NaT" if it is none.
template <typename T>
    requires(TimeElement<T> || CalendarElement<T>)
std::string time_text(const T& time) {
    if constexpr (requires { time.c_encoding(); }) {
        return weekday_text(static_cast<unsigned>(time.c_encoding()));
    } else if constexpr (CalendarElement<T>) {
        std::int64_t year = kNoField, month = kNoField, day = kNoField;
        if constexpr (requires { time.year(); }) year = static_cast<int>(time.year());
        if constexpr (requires { time.month(); }) month = static_cast<unsigned>(time.month());
        if constexpr (requires { time.day(); }) day = static_cast<unsigned>(time.day());
        if constexpr (!requires { time.month(); }) {
            if constexpr (requires { static_cast<int>(time); })
                year = static_cast<int>(time);
            else // a month alone is written as a day is
                day = static_cast<unsigned>(time);
        }
        return date_text(year, month, day);
    } else if (is_nat_value(time)) {
        return "NaT";
    } else if constexpr (PointElement<T>) {
        using D = typename T::duration;
        if constexpr (CalendarPoint<T> && std::integral<typename D::rep>)
            return time_point_text(static_cast<std::int64_t>(time.time_since_epoch().count()),
                                   D::period::num, D::period::den);
        else
            return time_text(time.time_since_epoch());
    } else {
        using Count = std::conditional_t<std::integral<typename T::rep>, std::int64_t, double>;
        return duration_text(static_cast<Count>(time.count()), T::period::num, T::period::den);
    }
}

} // namespace purview
