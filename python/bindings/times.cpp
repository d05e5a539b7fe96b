// Arithmetic, rounding and fields of times, whose units are known at run time.

#include "times.hpp"

#include <purview/base/errors.hpp>
#include <purview/chrono.hpp>
#include <purview/evaluation/calendar.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/functional/elementwise/where.hpp>

#include <nanobind/stl/string.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace purview_python {
namespace {

using pv::Op;
using pv::Operand;

template <typename D>
TimeUnit unit_of(const char* name) {
    return {name, pv::kDType<std::chrono::sys_time<D>>, pv::kDType<D>, pv::kTick<D>,
            std::chrono::nanoseconds(D(1)).count()};
}
const TimeUnit kUnits[] = {
    unit_of<std::chrono::nanoseconds>("ns"),  unit_of<std::chrono::microseconds>("us"),
    unit_of<std::chrono::milliseconds>("ms"), unit_of<std::chrono::seconds>("s"),
    unit_of<std::chrono::minutes>("m"),       unit_of<std::chrono::hours>("h"),
    unit_of<std::chrono::days>("D")};

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

[[noreturn]] void throw_no_operation(Op op, const pv::WeakOperand& x, const pv::WeakOperand& y) {
    const char* const what = op == Op::add        ? "add"
                             : op == Op::subtract ? "subtract"
                             : op == Op::multiply ? "multiply"
                                                  : "operation";
    throw pv::DtypeError(std::string(what) + ": not defined for " +
                         std::string(x.operand.dtype().name()) + " and " +
                         std::string(y.operand.dtype().name()));
}

Array joined(Op op, const Array& x, const Array& y) {
    return pv::any_binary(op, {x.operand(), false}, {y.operand(), false});
}

/// `op` of times, and of times and integers, on their counts in the finer of the units.
Array of_times(Op op, const pv::WeakOperand& x, const pv::WeakOperand& y, TimeKind a, TimeKind b) {
    const bool both = a.unit != nullptr && b.unit != nullptr;
    const TimeUnit& unit = both                ? std::min(a.unit, b.unit)[0]
                           : a.unit != nullptr ? *a.unit
                                               : *b.unit;
    const auto counts = [&](const Operand& times, TimeKind kind) {
        if (kind.unit == nullptr && !times.dtype().is_integer()) throw_no_operation(op, x, y);
        if (kind.unit == nullptr) return cast_to(Array(times), pv::int64).operand();
        return counts_in(times, kind, unit, pv::Quotient::down);
    };
    const Operand p = counts(x.operand, a);
    const Operand q = counts(y.operand, b);
    const Array result = pv::any_binary(op, {p, false}, {q, false});
    const bool are_alike = both && a.is_point == b.is_point;
    if (pv::is_comparison(op)) {
        if (!are_alike) throw_no_operation(op, x, y);
        // NaT is the least count, and equals nothing: of two counts one may have passed for less than the other, or for as large.
        const bool is_of_second = op == Op::greater || op == Op::greater_equal;
        const Array nat = is_nat(is_of_second ? q : p);
        if (op == Op::not_equal) return joined(Op::bit_or, result, nat);
        return joined(Op::bit_and, result, Array(pv::any_unary(Op::logical_not, nat.operand())));
    }
    bool is_point = false;
    if (op == Op::add && !(a.is_point && b.is_point))
        is_point = a.is_point || b.is_point;
    else if (op == Op::subtract && (are_alike || (a.unit != nullptr && !b.is_point)))
        is_point = a.is_point && !b.is_point;
    else if (op == Op::subtract && a.unit == nullptr && !b.is_point)
        is_point = false;
    else if ((op == Op::minimum || op == Op::maximum) && are_alike)
        is_point = a.is_point;
    else if (!(op == Op::multiply && !both && !a.is_point && !b.is_point))
        throw_no_operation(op, x, y);
    const pv::DType type = is_point ? unit.point : unit.duration;
    if (op == Op::minimum) return times_from(result.operand(), type); // NaT is the least
    const Array nat = a.unit == nullptr   ? is_nat(q)
                      : b.unit == nullptr ? is_nat(p)
                                          : joined(Op::bit_or, is_nat(p), is_nat(q));
    return times_from(
        pv::any_where(nat.operand(), {pv::constant_operand(kNaT), true}, {result.operand(), false})
            .operand(),
        type);
}

/// Hands on counts, and throws for NaT: the fields of no time.
class NoMissing final : public pv::BlockFunction {
public:
    explicit NoMissing(const char* what) : what_(what) {}
    void apply(pv::index_t count, void* out, const void* const* operands) const override {
        const auto* const in = static_cast<const std::int64_t*>(operands[0]);
        for (pv::index_t i = 0; i < count; ++i) {
            if (in[i] == kNaT)
                throw pv::CastError(what_ +
                                    ": NaT has no fields: where(isnat(x), another, x) first");
            static_cast<std::int64_t*>(out)[i] = in[i];
        }
    }

private:
    std::string what_;
};
Operand without_nat(const char* what, const Operand& times, pv::DType type) {
    std::array<Operand, 1> counts = {pv::integer_counts(times)};
    return times_from(pv::elementwise<1>(Op::map, pv::int64, std::move(counts),
                                         std::make_shared<const NoMissing>(what)),
                      type)
        .operand();
}

template <pv::CalendarField field>
void bind_field(nb::module_& module, const char* name, const char* text) {
    module.def(
        name,
        [name](nb::handle x) {
            const auto [times, kind] =
                field < pv::CalendarField::hour ? points_in(x, name) : times_in(x, name);
            return Array(pv::map_counts(without_nat(name, times, kind.dtype()), pv::int32,
                                        pv::calendar_function(field, kind.unit->tick)));
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

std::span<const TimeUnit> time_units() { return kUnits; }

TimeKind kind_of(pv::DType dtype) {
    for (const TimeUnit& unit : kUnits) {
        if (dtype == unit.point) return {&unit, true};
        if (dtype == unit.duration) return {&unit, false};
    }
    return {};
}

const TimeUnit& unit_named(const char* what, std::string_view name) {
    for (const TimeUnit& unit : kUnits)
        if (name == unit.name) return unit;
    throw nb::value_error(
        (std::string(what) + ": a unit is ns, us, ms, s, m, h, D, M or Y, not " + std::string(name))
            .c_str());
}

Array times_from(const Operand& counts, pv::DType dtype) {
    return Array(pv::times_of(counts, dtype));
}

Array binary_of(Op op, pv::WeakOperand x, pv::WeakOperand y) {
    const TimeKind a = kind_of(x.operand.dtype());
    const TimeKind b = kind_of(y.operand.dtype());
    if (a.unit == nullptr && b.unit == nullptr)
        return pv::any_binary(op, std::move(x), std::move(y));
    return of_times(op, x, y, a, b);
}

Array negated(const Array& x) {
    const TimeKind kind = kind_of(x.dtype());
    if (kind.unit == nullptr || kind.is_point) return pv::any_unary(Op::negative, x.operand());
    return times_from(pv::scaled_counts(x.operand(), -1), x.dtype());
}

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
    bind_time_casts(module);
}

} // namespace purview_python
