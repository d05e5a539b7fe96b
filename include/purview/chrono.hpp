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

#include <chrono>
#include <concepts>
#include <cstdint>
#include <ratio>
#include <string>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// One calendar field of every element, as int32: of a time point, in UTC; of a duration, the
/// fields from hours down, within its last day. Lazy, vectorised. Reading throws `CastError` for
/// NaT, which has no fields, and for days that are 2^39 or more from 1970.
template <CalendarField field>
struct Fields {
    template <typename T>
    static constexpr bool kIsDefinedFor = DateElement<T> || (IntegerTime<T> && !PointElement<T> &&
                                                             field >= CalendarField::hour);
    template <typename X>
    static auto of(const X& x) {
        using T = OperandElement<X>;
        return result_from<std::int32_t>(
            [](const Operand& times) {
                // Never destroyed: destructors of static objects may still use it.
                static const auto& function = *new auto(calendar_function(field, kTick<T>));
                return map_counts(times, int32, function);
            },
            x);
    }
};
inline constexpr ElementsFunction<Fields<CalendarField::year>> year_of;
inline constexpr ElementsFunction<Fields<CalendarField::quarter>> quarter_of;      ///< 1 … 4
inline constexpr ElementsFunction<Fields<CalendarField::month>> month_of;          ///< 1 … 12
inline constexpr ElementsFunction<Fields<CalendarField::day>> day_of;              ///< 1 … 31
inline constexpr ElementsFunction<Fields<CalendarField::day_of_year>> day_of_year; ///< 1 … 366
/// ISO: 1 is Monday, 7 Sunday; weeks 1 … 53, and the year that the week belongs to.
inline constexpr ElementsFunction<Fields<CalendarField::day_of_week>> day_of_week;
inline constexpr ElementsFunction<Fields<CalendarField::iso_week>> iso_week_of;
inline constexpr ElementsFunction<Fields<CalendarField::iso_year>> iso_year_of;
inline constexpr ElementsFunction<Fields<CalendarField::hour>> hour_of;     ///< 0 … 23
inline constexpr ElementsFunction<Fields<CalendarField::minute>> minute_of; ///< 0 … 59
inline constexpr ElementsFunction<Fields<CalendarField::second>> second_of; ///< 0 … 59
/// 0 … 999, of the second, the millisecond, the microsecond.
inline constexpr ElementsFunction<Fields<CalendarField::millisecond>> millisecond_of;
inline constexpr ElementsFunction<Fields<CalendarField::microsecond>> microsecond_of;
inline constexpr ElementsFunction<Fields<CalendarField::nanosecond>> nanosecond_of;

/// Integers, or an array of them.
template <typename X>
concept Integers = kIsInteger<ElementBehind<X>>;

/// `dates(year, month, day)`: days from integers, broadcast together. Months out of range carry
/// over into other years, and days into other months: the 31st of April is the first of May. Lazy.
struct DatesFunction : ElementwiseFunction {
    using ElementwiseFunction::operator();

    template <Integers Y, Integers M, Integers D>
        requires(array_like<Y> || array_like<M> || array_like<D>)
    auto operator()(Y&& year, M&& month, D&& day) const {
        return result_from<std::chrono::sys_days>(
            [](const auto&... fields) {
                return times_of(days_of_dates(fields...), kDType<std::chrono::sys_days>);
            },
            std::forward<Y>(year), std::forward<M>(month), std::forward<D>(day));
    }
};
inline constexpr DatesFunction dates;

/// `plus_months(t, n)`: the time points `t`, `n` months later, or earlier if `n` is negative. Each
/// is a scalar, a tensor or an array; they are broadcast together. The day is clamped to the end of
/// the month: a month after 2020-01-31 is 2020-02-29. The time of day stays. Lazy.
struct PlusMonthsFunction : ElementwiseFunction {
    using ElementwiseFunction::operator();

    template <typename X, Integers N>
        requires((array_like<X> || array_like<N>)&&HasDays<ElementBehind<X>>)
    auto operator()(X&& t, N&& months) const {
        using T = ElementBehind<X>;
        return result_from<T>(
            [](const Operand& times, const Operand& n) {
                return months_later(times, kTick<T>, n, kDType<T>);
            },
            std::forward<X>(t), std::forward<N>(months));
    }
};
inline constexpr PlusMonthsFunction plus_months;

