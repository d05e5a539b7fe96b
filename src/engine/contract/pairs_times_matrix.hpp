#pragma once

#include "engine/contract/pairs_times_vector.hpp"
#include "engine/contract/row_products.hpp"
#include "engine/places/costs.hpp"

#include <algorithm>

namespace purview::inline v0_1::engine {

/// The rows of a dense matrix in memory, of `columns` elements each.
template <typename T>
struct RowsInMemory {
    const T* first;
    index_t stride; ///< from row to row, in elements
    index_t columns;
};

/// How many entries ahead the rows of matrices are asked for.
inline constexpr index_t kRowsAsked = 8;

/// Multiplies a sparse matrix, given by entries at ascending row-major indexes and more than one
/// column, with a dense one to `out`, as `rows_times_dense` does with its compressed rows. Works on
/// the pairs directly: a division for each row, and no memory. Parallel over entries.
template <typename Product, typename T>
void pairs_times_matrix(Product product, const index_t* index, const T* values, index_t stored,
                        index_t rows, index_t columns, const RowsInMemory<T>& dense,
                        typename Product::Sum* out) {
    constexpr index_t kGrain = 8192;
    const index_t n = dense.columns;
    const double cost = costs::kSparseRowEntry + costs::kSparseRowColumn * static_cast<double>(n);
    std::fill(out, out + rows * n, typename Product::Sum{});
    const PlacesOfEntries places(index, stored, columns);
    parallel_ranges(
        stored, kGrain, cost * static_cast<double>(stored), [&](index_t from, index_t to) {
            const index_t last = row_start(index, stored, columns, to);
            for (index_t i = row_start(index, stored, columns, from); i < last;) {
                const index_t row = places.row(i);
                const index_t begin = row * columns;
                for (; i < last && index[i] - begin < columns; ++i) {
                    __builtin_prefetch(dense.first +
                                       places.later_column(i, kRowsAsked) * dense.stride);
                    add_scaled(product, out + row * n, load_element<T>(values + i),
                               dense.first + (index[i] - begin) * dense.stride, n);
                }
            }
        });
}

/// The transpose of the same sparse matrix, whose columns are the rows of `out`, times a dense one,
/// with the bits of a product of transposed pairs. Adds to a row of the result, from anywhere, for
/// each entry. Parallel over columns of the dense matrix.
template <typename Product, typename T>
void transposed_pairs_times_matrix(Product product, const index_t* index, const T* values,
                                   index_t stored, index_t columns, const RowsInMemory<T>& dense,
                                   typename Product::Sum* out) {
    constexpr index_t kGrain = 16; // columns: fewer would be read and written in parts of lines
    const index_t n = dense.columns;
    const double cost = costs::kSparseRowEntry + costs::kSparseRowColumn * static_cast<double>(n);
    std::fill(out, out + columns * n, typename Product::Sum{});
    const PlacesOfEntries places(index, stored, columns);
    parallel_ranges(
        n, kGrain, cost * static_cast<double>(stored), [&](index_t first, index_t last) {
            for (index_t i = 0; i < stored;) {
                const index_t row = places.row(i);
                const index_t begin = row * columns;
                const T* const factors = dense.first + row * dense.stride + first;
                for (; i < stored && index[i] - begin < columns; ++i) {
                    __builtin_prefetch(out + places.later_column(i, kRowsAsked) * n + first, 1);
                    add_scaled(product, out + (index[i] - begin) * n + first,
                               load_element<T>(values + i), factors, last - first);
                }
            }
        });
}

} // namespace purview::engine
