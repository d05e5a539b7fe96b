#pragma once

#include "array.hpp"

#include <purview/functional/elementwise/operands.hpp>

#include <cstdint>
#include <optional>

namespace purview_python {

/// `pv::any_binary`, and of times what NumPy has: sums, differences, multiples, comparisons, extremes, in the finer of two units.
Array binary_of(pv::Op op, pv::WeakOperand x, pv::WeakOperand y);
/// -x, of durations too.
Array negated(const Array& x);
/// x where a condition is true, else y, of which one is an array of times.
Array chosen_times(const Array& condition, const pv::WeakOperand& x, const pv::WeakOperand& y);
/// `x / y`, `x // y`, `x % y`.
enum class Division : std::uint8_t { exact, floor, remainder };
/// Durations divided by integers and by durations; nothing if neither is a time. Throws `DtypeError` of points.
using DivisionOf = Array (*)(pv::WeakOperand, pv::WeakOperand);
std::optional<Array> divided_times(Division kind, DivisionOf division, const pv::WeakOperand& x,
                                   const pv::WeakOperand& y);
std::optional<Array> absolute_times(const Array& x);
/// A result of the type, and NaT where `nat` is true.
Array or_nat(const Array& nat, const Array& result, pv::DType type);

} // namespace purview_python
