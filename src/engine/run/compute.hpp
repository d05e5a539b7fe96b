#pragma once

#include <purview/expression/leaf.hpp>

#include "engine/compile/plan.hpp"

namespace purview::engine {

/// Computes a source into strided memory of a built-in type that it does not read.
void compute(const Operand& source, const Leaf& leaf, const Dimensions& dims);

/// Whether a plan made for a strided destination computes its rows where they go; else in blocks that
/// are stored from there.
bool computes_in_place(const Plan& plan, const Leaf& destination);

} // namespace purview::engine
