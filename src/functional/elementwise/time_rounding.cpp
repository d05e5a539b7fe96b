#include <purview/base/errors.hpp>
#include <purview/dtype/time_text.hpp>
#include <purview/functional/elementwise/time_rounding.hpp>

#include "functional/elementwise/time_counts.hpp"

#include <fmt/format.h>
#include <libdivide.h>

#include <compare>
#include <cstdint>
#include <numeric>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// The first day of a month, as days since 1970-01-01; `month` counts from January 1970.
constexpr std::int64_t first_of_month(std::int64_t month) {
    const std::int64_t year = floor_quotient(month, 12);
    return days_before_month(1970 + year, month - year * 12);
}

/// A count of ticks as days since 1970 and the ticks of the rest.
struct DayAndTime {
    std::int64_t day;
    std::int64_t time_of_day;
};

/// Ticks that divide a day, or are made of days: one of the two numbers is 1.
struct TicksOfDays {
    std::int64_t ticks_per_day;
    std::int64_t days_per_tick;

    explicit TicksOfDays(TickLength tick)
        : ticks_per_day(86'400 * tick.denominator / tick.numerator),
          days_per_tick(tick.numerator / (86'400 * tick.denominator)) {
        if (ticks_per_day == 0) ticks_per_day = 1;
        if (days_per_tick == 0) days_per_tick = 1;
    }

    /// Does not overflow near the limits of int64.
    DayAndTime split(std::int64_t count) const {
        if (days_per_tick != 1) return {count * days_per_tick, 0};
        const std::int64_t rest = count % ticks_per_day;
        const std::int64_t day = count / ticks_per_day;
        return rest < 0 ? DayAndTime{day - 1, rest + ticks_per_day} : DayAndTime{day, rest};
    }
};

/// The same day and time of day `months` months later, or the last day of that month if it has
/// fewer days. Throws `CastError` if the result exceeds int64, and as `month_of_day`.
DayAndTime later(DayAndTime from, std::int64_t months) {
    const std::int64_t month = month_of_day(from.day);
    std::int64_t later = 0;
    // The largest month whose days fit int64.
    constexpr std::int64_t kFarthest = std::int64_t{1} << 57;
    if (__builtin_add_overflow(month, months, &later) || later > kFarthest || later < -kFarthest)
        throw_far_months(from.day, months);
    const std::int64_t first = first_of_month(later);
    const std::int64_t size = first_of_month(later + 1) - first;
    const std::int64_t of_month = from.day - first_of_month(month);
    return {first + (of_month < size ? of_month : size - 1), from.time_of_day};
}

std::int64_t later(std::int64_t time, const TicksOfDays& ticks, std::int64_t months) {
    const DayAndTime from = ticks.split(time);
    const auto [day, time_of_day] = later(from, months);
    // For a day before 1970, counts back from the end of the day: the ticks of its beginning may
    // overflow.
    const bool before = day < 0;
    std::int64_t count = 0;
    if (__builtin_mul_overflow(day + before, ticks.ticks_per_day, &count) ||
        __builtin_add_overflow(count, before ? time_of_day - ticks.ticks_per_day : time_of_day,
                               &count))
        throw_far_months(from.day, months);
    return count;
}

/// `function` of each int64 count of times broadcast together, as int64; NaT where one is.
template <typename F, typename... X>
Operand map_integers(FunctionName name, F function, const X&... x) {
    return map_elements(
               std::move(name),
               [function = std::move(function)](const auto... count) {
                   constexpr std::int64_t kNat = kNatCount<std::int64_t>;
                   return ((count == kNat) || ...) ? kNat : function(count...);
               },
               Tensor<std::int64_t>(integer_counts(x))...)
        .operand();
}
Tensor<std::int64_t> wrapped(const Operand& integers) {
    return Tensor<std::int64_t>(cast_operand(integers, int64, Op::wrapping_cast));
}

} // namespace

Operand months_of(const Operand& times, TickLength tick, std::int64_t units) {
    return map_integers(
        FunctionName("epoch", tick.numerator, tick.denominator, units),
        [ticks = TicksOfDays(tick), units](std::int64_t count) {
            return floor_quotient(month_of_day(ticks.split(count).day), units);
        },
        times);
}

Operand rounded_to_months(const Operand& times, TickLength tick, Quotient rounding,
                          std::int64_t units) {
    return map_integers(
        FunctionName(rounding == Quotient::down ? "floor_time"
                     : rounding == Quotient::up ? "ceil_time"
                                                : "round_time",
                     tick.numerator, tick.denominator, rounding, units),
        [ticks = TicksOfDays(tick), rounding, units](std::int64_t count) {
            const auto [day, rest] = ticks.split(count);
            const std::int64_t part = floor_quotient(month_of_day(day), units);
            const std::int64_t lower = first_of_month(part * units);
            if (rounding == Quotient::down) return lower;
            const std::int64_t upper = first_of_month((part + 1) * units);
            if (rounding == Quotient::up) return day != lower || rest != 0 ? upper : lower;
            // The lower one is farther if day - lower + rest > upper - day - rest.
            const std::int64_t longer = ((upper - day) - (day - lower)) * ticks.ticks_per_day;
            return longer < 2 * rest || (longer == 2 * rest && part % 2 != 0) ? upper : lower;
        },
        times);
}

Operand week_starts(const Operand& times, TickLength tick) {
    return map_integers(
        FunctionName("week_start", tick.numerator, tick.denominator),
        [ticks = TicksOfDays(tick)](std::int64_t count) {
            const std::int64_t day = ticks.split(count).day;
            return day - (day - 4 - floor_quotient(day - 4, 7) * 7); // 1970-01-05 is a Monday
        },
        times);
}

Operand units_between(const Operand& begin, const Operand& end, TickLength tick) {
    return map_integers(
        FunctionName("units_between", tick.numerator, tick.denominator),
        [tick, divider = libdivide::divider<std::int64_t>(tick.denominator)](std::int64_t first,
                                                                             std::int64_t last) {
            __extension__ typedef __int128 Wide; // times may be farther apart than int64 tells
            std::int64_t units = 0;
            bool fits = !__builtin_sub_overflow(last, first, &units);
            if (fits) {
                fits = !__builtin_mul_overflow(units / divider, tick.numerator, &units);
            } else {
                const Wide whole =
                    (static_cast<Wide>(last) - first) / tick.denominator * tick.numerator;
                units = static_cast<std::int64_t>(whole);
                fits = whole == units;
            }
            if (!fits || is_nat_count(units))
                throw CastError(fmt::format("between: from a count of {} to one of {} are more "
                                            "units than int64 holds",
                                            first, last));
            return units;
        },
        begin, end);
}

Operand months_between(const Operand& begin, TickLength begin_tick, const Operand& end,
                       TickLength end_tick, std::int64_t units) {
    const TicksOfDays from(begin_tick), to(end_tick);
    const std::int64_t common = std::lcm(from.ticks_per_day, to.ticks_per_day);
    const auto order = [from_factor = common / from.ticks_per_day,
                        to_factor = common / to.ticks_per_day](DayAndTime a, DayAndTime b) {
        return a.day != b.day ? a.day <=> b.day
                              : a.time_of_day * from_factor <=> b.time_of_day * to_factor;
    };
    return map_integers(
        FunctionName("between", begin_tick.numerator, begin_tick.denominator, end_tick.numerator,
                     end_tick.denominator, units),
        [=](std::int64_t first, std::int64_t last) {
            const DayAndTime begins = from.split(first);
            const DayAndTime ends = to.split(last);
            std::int64_t n = month_of_day(ends.day) - month_of_day(begins.day);
            if (n > 0 && order(later(begins, n), ends) > 0) --n;
            if (n < 0 && order(later(begins, n), ends) < 0) ++n;
            return n / units;
        },
        begin, end);
}

Operand months_later(const Operand& times, TickLength tick, const Operand& months, DType result) {
    const Operand counts = map_elements(
                               FunctionName("plus_months", tick.numerator, tick.denominator),
                               [ticks = TicksOfDays(tick)](std::int64_t count, std::int64_t n) {
                                   return is_nat_count(count) ? count : later(count, ticks, n);
                               },
                               Tensor<std::int64_t>(integer_counts(times)), wrapped(months))
                               .operand();
    return times_of(counts_cast_back(counts, result.counted_in(), Op::cast), result);
}

std::int64_t months_later(std::int64_t count, TickLength tick, std::int64_t months) {
    return is_nat_count(count) ? count : later(count, TicksOfDays(tick), months);
}

Operand days_of_dates(const Operand& year, const Operand& month, const Operand& day) {
    return map_elements(
               FunctionName("dates"),
               [](std::int64_t y, std::int64_t m, std::int64_t d) {
                   // Hinnant's days_from_civil, in years from March.
                   const std::int64_t months = y * 12 + (m - 3);
                   const std::int64_t from_march = floor_quotient(months, 12);
                   const std::int64_t era = floor_quotient(from_march, 400);
                   const std::int64_t of_era = from_march - era * 400;
                   const std::int64_t of_year = (153 * (months - from_march * 12) + 2) / 5;
                   return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year + d -
                          719469;
               },
               wrapped(year), wrapped(month), wrapped(day))
        .operand();
}

} // namespace purview
