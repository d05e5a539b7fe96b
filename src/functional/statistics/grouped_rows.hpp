#pragma once

#include "functional/statistics/group_table.hpp"

#include <functional>

namespace purview::inline v0_1 {

/// Whether more rows are wanted.
using TakesBlock = std::function<bool(const RowBlock&)>;

/// Calls `f` with the rows of the operands of a grouping, read into memory that counts: blocks of so many bytes at most, or
/// of `longest` where chunks want it. Refuses NaN where a reducer does, with its index in the whole.
void for_each_row_block(const LargeGrouping& grouping, index_t bytes, index_t longest,
                        const TakesBlock& f);

} // namespace purview
