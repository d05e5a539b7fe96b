#pragma once

#include <purview/evaluation/calendar.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/elementwise/not_a_time.hpp>
#include <purview/tensor/text_places.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <ratio>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// An element type of time: a duration or a time point.
template <typename T>
concept Time = TimeElement<T>;
/// The duration of one tick of a type of time, and how many of them a time is.
template <Time T>
struct TimeType {
    using Duration = T;
    static auto count(const T& time) { return time.count(); }
};
template <PointElement T>
struct TimeType<T> {
    using Duration = typename T::duration;
    static auto count(const T& time) { return time.time_since_epoch().count(); }
};

template <Time T>
using TimeRep = typename TimeType<T>::Duration::rep;
template <Time T>
using TimePeriod = typename TimeType<T>::Duration::period;
template <typename T>
inline constexpr TickLength kTick{TimePeriod<T>::num, TimePeriod<T>::den};

/// A time that is counted in integers, and a time point since 1970 that is.
template <typename T>
concept IntegerTime = Time<T> && std::integral<TimeRep<T>>;
template <typename T>
concept DateElement = IntegerTime<T> && CalendarPoint<T>;

/// `function` of each of the integer counts of times.
PURVIEW_EXPORT Operand map_counts(const Operand& times, DType result,
                                  std::shared_ptr<const BlockFunction> function);
/// Times whose counts, of the type `to`, are those of `times` multiplied by `factor`. NaT stays;
/// reading throws `CastError` for what int64 does not hold, which names the time and, where it is
/// given, the type `to`.
PURVIEW_EXPORT Operand scaled_counts(const Operand& times, std::int64_t factor,
                                     std::optional<DType> to = {});
/// The times of type `dtype` that strings say, which are in `places`; of local times none has an offset.
PURVIEW_EXPORT Operand parsed_times(const Operand& texts, TextPlacesPtr places, TickLength tick,
                                    DType dtype, bool are_local);

struct TicksOfTimes {
    template <typename T>
    static constexpr bool kIsDefinedFor = Time<T>;
    template <typename X>
    static auto of(const X& x) {
        using Count = Canonical<TimeRep<OperandElement<X>>>;
        if constexpr (BuiltinType<Count>)
            return result_of<PartOf<X, Count>>(tick_counts, operand_as<OperandElement<X>>(x));
        else
            return same_bytes<Count>("ticks", x);
    }
};
/// `ticks(t)`, `t | ticks`: the counts of durations, or of time points since their epoch. If `t` is
/// in memory, a view, writable where `t` is; else lazy. O(1).
inline constexpr ElementsFunction<TicksOfTimes> ticks;

template <Time R>
struct TimesOfTicks {
    using Count = Canonical<TimeRep<R>>;
    template <typename T>
    static constexpr bool kIsDefinedFor = std::is_same_v<T, Count> ||
                                          (kIsInteger<T> && kIsInteger<Count>);
    template <typename X>
    static auto of(const X& x) {
        if constexpr (std::is_same_v<OperandElement<X>, Count>)
            return same_bytes<R>("from_ticks", x);
        else
            return same_bytes<R>("from_ticks", cast<Count>(x));
    }
};
/// `from_ticks<T>(numbers)`, `numbers | from_ticks<T>`: durations or time points of type T from
/// their counts. If `numbers` are in memory and of T's own representation type, a view, writable
/// where they are; else lazy. Other integers are converted: `CastError` where one does not fit.
/// O(1).
template <Time T>
inline constexpr ElementsFunction<TimesOfTicks<T>> from_ticks;

/// The conversion of counts of one period to those of another, of which one is a multiple.
template <typename From, typename To, Quotient rounding = Quotient::down>
struct Rescaling {
    using Ratio = std::ratio_divide<From, To>;
    static constexpr bool kIsDefined =
        Ratio::den == 1 || (Ratio::num == 1 && Ratio::den <= std::int64_t{1} << 52);

