#pragma once

#include <purview/evaluation/parallel.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/reader/buffer.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// The entries of a sparse matrix by rows (CSR): row r has the entries [pointers[r], pointers[r +
/// 1]).
template <typename R, typename I>
struct RowEntries {
    BufferPtr<I> pointers;
    BufferPtr<I> indices;
    BufferPtr<R> values;
    index_t stored = 0; ///< how many of `indices` and `values` are entries; both may be longer
};

/// Throws `ShapeError` naming `what`.
[[noreturn]] PURVIEW_EXPORT void throw_pointers_too_narrow(const char* what);

/// The exact bounds of rows of which `bounds` gives upper bounds, both as in `make_rows`. Calls
/// `append` for some rows at a time into temporary memory, and keeps only the counts.
template <typename R, typename I, typename Append>
std::vector<index_t> counted_rows(const std::vector<index_t>& bounds, const Append& append) {
    constexpr index_t kEntriesPerBatch = index_t{1} << 20;
    const index_t row_count = static_cast<index_t>(bounds.size()) - 1;
    std::vector<index_t> counted(bounds.size());
    std::vector<I> indices;
    std::vector<R> values;
    for (index_t row = 0; row < row_count;) {
        const auto begin = bounds.begin() + row;
        const index_t next =
            (std::max)(row + 1, std::upper_bound(begin, bounds.end(), *begin + kEntriesPerBatch) -
                                    bounds.begin() - 1);
        const auto most = static_cast<std::size_t>(bounds[static_cast<std::size_t>(next)] - *begin);
        indices.resize((std::max)(most, indices.size()));
        values.resize(indices.size());
        index_t* const ends = counted.data() + row + 1;
        append(row, next, indices.data(), values.data(), ends);
        const index_t before = counted[static_cast<std::size_t>(row)];
        for (index_t r = 0; r < next - row; ++r) ends[r] += before;
        row = next;
    }
    return counted;
}

/// Makes sparse rows whose numbers of entries have known upper bounds: the rows before row r have
/// at most `bounds[r]` entries together. `append(first, last, indices, values, ends)` writes the
/// entries of the rows [first, last), one row after the other, to `indices` and `values`, and to
/// `ends[r - first]` how many entries it has written up to the end of row r. Parallel if the
/// estimated time of all calls, `nanoseconds`, is worth it; the result does not depend on that.
/// Throws `ShapeError` naming `what` for more entries than `I` can count.
template <typename R, typename I, typename Append>
RowEntries<R, I> make_rows(const char* what, const std::vector<index_t>& bounds, double nanoseconds,
                           const Append& append) {
    const index_t row_count = static_cast<index_t>(bounds.size()) - 1;
    const index_t most = bounds.back();
    RowEntries<R, I> result{allocate_uninitialized_buffer<I>(row_count + 1),
                            allocate_uninitialized_buffer<I>(most),
                            allocate_uninitialized_buffer<R>(most)};
    I* const ends = static_cast<I*>(result.pointers->writable_memory().data);
    I* const index = static_cast<I*>(result.indices->writable_memory().data);
    R* const value = static_cast<R*>(result.values->writable_memory().data);
    ends[0] = 0;

    // Parts with similar bounds. Each part is written where `bounds` lets it begin, and moved
    // afterwards to close the gaps.
    const index_t parts = nanoseconds < 100'000 ? 1 : std::min<index_t>(threads(), 64);
    std::vector<index_t> starts(static_cast<std::size_t>(parts) + 1, row_count);
    starts[0] = 0;
    for (index_t p = 1; p < parts; ++p)
        starts[static_cast<std::size_t>(p)] =
            std::lower_bound(bounds.begin(), bounds.end() - 1, most / parts * p) - bounds.begin();
    std::vector<index_t> made(static_cast<std::size_t>(parts));
    std::vector<index_t> counts(static_cast<std::size_t>(row_count));
    parallel_ranges(parts, 1, nanoseconds, [&](index_t begin, index_t end) {
        for (index_t p = begin; p < end; ++p) {
            const index_t from = starts[static_cast<std::size_t>(p)];
            const index_t to = starts[static_cast<std::size_t>(p) + 1];
            if (from >= to) continue;
            const index_t place = bounds[static_cast<std::size_t>(from)];
            append(from, to, index + place, value + place, counts.data() + from);
            made[static_cast<std::size_t>(p)] = counts[static_cast<std::size_t>(to) - 1];
        }
    });

    for (index_t p = 0; p < parts; ++p) {
        const index_t from = starts[static_cast<std::size_t>(p)];
        const index_t to = starts[static_cast<std::size_t>(p) + 1];
        if (from >= to) continue;
        const index_t place = bounds[static_cast<std::size_t>(from)];
        const index_t count = made[static_cast<std::size_t>(p)];
        if constexpr (sizeof(I) < sizeof(index_t))
            if (result.stored + count > (std::numeric_limits<I>::max)())
                throw_pointers_too_narrow(what);
        if (place != result.stored) {
            const auto entries = static_cast<std::size_t>(count);
            std::memmove(index + result.stored, index + place, entries * sizeof(I));
            std::memmove(value + result.stored, value + place, entries * sizeof(R));
        }
        for (index_t r = from; r < to; ++r)
            ends[r + 1] = static_cast<I>(result.stored + counts[static_cast<std::size_t>(r)]);
        result.stored += count;
    }

    if (result.stored < most / 2) { // do not keep memory that is not needed
        const auto shrunk = [&]<typename T>(BufferPtr<T>& buffer, const T* from) {
            BufferPtr<T> smaller = allocate_uninitialized_buffer<T>(result.stored);
            std::copy_n(from, result.stored, static_cast<T*>(smaller->writable_memory().data));
            buffer = std::move(smaller);
        };
        shrunk(result.indices, index);
        shrunk(result.values, value);
    }
    return result;
}

} // namespace purview
