#pragma once

#include "engine/compile/plan.hpp"

#include <memory>

namespace purview::engine {

/// A plan for these values: one made before for the same structure (operations, types, shape, strides,
/// not addresses and constants) if this thread remembers it, else a new one. A thread remembers a
/// bounded number of plans; what is found through an index list, or by a user's reader, is not
/// remembered.
std::shared_ptr<const Plan> plan_for(const Values& values, const Purpose& purpose);

/// What this thread would do to have a plan.
enum class PlanMemory : std::uint8_t { remembered, to_be_made, never_remembered };

/// The plan that `plan_for` would return, without remembering it.
struct FoundPlan {
    std::shared_ptr<const Plan> plan;
    PlanMemory memory;
};
FoundPlan look_up_plan(const Values& values, const Purpose& purpose);

} // namespace purview::engine
