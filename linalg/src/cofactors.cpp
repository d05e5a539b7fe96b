// Defines member.hpp.
// Cofactors, by elimination with complete pivoting, which has the pivots that are 0 last: they are finite for singular
// matrices, and exact where elimination is.
#include "member.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace purview::inline v0_1::linalg {
namespace {

/// Whether pivots of an LU decomposition are far from 0.
template <typename T>
bool is_clearly_regular(const Member<T>& member, T* a, Int* pivots) {
    const std::size_t n = member.n();
    const Int size = static_cast<Int>(n);
    Int info = 0;
    member.library.getrf(&size, &size, a, &size, pivots, &info);
    if (info != 0) return false;
    Real<T> least = std::abs(a[0]), most = 0;
    for (std::size_t i = 0; i < n; ++i) {
        least = std::min(least, std::abs(a[i * n + i]));
        most = std::max(most, std::abs(a[i * n + i]));
    }
    return least > 100 * static_cast<Real<T>>(n) * std::numeric_limits<Real<T>>::epsilon() * most;
}

/// `a[rows[i], columns[j]]` is (L U)[i, j]; L without its diagonal and U are written over a.
template <typename T>
struct Elimination {
    std::size_t rank = 0;
    T sign = T(1); ///< of both permutations
};
template <typename T>
Elimination<T> eliminate(T* a, std::size_t n, Int* rows, Int* columns) {
    Elimination<T> made;
    std::iota(rows, rows + n, 0);
    std::iota(columns, columns + n, 0);
    for (std::size_t& k = made.rank; k < n; ++k) {
        std::size_t row = k, column = k;
        Real<T> most = 0;
        for (std::size_t i = k; i < n; ++i)
            for (std::size_t j = k; j < n; ++j)
                if (const Real<T> own = std::abs(a[i * n + j]); own > most)
                    most = own, row = i, column = j;
        if (most == 0) break;
        if (row != k) {
            std::swap_ranges(a + row * n, a + row * n + n, a + k * n);
            std::swap(rows[row], rows[k]);
            made.sign = -made.sign;
        }
        if (column != k) {
            for (std::size_t i = 0; i < n; ++i) std::swap(a[i * n + column], a[i * n + k]);
            std::swap(columns[column], columns[k]);
            made.sign = -made.sign;
        }
        for (std::size_t i = k + 1; i < n; ++i) {
            const T factor = a[i * n + k] /= a[k * n + k];
            for (std::size_t j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return made;
}

} // namespace

template <typename T>
Outcome cofactors_member(const Member<T>& member) {
    const std::size_t n = member.n();
    T* const a = member.scratch.matrix(n * n);
    T* const out = member.out(0);
    Int* const rows = member.scratch.integers(2 * n);
    Int* const columns = rows + n;
    std::fill_n(out, n * n, T(0));
    if (member.library.getrf != nullptr) {
        std::copy_n(member.a, n * n, a);
        if (is_clearly_regular(member, a, rows)) return {};
    }
    std::copy_n(member.a, n * n, a);
    const auto [rank, sign] = eliminate(a, n, rows, columns);
    if (rank + 1 < n) return {}; // all are 0
    // With U = D W, where W has a diagonal of ones, those of L D W are those of L, D and W multiplied: L⁻ᵀ cof(D) W⁻ᵀ, and
    // those of D on its diagonal products of all other pivots.
    T* const x = member.scratch.other(n * n);
    std::fill_n(x, n * n, T(0));
    for (std::size_t i = rank == n ? 0 : n - 1; i < n; ++i) {
        T product = sign;
        for (std::size_t j = 0; j < n; ++j)
            if (j != i) product *= a[j * n + j];
        T* const row = x + i * n;
        row[i] = product;
        for (std::size_t k = i; k-- > 0;) { // W row = product at i
            T sum{};
            for (std::size_t j = k + 1; j <= i; ++j) sum += a[k * n + j] * row[j];
            row[k] = -sum / a[k * n + k];
        }
    }
    for (std::size_t i = n; i-- > 0;) // Lᵀ x
        for (std::size_t k = i + 1; k < n; ++k)
            for (std::size_t j = 0; j < n; ++j) x[i * n + j] -= a[k * n + i] * x[k * n + j];
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            out[static_cast<std::size_t>(rows[i]) * n + static_cast<std::size_t>(columns[j])] =
                x[i * n + j];
    return {};
}

template Outcome cofactors_member(const Member<float>&);
template Outcome cofactors_member(const Member<double>&);
template Outcome cofactors_member(const Member<std::complex<float>>&);
template Outcome cofactors_member(const Member<std::complex<double>>&);

} // namespace purview::linalg
