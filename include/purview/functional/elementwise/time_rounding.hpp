#pragma once

#include <purview/dtype/time_text.hpp>
#include <purview/functional/elementwise/time_ticks.hpp>

#include <chrono>
#include <compare>
#include <concepts>
#include <cstdint>
#include <ratio>
#include <type_traits>

namespace purview {

/// The first day of a month, as days since 1970-01-01; `month` counts from January 1970.
constexpr std::int64_t first_of_month(std::int64_t month) {
    const std::int64_t year = floor_quotient(month, 12);
    return days_before_month(1970 + year, month - year * 12);
}

/// The month that contains a time point, counted from January 1970. Throws `CastError` for days
/// that are 2^39 or more from 1970.
template <typename T>
std::int64_t month_number(const T& time) {
    return month_of_day(std::chrono::floor<std::chrono::days>(time).time_since_epoch().count());
}

/// Days since the epoch of a time point's clock.
template <typename T>
using DaysOf = std::chrono::time_point<typename T::clock, std::chrono::days>;
template <typename T>
DaysOf<T> day_at(std::int64_t count) {
    return DaysOf<T>(std::chrono::days(static_cast<std::chrono::days::rep>(count)));
}

/// A time point split into days since 1970 and the time of day. Does not overflow near the limits
/// of `T`. For ticks that divide a day.
template <typename T>
struct DayAndTime {
    using Duration = typename T::duration;
    static constexpr Duration kDay = std::chrono::days(1);

    explicit DayAndTime(const T& time)
        : day(time.time_since_epoch() / kDay), time_of_day(time.time_since_epoch() % kDay) {
        if (time_of_day >= Duration::zero()) return;
        --day;
        time_of_day += kDay;
    }

    /// Compares two time points, also of different ticks.
    template <typename U>
    std::strong_ordering operator<=>(const DayAndTime<U>& other) const {
        return day != other.day ? day <=> other.day : time_of_day <=> other.time_of_day;
    }

    std::int64_t day;
    Duration time_of_day;
};

/// The same day and time of day `months` months later, or the last day of that month if it has
/// fewer days. Throws `CastError` if the result exceeds int64, and as `month_number`.
template <typename T>
DayAndTime<T> months_later(DayAndTime<T> from, std::int64_t months) {
    const std::int64_t month = month_of_day(from.day);
    std::int64_t later = 0;
    // The largest month whose days fit int64.
    constexpr std::int64_t kFarthest = std::int64_t{1} << 57;
    if (__builtin_add_overflow(month, months, &later) || later > kFarthest || later < -kFarthest)
        throw_far_months(from.day, months);
    const std::int64_t first = first_of_month(later);
    const std::int64_t size = first_of_month(later + 1) - first;
    const std::int64_t of_month = from.day - first_of_month(month);
    from.day = first + (of_month < size ? of_month : size - 1);
    return from;
}

/// A time point `months` months later, as above. Throws `CastError` also if `T` cannot hold it.
template <typename T>
T months_later(const T& time, std::int64_t months) {
    const DayAndTime<T> from(time);
    const DayAndTime<T> later = months_later(from, months);
    // For a day before 1970, counts back from the end of the day: the ticks of its beginning may
    // overflow.
    const bool before = later.day < 0;
    typename T::rep count = 0;
    if (__builtin_mul_overflow(later.day + before, DayAndTime<T>::kDay.count(), &count) ||
        __builtin_add_overflow(
            count, (before ? later.time_of_day - DayAndTime<T>::kDay : later.time_of_day).count(),
            &count))
        throw_far_months(from.day, months);
    return T(typename T::duration(count));
}

/// The first day of the period of `units` months, counted from January 1970, that contains a time
/// point, or of the next or the nearer one.
template <Quotient rounding, typename T>
DaysOf<T> rounded_to_months(const T& time, std::int64_t units) {
    const auto [count, rest] = DayAndTime(time);
    const DaysOf<T> day = day_at<T>(count);
    const std::int64_t part = floor_quotient(month_of_day(count), units);
    const DaysOf<T> lower = day_at<T>(first_of_month(part * units));
    const DaysOf<T> upper = day_at<T>(first_of_month((part + 1) * units));
    bool up = false;
    if constexpr (rounding == Quotient::up) {
        up = day != lower || rest != rest.zero();
    } else if constexpr (rounding == Quotient::nearest) {
        // The lower one is farther if day - lower + rest > upper - day - rest.
        const auto longer = (upper - day) - (day - lower);
        up = longer < 2 * rest || (longer == 2 * rest && part % 2 != 0);
    }
    return up ? upper : lower;
}

/// Whether elements have calendar months: time points since 1970, counted in integers.
template <typename T>
inline constexpr bool kHasMonths =
    TimeType<T>::kIsPoint&& TimeType<T>::kHasCalendar&& std::integral<TimeRep<T>>;
/// Whether time elements of this type can be counted in a unit: in months and years only where they
/// have months.
template <typename T, typename Unit>
constexpr bool can_be_counted_in() {
    if constexpr (kUnitMonths<Unit> == 0 || !TimeElement<T>)
        return true;
    else
        return kHasMonths<T>;
}
/// Rejects all other types at compile time.
template <typename T>
constexpr void refuse_months() {
    static_assert(kHasMonths<T>,
                  "months and years have no fixed length: only time points since 1970 lie in one, "
                  "counted in integers");
}

/// `epoch<Unit>(t)`, `t | epoch<Unit>`: the number of whole units (`std::chrono::days`,
/// `milliseconds`, …) from the epoch to a time point, or in a duration; rounded down. As int64,
/// which wraps. Lazy, vectorised; for the unit of `t` just a view. Months and years are those of
/// the calendar: for `months` the months since January 1970.
template <typename Unit>
struct EpochFunction : PipelineStage {
    template <typename T>
    static constexpr bool kIsDefinedFor = can_be_counted_in<T, Unit>();

