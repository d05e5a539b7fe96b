#pragma once

#include <purview/functional/elementwise/time_ticks.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <ratio>
#include <type_traits>

namespace purview::inline v0_1 {

/// Time points that have calendar months: their ticks divide a day or are made of days; and those
/// that can tell every day.
template <typename T>
concept HasMonths = DateElement<T> &&(86'400 * TimePeriod<T>::den % TimePeriod<T>::num == 0 ||
                                      TimePeriod<T>::num % (86'400 * TimePeriod<T>::den) == 0);
template <typename T>
concept HasDays = HasMonths<T> && TimePeriod<T>::num <= 86'400 * TimePeriod<T>::den;
/// Times that can be counted in a unit: in months and years only where they have months.
template <typename T, typename Unit>
concept CanBeCountedIn = IntegerTime<T> &&
    (kUnitMonths<Unit> == 0 || HasMonths<T>)&&(kUnitMonths<Unit> != 0 || kRescales<T, Unit>);
template <typename T>
using DaysOf = std::chrono::time_point<typename T::clock, std::chrono::days>;

/// Days since 1970 of integers, broadcast together. Lazy.
PURVIEW_EXPORT Operand days_of_dates(const Operand& year, const Operand& month, const Operand& day);

// Of times that have months. Lazy; reading throws
// `CastError` for days that are 2^39 or more from 1970.

/// The number of periods of `units` months from January 1970.
PURVIEW_EXPORT Operand months_of(const Operand& times, TickLength tick, std::int64_t units);
/// The first day of the period of `units` months that a time lies in, or of the next or the nearer
/// one; as days since 1970.
PURVIEW_EXPORT Operand rounded_to_months(const Operand& times, TickLength tick, Quotient rounding,
                                         std::int64_t units);
/// The Monday of the week that a time lies in.
PURVIEW_EXPORT Operand week_starts(const Operand& times, TickLength tick);
/// `between` of counts in a common unit, each of `tick` units of the result.
PURVIEW_EXPORT Operand units_between(const Operand& begin, const Operand& end, TickLength tick);
/// `between` in months, divided by `units`.
PURVIEW_EXPORT Operand months_between(const Operand& begin, TickLength begin_tick,
                                      const Operand& end, TickLength end_tick, std::int64_t units);
/// The count `months` months later, as `plus_months`; of a tensor, or one; of times that have days.
PURVIEW_EXPORT Operand months_later(const Operand& times, TickLength tick, const Operand& months,
                                    DType result);
PURVIEW_EXPORT std::int64_t months_later(std::int64_t count, TickLength tick, std::int64_t months);
/// A time point `months` months later, as `plus_months`. Throws `CastError` also if `T` cannot hold
/// it.
template <HasDays T>
T months_later(const T& time, std::int64_t months) {
    return T(typename T::duration(checked_cast<Canonical<TimeRep<T>>>(
        months_later(TimeType<T>::count(time), kTick<T>, months))));
}

/// The base of functions that count times in a unit.
template <typename Unit>
struct CountedIn {
    using UnitOfTime = Unit;
    template <typename T>
    static constexpr bool kIsDefinedFor = CanBeCountedIn<T, Unit>;
};
template <TypedTensor X, typename Elements>
    requires(std::is_base_of_v<CountedIn<typename Elements::UnitOfTime>, Elements> &&
             !Elements::template kIsDefinedFor<OperandElement<X>>)
PURVIEW_REFUSED("months and years have no fixed length: only time points since 1970 lie in one, "
                "counted in integers",
                operator|(const X&, const ElementsFunction<Elements>&));

/// The whole units in times of type T.
template <typename T, typename Unit>
Operand in_units(const Operand& times) {
    if constexpr (kUnitMonths<Unit> != 0)
        return months_of(times, kTick<T>, kUnitMonths<Unit>);
    else
        return Rescaling<TimePeriod<T>, typename Unit::period>::of(times);
}

template <typename Unit>
struct WholeUnits : CountedIn<Unit> {
    template <typename X>
    static auto of(const X& x) {
        return result_from<std::int64_t>(in_units<OperandElement<X>, Unit>, x);
    }
};
/// `epoch<Unit>(t)`, `t | epoch<Unit>`: the number of whole units (`std::chrono::days`,
/// `milliseconds`, …) from the epoch to a time point, or in a duration; rounded down. As int64, the
/// lowest of NaT; reading throws `CastError` for more units than that holds. Lazy, vectorised; for the unit of `t` just a view. Months and years are those of
/// the calendar: for `months` the months since January 1970.
template <typename Unit>
inline constexpr ElementsFunction<WholeUnits<Unit>> epoch;

/// The type of times of type T in another unit: in days for months and years.
template <typename T, typename Unit>
consteval auto time_in() {
    if constexpr (kUnitMonths<Unit> != 0)
        return std::type_identity<DaysOf<T>>{};
    else if constexpr (PointElement<T>)
        return std::type_identity<std::chrono::time_point<typename T::clock, Unit>>{};
    else
        return std::type_identity<Unit>{};
}
template <typename Unit, Quotient rounding>
struct RoundedTimes : CountedIn<Unit> {
    template <typename X>
    static auto of(const X& x) {
        using T = OperandElement<X>;
        using R = typename decltype(time_in<T, Unit>())::type;
        return result_from<R>(
            [](const Operand& times) {
                if constexpr (kUnitMonths<Unit> != 0)
                    return times_of(rounded_to_months(times, kTick<T>, rounding, kUnitMonths<Unit>),
                                    kDType<R>);
                else
                    return times_of(
                        Rescaling<TimePeriod<T>, typename Unit::period, rounding>::of(times),
                        kDType<R>);
            },
            x);
    }
};
/// `floor_time<Unit>(t)`, `t | floor_time<Unit>`: time points or durations rounded down to another
/// unit: for `std::chrono::days` the day of a time point, for `hours` the full hour. NaT stays, and
/// times that a finer unit does not hold are `CastError`s. Lazy, vectorised.
///
/// For `months` and `years`, whose length varies, the first day of the month or year, as days; only
/// for time points. `weeks` begin on Thursdays, as 1970 did, and as NumPy's do: `week_start` gives
/// Mondays. With months or years, reading throws `CastError` for days 2^39 or more from 1970.
template <typename Unit>
inline constexpr ElementsFunction<RoundedTimes<Unit, Quotient::down>> floor_time;
/// `ceil_time<Unit>(t)`, or a stage: time points or durations rounded up to another unit. Otherwise
/// as `floor_time`.
template <typename Unit>
inline constexpr ElementsFunction<RoundedTimes<Unit, Quotient::up>> ceil_time;
/// `round_time<Unit>(t)`, or a stage: time points or durations rounded to the nearest of another
/// unit, ties to the even one counted from 1970, as by `std::chrono::round`. Otherwise as
/// `floor_time`.
template <typename Unit>
inline constexpr ElementsFunction<RoundedTimes<Unit, Quotient::nearest>> round_time;

/// Two time points, or two durations, at least one of them a tensor, that can be counted in a unit.
template <typename X, typename Y, typename Unit>
concept CanBeBetween = TimeOperands<X, Y> &&
    (PointElement<OperandElement<X>> == PointElement<OperandElement<Y>>)&&CanBeCountedIn<
        OperandElement<X>, Unit>&& CanBeCountedIn<OperandElement<Y>, Unit>;
/// `between<Unit>(begin, end)`: the number of whole units between two time points, or by which one
/// duration exceeds another, rounded towards zero; broadcasting, one of them may be a scalar. As
/// int64, the lowest of NaT; reading throws `CastError` for times beyond the finer unit of the two,
/// and for numbers beyond int64.
/// Lazy, vectorised. Months and years are those of the calendar, clamped to the
/// ends of months: the largest n for which `plus_months(begin, n)` is not after `end`; if `end` is
/// before `begin`, the smallest n for which it is not before `end`. Of two scalars a number.
template <typename Unit>
struct BetweenFunction : ElementwiseFunction {
    using ElementwiseFunction::operator();

    template <typename X, typename Y>
        requires CanBeBetween<TensorOf<X>, TensorOf<Y>, Unit>
    auto operator()(X&& begin, Y&& end) const {
        using A = ElementBehind<X>;
        using B = ElementBehind<Y>;
        return result_from<std::int64_t>(
            [](const Operand& a, const Operand& b) {
                if constexpr (kUnitMonths<Unit> != 0) {
                    return months_between(a, kTick<A>, b, kTick<B>, kUnitMonths<Unit>);
                } else {
                    using Common =
                        typename std::common_type_t<typename TimeType<A>::Duration,
                                                    typename TimeType<B>::Duration>::period;
                    using Ratio = std::ratio_divide<Common, typename Unit::period>;
                    return units_between(Rescaling<TimePeriod<A>, Common>::of(a),
                                         Rescaling<TimePeriod<B>, Common>::of(b),
                                         {Ratio::num, Ratio::den});
                }
            },
            std::forward<X>(begin), std::forward<Y>(end));
    }
    template <typename X, typename Y>
        requires(Time<ValueBehind<X>>&& Time<ValueBehind<Y>>)
    std::int64_t operator()(const X& begin, const Y& end) const {
        return (*this)(full(Shape{}, value_behind(begin)), value_behind(end)).item();
    }
};
template <typename Unit>
inline constexpr BetweenFunction<Unit> between;

} // namespace purview
