#pragma once

#include <purview/expression/leaf.hpp>

#include "engine/compile/plan.hpp"
#include "engine/ways/way.hpp"

#include <vector>

namespace purview::inline v0_1::engine {

/// Computes `source` into the memory of `leaf`, seen through the strides of `dims`. The type is
/// built in. Precondition: `source` does not read that memory.
void compute(const Operand& source, const Leaf& leaf, const Dimensions& dims, Ways allowed);

/// For each axis, where its pieces end within which no leaf wraps round, so that all leaves lie at
/// strides in the boxes between: `compute` computes these one by one. Empty where the plan is run as
/// it is: other leaves do not lie at strides, the order matters, or no box has most of the elements.
std::vector<Shape> pieces_between_wraps(const Values& values, const Plan& plan, Ways allowed);

/// Whether a plan made for a strided destination computes its rows where they go; otherwise it
/// computes blocks of scratch, which are then copied to the destination.
bool computes_in_place(const Plan& plan, const Leaf& destination);

} // namespace purview::engine
