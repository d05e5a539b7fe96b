#pragma once

#include <purview/dimensions/dimensions.hpp>
#include <purview/reader/buffer.hpp>
#include <purview/reader/sparse_pairs.hpp>

#include <span>
#include <vector>

namespace purview::engine {

/// Stored entries as a view shows them: their row-major indexes in the view, ascending, each once, and which of the
/// pairs each of them is.
struct MovedEntries {
    std::span<const index_t> indexes;
    BufferPtr<index_t> own;             ///< what they lie in, unless they are the pairs' own
    std::span<const index_t> positions; ///< empty: `first`, `first` + 1, …
    BufferPtr<index_t> own_positions;
    index_t first = 0;

    index_t count() const noexcept { return std::ssize(indexes); }
    index_t position(index_t i) const noexcept {
        return positions.empty() ? first + i : positions[static_cast<std::size_t>(i)];
    }
};

/// Moves stored entries by the inverse of a view. O(entries of the view + log stored), each entry costs the rank; a sort
/// where the view changes their order; views that no division inverts are searched. An entry that the view
/// repeats becomes as many. Throws `KindError` naming `what` beyond 2³⁰ entries.
MovedEntries move_entries(const SparsePairs& pairs, const Dimensions& view, const char* what);

/// Pairs as a view shows them, in memory of their own.
template <typename T>
struct MovedValues {
    BufferPtr<index_t> indexes;
    BufferPtr<T> values;
};

/// The same with the values of a built-in type `T`: they travel with the entries, which is faster than to look them
/// up where a view changes the order.
template <typename T>
MovedValues<T> move_values(const SparsePairs& pairs, const Dimensions& view, const char* what);

} // namespace purview::engine
