#pragma once

#include <purview/expression/node.hpp>
#include <purview/reader/buffer.hpp>
#include <purview/reader/index_set.hpp>

#include <cstdint>
#include <span>

namespace purview::inline v0_1 {

/// The row-major indexes of the true elements of a bool operand, ascending, in memory of exactly
/// that size. Reads every element once, on several threads if that is worth it; needs one bit per
/// element of temporary memory.
PURVIEW_EXPORT BufferPtr<std::int64_t> true_positions(const Operand& source);

/// The row-major indexes of the true elements of a bool operand as an `IndexSet`. Allocates no list
/// of them.
PURVIEW_EXPORT IndexSet true_set(const Operand& source);

/// The row-major index of the first true element of a bool operand, or -1. Reads at most one block
/// beyond it.
PURVIEW_EXPORT index_t first_true(const Operand& source);

/// A private copy of a list of indexes, and its smallest and largest index (0 if the list is
/// empty).
struct CopiedIndexes {
    BufferPtr<std::int64_t> indexes;
    index_t least;
    index_t greatest;
};

/// Copies a list of indexes. Reads it once, on this thread; a large copy is written past the
/// caches.
PURVIEW_EXPORT CopiedIndexes copy_indexes(std::span<const index_t> list);

} // namespace purview
