#pragma once

#include <purview/reader/sparse_pairs.hpp>

#include "engine/pairs/entry_sort.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace purview::inline v0_1::engine {

/// Neighbouring entries [begin, end) of ascending pairs, such as a row of a matrix, whose indexes
/// all change by `shift` from those that are stored.
struct EntryRange {
    index_t begin;
    index_t end;
    index_t shift;
};

/// Entries that move as ranges: the rows of a matrix that a list, a mask or a gather picks. A copy
/// of memory for each range, whatever is stored beside them.
class EntryRanges {
public:
    explicit EntryRanges(const char* what) : places_(0, what), what_(what) {}

    /// Adds a range that goes to a place of the result: ranges of greater places come later. Throws
    /// `KindError` beyond 2³⁰ entries.
    void add(index_t place, const EntryRange& range);
    /// The number of entries of all ranges.
    index_t count() const noexcept { return count_; }
    /// Puts the ranges in the order of their places. Called once, before anything is written.
    void put_in_order();

    void write_indexes(const SparsePairs& pairs, index_t* out) const;
    void write_positions(index_t* out) const;
    /// Copies the values, which lie side by side and have `size` bytes each.
    void write_values(const std::byte* values, std::size_t size, std::byte* out) const;

private:
    std::vector<EntryRange> ranges_;
    Entries places_; ///< of the ranges, until they are in order
    index_t count_ = 0;
    const char* what_;
};

} // namespace purview::engine
