#pragma once

#include <complex>

namespace purview::inline v0_1::engine {

// The part of CBLAS that is called. The values of its enumerations are part of its interface.
enum class CblasOrder : int { row_major = 101 };
enum class CblasTranspose : int { no = 111, yes = 112 };

/// How a scale is passed: complex ones by their address.
template <typename T>
struct CblasScale {
    using type = T;
    static T of(const T& scale) { return scale; }
};
template <typename P>
struct CblasScale<std::complex<P>> {
    using type = const std::complex<P>*;
    static type of(const std::complex<P>& scale) { return &scale; }
};
template <typename T>
using Scale = typename CblasScale<T>::type;

template <typename T>
using CblasGemm = void (*)(CblasOrder, CblasTranspose a_transpose, CblasTranspose b_transpose,
                           int m, int n, int k, Scale<T> alpha, const T* a, int lda, const T* b,
                           int ldb, Scale<T> beta, T* c, int ldc);
template <typename T>
using CblasGemv = void (*)(CblasOrder, CblasTranspose a_transpose, int rows, int columns,
                           Scale<T> alpha, const T* a, int lda, const T* x, int incx, Scale<T> beta,
                           T* y, int incy);

/// The functions for one type of elements.
template <typename T>
struct BlasOf {
    CblasGemm<T> gemm = nullptr;
    CblasGemv<T> gemv = nullptr;
};

/// The BLAS of this process. Its functions may be called from several threads.
struct Blas : BlasOf<float>,
              BlasOf<double>,
              BlasOf<std::complex<float>>,
              BlasOf<std::complex<double>> {
    int (*own_threads)() = nullptr; ///< null in what is not OpenBLAS

    /// Whether a call stays on the thread that makes it.
    bool is_single_threaded() const { return own_threads != nullptr && own_threads() == 1; }

    template <typename T>
    const BlasOf<T>& of() const noexcept {
        return *this;
    }
};

/// OpenBLAS, loaded when first asked for (10 to 15 ms), else MKL, BLIS or Accelerate, or the library
/// that the environment variable PURVIEW_BLAS names; null if there is none or PURVIEW_BLAS is `off`.
/// An OpenBLAS or MKL that this call loaded runs on the caller's thread, with the kernels that fit
/// the processor; one that the program had loaded before keeps the number of threads and the kernels
/// that the program chose. docs/design/contraction.md has the reasons.
const Blas* blas();

/// Exists while a thread calls BLAS. A process that is forked meanwhile goes without it, as what the thread has locked in there would stay
/// locked.
class BlasCall {
public:
    BlasCall() noexcept;
    ~BlasCall();
    BlasCall(const BlasCall&) = delete;
    BlasCall& operator=(const BlasCall&) = delete;
};

} // namespace purview::engine
