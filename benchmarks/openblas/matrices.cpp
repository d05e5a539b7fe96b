/// Functions of one large matrix by LAPACK, which OpenBLAS contains, on a transposed copy.

#include "../hand/inputs.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

extern "C" {
void dgesv_(const int* n, const int* columns, double* a, const int* lda, int* pivots, double* b,
            const int* ldb, int* info);
void dpotrf_(const char* triangle, const int* n, double* a, const int* lda, int* info);
void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work,
             const int* size, int* info);
void dorgqr_(const int* m, const int* n, const int* k, double* a, const int* lda, const double* tau,
             double* work, const int* size, int* info);
void dgesdd_(const char* job, const int* m, const int* n, double* a, const int* lda, double* s,
             double* u, const int* ldu, double* vt, const int* ldvt, double* work, const int* size,
             int* integers, int* info);
void dsyevd_(const char* job, const char* triangle, const int* n, double* a, const int* lda,
             double* values, double* work, const int* size, int* integers, const int* integer_size,
             int* info);
}

namespace {

using namespace bench;

constexpr int n = 1000;
constexpr std::size_t kCount = std::size_t{n} * n;

Memory<double> regular() {
    auto a = random_memory<double>(kCount, 1);
    for (std::size_t i = 0; i < n; ++i) a.get()[i * (n + 1)] += 1;
    return a;
}
/// a aᵀ / n + 1.
Memory<double> positive() {
    const auto a = random_memory<double>(kCount, 1);
    auto square = allocate<double>(kCount);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            double sum = i == j ? n : 0;
            for (std::size_t k = 0; k < n; ++k) sum += a.get()[i * n + k] * a.get()[j * n + k];
            square.get()[i * n + j] = sum / n;
        }
    return square;
}
void transpose(const double* in, double* out) {
    constexpr std::size_t kTile = 32;
    for (std::size_t i = 0; i < n; i += kTile)
        for (std::size_t j = 0; j < n; j += kTile)
            for (std::size_t k = i; k < std::min<std::size_t>(i + kTile, n); ++k)
                for (std::size_t l = j; l < std::min<std::size_t>(j + kTile, n); ++l)
                    out[l * n + k] = in[k * n + l];
}
/// Work of the size that LAPACK asks for.
template <typename Call>
void with_work(Call call) {
    double wanted = 0;
    int integers_wanted = 1, size = -1, info = 0;
    call(&wanted, &size, &integers_wanted, &info);
    size = static_cast<int>(wanted);
    std::vector<double> work(static_cast<std::size_t>(size));
    std::vector<int> integers(
        std::max<std::size_t>(8 * n, static_cast<std::size_t>(integers_wanted)));
    call(work.data(), &size, integers.data(), &info);
}

const Cases matrices([] {
    const std::string size = "1000x1000";
    add(case_name("matrix_solve", size, "float64"), [] {
        const auto a = regular(), b = random_memory<double>(n, 2);
        return into<double>(n, [=](double* out) {
            std::vector<double> copy(kCount);
            std::vector<int> pivots(n);
            transpose(a.get(), copy.data());
            std::copy_n(b.get(), n, out);
            const int one = 1;
            int info = 0;
            dgesv_(&n, &one, copy.data(), &n, pivots.data(), out, &n, &info);
        });
    });
    add(case_name("matrix_cholesky", size, "float64"), [] {
        const auto a = positive();
        return into<double>(kCount, [=](double* out) {
            transpose(a.get(),
                      out); // which has the upper triangle in the place of the lower one of rows
            int info = 0;
            dpotrf_("U", &n, out, &n, &info);
            for (std::size_t i = 0; i < n; ++i)
                std::fill(out + i * n + i + 1, out + (i + 1) * n, 0.);
        });
    });
    add(case_name("matrix_qr", size, "float64"), [] {
        const auto a = regular();
        return into<double>(kCount, [=](double* out) { // |R|
            std::vector<double> copy(kCount), tau(n), q(kCount);
            transpose(a.get(), copy.data());
            with_work([&](double* work, const int* room, int*, int* info) {
                dgeqrf_(&n, &n, copy.data(), &n, tau.data(), work, room, info);
            });
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < n; ++j)
                    out[i * n + j] = i <= j ? std::abs(copy[j * n + i]) : 0;
            with_work([&](double* work, const int* room, int*, int* info) {
                dorgqr_(&n, &n, &n, copy.data(), &n, tau.data(), work, room, info);
            });
            transpose(copy.data(), q.data());
        });
    });
    add(case_name("matrix_svd", size, "float64"), [] {
        const auto a = regular();
        return into<double>(n, [=](double* out) {
            std::vector<double> copy(kCount), u(kCount), vt(kCount), rows(kCount);
            transpose(a.get(), copy.data());
            with_work([&](double* work, const int* room, int* integers, int* info) {
                dgesdd_("S", &n, &n, copy.data(), &n, out, u.data(), &n, vt.data(), &n, work, room,
                        integers, info);
            });
            transpose(u.data(), rows.data());
            transpose(vt.data(), copy.data());
        });
    });
    add(case_name("matrix_eigh", size, "float64"), [] {
        const auto a = positive();
        return into<double>(n, [=](double* out) {
            std::vector<double> copy(kCount), rows(kCount);
            transpose(a.get(), copy.data());
            with_work([&](double* work, const int* room, int* integers, int* info) {
                const int integer_room = *room < 0 ? -1 : 8 * n;
                dsyevd_("V", "L", &n, copy.data(), &n, out, work, room, integers, &integer_room,
                        info);
            });
            transpose(copy.data(), rows.data());
        });
    });
});

} // namespace
