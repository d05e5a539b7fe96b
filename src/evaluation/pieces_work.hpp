#pragma once

#include "evaluation/stage_work.hpp"

#include <purview/expression/piecewise.hpp>

#include <memory>

namespace purview::inline v0_1 {

/// Whether pieces are so few elements that it takes less to compute them into memory, one by one, than to
/// plan how others read them where they are: bytes that a second-level cache holds.
bool are_few_pieces(const Piecewise& pieces) noexcept;

/// Their work: each is computed by what was prepared for it, and brought to its box.
std::unique_ptr<const StageWork> pieces_work(const Piecewise& pieces);

} // namespace purview
