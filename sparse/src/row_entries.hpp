#pragma once

#include <purview/evaluation/row_products.hpp>
#include <purview/sparse/compressed_matrix.hpp>

#include <utility>

namespace purview::inline v0_1::sparse {

/// A matrix as the argument of the loops over rows (purview/evaluation/row_products.hpp), which
/// sparse tensors use too.
template <typename T, typename I>
RowPointers<T, I> rows_of(const CsrMatrix<T, I>& matrix) {
    const CompressedPointers<T, I>& raw = matrix.raw();
    return {raw.rows, raw.columns, raw.pointers, raw.indices, raw.values};
}

/// The result of such a loop as a matrix.
template <typename R, typename I>
CsrMatrix<R, I> csr_of(RowEntries<R, I> entries, index_t rows, index_t columns) {
    const Dimensions stored = Dimensions::row_major(Shape{entries.stored});
    return {typename CsrMatrix<R, I>::Unchecked{},
            rows,
            columns,
            over<I>(std::move(entries.pointers),
                    Dimensions::row_major(Shape{checked_add(rows, 1, "csr")})),
            over<I>(std::move(entries.indices), stored),
            over<R>(std::move(entries.values), stored)};
}

} // namespace purview::sparse
