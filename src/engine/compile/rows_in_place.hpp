#pragma once

#include "engine/compile/plan.hpp"

#include <span>

namespace purview::inline v0_1::engine {

/// Whether machine code will compute rows of a space that are short where they are. The destination,
/// operand 0 of the space, and all leaves lie side by side along the rows, or are repeated; all are
/// numbers of one size; and all operations are translated. `order`: the values, in the order in which
/// the space has those that lie in strided memory.
bool are_short_rows_in_place(const Plan& plan, const Values& values,
                             std::span<const ValueId> order);

/// Whether one program computes whole rows of a plan with a destination, from where they lie.
bool has_rows_in_place(const Plan& plan);

} // namespace purview::engine
