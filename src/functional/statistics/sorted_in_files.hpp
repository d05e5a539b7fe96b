#pragma once

#include <purview/expression/node.hpp>

namespace purview::inline v0_1 {

/// The ranks of an operand of a built-in type that is sorted in runs (`is_sorted_in_runs`), float64 in its shape: in
/// memory, or beyond the memory limit in chunks. With a NaN, all are NaN, or only those of the NaNs.
Operand ranks_in_files(const Operand& x, bool skips_nan);

/// The element that occurs most often of such an operand to `out`: the least of several, a NaN where there is one. False
/// for others.
bool most_frequent_in_files(const Operand& x, void* out);

} // namespace purview
