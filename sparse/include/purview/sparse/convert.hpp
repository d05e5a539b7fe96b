#pragma once

#include <purview/sparse/coo_matrix.hpp>
#include <purview/tensor/stage.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

template <typename X>
inline constexpr bool kIsSparseMatrix = false;
template <typename T, typename I, Major M>
inline constexpr bool kIsSparseMatrix<CompressedMatrix<T, I, M>> = true;
template <typename T, typename I>
inline constexpr bool kIsSparseMatrix<CooMatrix<T, I>> = true;
/// A matrix in one of the forms of purview::sparse.
template <typename X>
concept SparseMatrix = kIsSparseMatrix<std::remove_cvref_t<X>>;

/// `matrix | stage` is `stage(matrix)`.
template <SparseMatrix X, StageLike S>
auto operator|(const X& matrix, const S& stage) -> decltype(stage(matrix)) {
    return stage(matrix);
}

/// The entries grouped by rows or columns (M), ascending in each. `duplicates` says what becomes of
/// a place that comes more than once. Throws as `to_csr`.
template <Major M, typename T, typename I>
CompressedMatrix<T, I, M> compress(const CooMatrix<T, I>& matrix, Duplicates duplicates);
/// A matrix of compressed rows as one of compressed columns.
template <typename T, typename I>
CscMatrix<T, I> recompress(const CsrMatrix<T, I>& matrix);
/// The matrix as coordinates, row by row; shares its columns and values. O(stored + rows). Throws
/// `ShapeError` where a row does not fit I.
template <typename T, typename I>
CooMatrix<T, I> expand_pointers(const CsrMatrix<T, I>& matrix);
/// The matrix as dense memory, `[rows, columns]`.
template <typename T, typename I>
MutableTensor<T> expand_zeros(const CsrMatrix<T, I>& matrix);

// For the built-in types these are compiled once, in sparse/src/convert.cpp.
#define PURVIEW_SPARSE_CONVERSIONS(what, T, I)                                                 \
 what template PURVIEW_SPARSE_EXPORT CsrMatrix<T, I> compress<Major::row, T, I>(               \
     const CooMatrix<T, I>&, Duplicates);                                                      \
 what template PURVIEW_SPARSE_EXPORT CscMatrix<T, I> compress<Major::column, T, I>(            \
     const CooMatrix<T, I>&, Duplicates);                                                      \
 what template PURVIEW_SPARSE_EXPORT CscMatrix<T, I> recompress<T, I>(const CsrMatrix<T, I>&); \
 what template PURVIEW_SPARSE_EXPORT CooMatrix<T, I> expand_pointers<T, I>(                    \
     const CsrMatrix<T, I>&);                                                                  \
 what template PURVIEW_SPARSE_EXPORT MutableTensor<T> expand_zeros<T, I>(const CsrMatrix<T, I>&);
#define PURVIEW_EXTERN_CONVERSIONS(T)                \
 PURVIEW_SPARSE_CONVERSIONS(extern, T, std::int32_t) \
 PURVIEW_SPARSE_CONVERSIONS(extern, T, std::int64_t)
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_EXTERN_CONVERSIONS)
#undef PURVIEW_EXTERN_CONVERSIONS

template <Major M>
struct CompressFunction : PipelineStage {
    template <typename T, typename I>
    auto operator()(const CooMatrix<T, I>& matrix, Duplicates duplicates = Duplicates::sum) const {
        return compress<M>(matrix, duplicates);
    }
    template <typename T, typename I, Major From>
    CompressedMatrix<T, I, M> operator()(const CompressedMatrix<T, I, From>& matrix) const {
        if constexpr (From == M)
            return matrix;
        else if constexpr (From == Major::row)
            return recompress(matrix);
        else // the rows of the transpose are its columns
            return transposed(recompress(transposed(matrix)));
    }
    auto operator()(Duplicates duplicates) const {
        return Stage([duplicates]<typename T, typename I>(const CooMatrix<T, I>& matrix) {
            return compress<M>(matrix, duplicates);
        });
    }
};

/// A matrix in compressed rows or columns: `to_csr(coo)`, `coo | to_csr(Duplicates::last)`.
/// Coordinates may be in any order; those of each row come out ascending, and a place that comes
/// more than once is summed unless `duplicates` says otherwise. A matrix that is in this form
/// already is returned as it is: O(1). Else O(stored + rows + columns), by counting; on several
/// threads where that pays. Throws `ShapeError` for more entries, or larger indices, than int32 can
/// say, and `IndexError` naming a place that comes more than once where `duplicates` does not allow
/// that.
inline constexpr CompressFunction<Major::row> to_csr;
inline constexpr CompressFunction<Major::column> to_csc;

struct ToCooFunction : PipelineStage {
    template <typename T, typename I>
    CooMatrix<T, I> operator()(const CooMatrix<T, I>& matrix) const {
        return matrix;
    }
    template <typename T, typename I, Major M>
    CooMatrix<T, I> operator()(const CompressedMatrix<T, I, M>& matrix) const {
        if constexpr (M == Major::row) {
            return expand_pointers(matrix);
        } else {
            const CooMatrix<T, I> coo = expand_pointers(transposed(matrix));
            return {matrix.rows(), matrix.columns(), coo.column_indices(), coo.row_indices(),
                    coo.values()};
        }
    }
};

/// A matrix as coordinates, row by row or column by column, whichever it was. Shares the indices
/// that it has, and the values. O(stored + majors).
inline constexpr ToCooFunction to_coo;

struct ToTensorFunction : PipelineStage {
    template <SparseMatrix X>
    auto operator()(const X& matrix) const {
        return expand_zeros(to_csr(matrix));
    }
};

/// A matrix as dense memory, `[rows, columns]`; places that coordinates repeat are summed.
/// O(rows·columns).
inline constexpr ToTensorFunction to_tensor;

} // namespace purview
