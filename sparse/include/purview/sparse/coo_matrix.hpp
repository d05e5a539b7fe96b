#pragma once

#include <purview/sparse/compressed_matrix.hpp>

#include <utility>

namespace purview::inline v0_1 {

/// Throws `IndexError` naming the position and the value where an index is not in [0, extent).
/// O(stored).
template <typename I>
void check_coordinates(const char* axis, std::span<const I> indices, index_t extent);
extern template PURVIEW_SPARSE_EXPORT void
check_coordinates<std::int32_t>(const char*, std::span<const std::int32_t>, index_t);
extern template PURVIEW_SPARSE_EXPORT void
check_coordinates<std::int64_t>(const char*, std::span<const std::int64_t>, index_t);
/// Throws `ShapeError` for a negative extent, or counts that differ.
PURVIEW_SPARSE_EXPORT void check_coo(index_t rows, index_t columns, index_t row_indices,
                                     index_t column_indices, index_t values);

/// A sparse matrix as coordinates: the row, the column and the value of each entry, as three
/// tensors of rank 1, in any order. A place may come more than once: `to_csr` says what that means.
/// A handle over shared memory, as `CompressedMatrix`.
template <BuiltinType T, SparseIndex I = index_t>
class CooMatrix {
public:
    using value_type = T;
    using index_type = I;

    /// The matrix of shape [0, 0].
    CooMatrix() = default;

    /// Validates. Zero-copy, as a `CompressedMatrix`. Throws `IndexError` naming the position where
    /// an index is out of range, and `ShapeError` where counts differ or a tensor is not contiguous memory. O(stored).
    CooMatrix(index_t rows, index_t columns, Tensor<I> row_indices, Tensor<I> column_indices,
              Tensor<T> values)
        : rows_(rows),
          columns_(columns),
          row_indices_(kept_memory(row_indices)),
          column_indices_(kept_memory(column_indices)),
          values_(kept_memory(values)) {
        check_coo(rows, columns, row_indices_.size(), column_indices_.size(), values_.size());
        static_cast<void>(as_span(values_));
        check_coordinates<I>("row", as_span(row_indices_), rows);
        check_coordinates<I>("column", as_span(column_indices_), columns);
    }

    index_t rows() const noexcept { return rows_; }
    index_t columns() const noexcept { return columns_; }
    Shape shape() const { return Shape{rows_, columns_}; }
    /// How many entries are stored, repeated places counted each time.
    index_t stored() const noexcept { return values_.size(); }
    /// The row of each entry, `[stored]`.
    const Tensor<I>& row_indices() const noexcept { return row_indices_; }
    /// The column of each entry, `[stored]`.
    const Tensor<I>& column_indices() const noexcept { return column_indices_; }
    /// The value of each entry, `[stored]`.
    const Tensor<T>& values() const noexcept { return values_; }

private:
    index_t rows_ = 0;
    index_t columns_ = 0;
    Tensor<I> row_indices_ = empty<I>({0});
    Tensor<I> column_indices_ = empty<I>({0});
    Tensor<T> values_ = empty<T>({0});
};

} // namespace purview
