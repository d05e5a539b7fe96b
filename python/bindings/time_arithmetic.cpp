// Operators of times, whose units are known at run time.

#include "time_arithmetic.hpp"

#include "casts.hpp"
#include "time_units.hpp"

#include <purview/base/errors.hpp>
#include <purview/chrono.hpp>
#include <purview/functional/elementwise/where.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace purview_python {
namespace {

using pv::Op;
using pv::Operand;

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
    if (pv::is_comparison(op)) { // of durations with counts in their unit, too, as in NumPy
        if (a.is_point != b.is_point) throw_no_operation(op, x, y);
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
    const Array nat = joined(Op::bit_or, is_nat(p), is_nat(q));
    return times_from(
        pv::any_where(nat.operand(), {pv::constant_operand(kNaT), true}, {result.operand(), false})
            .operand(),
        type);
}

[[noreturn]] void throw_no_quotient(const char* what, const pv::WeakOperand& x,
                                    const pv::WeakOperand& y) {
    throw pv::DtypeError(std::string(what) + ": not defined for " +
                         std::string(x.operand.dtype().name()) + " and " +
                         std::string(y.operand.dtype().name()));
}

} // namespace

Array or_nat(const Array& nat, const Array& result, pv::DType type) {
    return times_from(
        pv::any_where(nat.operand(), {pv::constant_operand(kNaT), true}, {result.operand(), false})
            .operand(),
        type);
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

std::optional<Array> divided_times(Division kind, DivisionOf division, const pv::WeakOperand& x,
                                   const pv::WeakOperand& y) {
    const TimeKind a = kind_of(x.operand.dtype());
    const TimeKind b = kind_of(y.operand.dtype());
    if (a.unit == nullptr && b.unit == nullptr) return {};
    const char* const what = kind == Division::exact   ? "divide"
                             : kind == Division::floor ? "floor_divide"
                                                       : "remainder";
    if (a.unit == nullptr || a.is_point || b.is_point) throw_no_quotient(what, x, y);
    const bool is_remainder = kind == Division::remainder;
    if (b.unit == nullptr) { // by numbers
        if (is_remainder || !y.operand.dtype().is_integer()) throw_no_quotient(what, x, y);
        const Operand counts = pv::integer_counts(x.operand);
        const Array result =
            kind == Division::exact
                ? pv::any_binary(Op::divide, {counts, false},
                                 {cast_to(Array(y.operand), pv::int64).operand(), false})
                : division({counts, false}, {y.operand, y.weak});
        return or_nat(is_nat(counts), result, x.operand.dtype());
    }
    const TimeUnit& unit = *std::min(a.unit, b.unit);
    const Operand p = counts_in(x.operand, a, unit, pv::Quotient::down);
    const Operand q = counts_in(y.operand, b, unit, pv::Quotient::down);
    const Array nat =
        pv::any_binary(Op::logical_or, {is_nat(p).operand(), false}, {is_nat(q).operand(), false});
    const Array result = division({p, false}, {q, false});
    if (is_remainder) return or_nat(nat, result, unit.duration);
    const bool is_float = result.dtype().is_floating();
    return pv::any_where(nat.operand(),
                         {is_float ? pv::constant_operand(std::numeric_limits<double>::quiet_NaN())
                                   : pv::constant_operand(std::int64_t{0}),
                          true},
                         {result.operand(), false});
}

std::optional<Array> absolute_times(const Array& x) {
    const TimeKind kind = kind_of(x.dtype());
    if (kind.unit == nullptr || kind.is_point) return {};
    return times_from(pv::any_unary(Op::absolute, pv::integer_counts(x.operand())).operand(),
                      x.dtype());
}

} // namespace purview_python
