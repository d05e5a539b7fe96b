#pragma once

#include <purview/base/refused.hpp>
#include <purview/sparse/convert.hpp>

#include <utility>

namespace purview::inline v0_1 {

/// Throws `ShapeError` naming both shapes where they differ.
PURVIEW_SPARSE_EXPORT void check_sum(ShapeSpan x, ShapeSpan y, bool subtract);

/// x + y, or x - y if `subtract`. Both have the same shape.
template <typename T, typename I>
CsrMatrix<T, I> merge_rows(const CsrMatrix<T, I>& x, const CsrMatrix<T, I>& y, bool subtract);

// For the built-in types these are compiled once, in sparse/src/add.cpp.
#define PURVIEW_SPARSE_SUMS(what, T, I)                                \
 what template PURVIEW_SPARSE_EXPORT CsrMatrix<T, I> merge_rows<T, I>( \
     const CsrMatrix<T, I>&, const CsrMatrix<T, I>&, bool);
#define PURVIEW_EXTERN_SUMS(T)                \
 PURVIEW_SPARSE_SUMS(extern, T, std::int32_t) \
 PURVIEW_SPARSE_SUMS(extern, T, std::int64_t)
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_EXTERN_SUMS)
#undef PURVIEW_EXTERN_SUMS

template <typename T, typename I, Major M, Major N>
auto merge_matrices(const CompressedMatrix<T, I, M>& x, const CompressedMatrix<T, I, N>& y,
                    bool subtract) {
    check_sum(x.shape(), y.shape(), subtract);
    if constexpr (M == Major::row)
        return merge_rows(x, to_csr(y), subtract);
    else
        return transposed(merge_rows(transposed(x), transposed(to_csc(y)), subtract));
}

/// The sum and the difference of two sparse matrices of one shape, `[m, n] × [m, n] → [m, n]`, in
/// the form of the first (the second is converted if its form differs). An entry is stored wherever
/// either matrix stores one, even if the result is zero. Integers wrap. Eager: O(stored of both +
/// rows), in parallel. Throws `ShapeError` naming both shapes where they differ.
template <typename T, typename I, Major M, Major N>
    requires(!std::same_as<T, bool>)
auto operator+(const CompressedMatrix<T, I, M>& x, const CompressedMatrix<T, I, N>& y) {
    return merge_matrices(x, y, false);
}
template <typename T, typename I, Major M, Major N>
    requires(!std::same_as<T, bool>)
auto operator-(const CompressedMatrix<T, I, M>& x, const CompressedMatrix<T, I, N>& y) {
    return merge_matrices(x, y, true);
}

#define PURVIEW_NO_PRODUCT                                                                          \
 "a sparse matrix is multiplied by matmul(a, b); by numbers, and element by element, as a tensor: " \
 "csr(to_tensor(a) * 2)"
template <typename T, typename I, Major M, typename Y>
PURVIEW_REFUSED(PURVIEW_NO_PRODUCT, operator*(const CompressedMatrix<T, I, M>&, const Y&));
template <typename X, typename T, typename I, Major M>
    requires std::is_arithmetic_v<X>
        PURVIEW_REFUSED(PURVIEW_NO_PRODUCT, operator*(X, const CompressedMatrix<T, I, M>&));
#undef PURVIEW_NO_PRODUCT

} // namespace purview
