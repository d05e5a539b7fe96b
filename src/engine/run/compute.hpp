#pragma once

#include <purview/expression/leaf.hpp>

#include "engine/compile/plan.hpp"

namespace purview::inline v0_1::engine {

/// Computes `source` into the memory of `leaf`, seen through the strides of `dims`. The type is
/// built in. Precondition: `source` does not read that memory.
void compute(const Operand& source, const Leaf& leaf, const Dimensions& dims);

/// Whether a plan made for a strided destination computes its rows where they go; otherwise it
/// computes blocks of scratch, which are then copied to the destination.
bool computes_in_place(const Plan& plan, const Leaf& destination);

} // namespace purview::engine
