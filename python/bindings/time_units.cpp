// The units of times, and their counts in them.

#include "time_units.hpp"

#include <purview/base/errors.hpp>
#include <purview/chrono.hpp>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace purview_python {
namespace {

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

Operand counts_in(const Operand& times, TimeKind from, const TimeUnit& to, pv::Quotient rounding) {
    if (from.unit == &to) return pv::integer_counts(times);
    if (const std::int64_t factor = from.unit->nanoseconds / to.nanoseconds; factor > 0)
        return pv::scaled_counts(times, factor, TimeKind{&to, from.is_point}.dtype());
    const std::int64_t divisor = to.nanoseconds / from.unit->nanoseconds;
    return pv::map_counts(times, pv::int64, pv::quotient_function(rounding, divisor, true));
}

Array is_nat(const Operand& counts) {
    return pv::any_binary(pv::Op::equal, {counts, false}, {pv::constant_operand(kNaT), true});
}

} // namespace purview_python
