#pragma once

#include <purview/expression/node.hpp>

#include <cstdint>

namespace purview::inline v0_1 {

/// For each of `groups` equal parts of the global order, the ranks of its elements, counted from 1;
/// equal elements share the mean of their ranks. If a part contains NaN, all its ranks are NaN
/// (`spread`) or only those of the NaNs (`skip`). Built-in types. O(n).
enum class UnorderedElements : std::uint8_t { spread, skip };
PURVIEW_EXPORT void average_ranks(const Operand& source, index_t groups, double* out,
                                  UnorderedElements unordered = UnorderedElements::spread);

/// Kendall's tau-b of the pairs of elements of two sources of equal size, of built-in types. NaN if
/// any element is NaN, or if all elements of one source are equal. O(n log n). Throws `ShapeError`
/// for 2^32 elements or more.
PURVIEW_EXPORT double kendall_tau(const Operand& x, const Operand& y);

} // namespace purview
