#pragma once

#include "engine/compile/plan.hpp"

#include <vector>

namespace purview::inline v0_1::engine {

/// The arrays that a program should prefetch: numbers in memory that are too many for the caches
/// near the processor (`kPrefetchedBytes`). Of several views of one tensor at small distances, as
/// those of a window are, only the one with the greatest base, which reaches new memory first.
std::vector<ArrayId> far_arrays(const Plan& plan, const Values& values);

} // namespace purview::engine
