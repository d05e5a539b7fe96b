#pragma once

/// Needs Eigen 3.4, and is the only header that does: `Eigen::SparseMatrix` in and out, zero-copy.

#include <purview/sparse/compressed_matrix.hpp>

#include <Eigen/SparseCore>

#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace purview::inline v0_1 {

/// Eigen's storage order of a form.
template <Major M>
inline constexpr int kEigenOrder = M == Major::row ? int{Eigen::RowMajor} : int{Eigen::ColMajor};

/// A compressed matrix as a matrix of Eigen's, zero-copy: an `Eigen::Map`. O(1). The map borrows:
/// the matrix must outlive it.
template <BuiltinType T, SparseIndex I, Major M>
auto as_eigen(const CompressedMatrix<T, I, M>& matrix) {
    using Sparse = Eigen::SparseMatrix<T, kEigenOrder<M>, I>;
    const CompressedPointers<T, I>& raw = matrix.raw();
    return Eigen::Map<const Sparse>(raw.rows, raw.columns, raw.stored, raw.pointers, raw.indices,
                                    raw.values);
}
/// Deleted, as the map of a temporary would dangle.
template <BuiltinType T, SparseIndex I, Major M>
auto as_eigen(const CompressedMatrix<T, I, M>&& matrix) = delete;

[[noreturn]] inline void throw_with_room(index_t entries) {
    throw ShapeError("from_eigen: a matrix of " + std::to_string(entries) +
                     " entries has room between its rows; call makeCompressed() first");
}

/// A matrix of Eigen's, zero-copy, which is kept alive as long as anything reads it: row-major ones
/// become CSR, column-major ones CSC. Validated: O(majors + stored). Throws `Error` for null,
/// `ShapeError` for a matrix with room between its rows (`makeCompressed()` takes it away),
/// `IndexError` for indices out of order.
template <BuiltinType T, int Options, SparseIndex I>
auto from_eigen(std::shared_ptr<const Eigen::SparseMatrix<T, Options, I>> matrix) {
    if (matrix == nullptr) throw Error("from_eigen: there is no matrix");
    if (!matrix->isCompressed()) throw_with_room(matrix->nonZeros());
    constexpr Major kForm = (Options & int{Eigen::RowMajorBit}) != 0 ? Major::row : Major::column;
    const CompressedPointers<T, I> raw{matrix->rows(),          matrix->cols(),
                                       matrix->nonZeros(),      matrix->outerIndexPtr(),
                                       matrix->innerIndexPtr(), matrix->valuePtr()};
    return wrap_compressed<kForm>(raw, std::move(matrix));
}
/// A matrix of Eigen's that is moved in, zero-copy: row-major ones become CSR, column-major ones
/// CSC. Validated and throws as of a shared one; the matrix then is as it was.
template <BuiltinType T, int Options, SparseIndex I>
auto from_eigen(Eigen::SparseMatrix<T, Options, I>&& matrix) {
    using Sparse = Eigen::SparseMatrix<T, Options, I>;
    if (!matrix.isCompressed()) throw_with_room(matrix.nonZeros());
    auto owner = std::make_shared<Sparse>();
    owner->swap(matrix);
    try {
        return from_eigen(std::shared_ptr<const Sparse>(owner));
    } catch (...) {
        owner->swap(matrix);
        throw;
    }
}

} // namespace purview
