#pragma once

#include "engine/compile/plan.hpp"

namespace purview::engine {

/// Gives each scratch array a block when it is written, and takes it back after its last reader.
void share_blocks(Plan& plan);

/// Nanoseconds for an element on one thread: enough to tell what is worth a second one.
double estimated_cost(const Plan& plan);

/// Elements that a plan computes at a time, at most: no fewer than `kBlock` in row-major order, as cells of that size may be folded
/// block by block then. Precondition: its blocks have been shared.
index_t largest_block(const Plan& plan, const Values& values, Walk walk);

} // namespace purview::engine