    template <TimeTensor X>
    auto operator()(const X& x) const {
        if constexpr (kUnitMonths<Unit> != 0) {
            using T = OperandElement<X>;
            refuse_months<T>();
            if constexpr (kHasMonths<T>)
                return map_operands(
                    [](const T& time) {
                        return floor_quotient(month_number(time), kUnitMonths<Unit>);
                    },
                    x);
            else
                return x; // rejected above
        } else {
            return ticks_in<Unit>(x);
        }
    }
};
template <typename Unit>
inline constexpr AcceptingArrays<EpochFunction<Unit>> epoch;

/// Converts time points or durations to another unit.
template <typename Unit, Quotient rounding>
struct RoundTimeFunction : PipelineStage {
    template <typename T>
    static constexpr bool kIsDefinedFor = can_be_counted_in<T, Unit>();

    template <TimeTensor X>
    auto operator()(const X& x) const {
        using T = OperandElement<X>;
        if constexpr (kUnitMonths<Unit> != 0) {
            refuse_months<T>();
            if constexpr (kHasMonths<T>)
                return map_operands(
                    [](const T& time) {
                        return rounded_to_months<rounding>(time, kUnitMonths<Unit>);
                    },
                    x);
            else
                return x; // rejected above
        } else {
            const auto whole =
                ticks_in<Unit, rounding>(x) | unchecked_cast<Canonical<typename Unit::rep>>;
            if constexpr (TimeType<T>::kIsPoint)
                return from_ticks<std::chrono::time_point<typename T::clock, Unit>>(whole);
            else
                return from_ticks<Unit>(whole);
        }
    }
};
/// `floor_time<Unit>(t)`, `t | floor_time<Unit>`: time points or durations rounded down to another
/// unit: for `std::chrono::days` the day of a time point, for `hours` the full hour. Lazy,
/// vectorised.
///
/// For `months` and `years`, whose length varies, the first day of the month or year, as days; only
/// for time points. `weeks` begin on Thursdays, as 1970 did, and as NumPy's do: `week_start` gives
/// Mondays. With months or years, reading throws `CastError` for days 2^39 or more from 1970.
template <typename Unit>
inline constexpr AcceptingArrays<RoundTimeFunction<Unit, Quotient::down>> floor_time;
/// `ceil_time<Unit>(t)`, or a stage: the same, rounded up to the next unit.
template <typename Unit>
inline constexpr AcceptingArrays<RoundTimeFunction<Unit, Quotient::up>> ceil_time;
/// `round_time<Unit>(t)`, or a stage: the same, rounded to the nearest unit, ties to the even one
/// counted from 1970, as by `std::chrono::round`.
template <typename Unit>
inline constexpr AcceptingArrays<RoundTimeFunction<Unit, Quotient::nearest>> round_time;

/// `between<Unit>(begin, end)`: the number of whole units between two time points, or by which one
/// duration exceeds another, rounded towards zero; broadcasting, one of them may be a scalar. As
/// int64, which wraps. Lazy, vectorised. Months and years are those of the calendar, clamped to the
/// ends of months: the largest n for which `plus_months(begin, n)` is not after `end`; if `end` is
/// before `begin`, the smallest n for which it is not before `end`. Of two scalars a number.
template <typename Unit>
struct BetweenFunction {
    template <typename X, typename Y>
        requires TimeOperands<X, Y>
    auto operator()(const X& begin, const Y& end) const {
        using A = TimeType<OperandElement<X>>;
        using B = TimeType<OperandElement<Y>>;
        static_assert(A::kIsPoint == B::kIsPoint, "between: two time points, or two durations");
        if constexpr (kUnitMonths<Unit> != 0) {
            refuse_months<OperandElement<X>>();
            refuse_months<OperandElement<Y>>();
            if constexpr (kHasMonths<OperandElement<X>> && kHasMonths<OperandElement<Y>>)
                return map_operands(
                    [](const OperandElement<X>& from, const OperandElement<Y>& to) {
                        const DayAndTime begins(from);
                        const DayAndTime ends(to);
                        std::int64_t n = month_of_day(ends.day) - month_of_day(begins.day);
                        if (n > 0 && months_later(begins, n) > ends) --n;
                        if (n < 0 && months_later(begins, n) < ends) ++n;
                        return n / kUnitMonths<Unit>;
                    },
                    begin, end);
            else
                return begin; // rejected above
        } else {
            using Common = std::common_type_t<typename A::Duration, typename B::Duration>;
            return rescaled<typename Common::period, typename Unit::period, Quotient::towards_zero>(
                ticks_in<Common>(end) - ticks_in<Common>(begin));
        }
    }
    template <typename X, typename Y>
        requires(Time<ValueBehind<X>>&& Time<ValueBehind<Y>>)
    std::int64_t operator()(const X& begin, const Y& end) const {
        return (*this)(full(Shape{}, value_behind(begin)), value_behind(end)).item();
    }
};
template <typename Unit>
inline constexpr AcceptingArrays<BetweenFunction<Unit>> between;

} // namespace purview
