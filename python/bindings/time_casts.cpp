// Times in other units, as integers and as text, and back.

#include "times.hpp"

#include <purview/base/errors.hpp>
#include <purview/chrono.hpp>
#include <purview/functional/elementwise/emap.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/tensor/views.hpp>

#include <nanobind/stl/string_view.h>

#include <memory>
#include <string>
#include <utility>

namespace purview_python {
namespace {

using pv::Operand;

std::string text_of(std::int64_t count, TimeKind kind) {
    const auto [num, den] = kind.unit->tick;
    if (count == kNaT) return "NaT";
    return kind.is_point ? pv::time_point_text(count, num, den)
                         : pv::duration_text(count, num, den);
}

/// Counts times a factor, or divided by it. NaT stays.
class Rescaled final : public pv::BlockFunction {
public:
    Rescaled(TimeKind from, const TimeUnit& to, pv::Quotient rounding)
        : from_(from), to_{&to, from.is_point}, rounding_(rounding) {}
    void apply(pv::index_t count, void* out, const void* const* operands) const override {
        const auto* const given = static_cast<const std::int64_t*>(operands[0]);
        auto* const results = static_cast<std::int64_t*>(out);
        const std::int64_t factor = from_.unit->nanoseconds / to_.unit->nanoseconds;
        const std::int64_t divisor = to_.unit->nanoseconds / from_.unit->nanoseconds;
        for (pv::index_t i = 0; i < count; ++i)
            results[i] = given[i] == kNaT ? kNaT
                         : factor > 0     ? product(given[i], factor)
                                          : quotient(given[i], divisor);
    }

private:
    std::int64_t product(std::int64_t x, std::int64_t factor) const {
        std::int64_t result = 0;
        if (__builtin_mul_overflow(x, factor, &result) || result == kNaT)
            throw pv::CastError(text_of(x, from_) + " does not fit " +
                                std::string(to_.dtype().name()));
        return result;
    }
    std::int64_t quotient(std::int64_t x, std::int64_t divisor) const {
        const std::int64_t cut = x / divisor;
        const std::int64_t rest = x % divisor; // of the sign of x
        const std::int64_t down = cut - (rest < 0 ? 1 : 0);
        const std::int64_t above = rest < 0 ? rest + divisor : rest; // down
        switch (rounding_) {
        case pv::Quotient::down: return down;
        case pv::Quotient::towards_zero: return cut;
        case pv::Quotient::up: return down + (above > 0 ? 1 : 0);
        default: break;
        }
        const std::int64_t left = divisor - above;
        return down + (above > left || (above == left && down % 2 != 0) ? 1 : 0);
    }

