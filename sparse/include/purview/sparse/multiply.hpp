#pragma once

#include <purview/dtype/promote.hpp>
#include <purview/functional/reductions/product.hpp>
#include <purview/sparse/convert.hpp>
#include <purview/tensor/views.hpp>

#include <concepts>
#include <utility>

namespace purview::inline v0_1 {

/// Throws `ShapeError` naming both shapes unless they are those of a matrix and a vector or matrix,
/// in either order, that have a product.
PURVIEW_SPARSE_EXPORT void check_product(ShapeSpan x, ShapeSpan y);

/// A compressed matrix `[m, k]` times a dense `[k]` or `[k, n]` → `[m]` or `[m, n]`.
template <typename T, typename I, Major M>
MutableTensor<Accumulated<T>> multiply_dense(const CompressedMatrix<T, I, M>& matrix,
                                             const Tensor<T>& dense);
/// `[m, k]` times `[k, n]` → `[m, n]`, row by row.
template <typename T, typename I>
CsrMatrix<Accumulated<T>, I> multiply_rows(const CsrMatrix<T, I>& x, const CsrMatrix<T, I>& y);

// For the built-in types these are compiled once, in sparse/src/multiply_*.cpp.
#define PURVIEW_SPARSE_DENSE_PRODUCTS(what, T, I)                            \
 what template PURVIEW_SPARSE_EXPORT MutableTensor<Accumulated<T>>           \
 multiply_dense<T, I, Major::row>(const CsrMatrix<T, I>&, const Tensor<T>&); \
 what template PURVIEW_SPARSE_EXPORT MutableTensor<Accumulated<T>>           \
 multiply_dense<T, I, Major::column>(const CscMatrix<T, I>&, const Tensor<T>&);
#define PURVIEW_SPARSE_PRODUCTS(what, T, I)                                            \
 what template PURVIEW_SPARSE_EXPORT CsrMatrix<Accumulated<T>, I> multiply_rows<T, I>( \
     const CsrMatrix<T, I>&, const CsrMatrix<T, I>&);
#define PURVIEW_EXTERN_PRODUCTS(T)                      \
 PURVIEW_SPARSE_DENSE_PRODUCTS(extern, T, std::int32_t) \
 PURVIEW_SPARSE_DENSE_PRODUCTS(extern, T, std::int64_t) \
 PURVIEW_SPARSE_PRODUCTS(extern, T, std::int32_t)       \
 PURVIEW_SPARSE_PRODUCTS(extern, T, std::int64_t)
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_EXTERN_PRODUCTS)
#undef PURVIEW_EXTERN_PRODUCTS

/// What `matmul(x, y)` is for a sparse matrix and a dense vector or matrix of the same element
/// type, lazy ones too: dense memory, in the type that sums have (integers in 64 bits, wrapping;
/// bool counts). The matrix is read in place, and so is a transpose (`transposed(a)`, O(1)).
/// O(stored) for a vector and O(stored · n) for a matrix. Parallel, with results that do not depend
/// on the number of threads: over rows, or where columns are compressed, over columns of the dense
/// matrix (a vector then takes one thread). Throws `ShapeError` naming both shapes.
template <typename T, typename I, Major M, TypedTensor X>
    requires std::derived_from<X, Tensor<T>>
auto multiply_matrices(const CompressedMatrix<T, I, M>& matrix, const X& dense) {
    check_product(matrix.shape(), dense.shape());
    return multiply_dense(matrix, static_cast<const Tensor<T>&>(dense));
}
/// A dense `[m]` or `[n, m]` times a sparse `[m, k]` → `[k]` or `[n, k]`: the product of the
/// transposes, transposed, at its cost. Throws `ShapeError` naming both shapes.
template <typename T, typename I, Major M, TypedTensor X>
    requires std::derived_from<X, Tensor<T>>
auto multiply_matrices(const X& dense, const CompressedMatrix<T, I, M>& matrix) {
    check_product(dense.shape(), matrix.shape());
    return transpose(multiply_dense(transposed(matrix), Tensor<T>(transpose(dense))));
}

/// What `matmul(x, y)` is for two sparse matrices: sparse, in the form of the first; the second is
/// converted if its form differs. An entry is stored wherever some product contributes, even if the
/// sum is zero. Gustavson's algorithm, row by row: O(products + rows + columns). Throws
/// `ShapeError` naming both shapes.
template <typename T, typename I, Major M, Major N>
auto multiply_matrices(const CompressedMatrix<T, I, M>& x, const CompressedMatrix<T, I, N>& y) {
    check_product(x.shape(), y.shape());
    if constexpr (M == Major::row)
        return multiply_rows(x, to_csr(y));
    else
        return transposed(multiply_rows(transposed(to_csc(y)), transposed(x)));
}

} // namespace purview
