#pragma once

#include <purview/expression/node.hpp>

#include <optional>

namespace purview::inline v0_1 {

/// The indexes `lowest`, `lowest + 1`, …, `highest`, as an operand of rank 1; empty if
/// `highest < lowest`. Small indexes are read from memory shared by all progressions, larger ones
/// are computed.
PURVIEW_EXPORT Operand progression_operand(index_t lowest, index_t highest);

/// Numbers of type int64 at equal steps: `first + step * t`.
struct Progression {
    index_t first = 0;
    index_t step = 0;
};
/// What a node has at the addresses t, if it is a progression that nobody can write; else nothing.
std::optional<Progression> progression_of(const Node& node) noexcept;

} // namespace purview
