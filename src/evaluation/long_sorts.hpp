#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/evaluation/sorting.hpp>

#include <cstdint>

namespace purview::inline v0_1 {

/// Elements that follow each other in sorted order, over memory that lives while they are handed over.
struct SortedPiece {
    index_t first; ///< the place of the first of them in that order
    Operand elements;
    const std::int64_t* indexes; ///< where each was, row-major; null unless asked for
};
using FoundPiece = FunctionRef<void(const SortedPiece&)>;

/// Sorts all elements of a source of a built-in type, in row-major order, that need not fit in memory: parts are sorted
/// and stored in a temporary file as runs, of which pieces that lie together in sorted order are read, sorted and handed
/// over, one after the other. Stable, as `argsort_groups`. The source is read once, the file written and read once: or
/// as often more as there are more runs than pieces can be taken from at once. Throws `MemoryLimitError` naming `what`,
/// also for temporary space.
void sort_in_runs(const char* what, const Operand& source, SortOrder order, bool with_indexes,
                  FoundPiece found);

/// The elements of a source so sorted, and the indexes that sort them: in memory, or beyond the memory limit in chunks;
/// in the shape of the source.
Operand sorted_in_runs(const char* what, const Operand& source, SortOrder order);
Operand argsorted_in_runs(const char* what, const Operand& source, SortOrder order);

} // namespace purview
