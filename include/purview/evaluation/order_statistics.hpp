#pragma once

#include <purview/expression/node.hpp>

#include <span>

namespace purview::inline v0_1 {

/// For each of `groups` equal parts of the global order, the elements at the positions `ranks`
/// (ascending) of the sorted part: `out[g * ranks.size() + r]`, of the source's type. A part that
/// contains a NaN gives NaN for all ranks. Built-in types; 0 <= rank < length.
///
/// O(n): a sample gives a bracket for each rank; then memory is read once, the elements within
/// brackets are kept, and the ranks are selected from those. Allocates memory for these elements,
/// and for all elements if they are computed or not contiguous.
PURVIEW_EXPORT void select_ranks(const Operand& source, index_t groups,
                                 std::span<const index_t> ranks, void* out);

} // namespace purview
