#pragma once

#include <purview/expression/node.hpp>

namespace purview::inline v0_1 {

/// The indexes `lowest`, `lowest + 1`, …, `highest`, as an operand of rank 1; empty if
/// `highest < lowest`. Small indexes are read from memory shared by all progressions, larger ones
/// are computed.
PURVIEW_EXPORT Operand progression_operand(index_t lowest, index_t highest);

} // namespace purview
