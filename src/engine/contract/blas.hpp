#pragma once

#include <concepts>
#include <string>

namespace purview::engine {

// The part of CBLAS that is called. The values of its enumerations are part of its interface.
enum class CblasOrder : int { row_major = 101 };
enum class CblasTranspose : int { no = 111, yes = 112 };

template <std::floating_point T>
using CblasGemm = void (*)(CblasOrder, CblasTranspose a_transpose, CblasTranspose b_transpose,
                           int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb,
                           T beta, T* c, int ldc);
template <std::floating_point T>
using CblasGemv = void (*)(CblasOrder, CblasTranspose a_transpose, int rows, int columns, T alpha,
                           const T* a, int lda, const T* x, int incx, T beta, T* y, int incy);

/// The BLAS of this process. Its functions may be called from several threads.
struct Blas {
    CblasGemm<float> sgemm = nullptr;
    CblasGemm<double> dgemm = nullptr;
    CblasGemv<float> sgemv = nullptr;
    CblasGemv<double> dgemv = nullptr;
    int (*own_threads)() = nullptr; ///< null in what is not OpenBLAS

    /// Whether a call stays on the thread that makes it.
    bool is_single_threaded() const { return own_threads != nullptr && own_threads() == 1; }

    template <std::floating_point T>
    CblasGemm<T> gemm() const noexcept {
        if constexpr (std::same_as<T, float>)
            return sgemm;
        else
            return dgemm;
    }
    template <std::floating_point T>
    CblasGemv<T> gemv() const noexcept {
        if constexpr (std::same_as<T, float>)
            return sgemv;
        else
            return dgemv;
    }
};

/// OpenBLAS, loaded when first asked for (10 to 15 ms), else MKL, BLIS or Accelerate, or the library
/// that the environment variable PURVIEW_BLAS names; null if there is none or PURVIEW_BLAS is `off`.
/// An OpenBLAS or MKL that this call loaded runs on the caller's thread, with the kernels that fit
/// the processor; one that the program had loaded before keeps the number of threads and the kernels
/// that the program chose. docs/design/contraction.md has the reasons.
const Blas* blas();

/// The library that `blas()` found, as `explain` prints it: `OpenBLAS 0.3.21 SkylakeX
/// (libopenblas.so.0)`; or why it found none.
std::string blas_description();

} // namespace purview::engine
