#pragma once

#include "engine/compile/plan.hpp"

#include <memory>

namespace purview::inline v0_1::engine {

/// A plan for these values: one made before for the same structure (operations, types, shape,
/// strides, but not addresses and constants) if this thread remembers it, else a new one. A thread
/// remembers a bounded number of plans. Not remembered are plans of more than 256 values, and with
/// leaves that are not strided memory of words (index lists, readers, gathers, pieces, strings).
std::shared_ptr<const Plan> plan_for(const Values& values, const Purpose& purpose);

/// How this thread would get a plan: it remembers one, it makes one and remembers it, or it makes
/// one each time.
enum class PlanCacheState : std::uint8_t { cached, missing, uncacheable };

/// The plan that `plan_for` would return, without remembering it.
struct FoundPlan {
    std::shared_ptr<const Plan> plan;
    PlanCacheState cache_state;
};
FoundPlan look_up_plan(const Values& values, const Purpose& purpose);

} // namespace purview::engine
