#pragma once

#include <purview/expression/node.hpp>

namespace purview::inline v0_1::engine {

/// A mask of rank 1 with constants for the rows of which the bounds of chunks say what it is (`Chunks::bounds_of_chunk`), so that nothing is
/// read to find that out; any other as it is. Understands comparisons and logic of columns and constants. O(chunks · operations).
Operand decided_mask(const Operand& mask);

} // namespace purview::engine
