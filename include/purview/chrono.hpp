#pragma once

/// Tensors of `std::chrono`'s days, time points and durations. Not part of purview.hpp, as <chrono> is slow to compile.
///
/// `dates + days{7}`, `end - begin` and all that is here works on the integers in which they are counted, on the engine,
/// without a copy. Comparisons, sorting and grouping are those of the elements.

#include <purview/dtype/time_text.hpp>
#include <purview/expression/calendar.hpp>
#include <purview/functional/cast.hpp>
#include <purview/functional/element_view.hpp>
#include <purview/functional/maths.hpp>
#include <purview/tensor/accepting_arrays.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <ratio>
#include <string>
#include <type_traits>
#include <utility>

namespace purview {

/// What an element type of time counts: `Duration` is its unit and number.
template <typename T>
struct TimeType {
    static constexpr bool kIsTime = false;
};
template <typename R, typename P>
struct TimeType<std::chrono::duration<R, P>> {
    static constexpr bool kIsTime = true;
    static constexpr bool kIsPoint = false;
    static constexpr bool kHasCalendar = true; // of a time of day, and of what is counted from 1970
    using Duration = std::chrono::duration<R, P>;
    static R count(const Duration& time) { return time.count(); }
};
template <typename C, typename D>
struct TimeType<std::chrono::time_point<C, D>> {
    static constexpr bool kIsTime = true;
    static constexpr bool kIsPoint = true;
    static constexpr bool kHasCalendar =
        std::same_as<C, std::chrono::system_clock> || std::same_as<C, std::chrono::local_t>;
    using Duration = D;
    static typename D::rep count(const std::chrono::time_point<C, D>& time) {
        return time.time_since_epoch().count();
    }
};

template <typename T>
concept Time = TimeType<T>::kIsTime;
/// A tensor of durations or time points.
template <typename X>
concept TimeTensor = TypedTensor<X> && Time<OperandElement<X>>;

template <Time T>
using TimeRep = typename TimeType<T>::Duration::rep;
template <Time T>
using TimePeriod = typename TimeType<T>::Duration::period;

/// `ticks(t)`, `t | ticks`: the numbers in which durations, or time points since their epoch, are counted. Of memory
/// a view that can be written where `t` can, else lazy. O(1).
struct TicksFunction : PipelineStage {
    template <TimeTensor X>
    auto operator()(const X& x) const {
        return same_bytes<Canonical<TimeRep<OperandElement<X>>>>(x);
    }
};
inline constexpr AcceptingArrays<TicksFunction> ticks;

/// `from_ticks<T>(numbers)`, `numbers | from_ticks<T>`: durations or time points of type T that are counted by numbers of
/// its own kind. Of memory a view that can be written where `numbers` can, else lazy. O(1).
template <Time T>
struct FromTicksFunction : PipelineStage {
    template <TypedTensor X>
        requires std::same_as<OperandElement<X>, Canonical<TimeRep<T>>>
    auto operator()(const X& x) const { return same_bytes<T>(x); }
};
template <Time T>
inline constexpr AcceptingArrays<FromTicksFunction<T>> from_ticks;

/// A function of the ticks of X, which are int64.
template <ElementType R, TimeTensor X>
auto map_counts(const X& x, std::shared_ptr<const BlockFunction> function) {
    static_assert(std::integral<TimeRep<OperandElement<X>>>,
                  "calendars count in integers: floor_time to a unit of them first");
    const auto integers = ticks(x) | cast<std::int64_t>;
    return result_of<ResultHandle<R, decltype(integers)>>(
        [function = std::move(function)](Operand operand) {
            return elementwise<1>(Op::map, kDType<R>, {std::move(operand)}, function);
        },
        operand_as<std::int64_t>(integers));
}

/// A field of every element: of a time point, as UTC; of a duration, the hours of its last day and what is shorter. In
/// int32. Lazy, vectorised. Throws `CastError` when it is read of days that are 2^39
/// or more from 1970.
template <CalendarField field>
struct CalendarFunction : PipelineStage {
    template <TimeTensor X>
    auto operator()(const X& x) const {
        using T = OperandElement<X>;
        static_assert(TimeType<T>::kHasCalendar,
                      "the epoch of this clock is not 1970: cast its time points first");
        static_assert(TimeType<T>::kIsPoint || field >= CalendarField::hour,
                      "a duration lies in no year: add it to a time point");
        // Never destroyed: destructors of static objects may come here.
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

/// int64 ticks of one period in another: times a factor, or divided. What does not fit wraps.
template <typename From, typename To, Quotient rounding, typename X>
auto rescaled(const X& integers) {
    using Ratio = std::ratio_divide<From, To>;
    static_assert(Ratio::num == 1 || Ratio::den == 1, "one unit is a multiple of the other");
    static_assert(Ratio::den <= std::int64_t{1} << 52);
    if constexpr (Ratio::num == 1 && Ratio::den == 1) {
        return integers;
    } else if constexpr (Ratio::den == 1) {
        return integers * std::int64_t{Ratio::num};
    } else {
        static const auto& function = *new auto(quotient_function(rounding, Ratio::den));
        return result_of<ResultHandle<std::int64_t, X>>(
            [](Operand operand) {
                return elementwise<1>(Op::map, int64, {std::move(operand)}, function);
            },
            operand_as<std::int64_t>(integers));
    }
}

/// What a tensor, or one element for all, counts in `Unit`, which is no longer than its own unless it is rounded.
template <typename Unit, typename X>
auto ticks_in(const X& x) {
    static_assert(std::integral<TimeRep<OperandElement<X>>>, "units are counted in integers");
    using Period = TimePeriod<OperandElement<X>>;
    if constexpr (TypedTensor<X>)
        return rescaled<Period, typename Unit::period, Quotient::down>(ticks(x) |
                                                                       cast<std::int64_t>);
    else
        return static_cast<std::int64_t>(
            static_cast<std::uint64_t>(TimeType<X>::count(x)) *
            std::uint64_t{std::ratio_divide<Period, typename Unit::period>::num});
}

/// A tensor of time, and another one or an element, that are counted in integers.
template <typename X, typename Y>
concept TimeOperands = TensorOperands<X, Y> && Time<OperandElement<X>> && Time<OperandElement<Y>> &&
    std::integral<TimeRep<OperandElement<X>>> && std::integral<TimeRep<OperandElement<Y>>>;

/// T from its ticks.
template <Time T, typename X>
auto time_of(const X& counted) {
    return from_ticks<T>(counted | unchecked_cast<Canonical<TimeRep<T>>>);
}

/// Sums and differences of times, what `std::chrono` makes of their elements, on the engine's integers; what does not fit
/// wraps. Lazy.
template <typename X, typename Y>
    requires TimeOperands<X, Y>
auto operator+(const X& x, const Y& y) {
    using R = decltype(std::declval<OperandElement<X>>() + std::declval<OperandElement<Y>>());
    using Unit = typename TimeType<R>::Duration;
    return time_of<R>(ticks_in<Unit>(x) + ticks_in<Unit>(y));
}
template <typename X, typename Y>
    requires TimeOperands<X, Y>
auto operator-(const X& x, const Y& y) {
    using R = decltype(std::declval<OperandElement<X>>() - std::declval<OperandElement<Y>>());
    using Unit = typename TimeType<R>::Duration;
    return time_of<R>(ticks_in<Unit>(x) - ticks_in<Unit>(y));
}

/// `epoch<Unit>(t)`, `t | epoch<Unit>`: how many whole units (`std::chrono::days`, `milliseconds`, …) lie between a time
/// point's epoch and it, or a duration has; rounded down. In int64, which wraps. Lazy, vectorised; no more
/// than a view for the unit of `t`.
template <typename Unit>
struct EpochFunction : PipelineStage {
    template <TimeTensor X>
    auto operator()(const X& x) const {
        return ticks_in<Unit>(x);
    }
};
template <typename Unit>
inline constexpr AcceptingArrays<EpochFunction<Unit>> epoch;

/// `floor_time<Unit>(t)`, `t | floor_time<Unit>`: time points or durations in another unit, rounded down: the day of a
/// time point for `std::chrono::days`. Lazy, vectorised.
template <typename Unit>
struct FloorTimeFunction : PipelineStage {
    template <TimeTensor X>
    auto operator()(const X& x) const {
        using T = OperandElement<X>;
        const auto whole = ticks_in<Unit>(x) | unchecked_cast<Canonical<typename Unit::rep>>;
        if constexpr (TimeType<T>::kIsPoint)
            return from_ticks<std::chrono::time_point<typename T::clock, Unit>>(whole);
        else
            return from_ticks<Unit>(whole);
    }
};
template <typename Unit>
inline constexpr AcceptingArrays<FloorTimeFunction<Unit>> floor_time;

/// `between<Unit>(begin, end)`: how many whole units lie between time points, or more in one duration than in another,
/// towards zero; broadcasting, one of both may be a scalar. In int64, which wraps. Lazy, vectorised.
template <typename Unit>
struct BetweenFunction {
    template <typename X, typename Y>
        requires TimeOperands<X, Y>
    auto operator()(const X& begin, const Y& end) const {
        using A = TimeType<OperandElement<X>>;
        using B = TimeType<OperandElement<Y>>;
        static_assert(A::kIsPoint == B::kIsPoint, "between: two time points, or two durations");
        using Common = std::common_type_t<typename A::Duration, typename B::Duration>;
        return rescaled<typename Common::period, typename Unit::period, Quotient::towards_zero>(
            ticks_in<Common>(end) - ticks_in<Common>(begin));
    }
};
template <typename Unit>
inline constexpr AcceptingArrays<BetweenFunction<Unit>> between;

/// `dates(year, month, day)`: the days of integers, broadcast together; months count on into other years, days into
/// other months: the 31st of April is the first of May. Lazy.
struct DatesFunction {
    template <typename Y, typename M, typename D>
        requires(TypedTensor<Y> || TypedTensor<M> || TypedTensor<D>)
    auto operator()(const Y& year, const M& month, const D& day) const {
        static_assert(std::integral<OperandElement<Y>> && std::integral<OperandElement<M>> &&
                          std::integral<OperandElement<D>>,
                      "dates: years, months and days are integers");
        return map_operands(
            [](std::int64_t y, std::int64_t m, std::int64_t d) {
                using std::chrono::days;
                // Hinnant's days_from_civil, in years from March.
                const std::int64_t months = y * 12 + (m - 3);
                const std::int64_t from_march = floored(months, 12);
                const std::int64_t era = floored(from_march, 400);
                const std::int64_t of_era = from_march - era * 400;
                const std::int64_t of_year = (153 * (months - from_march * 12) + 2) / 5;
                const std::int64_t count =
                    era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year + d - 719469;
                return std::chrono::sys_days(days(static_cast<days::rep>(count)));
            },
            year, month, day);
    }

private:
    static std::int64_t floored(std::int64_t x, std::int64_t by) {
        return (x >= 0 ? x : x - by + 1) / by;
    }
};
inline constexpr AcceptingArrays<DatesFunction> dates;

/// A time point so many months later: the same day and time of day, or the last day of a month that has fewer. Of ticks
/// that divide a day.
template <typename T>
T months_later(const T& time, std::int64_t months) {
    using std::chrono::days;
    using Days = std::chrono::time_point<typename T::clock, days>;
    const Days day = std::chrono::floor<days>(time);
    const std::chrono::year_month_day civil(std::chrono::sys_days(day.time_since_epoch()));
    const std::int64_t counted = int{civil.year()} * std::int64_t{12} +
                                 static_cast<std::int64_t>(unsigned{civil.month()}) - 1 + months;
    const std::int64_t year = (counted >= 0 ? counted : counted - 11) / 12,
                       month = counted - year * 12;
    const std::int64_t first = days_before_month(year, month);
    const std::int64_t size =
        days_before_month(month == 11 ? year + 1 : year, month == 11 ? 0 : month + 1) - first;
    const auto of_month = static_cast<std::int64_t>(unsigned{civil.day()});
    const Days later{days(static_cast<days::rep>(first + (of_month < size ? of_month : size) - 1))};
    return T(later + (time - day));
}

/// `plus_months(t, n)`: time points n months later, of a number or a tensor of integers, broadcast together; before, where n is
/// negative. The day is clamped to the end of the month: a month after 2020-01-31 is 2020-02-29. The time of day stays. Lazy.
struct PlusMonthsFunction {
    template <typename X, typename N>
        requires(TimeTensor<X> || TypedTensor<N>)
    auto operator()(const X& t, const N& months) const {
        using T = OperandElement<X>;
        static_assert(TimeType<T>::kIsPoint && TimeType<T>::kHasCalendar,
                      "plus_months: time points since 1970 have months");
        static_assert(std::integral<TimeRep<T>> && std::integral<OperandElement<N>>,
                      "plus_months: times and months are counted in integers");
        return map_operands([](const T& time, std::int64_t n) { return months_later(time, n); }, t,
                            months);
    }
};
inline constexpr PlusMonthsFunction plus_months;

/// `month_start(t)`, `year_start(t)`, `week_start(t)`, or stages: the first day of the month, year, or ISO week (a Monday) that
/// time points lie in, as days. `plus_months(month_start(t), 1)` is the first day of the next month. Lazy.
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
                const auto day = std::chrono::floor<days>(time);
                const std::chrono::sys_days in_system{day.time_since_epoch()};
                if constexpr (part == CalendarPart::week) {
                    const std::chrono::weekday weekday{in_system};
                    return day - days(static_cast<days::rep>(weekday.iso_encoding()) - 1);
                } else {
                    const std::chrono::year_month_day civil{in_system};
                    const unsigned month =
                        part == CalendarPart::year ? 0 : unsigned{civil.month()} - 1;
                    return decltype(day + days(1))(
                        days(static_cast<days::rep>(days_before_month(int{civil.year()}, month))));
                }
            },
            x);
    }
};
inline constexpr CalendarStartFunction<CalendarPart::week> week_start;
inline constexpr CalendarStartFunction<CalendarPart::month> month_start;
inline constexpr CalendarStartFunction<CalendarPart::year> year_start;

