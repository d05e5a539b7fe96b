#pragma once

#include <purview/io/attributes.hpp>
#include <purview/tensor/any_tensor.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace purview::inline v0_1::file {

/// What `units` such as "days since 1850-01-01" make of numbers.
struct CfTimeUnits {
    std::string text;
    std::int64_t ticks;      ///< in one of the unit
    std::int64_t reference;  ///< ticks from 1970-01-01 to the date
    std::int64_t per_second; ///< ticks: microseconds, or nanoseconds where these are the unit
};

/// The units of times; nothing where `units` does not say "… since …". Throws `FormatError` that names
/// them for a unit without a fixed length, for a date that is none, and for calendars other than the
/// standard and the proleptic Gregorian one.
std::optional<CfTimeUnits> cf_time_units(const Attributes& attributes);

/// The times of integers or float64 numbers; NaT of those that are missing and of NaN. Reading throws
/// `CastError` for what lies outside of the type.
AnyTensor cf_times(const AnyTensor& numbers, const std::optional<Tensor<bool>>& is_missing,
                   const CfTimeUnits& units);

} // namespace purview::file
