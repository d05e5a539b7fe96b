#pragma once

#include <purview/evaluation/row_products.hpp>

#include "engine/contract/factor_pair.hpp"
#include "engine/contract/sparse_factor.hpp"
#include "engine/places/buffers.hpp"

#include <optional>
#include <vector>

namespace purview::engine {

/// The entries of a sparse factor as rows of a matrix, of which only those are there that have some.
template <typename T>
struct CompactRows {
    std::vector<index_t> rows;     ///< which they are, ascending
    std::vector<index_t> pointers; ///< for each of them, and one
    BufferPtr<index_t> column_memory;
    BufferPtr<T> value_memory;
    index_t columns = 0; ///< of the matrix

    index_t stored() const noexcept { return pointers.back(); }
    index_t* column() const { return data_of(column_memory); }
    T* value() const { return data_of(value_memory); }
    RowPointers<T, index_t> raw() const {
        return {std::ssize(rows), columns, pointers.data(), column(), value()};
    }
};

/// A factor of shape `[rows…, columns…, summed…]`, given the extents of the last two groups. Elements that are summed in it alone
/// are added up if `adds_up`, and follow each other as entries of one column if not. Nothing where a value that comes of this
/// and of `scale` is not finite. O(stored).
template <typename T>
std::optional<CompactRows<T>> compact_rows(const SparseFactor<T>& factor, index_t columns,
                                           index_t summed, bool adds_up, double scale);

/// Replaces the columns of x by the places of the rows of y that they meet, and drops those that meet none. Column k of row
/// i meets row i / rows_per_batch · columns + k. O(x + y).
template <typename T>
void match_columns_to_rows(CompactRows<T>& x, const CompactRows<T>& y, index_t rows_per_batch);

/// The pointers of all `rows` rows of x, where columns become i / rows_per_batch · columns + k: all rows of a dense y are there.
template <typename T>
std::vector<index_t> match_columns_to_all_rows(CompactRows<T>& x, index_t rows,
                                               index_t rows_per_batch);

} // namespace purview::engine
