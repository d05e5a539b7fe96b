#pragma once

#include "array.hpp"

#include <purview/evaluation/calendar.hpp>
#include <purview/functional/along/axis_parts.hpp>
#include <purview/functional/reductions/built_in_reduction.hpp>
#include <purview/functional/reductions/chosen_axes.hpp>

#include <optional>
#include <span>
#include <string_view>
#include <utility>

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

/// Times in another unit, as integers or as text, and back; nothing where neither type is one of times. Throws `DtypeError`.
std::optional<Array> converted_times(const Array& x, pv::DType dtype);

/// Times of Python and of NumPy; nothing if the first object is none.
std::optional<Array> array_of_times(nb::handle times, pv::ShapeSpan shape);
/// The only element of an array of times. Throws `DtypeError` for another one.
nb::object time_to_python(const Array& x);

/// `pv::any_binary`, and of times what NumPy has: sums, differences, multiples, comparisons, extremes, in the finer of two units.
Array binary_of(pv::Op op, pv::WeakOperand x, pv::WeakOperand y);
/// -x, of durations too.
Array negated(const Array& x);
/// x where a condition is true, else y, of which one is an array of times.
Array chosen_times(const Array& condition, const pv::WeakOperand& x, const pv::WeakOperand& y);

/// Durations divided by integers and by durations; nothing if neither is a time. Throws `DtypeError` of points.
using DivisionOf = Array (*)(pv::WeakOperand, pv::WeakOperand);
std::optional<Array> divided_times(const char* what, DivisionOf division, const pv::WeakOperand& x,
                                   const pv::WeakOperand& y);
std::optional<Array> absolute_times(const Array& x);
/// `min`, `max`, `mean`, `median` of times and `sum` of durations, NaT where one is NaT that is not skipped; nothing for others.
std::optional<Array> reduced_times(const char* what, const pv::BuiltInReduction& reduction,
                                   const Array& x, const pv::ChosenAxes& axes);
/// `pv::scanned`, also of the extremes of times and the sums of durations: NaT from the first NaT on, unless it is skipped.
pv::Operand scanned_lanes(const char* what, pv::Reduction reduction, const pv::AxisParts& parts,
                          pv::NanRule nan);
/// Two arrays, of which times of one kind are in the finer unit of the two.
std::pair<Array, Array> comparable_arrays(nb::handle x, nb::handle y);

void bind_time_casts(nb::module_& module);

} // namespace purview_python
