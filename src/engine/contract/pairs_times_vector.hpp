#pragma once

#include <purview/base/wrapping.hpp>

#include "engine/contract/row_products.hpp"
#include "engine/threads/parallel.hpp"

#include <libdivide.h>

#include <algorithm>
#include <cstdint>

namespace purview::engine {

/// The first of some ascending row-major indexes, from `at` on, that starts a row.
inline index_t row_start(const index_t* index, index_t stored, index_t columns, index_t at) {
    if (at == 0 || at == stored) return at;
    const index_t end = (index[at - 1] / columns + 1) * columns;
    return std::lower_bound(index + at, index + stored, end) - index;
}

/// Entries at ascending row-major indexes of a matrix with so many columns, more than 1, times a vector: what rows with entries come to
/// is added to `out`, where all is 0, as `rows_times_vector` sums it. Straight from the pairs, so that nothing is stored in
/// between. O(stored). Parallel over entries; a row is summed in one part.
template <typename Product, typename T>
void pairs_times_vector(const index_t* index, const T* values, index_t stored, index_t columns,
                        const T* vector, typename Product::Sum* out) {
    using Sum = typename Product::Sum;
    constexpr index_t kGrain = 8192;
    // As many elements of the vector as the first cache has room for are asked for at once.
    constexpr index_t kAskedAtOnce = 256;
    const libdivide::branchfree_divider<std::uint64_t> divider(static_cast<std::uint64_t>(columns));
    parallel_ranges(
        stored, kGrain, 2.0 * static_cast<double>(stored), [&](index_t from, index_t to) {
            const index_t first = row_start(index, stored, columns, from);
            const index_t last = row_start(index, stored, columns, to);
            index_t rows[kAskedAtOnce];
            index_t column[kAskedAtOnce];
            index_t row = -1; // the one that is being summed
            index_t left = 0; // products until a sum of some is full
            Sum sum{};
            const auto add_sum = [&] {
                if (row >= 0) out[row] = wrapping_sum(out[row], sum);
                sum = Sum{};
                left = kRounded;
            };
            for (index_t begin = first; begin < last; begin += kAskedAtOnce) {
                const index_t count = std::min(kAskedAtOnce, last - begin);
                for (index_t i = 0; i < count; ++i) {
                    const auto at = static_cast<std::uint64_t>(index[begin + i]);
                    const std::uint64_t of = at / divider;
                    rows[i] = static_cast<index_t>(of);
                    column[i] = static_cast<index_t>(at - of * static_cast<std::uint64_t>(columns));
                    __builtin_prefetch(vector + column[i]);
                }
                for (index_t i = 0; i < count;) {
                    if (rows[i] != row) {
                        add_sum();
                        row = rows[i];
                    } else if (left == 0) {
                        add_sum();
                    }
                    for (; i < count && rows[i] == row && left > 0; ++i, --left)
                        sum = wrapping_sum(
                            sum, Product{}(load_element<T>(values + begin + i), vector[column[i]]));
                }
            }
            add_sum();
        });
}

} // namespace purview::engine
