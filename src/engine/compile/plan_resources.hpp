#pragma once

#include "engine/compile/plan.hpp"

#include <vector>

namespace purview::inline v0_1::engine {

/// Gives each scratch array a block when it is written, and makes the block free again after the
/// last step that reads it.
void share_blocks(Plan& plan);

/// Estimated nanoseconds for an element on one thread, precise enough to decide about more threads.
double estimated_cost(const Plan& plan);

/// The most elements that a plan computes at a time. At least `kBlock` in row-major order, as cells
/// of up to that size may then be folded block by block. Precondition: `share_blocks` was called.
index_t largest_block(const Plan& plan, const Values& values, Walk walk);

/// The arrays that a program should prefetch: numbers in memory that are too many for the caches
/// near the processor (`kPrefetchedBytes`). Of several views of one tensor at small distances, as
/// those of a window are, only the one with the greatest base, which reaches new memory first.
std::vector<ArrayId> far_arrays(const Plan& plan, const Values& values);

} // namespace purview::engine