/// `time_range(begin, end, step)`: begin, begin + step, … as long as they lie before `end`; or behind it, for a negative step. A
/// tensor `[n]` of what `begin + step` is, in memory. Throws `ShapeError` for a step of 0.
struct TimeRangeFunction {
    template <Time T, Time E, Time S>
        requires(!TimeType<S>::kIsPoint)
    auto operator()(const T& begin, const E& end, const S& step) const {
        using R = decltype(begin + step);
        using Unit = typename TimeType<R>::Duration;
        static_assert(std::integral<TimeRep<R>>, "time_range: times are counted in integers");
        const auto count = []<Time A>(const A& time) {
            const typename TimeType<A>::Duration all_of_it(TimeType<A>::count(time));
            return std::int64_t{std::chrono::duration_cast<Unit>(all_of_it).count()};
        };
        static_assert(
            std::same_as<std::common_type_t<Unit, typename TimeType<E>::Duration>, Unit>,
            "time_range: the end is counted in a finer unit than its begin and step: cast it");
        return time_of<R>(arange(count(begin), count(end), count(step)));
    }
};
inline constexpr TimeRangeFunction time_range;

/// `format_times(t)`, `t | format_times`: time points in ISO 8601, "2020-02-29T12:30:00", durations as "90s": a tensor of
/// strings. Lazy.
struct FormatTimesFunction : PipelineStage {
    template <TimeTensor X>
    auto operator()(const X& x) const {
        using T = OperandElement<X>;
        return map_operands([](const T& time) { return time_text(time); }, x);
    }
};
inline constexpr FormatTimesFunction format_times;

/// `parse_times<T>(strings)`, `strings | parse_times<T>`: time points of type T from text in ISO 8601, as `parse_time_point`
/// has it; a time with an offset is put to UTC. Lazy. Throws `FormatError` when it is read.
template <Time T>
struct ParseTimesFunction : PipelineStage {
    template <TypedTensor X>
        requires std::same_as<OperandElement<X>, std::string>
    auto operator()(const X& x) const {
        static_assert(TimeType<T>::kIsPoint && TimeType<T>::kHasCalendar &&
                          std::integral<TimeRep<T>>,
                      "parse_times: time points since 1970, counted in integers");
        return map_operands(
            [](const std::string& text) {
                const auto count = parse_time_point(text, TimePeriod<T>::num, TimePeriod<T>::den);
                return T(
                    typename TimeType<T>::Duration(checked_cast<Canonical<TimeRep<T>>>(count)));
            },
            x);
    }
};
template <Time T>
inline constexpr ParseTimesFunction<T> parse_times;

} // namespace purview
