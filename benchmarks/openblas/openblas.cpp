/// What a BLAS does. The kernels it uses are chosen by OPENBLAS_CORETYPE, its threads by
/// OPENBLAS_NUM_THREADS.

#include "../hand/inputs.hpp"

#include <cblas.h>

#include <algorithm>
#include <complex>

namespace {

using namespace bench;

constexpr std::size_t kSide = 4096;

void add_square_product(int n) {
    add(case_name("matmul", std::to_string(n), "float64"), [=] {
        const auto count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
        const auto a = random_memory<double>(count, 1);
        const auto b = random_memory<double>(count, 2);
        return into<double>(count, [=](double* out) {
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a.get(), n, b.get(),
                        n, 0, out, n);
        });
    });
}

template <typename C>
void add_complex_product(const char* dtype, int n) {
    add(case_name("complex_matmul", std::to_string(n), dtype), [=] {
        const auto count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
        const auto a = random_memory<C>(count, 1);
        const auto b = random_memory<C>(count, 2);
        return into<C>(count, [=](C* out) {
            const C one = 1, none = 0;
            const auto gemm = sizeof(C) == 8 ? cblas_cgemm : cblas_zgemm;
            gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, &one, a.get(), n, b.get(), n,
                 &none, out, n);
        });
    });
}

const Cases products([] {
    for (const int n : {4, 8, 16, 64, 256, 1024}) {
        add_complex_product<std::complex<float>>("complex64", n);
        add_complex_product<std::complex<double>>("complex128", n);
    }
    add_square_product(64);
    add_square_product(256);
    add_square_product(1024);
    add_square_product(2048); // the peak that limits are computed from
    add("matmul_batched/256x64/float64", [] {
        constexpr int n = 64, kBatch = 256;
        constexpr std::size_t kCount = std::size_t{n} * n;
        const auto a = random_memory<double>(kBatch * kCount, 1);
        const auto b = random_memory<double>(kBatch * kCount, 2);
        return into<double>(kBatch * kCount, [=](double* out) {
            for (std::size_t i = 0; i < kBatch; ++i)
                cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1,
                            a.get() + i * kCount, n, b.get() + i * kCount, n, 0, out + i * kCount,
                            n);
        });
    });
    // bqhf, bkhf → bhqk for (b, q = k, h, f) = (4, 128, 8, 64).
    add("attention_scores/4x128x8x64/float64", [] {
        constexpr std::size_t kB = 4, kH = 8;
        constexpr int kQ = 128, kF = 64, kRow = static_cast<int>(kH) * kF;
        const auto q = random_memory<double>(kB * kQ * kRow, 1);
        const auto k = random_memory<double>(kB * kQ * kRow, 2);
        return into<double>(kB * kH * kQ * kQ, [=](double* out) {
            for (std::size_t b = 0; b < kB; ++b)
                for (std::size_t h = 0; h < kH; ++h) {
                    const std::size_t from = b * kQ * kRow + h * kF;
                    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, kQ, kQ, kF, 1,
                                q.get() + from, kRow, k.get() + from, kRow, 0,
                                out + (b * kH + h) * kQ * kQ, kQ);
                }
        });
    });
    add("sum_axis0/4096x4096/float64", [] {
        const auto matrix = random_memory<double>(kSide * kSide, 1);
        const auto ones = allocate<double>(kSide);
        std::fill_n(ones.get(), kSide, 1.0);
        return into<double>(kSide, [=](double* out) {
            cblas_dgemv(CblasRowMajor, CblasTrans, kSide, kSide, 1, matrix.get(), kSide, ones.get(),
                        1, 0, out, 1);
        });
    });
    add("sum_axis1/4096x4096/float64", [] {
        const auto matrix = random_memory<double>(kSide * kSide, 1);
        const auto ones = allocate<double>(kSide);
        std::fill_n(ones.get(), kSide, 1.0);
        return into<double>(kSide, [=](double* out) {
            cblas_dgemv(CblasRowMajor, CblasNoTrans, kSide, kSide, 1, matrix.get(), kSide,
                        ones.get(), 1, 0, out, 1);
        });
    });
});

} // namespace
