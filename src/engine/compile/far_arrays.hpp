#pragma once

#include "engine/compile/plan.hpp"

#include <vector>

namespace purview::engine {

/// Arrays of numbers in memory that are too large for the caches near the processor: what a program asks for ahead of
/// time. Of several that are a tensor at small distances, as windows are, the one that gets anywhere first.
std::vector<ArrayId> far_arrays(const Plan& plan, const Values& values);

} // namespace purview::engine
