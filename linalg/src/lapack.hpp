#pragma once

#include <purview/dtype/complex_element.hpp>

#include <complex>
#include <cstddef>
#include <type_traits>

namespace purview::inline v0_1::linalg {

// What is called of LAPACK, by pointers to Fortran's arguments: matrices by columns, and behind all of them the
// lengths of texts.

/// The type of absolute values and eigenvalues.
template <typename T>
using Real = typename PartOfComplex<T>::type;
template <typename T>
inline constexpr bool kIsComplex = !std::is_same_v<T, Real<T>>;

using Int = int;
using Length = std::size_t;

/// The functions for one type of elements.
template <typename T>
struct Lapack {
    void (*gemm)(const char* transpose_a, const char* transpose_b, const Int* m, const Int* n,
                 const Int* k, const T* alpha, const T* a, const Int* lda, const T* b,
                 const Int* ldb, const T* beta, T* c, const Int* ldc, Length, Length);
    void (*getrf)(const Int* m, const Int* n, T* a, const Int* lda, Int* pivots, Int* info);
    void (*getrs)(const char* transpose, const Int* n, const Int* count, const T* a, const Int* lda,
                  const Int* pivots, T* b, const Int* ldb, Int* info, Length);
    void (*getri)(const Int* n, T* a, const Int* lda, const Int* pivots, T* work, const Int* size,
                  Int* info);
    void (*trtrs)(const char* triangle, const char* transpose, const char* diagonal, const Int* n,
                  const Int* count, const T* a, const Int* lda, T* b, const Int* ldb, Int* info,
                  Length, Length, Length);
    void (*potrf)(const char* triangle, const Int* n, T* a, const Int* lda, Int* info, Length);
    void (*gelqf)(const Int* m, const Int* n, T* a, const Int* lda, T* factors, T* work,
                  const Int* size, Int* info);
    /// `orglq`, `unglq`.
    void (*make_q)(const Int* m, const Int* n, const Int* k, T* a, const Int* lda, const T* factors,
                   T* work, const Int* size, Int* info);
    // Those whose complex kinds have a further argument, cast where they are called.
    void (*gesdd)();
    void (*eigh)(); ///< `syevd`, `heevd`
    void (*geev)();
};

/// Those of the BLAS of this process, or of the LAPACK beside it. Throws `Error` with the package to install where there
/// is none.
template <typename T>
const Lapack<T>& lapack(const char* what);

} // namespace purview::linalg
