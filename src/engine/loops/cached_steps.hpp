#pragma once

#include "engine/loops/bound_boxes.hpp"
#include "evaluation/loops/tiled_steps.hpp"

#include <memory>
#include <span>
#include <vector>

namespace purview::inline v0_1::engine {

/// Steps of states that stay in the cache, on one thread: nothing is planned, and no view wraps round, as states have margins.
/// Null where a box cannot be computed where it lies. `boxes` have margins, and are bound to operands with their own
/// numbers, which the next run overwrites.
std::unique_ptr<TiledSteps> cached_steps(const LoopRule& rule, const StateChains& chains,
                                         BoundBoxes boxes);

/// The operands with numbers of their own, that nobody else reads.
std::vector<Operand> with_own_numbers(std::span<const Operand> operands);

/// Whether a step takes so little time that threads are not worth their while.
bool is_for_one_thread(double nanoseconds);

} // namespace purview::engine
