#pragma once

#include <purview/expression/node.hpp>

namespace purview::inline v0_1 {

/// Tells arrays in chunks below `source` which of their chunks reading all of its elements reads (`Chunks::will_read`).
/// Reads none. What is seen through gathers and reshaped views is left out. O(nodes + chunks).
PURVIEW_EXPORT void announce_chunks(const Operand& source);

} // namespace purview
