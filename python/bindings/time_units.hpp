#pragma once

#include "array.hpp"

#include <purview/evaluation/calendar.hpp>

#include <cstdint>
#include <span>
#include <string_view>

namespace purview_python {

/// A unit of NumPy's.
struct TimeUnit {
    const char* name;
    pv::DType point;
    pv::DType duration;
    pv::TickLength tick;
    std::int64_t nanoseconds;
};

struct TimeKind {
    const TimeUnit* unit = nullptr; ///< null: no time
    bool is_point = false;

    pv::DType dtype() const { return is_point ? unit->point : unit->duration; }
};

/// From the finest unit to the coarsest.
std::span<const TimeUnit> time_units();
TimeKind kind_of(pv::DType dtype);
/// Throws `ValueError` naming `what`, unless there is such a unit.
const TimeUnit& unit_named(const char* what, std::string_view name);
/// NumPy's NaT: no time.
inline constexpr std::int64_t kNaT = INT64_MIN;
/// The counts of times in another unit, rounded where it is a coarser one. NaT stays. Reading throws `CastError` for what int64
/// does not hold.
pv::Operand counts_in(const pv::Operand& times, TimeKind from, const TimeUnit& to,
                      pv::Quotient rounding);
/// Whether each count is NaT.
Array is_nat(const pv::Operand& counts);
Array times_from(const pv::Operand& counts, pv::DType dtype);

} // namespace purview_python
