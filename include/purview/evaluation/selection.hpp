#pragma once

#include <purview/expression/node.hpp>
#include <purview/reader/buffer.hpp>
#include <purview/reader/index_set.hpp>

#include <cstdint>
#include <span>

namespace purview {

/// The row-major indexes of the true elements of a bool operand, ascending, in memory of that size. Reads
/// every element once, on several threads where that is worth it; takes a bit for each meanwhile.
PURVIEW_EXPORT BufferPtr<std::int64_t> true_positions(const Operand& source);

/// The same as a set. Takes nothing for those indexes but the set.
PURVIEW_EXPORT IndexSet true_set(const Operand& source);

/// The index of the first true element of a bool operand, or -1. Reads no more than it has to, and a block.
PURVIEW_EXPORT index_t first_true(const Operand& source);

/// A list of indexes that nobody else writes, and its smallest and largest index (0 if there are none).
struct CopiedIndexes {
    BufferPtr<std::int64_t> indexes;
    index_t least;
    index_t greatest;
};

/// A copy of a list. Reads it once, on this thread; a large one is written past the caches.
PURVIEW_EXPORT CopiedIndexes copy_indexes(std::span<const index_t> list);

} // namespace purview
