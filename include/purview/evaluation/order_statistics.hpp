#pragma once

#include <purview/expression/node.hpp>

#include <span>

namespace purview {

/// For each of `groups` equal parts of the global order, the elements that sorting would put at `ranks`, which ascend:
/// `out[g * ranks.size() + r]`, of the source's type. A part with a NaN gives NaN for all of them. Built-in types;
/// 0 <= rank < length.
///
/// O(n): the ranks are bracketed by a sample, then memory is read once, and what lies in a bracket is kept and selected
/// from. Takes memory for that, and for the elements where they are computed or do not lie one after the other.
PURVIEW_EXPORT void select_ranks(const Operand& source, index_t groups,
                                 std::span<const index_t> ranks, void* out);

} // namespace purview
