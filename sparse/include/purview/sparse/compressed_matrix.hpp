#pragma once

#include <purview/sparse/export.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/wrap.hpp>

#include <concepts>
#include <cstdint>
#include <utility>

namespace purview::inline v0_1 {

/// The type of a matrix's pointers and indices: int32 takes half the memory traffic, int64 any
/// size.
template <typename I>
concept SparseIndex = std::same_as<I, std::int32_t> || std::same_as<I, std::int64_t>;

/// Which axis of a matrix is compressed to one pointer for each of its indexes.
enum class Major : std::uint8_t { row, column };

/// A compressed matrix as plain pointers, for callers of GraphBLAS, cuSPARSE, MKL and the like,
/// which take just these. The pointers are borrowed.
template <BuiltinType T, SparseIndex I>
struct CompressedPointers {
    index_t rows = 0;
    index_t columns = 0;
    index_t stored = 0;
    const I* pointers = nullptr; ///< `[rows + 1]` (CSR) or `[columns + 1]` (CSC)
    const I* indices = nullptr;  ///< columns (CSR) or rows (CSC), ascending in each row or column
    const T* values = nullptr;
};

/// Throws unless these describe a matrix: `IndexError` naming the position and the values where
/// pointers do not begin at 0, go down or do not end at `stored`, and where an index is out of
/// range, repeated or not ascending; `ShapeError` where counts do not fit. O(majors + stored).
template <typename I>
void check_compressed(Major major, index_t rows, index_t columns, std::span<const I> pointers,
                      std::span<const I> indices, index_t values);
extern template PURVIEW_SPARSE_EXPORT void
    check_compressed<std::int32_t>(Major, index_t, index_t, std::span<const std::int32_t>,
                                   std::span<const std::int32_t>, index_t);
extern template PURVIEW_SPARSE_EXPORT void
    check_compressed<std::int64_t>(Major, index_t, index_t, std::span<const std::int64_t>,
                                   std::span<const std::int64_t>, index_t);

/// What a matrix keeps of a tensor: the tensor, or a copy of elements that lie in order, but not as
/// C++ reads them (see `contiguous`). What does not lie in memory is left for `as_span` to refuse.
PURVIEW_SPARSE_EXPORT AnyTensor kept_memory(const AnyTensor& elements);
template <BuiltinType T>
Tensor<T> kept_memory(const Tensor<T>& elements) {
    return Tensor<T>(kept_memory(AnyTensor(elements)).operand());
}

/// A sparse matrix of zeros and stored entries, as three tensors of rank 1: for compressed rows
/// (CSR) the pointers of rows, then for each entry its column and its value, row by row with
/// ascending columns; for compressed columns (CSC) the same with rows and columns exchanged. A
/// stored zero is an entry like any other. A small handle over memory that is shared, owned or
/// foreign (`wrap`, `borrow`); whoever writes to that memory keeps it valid.
template <BuiltinType T, SparseIndex I, Major M>
class CompressedMatrix {
public:
    using value_type = T;
    using index_type = I;
    static constexpr Major kMajor = M;

    /// The matrix of shape [0, 0].
    CompressedMatrix()
        : CompressedMatrix(Unchecked{}, 0, 0, zeros<I>({1}), empty<I>({0}), empty<T>({0})) {}

    /// Validates: see `check_compressed`. Zero-copy, but for elements that are not aligned, and for
    /// bools that are other bytes than 0 and 1. Throws also `ShapeError` for a tensor that is
    /// not contiguous memory (make it so by `contiguous`). O(majors + stored).
    CompressedMatrix(index_t rows, index_t columns, Tensor<I> pointers, Tensor<I> indices,
                     Tensor<T> values)
        : CompressedMatrix(Unchecked{}, rows, columns, std::move(pointers), std::move(indices),
                           std::move(values)) {
        check_compressed<I>(M, rows, columns, as_span(pointers_), as_span(indices_),
                            values_.size());
    }

