#pragma once

#include <purview/expression/node.hpp>
#include <purview/expression/reduce.hpp>

#include <cstdint>

namespace purview::inline v0_1::engine {

/// Groups of at least this many elements that are contiguous in memory are searched one after the
/// other, each by an ExtremeSearch.
constexpr index_t kLongExtremeGroup = 512;

/// Whether elements equal the extreme of their group, or are NaN as it is.
Operand are_extreme(const Operand& x, const Operand& extreme);

/// The row-major index in each of `groups` groups of the first element that is its minimum or maximum.
void arg_of_groups(Reduction extreme, const Operand& source, index_t groups, std::int64_t* out);

} // namespace purview::engine
