#pragma once

#include <purview/expression/elementwise.hpp>

#include <cstdint>
#include <memory>

namespace purview::inline v0_1 {

/// A field of a time that is counted in ticks since 1970-01-01 00:00, in the proleptic Gregorian
/// calendar without leap seconds.
enum class CalendarField : std::uint8_t {
    year,        ///< astronomical: 0 is 1 BC
    quarter,     ///< 1 … 4
    month,       ///< 1 … 12
    day,         ///< 1 … 31
    day_of_year, ///< 1 … 366
    day_of_week, ///< ISO: Monday is 1, Sunday 7
    iso_week,    ///< ISO 8601: 1 … 53, the first has the year's first Thursday
    iso_year,    ///< the year that the week belongs to
    hour,        ///< 0 … 23
    minute,      ///< 0 … 59
    second,      ///< 0 … 59
    millisecond, ///< 0 … 999, of the second
    microsecond, ///< 0 … 999, of the millisecond
    nanosecond   ///< 0 … 999, of the microsecond
};

/// The length of one tick in seconds, as a fraction.
struct TickLength {
    std::int64_t numerator = 1;
    std::int64_t denominator = 1;
};

/// A function from int64 counts of ticks to int32 values of `field`. The calendar follows Neri and
/// Schneider, "Euclidean affine functions and their application to calendar algorithms" (2022). Its
/// `apply` throws `CastError` for the lowest count (NaT) and days that are 2^39 or more from 1970. Throws `Error` if the tick
/// is neither a whole fraction nor a multiple of the unit of the field.
PURVIEW_EXPORT std::shared_ptr<const BlockFunction> calendar_function(CalendarField field,
                                                                      TickLength tick);

/// How an int64 count is divided by a positive divisor, to int64: rounded down, towards zero, up,
/// or to the nearest (ties to even). With `keeps_nat` the lowest count, NaT, stays.
enum class Quotient : std::uint8_t { down, towards_zero, up, nearest };
PURVIEW_EXPORT std::shared_ptr<const BlockFunction>
quotient_function(Quotient rounding, std::int64_t divisor, bool keeps_nat = false);

} // namespace purview