    struct Unchecked {};
    /// Without a check of the entries, which must satisfy `check_compressed`: a matrix that breaks
    /// its rules reads out of bounds. Throws `ShapeError` for a tensor that is not contiguous
    /// memory. O(1), of bools O(stored).
    CompressedMatrix(Unchecked, index_t rows, index_t columns, Tensor<I> pointers,
                     Tensor<I> indices, Tensor<T> values)
        : rows_(rows),
          columns_(columns),
          pointers_(kept_memory(pointers)),
          indices_(kept_memory(indices)),
          values_(kept_memory(values)),
          raw_{rows,
               columns,
               indices_.size(),
               as_span(pointers_).data(),
               as_span(indices_).data(),
               as_span(values_).data()} {}

    index_t rows() const noexcept { return rows_; }
    index_t columns() const noexcept { return columns_; }
    Shape shape() const { return Shape{rows_, columns_}; }
    /// How many entries are stored.
    index_t stored() const noexcept { return raw_.stored; }
    /// The extent of the compressed axis: rows of a CSR matrix.
    index_t majors() const noexcept { return M == Major::row ? rows_ : columns_; }
    /// The extent of the other axis: columns of a CSR matrix.
    index_t minors() const noexcept { return M == Major::row ? columns_ : rows_; }

    /// Where the entries of each row (column) begin, `[majors + 1]`.
    const Tensor<I>& pointers() const noexcept { return pointers_; }
    /// Their columns (rows), `[stored]`.
    const Tensor<I>& indices() const noexcept { return indices_; }
    /// Their values, `[stored]`.
    const Tensor<T>& values() const noexcept { return values_; }
    /// The matrix as plain pointers, valid as long as a matrix over the same memory lives.
    const CompressedPointers<T, I>& raw() const noexcept { return raw_; }

private:
    index_t rows_;
    index_t columns_;
    Tensor<I> pointers_;
    Tensor<I> indices_;
    Tensor<T> values_;
    CompressedPointers<T, I> raw_;
};

/// Compressed sparse rows.
template <BuiltinType T, SparseIndex I = index_t>
using CsrMatrix = CompressedMatrix<T, I, Major::row>;
/// Compressed sparse columns.
template <BuiltinType T, SparseIndex I = index_t>
using CscMatrix = CompressedMatrix<T, I, Major::column>;

/// The transpose, in the other form over the same memory. O(1).
template <typename T, typename I, Major M>
auto transposed(const CompressedMatrix<T, I, M>& matrix) {
    constexpr Major kOther = M == Major::row ? Major::column : Major::row;
    using Other = CompressedMatrix<T, I, kOther>;
    return Other(typename Other::Unchecked{}, matrix.columns(), matrix.rows(), matrix.pointers(),
                 matrix.indices(), matrix.values());
}

/// Foreign compressed memory as a matrix, zero-copy and validated; `owner`, as that of `wrap`, is
/// kept as long as anything reads the memory. O(majors + stored). Throws as the constructor of
/// `CompressedMatrix`, `Error` for a null owner.
template <Major M, BuiltinType T, SparseIndex I>
CompressedMatrix<T, I, M> wrap_compressed(const CompressedPointers<T, I>& raw, Owner owner) {
    const index_t majors = M == Major::row ? raw.rows : raw.columns;
    return {raw.rows, raw.columns,
            wrap(raw.pointers, {checked_add(majors, 1, "wrap_compressed")}, owner),
            wrap(raw.indices, {raw.stored}, owner), wrap(raw.values, {raw.stored}, owner)};
}
/// `wrap_compressed` for compressed rows.
template <BuiltinType T, SparseIndex I>
CsrMatrix<T, I> wrap_csr(const CompressedPointers<T, I>& raw, Owner owner) {
    return wrap_compressed<Major::row>(raw, std::move(owner));
}
/// `wrap_compressed` for compressed columns.
template <BuiltinType T, SparseIndex I>
CscMatrix<T, I> wrap_csc(const CompressedPointers<T, I>& raw, Owner owner) {
    return wrap_compressed<Major::column>(raw, std::move(owner));
}

} // namespace purview
