#pragma once

#include <purview/expression/node.hpp>

#include <cstdint>

namespace purview {

/// For each of `groups` equal parts of the global order, the places of its elements in order, counted from 1; equal
/// elements have the mean of theirs. NaN throughout a part that has a NaN, or only there. Built-in types. O(n).
enum class UnorderedElements : std::uint8_t { spread, skip };
PURVIEW_EXPORT void average_ranks(const Operand& source, index_t groups, double* out,
                                  UnorderedElements unordered = UnorderedElements::spread);

/// Kendall's tau-b of the pairs of elements of two sources of equal size, of built-in types. NaN if there is one, or no two
/// elements of either differ. O(n log n). Throws `ShapeError` for 2^32 elements.
PURVIEW_EXPORT double kendall_tau(const Operand& x, const Operand& y);

} // namespace purview
