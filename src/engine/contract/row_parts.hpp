#pragma once

#include <purview/evaluation/parallel.hpp>

#include <algorithm>

namespace purview::inline v0_1::engine {

/// The first row that begins at or behind a point of the work of all rows, in which a row counts
/// one more than it has entries.
template <typename I>
index_t row_at(const I* pointers, index_t rows, index_t work) {
    index_t low = 0;
    index_t high = rows;
    while (low < high) {
        const index_t middle = low + (high - low) / 2;
        if (static_cast<index_t>(pointers[middle]) + middle < work)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/// Calls `f(first, last)` for parts of the rows of a compressed matrix with about as many entries
/// each, on several threads where that pays.
template <typename I, typename F>
void for_row_parts(const I* pointers, index_t rows, double nanoseconds_per_entry, const F& f) {
    const index_t work = static_cast<index_t>(pointers[rows]) + rows;
    constexpr index_t kGrain = 8192;
    parallel_ranges(work, kGrain, static_cast<double>(work) * nanoseconds_per_entry,
                    [&](index_t begin, index_t end) {
                        const index_t first = row_at(pointers, rows, begin);
                        const index_t last = end == work ? rows : row_at(pointers, rows, end);
                        if (first < last) f(first, last);
                    });
}

} // namespace purview::engine
