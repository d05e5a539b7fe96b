#pragma once

#include <purview/evaluation/row_products.hpp>

#include "engine/contract/factor_pair.hpp"
#include "engine/contract/sparse_factor.hpp"
#include "engine/places/buffers.hpp"

#include <optional>
#include <vector>

namespace purview::inline v0_1::engine {

/// The entries of a sparse factor as rows of a matrix. Rows without entries are left out.
template <typename T>
struct CompactRows {
    std::vector<index_t> rows;     ///< their numbers in the matrix, ascending
    std::vector<index_t> pointers; ///< the first entry of each of these rows, and the number of
                                   ///< entries
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

/// Makes compact rows of a factor of shape `[rows…, columns…, summed…]`, given the extents of the
/// last two groups of axes. Values are multiplied by `scale`. Elements along the summed axes, which
/// no other factor has, are added up if `sums_duplicates`; if not, they are entries of one column
/// that follow each other. Returns nothing where an entry, a sum, or a scaled value is not finite.
/// O(stored).
template <typename T>
std::optional<CompactRows<T>> compact_rows(const SparseFactor& factor, index_t columns,
                                           index_t summed, bool sums_duplicates, double scale);

/// Column k of row i of x is multiplied with row i / rows_per_batch · columns + k of y. Replaces
/// the columns of x by the positions of these rows among the compact rows of y, and drops entries
/// of x whose row of y is empty. O(x + y).
template <typename T>
void match_columns_to_rows(CompactRows<T>& x, const CompactRows<T>& y, index_t rows_per_batch);

/// The same for a dense y, of which all rows are there: column k of row i of x becomes i /
/// rows_per_batch · columns + k. Returns pointers of all `rows` rows of x.
template <typename T>
std::vector<index_t> match_columns_to_all_rows(CompactRows<T>& x, index_t rows,
                                               index_t rows_per_batch);

} // namespace purview::engine