    TimeKind from_;
    TimeKind to_;
    pv::Quotient rounding_;
};

Array as_texts(const Operand& times, TimeKind kind) {
    return Array(pv::map_operands([kind](std::int64_t count) { return text_of(count, kind); },
                                  pv::Tensor<std::int64_t>(pv::integer_counts(times))));
}

Array of_texts(const Operand& texts, TimeKind kind) {
    const pv::Tensor<std::string> strings(texts);
    const auto parse = [kind, places = pv::strings::places_of(strings),
                        seen =
                            std::make_shared<pv::strings::OffsetsSeen>()](const std::string& text) {
        if (text.empty() || text == "NaT") return kNaT;
        const auto [num, den] = kind.unit->tick;
        return pv::strings::parse_time_element(text, num, den, *places, *seen);
    };
    return times_from(pv::map_operands(parse, strings).operand(), kind.dtype());
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

} // namespace

Operand counts_in(const Operand& times, TimeKind from, const TimeUnit& to, pv::Quotient rounding) {
    if (from.unit == &to) return pv::integer_counts(times);
    return pv::map_counts(times, pv::int64, std::make_shared<const Rescaled>(from, to, rounding));
}

Array is_nat(const Operand& counts) {
    return pv::any_binary(pv::Op::equal, {counts, false}, {pv::constant_operand(kNaT), true});
}

std::optional<Array> converted_times(const Array& x, pv::DType dtype) {
    const TimeKind from = kind_of(x.dtype());
    const TimeKind to = kind_of(dtype);
    if (from.unit == nullptr && to.unit == nullptr) return {};
    if (to.unit == nullptr && dtype.is_integer())
        return cast_to(Array(pv::integer_counts(x.operand())), dtype);
    if (to.unit == nullptr && is_text(dtype)) return as_texts(x.operand(), from);
    if (from.unit == nullptr && x.dtype().is_integer())
        return times_from(cast_to(x, pv::int64).operand(), dtype);
    if (from.unit == nullptr && is_text(x.dtype()) && to.is_point) return of_texts(x.operand(), to);
    if (from.unit == nullptr || to.unit == nullptr || from.is_point != to.is_point)
        throw pv::DtypeError("astype: " + std::string(x.dtype().name()) + " is not converted to " +
                             std::string(dtype.name()));
    return times_from(counts_in(x.operand(), from, *to.unit, pv::Quotient::down), dtype);
}

Array chosen_times(const Array& condition, const pv::WeakOperand& x, const pv::WeakOperand& y) {
    const TimeKind a = kind_of(x.operand.dtype());
    const TimeKind b = kind_of(y.operand.dtype());
    if (a.unit == nullptr || b.unit == nullptr || a.is_point != b.is_point)
        throw pv::DtypeError("where: not defined for " + std::string(x.operand.dtype().name()) +
                             " and " + std::string(y.operand.dtype().name()));
    const TimeKind finer{std::min(a.unit, b.unit), a.is_point};
    const auto counts = [&](const Operand& times, TimeKind kind) {
        return pv::WeakOperand{counts_in(times, kind, *finer.unit, pv::Quotient::down), false};
    };
    return times_from(
        pv::any_where(condition.operand(), counts(x.operand, a), counts(y.operand, b)).operand(),
        finer.dtype());
}

std::optional<Array> array_of_times(nb::handle times, pv::ShapeSpan shape) {
    const nb::object counts = nb::module_::import_("purview._times").attr("counts_of")(times);
    if (counts.is_none()) return {};
    const Array flat = times_from(nb::cast<const Array&>(counts[1]).operand(), dtype_of(counts[0]));
    return realised(Array(pv::reshape_operand(flat.operand(), shape)));
}

nb::object time_to_python(const Array& x) {
    const TimeKind kind = kind_of(x.dtype());
    if (kind.unit == nullptr) pv::throw_dtype_unsupported("item", x.dtype());
    const std::int64_t count = pv::Tensor<std::int64_t>(pv::integer_counts(x.operand())).item();
    return nb::module_::import_("purview._times")
        .attr("to_python")(kind.unit->name, kind.is_point, count);
}

void bind_time_casts(nb::module_& module) {
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
            return as_texts(times.operand(), kind_of(times.dtype()));
        },
        nb::arg("x"), "Time points as text in ISO 8601, durations as '90s', NaT as 'NaT': lazy.");
    module.def(
        "parse_times",
        [](nb::handle x, std::string_view unit) {
            const Array texts = as_array(x);
            if (!is_text(texts.dtype())) pv::throw_dtype_unsupported("parse_times", texts.dtype());
            return of_texts(texts.operand(), {&unit_named("parse_times", unit), true});
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
            if (const std::int64_t months = months_in(unit)) {
                require_points("between", a);
                require_points("between", b);
                std::array<Operand, 2> both = {a.operand(), b.operand()};
                pv::broadcast_operands(both, "between");
                return Array(pv::months_between(both[0], kind_of(a.dtype()).unit->tick, both[1],
                                                kind_of(b.dtype()).unit->tick, months));
            }
            const Array apart =
                binary_of(pv::Op::subtract, {b.operand(), false}, {a.operand(), false});
            return Array(counts_in(apart.operand(), kind_of(apart.dtype()),
                                   unit_named("between", unit), pv::Quotient::towards_zero));
        },
        nb::arg("begin"), nb::arg("end"), nb::arg("unit"),
        "The whole units, ns to D, M or Y, from one time to another, towards zero; as many months as plus_months can add. int64, lazy.");
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
