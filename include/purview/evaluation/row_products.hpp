#pragma once

#include <purview/dtype/promote.hpp>
#include <purview/evaluation/bounded_rows.hpp>

namespace purview::inline v0_1 {

/// A sparse matrix by rows (CSR) as plain pointers: row r has the entries [pointers[r], pointers[r
/// + 1]) of `indices` (column numbers) and of `values`. Borrows.
template <typename T, typename I>
struct RowPointers {
    index_t rows = 0;
    index_t columns = 0;
    const I* pointers = nullptr;
    const I* indices = nullptr;
    const T* values = nullptr;

    index_t stored() const noexcept { return pointers[rows]; }
};

/// `[m, k]` times `[k, n]` → the rows of `[m, n]`, columns ascending: Gustavson's algorithm (1978),
/// row by row. Each element that some product contributes to is stored, also if it sums to zero.
/// Products are added up in the order of k; integers in 64 bits, wrapping; products of bools are
/// counted. O(products + m), and O(log entries) for each entry if there are so many columns that
/// rows are collected in hash tables. Parallel over rows; the result does not depend on that.
/// Throws `ShapeError` naming `matmul` for more entries than `I` can count.
///
/// Compiled once for the built-in types, with indexes of int32 and int64.
template <typename T, typename I>
PURVIEW_EXPORT RowEntries<Accumulated<T>, I> multiply_rows(const RowPointers<T, I>& x,
                                                           const RowPointers<T, I>& y);

/// `[m, k]` times a dense `[k, n]`, whose rows are `row_stride` elements apart and contiguous →
/// `[m, n]` at `out`, row-major. Products are added up in the order of k; if n is 1, in groups of
/// 1024. O(stored · n + m · n). Parallel over rows.
/// Compiled for the same types.
template <typename T, typename I>
PURVIEW_EXPORT void multiply_rows_by_dense(const RowPointers<T, I>& x, const T* dense,
                                           index_t row_stride, index_t n, Accumulated<T>* out);

} // namespace purview
