#pragma once

#include "engine/loops/bound_boxes.hpp"
#include "evaluation/loops/tiled_steps.hpp"

#include <memory>

namespace purview::inline v0_1::engine {

/// Steps of states that stay in the cache, on one thread: nothing is planned, and no view wraps round, as states have margins.
/// Null where a box cannot be computed where it lies. `boxes` have margins.
std::unique_ptr<TiledSteps> cached_steps(const LoopRule& rule, const StateChains& chains,
                                         BoundBoxes boxes);

/// Whether a step takes so little time that threads are not worth their while.
bool is_for_one_thread(double nanoseconds);

} // namespace purview::engine