/// `month_start(t)`, `year_start(t)`, `week_start(t)`, or as stages: the first day of the month,
/// year, or ISO week (a Monday) that each time point lies in, as days.
/// `plus_months(month_start(t), 1)` is the first day of the next month. Lazy.
enum class CalendarPart : std::uint8_t { week, month, year };
template <CalendarPart part>
struct CalendarStarts {
    template <typename T>
    static constexpr bool kIsDefinedFor = HasMonths<T>;
    template <typename X>
    static auto of(const X& x) {
        using T = OperandElement<X>;
        return result_from<DaysOf<T>>(
            [](const Operand& times) {
                constexpr std::int64_t kMonths = part == CalendarPart::year ? 12 : 1;
                return times_of(part == CalendarPart::week
                                    ? week_starts(times, kTick<T>)
                                    : rounded_to_months(times, kTick<T>, Quotient::down, kMonths),
                                kDType<DaysOf<T>>);
            },
            x);
    }
};
inline constexpr ElementsFunction<CalendarStarts<CalendarPart::week>> week_start;
inline constexpr ElementsFunction<CalendarStarts<CalendarPart::month>> month_start;
inline constexpr ElementsFunction<CalendarStarts<CalendarPart::year>> year_start;

/// Times of a range, counted in integers: the end in no finer unit than `begin + step`, and the step
/// of fixed length.
template <typename T, typename E, typename S>
concept RangeOfTimes =
    IntegerTime<T> && IntegerTime<E> && IntegerTime<S> && !PointElement<S> &&
    (kUnitMonths<typename TimeType<S>::Duration> == 0) && requires(T begin, E end, S step) {
    requires std::same_as < std::common_type_t <
        typename TimeType<decltype(begin + step)>::Duration,
    typename TimeType<E>::Duration >, typename TimeType<decltype(begin + step)>::Duration > ;
};

/// `time_range(begin, end, step)`: begin, begin + step, … before `end`; for a negative step, after
/// `end`. A tensor `[n]` in memory, of the type of `begin + step`. Throws `ShapeError` for a step
/// of 0.
struct TimeRangeFunction {
    template <typename T, typename E, typename S>
        requires RangeOfTimes<ValueBehind<T>, ValueBehind<E>, ValueBehind<S>>
    auto operator()(const T& begin, const E& end, const S& step) const {
        using R = decltype(value_behind(begin) + value_behind(step));
        const auto count = []<typename A>(const A& time) {
            const typename TimeType<A>::Duration all_of_it(TimeType<A>::count(time));
            return std::int64_t{
                std::chrono::duration_cast<typename TimeType<R>::Duration>(all_of_it).count()};
        };
        const auto counts =
            arange(count(value_behind(begin)), count(value_behind(end)), count(value_behind(step)));
        return Tensor<R>(times_of(counts.operand(), kDType<R>));
    }
    template <typename T, typename E, typename S>
        requires(!RangeOfTimes<ValueBehind<T>, ValueBehind<E>, ValueBehind<S>>)
    PURVIEW_REFUSED("time_range: times counted in integers, the end in no finer unit than begin + "
                    "step; months and years have no fixed length: plus_months(begin, arange(n))",
                    operator()(const T&, const E&, const S&) const);
};
inline constexpr TimeRangeFunction time_range;

struct TimesAsText {
    template <typename T>
    static constexpr bool kIsDefinedFor = Time<T>;
    template <typename X>
    static auto of(const X& x) {
        return map_elements(
            FunctionName("format_times"),
            [](const OperandElement<X>& time) { return time_text(time); }, x);
    }
};
/// `format_times(t)`, `t | format_times`: a tensor of strings: time points in ISO 8601,
/// "2020-02-29T12:30:00", durations as "90s". Lazy.
inline constexpr ElementsFunction<TimesAsText> format_times;

template <Time T>
struct ParsedTimes : OfStrings {
    template <typename X>
    static auto of(const X& x) {
        return result_from<T>(
            [places = strings::places_of(x)](const Operand& texts) {
                constexpr bool kIsLocal = !requires { typename T::clock::rep; };
                return parsed_times(texts, places, kTick<T>, kDType<T>, kIsLocal);
            },
            x);
    }
};
/// `parse_times<T>(strings)`, `strings | parse_times<T>`: time points of type T from text in ISO 8601, as `parse_time_point`
/// has it; a time with an offset is put to UTC, and "NaT" is NaT. Lazy. Throws `FormatError` when it is read, with the text and where it is;
/// also if some of the texts have an offset or "Z" and others none, and for an offset of local times, which know none.
template <Time T>
    requires DateElement<T>
inline constexpr ElementsFunction<ParsedTimes<T>> parse_times;

} // namespace purview
