#pragma once

#include "engine/machine_code/tile_code.hpp"

#include <optional>

namespace purview::inline v0_1::engine {

/// The values of a program with the operations that x86 has in place of others: a sign is changed by
/// a mask of bits, a bool is stored as 0 or 1. Nothing if some operation has none.
std::optional<SegmentValues> lowered_for_x86(const TileCode& program);

} // namespace purview::engine