    static Operand of(const Operand& times) {
        if constexpr (Ratio::den == 1) {
            return scaled_counts(times, Ratio::num);
        } else { // never destroyed: destructors of static objects may still use it
            static const auto& function = *new auto(quotient_function(rounding, Ratio::den, true));
            return map_counts(times, int64, function);
        }
    }
};
template <typename T, typename Unit>
inline constexpr bool kRescales = Rescaling<TimePeriod<T>, typename Unit::period>::kIsDefined;

/// The number of calendar months in a unit: 1 for `std::chrono::months`, 12 for `years`; 0 for a
/// unit of fixed length.
template <typename Unit>
inline constexpr std::int64_t kUnitMonths = [] {
    using Months = std::ratio_divide<typename Unit::period, std::chrono::months::period>;
    return Months::den == 1 ? std::int64_t{Months::num} : std::int64_t{0};
}();
/// Whether a time point is combined with months, for which `std::chrono` uses 30.436875 days each.
template <typename X, typename Y>
consteval bool lacks_fixed_length() {
    using A = OperandElement<X>;
    using B = OperandElement<Y>;
    return PointElement<A> != PointElement<B> &&
           kUnitMonths<typename TimeType<std::conditional_t<PointElement<A>, B, A>>::Duration> > 0;
}

/// A tensor of times, and another one or an element, all counted in integers.
template <typename X, typename Y>
concept TimeOperands =
    TensorOperands<X, Y> && IntegerTime<OperandElement<X>> && IntegerTime<OperandElement<Y>>;

/// A time point and a duration in months or years, which have no fixed length.
template <typename X, typename Y>
concept MonthsBesidePoints = lacks_fixed_length<X, Y>();

/// `op` of times in a common unit, as elements of type R.
template <Op op, typename R, typename X, typename Y>
auto combined_times(const X& x, const Y& y) {
    using Period = TimePeriod<R>;
    return result_from<R>(
        [](const Operand& a, const Operand& b) {
            return times_of(
                combined_counts(op, Rescaling<TimePeriod<OperandElement<X>>, Period>::of(a),
                                Rescaling<TimePeriod<OperandElement<Y>>, Period>::of(b)),
                kDType<R>);
        },
        x, y);
}

/// Sums and differences of times, with the types that `std::chrono` gives for the elements,
/// computed by the engine on integers; overflow wraps, but changing a unit throws `CastError`
/// where it would. NaT where one is. Lazy. Adding months and years to time points
/// is rejected: use `plus_months`, which adds those of the calendar.
template <typename X, typename Y>
    requires(TimeOperands<X, Y>&& OperandsOf<X, Y, Op::add>)
auto operator+(const X& x, const Y& y) {
    using R = decltype(std::declval<OperandElement<X>>() + std::declval<OperandElement<Y>>());
    return combined_times<Op::add, R>(x, y);
}
template <typename X, typename Y>
    requires(TimeOperands<X, Y>&& OperandsOf<X, Y, Op::subtract>)
auto operator-(const X& x, const Y& y) {
    using R = decltype(std::declval<OperandElement<X>>() - std::declval<OperandElement<Y>>());
    return combined_times<Op::subtract, R>(x, y);
}

#define PURVIEW_NO_FIXED_LENGTH \
 "months and years have no fixed length: plus_months(t, n), and 12 * n for years"
#define PURVIEW_REFUSE_MONTHS(OPERATOR, OP)                                            \
 template <typename X, typename Y>                                                     \
  requires(TimeOperands<X, Y> && OperandsOf<X, Y, Op::OP> && MonthsBesidePoints<X, Y>) \
 PURVIEW_REFUSED(PURVIEW_NO_FIXED_LENGTH, operator OPERATOR(const X&, const Y&));
PURVIEW_REFUSE_MONTHS(+, add)
PURVIEW_REFUSE_MONTHS(-, subtract)
#undef PURVIEW_REFUSE_MONTHS
#undef PURVIEW_NO_FIXED_LENGTH

} // namespace purview
