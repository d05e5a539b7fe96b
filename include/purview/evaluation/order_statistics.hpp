#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/expression/node.hpp>

#include <span>

namespace purview::inline v0_1 {

/// For each of `groups` equal parts of the global order, the elements at the positions `ranks`
/// (ascending) of the sorted part: `out[g * ranks.size() + r]`, of the source's type. A part that
/// contains a NaN gives NaN for all ranks. Built-in types; 0 <= rank < length.
///
/// O(n): a sample gives a bracket for each rank; then memory is read once, the elements within
/// brackets are kept, and the ranks are selected from those. Allocates memory for these elements,
/// and for all elements if they are computed or not contiguous. Throws `MemoryLimitError` naming `what` where these
/// are of arrays in chunks and do not fit.
PURVIEW_EXPORT void select_ranks(const char* what, const Operand& source, index_t groups,
                                 std::span<const index_t> ranks, void* out);

/// Whether an operand is better read several times, cell by cell, than computed into memory as a whole: it is over
/// arrays in chunks, and has more bytes than half of the memory limit. Reads nothing.
PURVIEW_EXPORT bool is_ranked_by_reading(const Operand& source);

/// Ascending ranks that are wanted, among the elements that are not NaN, of which there are `numbers`; valid until
/// all of them are found. None: nothing more is read.
using RanksWanted = FunctionRef<std::span<const index_t>(index_t numbers)>;
/// Writes the elements of the ranks that `wanted` returns, of the source's type (0 of either zero), for an operand
/// that `is_ranked_by_reading`. Returns how often that was read: once to count the keys of elements in intervals,
/// then to count those of the intervals of ranks in narrower ones, until all keys of these fit into memory, are read
/// into it and selected from, or are known to be equal. With a memory limit of 4 MiB or more, of most data two or
/// three times. The same elements for any limit and number of threads.
///
/// Throws `MemoryLimitError` naming `what` where the limit has no room for a cell and a small table; `Error` where
/// the elements were others when they were read again.
PURVIEW_EXPORT int select_ranks_by_reading(const char* what, const Operand& source,
                                           RanksWanted wanted, void* out);

} // namespace purview
