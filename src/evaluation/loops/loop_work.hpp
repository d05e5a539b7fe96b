#pragma once

#include "evaluation/stage_work.hpp"

#include <purview/expression/loop.hpp>

#include <memory>

namespace purview::inline v0_1 {

/// What a loop does, and what a choice does.
std::unique_ptr<const StageWork> loop_work(const Loop& loop);
std::unique_ptr<const StageWork> choice_work(const Choice& choice);

} // namespace purview
