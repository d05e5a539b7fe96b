#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/evaluation/sorting.hpp>

#include <cstdint>
#include <memory>

namespace purview::inline v0_1 {

/// Elements that follow each other in sorted order, over memory that lives, and may be changed, while they are handed
/// over.
struct SortedPiece {
    index_t first; ///< the place of the first of them in that order
    Operand elements;
    const std::int64_t* indexes; ///< where each was, row-major; null unless asked for
    /// Equal elements that are more than a piece come in several, which have nothing else: where all of them begin, and
    /// how many they are. All other pieces have the whole of any equal elements, and 0 here.
    index_t equal_first = 0;
    index_t equal_count = 0;
};

/// The sort of all elements of a source of a built-in type, in row-major order, that need not fit in memory. Parts are
/// sorted and stored in a temporary file as runs; of these, pieces that lie together in sorted order are read, sorted and
/// handed over, one after the other. Stable, as `argsort_groups`. The source is read once, the file written and read
/// once: or as often more as there are more runs than pieces can be taken from at once. Throws `MemoryLimitError` naming
/// `what`, also for temporary space.
class LongSort {
public:
    LongSort(const char* what, const Operand& source, SortOrder order, bool with_indexes);
    LongSort(const LongSort&) = delete;
    LongSort& operator=(const LongSort&) = delete;
    ~LongSort();

    /// Reads the file; may be called again.
    void for_each_piece(FunctionRef<void(const SortedPiece&)> found) const;
    /// The same for the last time: the file shrinks.
    void take_pieces(FunctionRef<void(const SortedPiece&)> found);
    /// Whether pieces stay as they are until the one after the next is made.
    bool keeps_pieces() const;

private:
    class Runs;
    std::unique_ptr<Runs> runs_;
};

/// Whether an operand over arrays of chunks is larger than what is sorted in memory, and so the sort is a `LongSort`.
bool is_sorted_in_runs(const Operand& source);

/// The elements of a source so sorted, and the indexes that sort them: in memory, or beyond the memory limit in chunks;
/// in the shape of the source.
Operand sorted_in_runs(const char* what, const Operand& source, SortOrder order);
Operand argsorted_in_runs(const char* what, const Operand& source, SortOrder order);

} // namespace purview
