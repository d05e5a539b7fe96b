#pragma once

#include <purview/dimensions/dimensions.hpp>
#include <purview/reader/buffer.hpp>
#include <purview/reader/sparse_pairs.hpp>

#include "engine/pairs/lists.hpp"

namespace purview::inline v0_1::engine {

/// Stored entries as a view shows them: their row-major indexes in the view, ascending and
/// distinct, and the position of each among the pairs.
struct MovedEntries {
    IndexSpan indexes;   ///< borrowed where they are the pairs' own
    IndexSpan positions; ///< empty: `first`, `first` + 1, …
    index_t first = 0;

    index_t count() const noexcept { return indexes.count(); }
    index_t position(index_t i) const noexcept {
        return positions.count() == 0 ? first + i : positions.indexes[static_cast<std::size_t>(i)];
    }
};

/// Finds the stored entries of a view and their indexes in it, by the inverse of the view.
/// O(entries in the view's range of addresses + log stored), times the rank; plus a radix sort
/// where the view changes their order; views that no division inverts are inverted by a search. An
/// entry that the view repeats becomes as many entries. Throws `KindError` naming `what` beyond 2³⁰
/// entries.
MovedEntries move_entries(const SparsePairs& pairs, const Dimensions& view, const char* what);

/// Pairs as a view shows them, in memory of their own.
template <typename T>
struct MovedValues {
    BufferPtr<index_t> indexes;
    BufferPtr<T> values;
};

/// As `move_entries`, with the values of a built-in type `T`: they are moved with the entries,
/// which is faster than to look them up afterwards where a view changes the order.
template <typename T>
MovedValues<T> move_values(const SparsePairs& pairs, const Dimensions& view, const char* what);

/// How entries are moved to a view: what `move_entries` will do, in words.
const char* describe_moves(const SparsePairs& pairs, const Dimensions& view);

} // namespace purview::engine
