#pragma once

#include <purview/base/wrapping.hpp>

#include "engine/contract/row_products.hpp"
#include "engine/places/costs.hpp"
#include "engine/threads/parallel.hpp"

#include <libdivide.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace purview::inline v0_1::engine {

/// The first position, from `at` on, at which a row of ascending row-major indexes starts.
inline index_t row_start(const index_t* index, index_t stored, index_t columns, index_t at) {
    if (at == 0 || at == stored) return at;
    const index_t end = (index[at - 1] / columns + 1) * columns;
    return std::lower_bound(index + at, index + stored, end) - index;
}

/// Where entries at ascending row-major indexes of a matrix with so many columns, more than 1, lie.
class PlacesOfEntries {
public:
    PlacesOfEntries(const index_t* index, index_t stored, index_t columns)
        : index_(index),
          stored_(stored),
          columns_(columns),
          divider_(static_cast<std::uint64_t>(columns)) {}

    index_t row(index_t entry) const {
        return static_cast<index_t>(static_cast<std::uint64_t>(index_[entry]) / divider_);
    }
    /// The column of an entry that is reached from this one in so many steps: what lies there is
    /// asked for.
    index_t later_column(index_t entry, index_t steps = 64) const {
        const index_t later = std::min(entry + steps, stored_ - 1);
        return index_[later] - row(later) * columns_;
    }

private:
    const index_t* index_;
    index_t stored_;
    index_t columns_;
    libdivide::branchfree_divider<std::uint64_t> divider_;
};

/// Vectors of at most so many bytes stay in the second-level cache: nothing is asked for ahead,
/// which would take a division for each entry.
inline constexpr index_t kNear = index_t{1} << 19;

/// Multiplies a sparse matrix, given by entries at ascending row-major indexes and more than one
/// column, with a vector: adds the sum of each row that has entries to `out`, which must be 0, as
/// `rows_times_vector` sums it. Works on the pairs directly, without intermediate storage.
/// O(stored): 16 bytes are read for each entry, and an element of the vector from anywhere, which
/// is prefetched unless it is near. To find a row takes a division, and so does each prefetch.
/// Parallel over entries; each row is summed in one part.
template <bool kIsNear, typename Product, typename T>
void pairs_times_vector(Product product, const index_t* index, const T* values, index_t stored,
                        index_t columns, const T* vector, typename Product::Sum* out) {
    using Sum = typename Product::Sum;
    constexpr index_t kGrain = 8192;
    const PlacesOfEntries places(index, stored, columns);
    parallel_ranges(stored, kGrain, costs::kSparsePair * static_cast<double>(stored),
                    [&](index_t from, index_t to) {
                        const index_t last = row_start(index, stored, columns, to);
                        for (index_t i = row_start(index, stored, columns, from); i < last;) {
                            const index_t row = places.row(i);
                            const index_t begin = row * columns;
                            Sum sum{};
                            const index_t full = std::min(last, i + kRounded);
                            for (; i < full && index[i] - begin < columns; ++i) {
                                if constexpr (!kIsNear)
                                    __builtin_prefetch(vector + places.later_column(i));
                                sum = wrapping_sum(sum, product(load_element<T>(values + i),
                                                                vector[index[i] - begin]));
                            }
                            out[row] = wrapping_sum(out[row], sum);
                        }
                    });
}

template <typename Product, typename T>
void pairs_times_vector(Product product, const index_t* index, const T* values, index_t stored,
                        index_t columns, const T* vector, typename Product::Sum* out) {
    const auto times = columns <= kNear / static_cast<index_t>(sizeof(T))
                           ? pairs_times_vector<true, Product, T>
                           : pairs_times_vector<false, Product, T>;
    times(product, index, values, stored, columns, vector, out);
}

template <typename Sum>
struct SumOfColumn {
    Sum sum{}; ///< of up to kRounded products
    index_t products = 0;
};

/// A vector with an element for each row times the same entries: what columns with entries come to is added to `out`, where all is
/// 0, with the bits that `pairs_times_vector` gives for the transposed matrix. O(stored + columns), on one thread: the sum of a column, from anywhere,
/// is read and written for each entry.
template <bool kIsNear, typename Product, typename T>
void vector_times_pairs(Product product, const index_t* index, const T* values, index_t stored,
                        index_t columns, const T* vector, typename Product::Sum* out) {
    using Column = SumOfColumn<typename Product::Sum>;
    const PlacesOfEntries places(index, stored, columns);
    std::vector<Column> sums(static_cast<std::size_t>(columns));
    for (index_t i = 0; i < stored;) {
        const index_t row = places.row(i);
        const index_t begin = row * columns;
        for (; i < stored && index[i] - begin < columns; ++i) {
            if constexpr (!kIsNear) __builtin_prefetch(sums.data() + places.later_column(i), 1);
            const index_t column = index[i] - begin;
            auto& [sum, products] = sums[static_cast<std::size_t>(column)];
            sum = wrapping_sum(sum, product(load_element<T>(values + i), vector[row]));
            if (++products < kRounded) continue;
            out[column] = wrapping_sum(out[column], sum);
            sums[static_cast<std::size_t>(column)] = {};
        }
    }
    for (const auto& [sum, products] : sums) {
        if (products > 0) *out = wrapping_sum(*out, sum);
        ++out;
    }
}

template <typename Product, typename T>
void vector_times_pairs(Product product, const index_t* index, const T* values, index_t stored,
                        index_t columns, const T* vector, typename Product::Sum* out) {
    constexpr auto kColumn = static_cast<index_t>(sizeof(SumOfColumn<typename Product::Sum>));
    const auto times = columns <= kNear / kColumn ? vector_times_pairs<true, Product, T>
                                                  : vector_times_pairs<false, Product, T>;
    times(product, index, values, stored, columns, vector, out);
}

} // namespace purview::engine
