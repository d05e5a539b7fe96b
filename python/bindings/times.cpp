// Functions of times, whose units are known at run time: their fields, rounding, counts and texts.

#include "times.hpp"

#include "as_array.hpp"
#include "casts.hpp"
#include "dtypes.hpp"
#include "text_caster.hpp"
#include "texts.hpp"
#include "time_arithmetic.hpp"
#include "time_units.hpp"

#include <purview/base/errors.hpp>
#include <purview/chrono.hpp>
#include <purview/evaluation/calendar.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/functional/elementwise/where.hpp>

#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

namespace purview_python {
namespace {

using pv::Op;
using pv::Operand;

/// The times of an array. Throws `DtypeError` for other elements.
std::pair<Operand, TimeKind> times_in(nb::handle object, const char* what) {
    const Array x = as_array(object);
    const TimeKind kind = kind_of(x.dtype());
    if (kind.unit == nullptr) pv::throw_dtype_unsupported(what, x.dtype());
    return {x.operand(), kind};
}
std::pair<Operand, TimeKind> points_in(nb::handle object, const char* what) {
    auto times = times_in(object, what);
    if (!times.second.is_point) pv::throw_dtype_unsupported(what, times.first.dtype());
    return times;
}

Array time_array(nb::handle object, const char* what) {
    const Array x = as_array(object);
    if (kind_of(x.dtype()).unit == nullptr) pv::throw_dtype_unsupported(what, x.dtype());
    return x;
}
/// The months in a unit of the calendar, 0 of the others.
std::int64_t months_in(std::string_view unit) { return unit == "M" ? 1 : unit == "Y" ? 12 : 0; }
void require_points(const char* what, const Array& x) {
    if (!kind_of(x.dtype()).is_point) pv::throw_dtype_unsupported(what, x.dtype());
}

template <pv::CalendarField field>
void bind_field(nb::module_& module, const char* name, const char* text) {
    module.def(
        name,
        [name](nb::handle x) {
            const auto [times, kind] =
                field < pv::CalendarField::hour ? points_in(x, name) : times_in(x, name);
            return Array(
                pv::map_counts(times, pv::int32, pv::calendar_function(field, kind.unit->tick)));
        },
        nb::arg("x"), text);
}

template <pv::Quotient rounding>
void bind_rounding(nb::module_& module, const char* name, const char* text) {
    module.def(
        name,
        [name](nb::handle x, const std::string& unit) {
            if (unit == "M" || unit == "Y") {
                const auto [times, kind] = points_in(x, name);
                const auto days = pv::kDType<std::chrono::sys_days>;
                return times_from(
                    pv::rounded_to_months(times, kind.unit->tick, rounding, unit == "M" ? 1 : 12),
                    days);
            }
            const auto [times, kind] = times_in(x, name);
            const TimeUnit& to = unit_named(name, unit);
            return times_from(counts_in(times, kind, to, rounding),
                              TimeKind{&to, kind.is_point}.dtype());
        },
        nb::arg("x"), nb::arg("unit"), text);
}

} // namespace

void bind_times(nb::module_& module) {
    using Field = pv::CalendarField;
    bind_field<Field::year>(module, "year_of", "The year of each time point.");
    bind_field<Field::quarter>(module, "quarter_of", "1 to 4.");
    bind_field<Field::month>(module, "month_of", "1 to 12.");
    bind_field<Field::day>(module, "day_of", "The day of the month, 1 to 31.");
    bind_field<Field::day_of_year>(module, "day_of_year", "1 to 366.");
    bind_field<Field::day_of_week>(module, "day_of_week", "1, Monday, to 7, Sunday.");
    bind_field<Field::iso_week>(module, "iso_week_of", "The week of ISO 8601, 1 to 53.");
    bind_field<Field::iso_year>(module, "iso_year_of", "The year that the week belongs to.");
    bind_field<Field::hour>(module, "hour_of", "0 to 23.");
    bind_field<Field::minute>(module, "minute_of", "0 to 59.");
    bind_field<Field::second>(module, "second_of", "0 to 59.");
    bind_field<Field::millisecond>(module, "millisecond_of", "0 to 999, of the second.");
    bind_field<Field::microsecond>(module, "microsecond_of", "0 to 999, of the millisecond.");
    bind_field<Field::nanosecond>(module, "nanosecond_of", "0 to 999, of the microsecond.");
    bind_rounding<pv::Quotient::down>(
        module, "floor_time",
        "Times rounded down to a unit, ns to D; of M and Y the first day. Lazy.");
    bind_rounding<pv::Quotient::up>(
        module, "ceil_time",
        "Times rounded up to a unit, ns to D; of M and Y the first day. Lazy.");
    bind_rounding<pv::Quotient::nearest>(
        module, "round_time",
        "Times rounded to the nearest unit, ns to D, ties to the even one; of M and Y the first day. Lazy.");
    module.def(
        "week_start",
        [](nb::handle x) {
            const auto [times, kind] = points_in(x, "week_start");
            const auto days = pv::kDType<std::chrono::sys_days>;
            return times_from(pv::week_starts(times, kind.unit->tick), days);
        },
        nb::arg("x"), "The Monday of the week that each time point lies in.");
    module.def(
        "plus_months",
        [](nb::handle x, nb::handle months) {
            const auto [times, kind] = points_in(x, "plus_months");
            const Array n = as_array(months);
            if (!n.dtype().is_integer()) pv::throw_dtype_unsupported("plus_months", n.dtype());
            return Array(pv::months_later(times, kind.unit->tick, n.operand(), times.dtype()));
        },
        nb::arg("x"), nb::arg("months"),
        "Time points so many months later, clamped to the end of the month.");
    module.def(
        "isnat",
        [](nb::handle x) { return is_nat(pv::integer_counts(time_array(x, "isnat").operand())); },
        nb::arg("x"), "Whether each time is NaT, not a time: lazy.");
    module.def(
        "ticks",
        [](nb::handle x) {
            const Array times = time_array(x, "ticks");
            return Array::view_of(times, pv::tick_counts(times.operand()));
        },
        nb::arg("x"),
        "The counts of times in their unit, int64: of memory a view that writes through, else lazy.");
    module.def(
        "from_ticks",
        [](nb::handle x, nb::handle dtype) {
            const TimeKind kind = kind_of(dtype_of(dtype));
            const Array counts = as_array(x);
            if (kind.unit == nullptr || !counts.dtype().is_integer())
                throw pv::DtypeError("from_ticks: integers as times, not " +
                                     std::string(counts.dtype().name()) + " as " +
                                     std::string(dtype_of(dtype).name()));
            const Array ticks = cast_to(counts, pv::int64);
            return Array::view_of(ticks, pv::counts_as_times(ticks, kind.dtype()).operand());
        },
        nb::arg("x"), nb::arg("dtype"),
        "Integers as times of a type, 'datetime64[s]': of int64 in memory a view that writes through, else lazy.");
    module.def(
        "format_times",
        [](nb::handle x) {
            const Array times = time_array(x, "format_times");
            return times_as_texts(times.operand(), kind_of(times.dtype()));
        },
        nb::arg("x"), "Time points as text in ISO 8601, durations as '90s', NaT as 'NaT': lazy.");
    module.def(
        "parse_times",
        [](nb::handle x, std::string_view unit) {
            const Array texts = as_array(x);
            if (!is_text(texts.dtype())) pv::throw_dtype_unsupported("parse_times", texts.dtype());
            return times_of_texts(texts.operand(), {&unit_named("parse_times", unit), true});
        },
        nb::arg("x"), nb::arg("unit") = "s",
        "Time points, in UTC, from text in ISO 8601, with Z or an offset too; NaT from 'NaT' and ''. Lazy. FormatError, when it is "
        "read, of another text and of digits finer than the unit.");
    module.def(
        "epoch",
        [](nb::handle x, std::string_view unit) {
            const Array times = time_array(x, "epoch");
            const TimeKind kind = kind_of(times.dtype());
            if (const std::int64_t months = months_in(unit)) {
                require_points("epoch", times);
                return Array(pv::months_of(times.operand(), kind.unit->tick, months));
            }
            return Array(
                counts_in(times.operand(), kind, unit_named("epoch", unit), pv::Quotient::down));
        },
        nb::arg("x"), nb::arg("unit"),
        "The whole units, ns to D, M or Y, since 1970, or in a duration, rounded down: int64, lazy.");
    module.def(
        "between",
        [](nb::handle begin, nb::handle end, std::string_view unit) {
            const Array a = time_array(begin, "between");
            const Array b = time_array(end, "between");
            const TimeKind from = kind_of(a.dtype());
            const TimeKind to = kind_of(b.dtype());
            std::array<Operand, 2> both = {a.operand(), b.operand()};
            pv::broadcast_operands(both, "between");
            if (const std::int64_t months = months_in(unit)) {
                require_points("between", a);
                require_points("between", b);
                return Array(
                    pv::months_between(both[0], from.unit->tick, both[1], to.unit->tick, months));
            }
            if (from.is_point != to.is_point)
                throw pv::DtypeError("between: not defined for " + std::string(a.dtype().name()) +
                                     " and " + std::string(b.dtype().name()));
            const TimeUnit& of_result = unit_named("between", unit);
            const TimeUnit& common = *std::min(from.unit, to.unit); // the finer one
            const std::int64_t shared = std::gcd(common.nanoseconds, of_result.nanoseconds);
            return Array(
                pv::units_between(counts_in(both[0], from, common, pv::Quotient::down),
                                  counts_in(both[1], to, common, pv::Quotient::down),
                                  {common.nanoseconds / shared, of_result.nanoseconds / shared}));
        },
        nb::arg("begin"), nb::arg("end"), nb::arg("unit"),
        "The whole units, ns to D, M or Y, from one time to another, towards zero; as many months as plus_months can add. int64, lazy. Reading throws CastError for more units than int64 holds.");
    module.def(
        "dates",
        [](nb::handle year, nb::handle month, nb::handle day) {
            std::array<Operand, 3> fields;
            for (int i = 0; nb::handle each : {year, month, day}) {
                const Array x = as_array(each);
                if (!x.dtype().is_integer()) pv::throw_dtype_unsupported("dates", x.dtype());
                fields[static_cast<std::size_t>(i++)] = x.operand();
            }
            pv::broadcast_operands(fields, "dates");
            return times_from(pv::days_of_dates(fields[0], fields[1], fields[2]),
                              pv::kDType<std::chrono::sys_days>);
        },
        nb::arg("year"), nb::arg("month"), nb::arg("day"),
        "Days of integers, broadcast together; what is beyond the end of a month or a year counts on. Lazy.");
}

} // namespace purview_python
