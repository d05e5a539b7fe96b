#pragma once

#include <purview/evaluation/calendar.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/tensor/accepting_arrays.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <ratio>
#include <type_traits>
#include <utility>

namespace purview {

/// Traits of an element type of time. `Duration` is the duration in its ticks.
template <typename T>
struct TimeType {
    static constexpr bool kIsTime = false;
};
template <typename R, typename P>
struct TimeType<std::chrono::duration<R, P>> {
    static constexpr bool kIsTime = true;
    static constexpr bool kIsPoint = false;
    static constexpr bool kHasCalendar = true; // it has a time of day, and calendar fields if it
                                               // counts from 1970
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

/// `ticks(t)`, `t | ticks`: the counts of durations, or of time points since their epoch. If `t` is
/// in memory, a view, writable where `t` is; else lazy. O(1).
struct TicksFunction : PipelineStage {
    template <TimeTensor X>
    auto operator()(const X& x) const {
        return same_bytes<Canonical<TimeRep<OperandElement<X>>>>(x);
    }
};
inline constexpr AcceptingArrays<TicksFunction> ticks;

/// `from_ticks<T>(numbers)`, `numbers | from_ticks<T>`: durations or time points of type T from
/// their counts, which have T's own representation type. If `numbers` are in memory, a view,
/// writable where they are; else lazy. O(1).
template <Time T>
struct FromTicksFunction : PipelineStage {
    template <TypedTensor X>
        requires std::same_as<OperandElement<X>, Canonical<TimeRep<T>>>
    auto operator()(const X& x) const { return same_bytes<T>(x); }
};
template <Time T>
inline constexpr AcceptingArrays<FromTicksFunction<T>> from_ticks;

/// Applies a function to the ticks of X, which are int64.
template <ElementType R, TimeTensor X>
auto map_counts(const X& x, std::shared_ptr<const BlockFunction> function) {
    static_assert(std::is_integral_v<TimeRep<OperandElement<X>>>,
                  "calendars count in integers: floor_time to a unit of them first");
    const auto integers = ticks(x) | cast<std::int64_t>;
    return result_of<ResultHandle<R, decltype(integers)>>(
        [function = std::move(function)](Operand operand) {
            return elementwise<1>(Op::map, kDType<R>, {std::move(operand)}, function);
        },
        operand_as<std::int64_t>(integers));
}

/// Converts int64 ticks of one period to another, by a factor or a division. Overflow wraps.
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

/// The count in `Unit` of a tensor of times, or of one element for all. `Unit` is not longer than
/// the times' own unit unless the result is rounded.
template <typename Unit, Quotient rounding = Quotient::down, typename X>
auto ticks_in(const X& x) {
    static_assert(std::is_integral_v<TimeRep<OperandElement<X>>>, "units are counted in integers");
    using Period = TimePeriod<OperandElement<X>>;
    if constexpr (TypedTensor<X>)
        return rescaled<Period, typename Unit::period, rounding>(ticks(x) | cast<std::int64_t>);
    else
        return static_cast<std::int64_t>(
            static_cast<std::uint64_t>(TimeType<OperandElement<X>>::count(x)) *
            std::uint64_t{std::ratio_divide<Period, typename Unit::period>::num});
}

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
    using A = TimeType<OperandElement<X>>;
    using B = TimeType<OperandElement<Y>>;
    return (A::kIsPoint && !B::kIsPoint && kUnitMonths<typename B::Duration> > 0) ||
           (B::kIsPoint && !A::kIsPoint && kUnitMonths<typename A::Duration> > 0);
}

/// A tensor of times, and another one or an element, all counted in integers.
template <typename X, typename Y>
concept TimeOperands = TensorOperands<X, Y> && Time<OperandElement<X>> && Time<OperandElement<Y>> &&
    std::integral<TimeRep<OperandElement<X>>> && std::integral<TimeRep<OperandElement<Y>>>;

/// Those of which one has no fixed length.
template <typename X, typename Y>
concept MonthsBesidePoints = lacks_fixed_length<X, Y>();

/// Elements of type T from their ticks.
template <Time T, typename X>
auto time_of(const X& counted) {
    return from_ticks<T>(counted | unchecked_cast<Canonical<TimeRep<T>>>);
}

/// Sums and differences of times, with the types that `std::chrono` gives for the elements,
/// computed by the engine on integers; overflow wraps. Lazy. Adding months and years to time points
/// is rejected: use `plus_months`, which adds those of the calendar.
template <typename X, typename Y>
    requires(TimeOperands<X, Y>&& OperandsOf<X, Y, Op::add, Plus>)
auto operator+(const X& x, const Y& y) {
    using R = decltype(std::declval<OperandElement<X>>() + std::declval<OperandElement<Y>>());
    using Unit = typename TimeType<R>::Duration;
    return time_of<R>(ticks_in<Unit>(x) + ticks_in<Unit>(y));
}
template <typename X, typename Y>
    requires(TimeOperands<X, Y>&& OperandsOf<X, Y, Op::subtract, Minus>)
auto operator-(const X& x, const Y& y) {
    using R = decltype(std::declval<OperandElement<X>>() - std::declval<OperandElement<Y>>());
    using Unit = typename TimeType<R>::Duration;
    return time_of<R>(ticks_in<Unit>(x) - ticks_in<Unit>(y));
}

#define PURVIEW_NO_FIXED_LENGTH \
 "months and years have no fixed length: plus_months(t, n), and 12 * n for years"
#define PURVIEW_REFUSE_MONTHS(OPERATOR, OP, GENERIC)                                            \
 template <typename X, typename Y>                                                              \
  requires(TimeOperands<X, Y> && OperandsOf<X, Y, Op::OP, GENERIC> && MonthsBesidePoints<X, Y>) \
 PURVIEW_REFUSED(PURVIEW_NO_FIXED_LENGTH, operator OPERATOR(const X&, const Y&));
PURVIEW_REFUSE_MONTHS(+, add, Plus)
PURVIEW_REFUSE_MONTHS(-, subtract, Minus)
#undef PURVIEW_REFUSE_MONTHS
#undef PURVIEW_NO_FIXED_LENGTH

} // namespace purview
