#pragma once

#include "engine/compile/plan_cache.hpp"

#include <string>

namespace purview::inline v0_1::engine {

/// "tree": operations with their operands, leaves and constants, a line each, in the order in which
/// they are found. Of long lists, here and below, the first entries; more are counted.
std::string text_of(const Values& values);
/// "plan": its loops, leaves and steps.
std::string text_of(const Values& values, const FoundPlan& found);

} // namespace purview::engine
