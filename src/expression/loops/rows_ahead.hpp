#pragma once

#include <purview/expression/loop.hpp>

#include <vector>

namespace purview::inline v0_1 {

/// A loop with the same results, in which what a step makes of rows of inputs and of what does not change, and not of
/// its states, is a row of a further input, computed of all rows before the first step: products of matrices instead
/// of a product with a vector in each step. That holds for products, sums and functions that take long, of small rows;
/// results are the same but for the order in which products are added up. Loops that may end early stay as they are.
PURVIEW_EXPORT NodePtr loop_with_rows_ahead(LoopRule rule, std::vector<Operand> operands);

} // namespace purview
