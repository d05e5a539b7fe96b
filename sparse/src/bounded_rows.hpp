#pragma once

#include "row_parts.hpp"

#include <purview/expression/threads.hpp>
#include <purview/sparse/compressed_matrix.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

namespace purview::sparse {

/// What the rows of `bounds` have indeed, as bounds: each is made, a few at a time, and only counted.
template <typename R, typename I, typename Fill>
std::vector<index_t> counted_rows(const std::vector<index_t>& bounds, const Fill& fill) {
    constexpr index_t kAtATime = index_t{1} << 20;
    const index_t rows = std::ssize(bounds) - 1;
    std::vector<index_t> counted(bounds.size());
    std::vector<I> indices;
    std::vector<R> values;
    for (index_t first = 0; first < rows;) {
        const auto begin = bounds.begin() + first;
        const index_t last =
            std::max(first + 1,
                     std::upper_bound(begin, bounds.end(), *begin + kAtATime) - bounds.begin() - 1);
        const auto most = static_cast<std::size_t>(bounds[static_cast<std::size_t>(last)] - *begin);
        indices.resize(std::max(most, indices.size()));
        values.resize(indices.size());
        index_t* const ends = counted.data() + first + 1;
        fill(first, last, indices.data(), values.data(), ends);
        const index_t before = counted[static_cast<std::size_t>(first)];
        for (index_t r = 0; r < last - first; ++r) ends[r] += before;
        first = last;
    }
    return counted;
}

/// Makes a CSR matrix row by row, where it is known beforehand how many entries each row has at most:
/// `bounds[r]` is how many the rows before `r` have. `fill(first, last, indices, values, ends)` appends
/// the rows [first, last) at `indices` and `values`, and writes for each how many there are then.
template <typename R, typename I, typename Fill>
CsrMatrix<R, I> make_rows(const char* what, index_t rows, index_t columns,
                          const std::vector<index_t>& bounds, double nanoseconds,
                          const Fill& fill) {
    const index_t most = bounds.back();
    const MutableTensor<I> pointers = empty<I>({checked_add(rows, 1, what)});
    MutableTensor<I> indices = empty<I>({most});
    MutableTensor<R> values = empty<R>({most});
    I* const ends = as_span(pointers).data();
    I* const index = as_span(indices).data();
    R* const value = as_span(values).data();
    ends[0] = 0;

    // Parts with like bounds; each begins where the bounds say, and is moved up afterwards.
    const index_t parts = nanoseconds < 100'000 ? 1 : std::min<index_t>(threads(), 64);
    std::vector<index_t> first(static_cast<std::size_t>(parts) + 1, rows);
    first[0] = 0;
    for (index_t p = 1; p < parts; ++p)
        first[static_cast<std::size_t>(p)] =
            std::lower_bound(bounds.begin(), bounds.end() - 1, most / parts * p) - bounds.begin();
    std::vector<index_t> made(static_cast<std::size_t>(parts));
    std::vector<index_t> counts(static_cast<std::size_t>(rows));
    parallel_ranges(parts, 1, nanoseconds, [&](index_t begin, index_t end) {
        for (index_t p = begin; p < end; ++p) {
            const index_t from = first[static_cast<std::size_t>(p)];
            const index_t to = first[static_cast<std::size_t>(p) + 1];
            if (from >= to) continue;
            const index_t place = bounds[static_cast<std::size_t>(from)];
            fill(from, to, index + place, value + place, counts.data() + from);
            made[static_cast<std::size_t>(p)] = counts[static_cast<std::size_t>(to) - 1];
        }
    });

    index_t stored = 0;
    for (index_t p = 0; p < parts; ++p) {
        const index_t from = first[static_cast<std::size_t>(p)];
        const index_t to = first[static_cast<std::size_t>(p) + 1];
        if (from >= to) continue;
        const index_t place = bounds[static_cast<std::size_t>(from)];
        const auto count = static_cast<std::size_t>(made[static_cast<std::size_t>(p)]);
        if constexpr (sizeof(I) < sizeof(index_t))
            if (stored + made[static_cast<std::size_t>(p)] > std::numeric_limits<I>::max())
                throw ShapeError(fmt::format("{}: more entries than int32 pointers can say; use "
                                             "int64",
                                             what));
        if (place != stored) {
            std::memmove(index + stored, index + place, count * sizeof(I));
            std::memmove(value + stored, value + place, count * sizeof(R));
        }
        for (index_t r = from; r < to; ++r)
            ends[r + 1] = static_cast<I>(stored + counts[static_cast<std::size_t>(r)]);
        stored += static_cast<index_t>(count);
    }

    Tensor<I> kept_indices = indices(range(0, stored));
    Tensor<R> kept_values = values(range(0, stored));
    if (stored < most / 2) { // do not keep memory that is not needed
        kept_indices = clone(kept_indices);
        kept_values = clone(kept_values);
    }
    return {typename CsrMatrix<R, I>::Unchecked{},
            rows,
            columns,
            pointers,
            std::move(kept_indices),
            std::move(kept_values)};
}

} // namespace purview::sparse
