#pragma once

#include "engine/compile/tile_program.hpp"

#include <span>

namespace purview::inline v0_1::engine {

/// The values of a segment. `sources` has an entry for every value that is used and not part of it.
SegmentValues lower(const Values& values, const Segment& segment,
                    std::span<const TileSource> sources);

} // namespace purview::engine
