#pragma once

/// Tensors of `std::chrono`'s days, time points and durations. Not included by purview.hpp, as
/// <chrono> is slow to compile.
///
/// `dates + days{7}`, `end - begin` and the functions below compute on the integer counts of ticks,
/// by the engine, without a copy. Comparisons, sorting and grouping work on the elements as for any
/// other type.

#include <purview/dtype/time_text.hpp>
#include <purview/evaluation/calendar.hpp>
#include <purview/functional/elementwise/strings.hpp>
#include <purview/functional/elementwise/time_rounding.hpp>
#include <purview/functional/elementwise/time_ticks.hpp>
#include <purview/functional/elementwise/time_zones.hpp>
#include <purview/tensor/accepting_arrays.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <ratio>
#include <string>
#include <type_traits>
#include <utility>

namespace purview {

/// One calendar field of every element, as int32: of a time point, in UTC; of a duration, the
/// fields from hours down, within its last day. Lazy, vectorised. Reading throws `CastError` for
/// days that are 2^39 or more from 1970.
template <CalendarField field>
struct CalendarFunction : PipelineStage {
    template <TimeTensor X>
    auto operator()(const X& x) const {
        using T = OperandElement<X>;
        static_assert(TimeType<T>::kHasCalendar,
                      "the epoch of this clock is not 1970: cast its time points first");
        static_assert(TimeType<T>::kIsPoint || field >= CalendarField::hour,
                      "a duration lies in no year: add it to a time point");
        // Never destroyed: destructors of static objects may still use it.
        static const auto& function =
            *new auto(calendar_function(field, {TimePeriod<T>::num, TimePeriod<T>::den}));
        return map_counts<std::int32_t>(x, function);
    }
};
inline constexpr AcceptingArrays<CalendarFunction<CalendarField::year>> year_of;
inline constexpr AcceptingArrays<CalendarFunction<CalendarField::quarter>> quarter_of; ///< 1 … 4
inline constexpr AcceptingArrays<CalendarFunction<CalendarField::month>> month_of;     ///< 1 … 12
inline constexpr AcceptingArrays<CalendarFunction<CalendarField::day>> day_of;         ///< 1 … 31
inline constexpr AcceptingArrays<CalendarFunction<CalendarField::day_of_year>>
    day_of_year; ///< 1 … 366
inline constexpr AcceptingArrays<CalendarFunction<CalendarField::day_of_week>>
    day_of_week; ///< ISO: 1 is Monday, 7 Sunday
inline constexpr AcceptingArrays<CalendarFunction<CalendarField::iso_week>> iso_week_of; ///< 1 … 53
inline constexpr AcceptingArrays<CalendarFunction<CalendarField::iso_year>>
    iso_year_of; ///< the year that the ISO week belongs to
inline constexpr AcceptingArrays<CalendarFunction<CalendarField::hour>> hour_of;     ///< 0 … 23
inline constexpr AcceptingArrays<CalendarFunction<CalendarField::minute>> minute_of; ///< 0 … 59
inline constexpr AcceptingArrays<CalendarFunction<CalendarField::second>> second_of; ///< 0 … 59
inline constexpr AcceptingArrays<CalendarFunction<CalendarField::millisecond>>
    millisecond_of; ///< 0 … 999, of the second
inline constexpr AcceptingArrays<CalendarFunction<CalendarField::microsecond>>
    microsecond_of; ///< 0 … 999, of the millisecond
inline constexpr AcceptingArrays<CalendarFunction<CalendarField::nanosecond>>
    nanosecond_of; ///< 0 … 999, of the microsecond

/// `dates(year, month, day)`: days from integers, broadcast together. Months out of range carry
/// over into other years, and days into other months: the 31st of April is the first of May. Lazy.
struct DatesFunction {
    template <typename Y, typename M, typename D>
        requires(TypedTensor<Y> || TypedTensor<M> || TypedTensor<D>)
    auto operator()(const Y& year, const M& month, const D& day) const {
        static_assert(std::is_integral_v<OperandElement<Y>> &&
                          std::is_integral_v<OperandElement<M>> &&
                          std::is_integral_v<OperandElement<D>>,
                      "dates: years, months and days are integers");
        return map_operands(
            [](std::int64_t y, std::int64_t m, std::int64_t d) {
                using std::chrono::days;
                // Hinnant's days_from_civil, in years from March.
                const std::int64_t months = y * 12 + (m - 3);
                const std::int64_t from_march = floor_quotient(months, 12);
                const std::int64_t era = floor_quotient(from_march, 400);
                const std::int64_t of_era = from_march - era * 400;
                const std::int64_t of_year = (153 * (months - from_march * 12) + 2) / 5;
                const std::int64_t count =
                    era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year + d - 719469;
                return std::chrono::sys_days(days(static_cast<days::rep>(count)));
            },
            year, month, day);
    }
};
inline constexpr AcceptingArrays<DatesFunction> dates;

/// `plus_months(t, n)`: the time points `t`, `n` months later, or earlier if `n` is negative. Each
/// is a scalar or a tensor; they are broadcast together. The day is clamped to the end of the
/// month: a month after 2020-01-31 is 2020-02-29. The time of day stays. Lazy.
struct PlusMonthsFunction {
    template <typename X, typename N>
        requires(TimeTensor<X> || TypedTensor<N>)
    auto operator()(const X& t, const N& months) const {
        using T = OperandElement<X>;
        static_assert(TimeType<T>::kIsPoint && TimeType<T>::kHasCalendar,
                      "plus_months: time points since 1970 have months");
        static_assert(std::is_integral_v<TimeRep<T>> && std::is_integral_v<OperandElement<N>>,
                      "plus_months: times and months are counted in integers");
        return map_operands([](const T& time, std::int64_t n) { return months_later(time, n); }, t,
                            months);
    }
};
inline constexpr PlusMonthsFunction plus_months;

/// `month_start(t)`, `year_start(t)`, `week_start(t)`, or as stages: the first day of the month,
/// year, or ISO week (a Monday) that each time point lies in, as days.
/// `plus_months(month_start(t), 1)` is the first day of the next month. Lazy.
enum class CalendarPart : std::uint8_t { week, month, year };
template <CalendarPart part>
struct CalendarStartFunction : PipelineStage {
    template <TimeTensor X>
    auto operator()(const X& x) const {
        using T = OperandElement<X>;
        using std::chrono::days;
        static_assert(TimeType<T>::kIsPoint && TimeType<T>::kHasCalendar,
                      "weeks, months and years are those of time points since 1970");
        return map_operands(
            [](const T& time) {
                if constexpr (part == CalendarPart::week) {
                    const DaysOf<T> day = std::chrono::floor<days>(time);
                    const std::chrono::weekday weekday{
                        std::chrono::sys_days{day.time_since_epoch()}};
                    return day - days(static_cast<days::rep>(weekday.iso_encoding()) - 1);
                } else {
                    return rounded_to_months<Quotient::down>(time,
                                                             part == CalendarPart::year ? 12 : 1);
                }
            },
            x);
    }
};
inline constexpr CalendarStartFunction<CalendarPart::week> week_start;
inline constexpr CalendarStartFunction<CalendarPart::month> month_start;
inline constexpr CalendarStartFunction<CalendarPart::year> year_start;

/// `time_range(begin, end, step)`: begin, begin + step, … before `end`; for a negative step, after
/// `end`. A tensor `[n]` in memory, of the type of `begin + step`. Throws `ShapeError` for a step
/// of 0.
struct TimeRangeFunction {
    template <Time T, Time E, Time S>
        requires(!TimeType<S>::kIsPoint)
    auto operator()(const T& begin, const E& end, const S& step) const {
        static_assert(kUnitMonths<typename TimeType<S>::Duration> == 0,
                      "time_range: months and years have no fixed length: "
                      "plus_months(begin, arange(n))");
        using R = decltype(begin + step);
        using Unit = typename TimeType<R>::Duration;
        static_assert(std::is_integral_v<TimeRep<R>>, "time_range: times are counted in integers");
        const auto count = []<Time A>(const A& time) {
            const typename TimeType<A>::Duration all_of_it(TimeType<A>::count(time));
            return std::int64_t{std::chrono::duration_cast<Unit>(all_of_it).count()};
        };
        static_assert(
            std::is_same_v<std::common_type_t<Unit, typename TimeType<E>::Duration>, Unit>,
            "time_range: the end is counted in a finer unit than its begin and step: cast it");
        return time_of<R>(arange(count(begin), count(end), count(step)));
    }
    /// Of elements of tensors.
    template <typename T, typename E, typename S>
        requires(kIsClassElement<T> || kIsClassElement<E> || kIsClassElement<S>)
    auto operator()(const T& begin, const E& end, const S& step) const {
        return (*this)(value_behind(begin), value_behind(end), value_behind(step));
    }
};
inline constexpr TimeRangeFunction time_range;

/// `format_times(t)`, `t | format_times`: a tensor of strings: time points in ISO 8601,
/// "2020-02-29T12:30:00", durations as "90s". Lazy.
struct FormatTimesFunction : PipelineStage {
    template <TimeTensor X>
    auto operator()(const X& x) const {
        using T = OperandElement<X>;
        return map_operands([](const T& time) { return time_text(time); }, x);
    }
};
inline constexpr FormatTimesFunction format_times;

/// `parse_times<T>(strings)`, `strings | parse_times<T>`: time points of type T from text in ISO 8601, as `parse_time_point`
/// has it; a time with an offset is put to UTC. Lazy. Throws `FormatError` when it is read, with the text and where it is.
template <Time T>
struct ParseTimesFunction : PipelineStage {
    template <TypedTensor X>
        requires std::same_as<OperandElement<X>, std::string>
    auto operator()(const X& x) const {
        static_assert(TimeType<T>::kIsPoint && TimeType<T>::kHasCalendar &&
                          std::is_integral_v<TimeRep<T>>,
                      "parse_times: time points since 1970, counted in integers");
        constexpr std::int64_t kNum = TimePeriod<T>::num;
        constexpr std::int64_t kDen = TimePeriod<T>::den;
        return map_operands(
            [texts = strings::places_of(x)](const std::string& text) {
                return of(strings::parse_time_element(text, kNum, kDen, *texts));
            },
            x);
    }

private:
    static T of(std::int64_t count) {
        return T(typename TimeType<T>::Duration(checked_cast<Canonical<TimeRep<T>>>(count)));
    }
};
template <Time T>
inline constexpr ParseTimesFunction<T> parse_times;

} // namespace purview
