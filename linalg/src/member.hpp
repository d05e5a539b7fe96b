#pragma once

#include "lapack.hpp"
#include "matrix_work.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace purview::inline v0_1::linalg {

/// Why a member has no result.
enum class Failure : std::uint8_t { none, singular, not_positive_definite, not_converged };
struct Outcome {
    Failure failure = Failure::none;
    Int pivot = 0; ///< from 0 on
};

/// Memory that the members of a batch use one after the other.
template <typename T>
class Scratch {
public:
    T* matrix(std::size_t elements) { return room(matrix_, elements); }
    T* other(std::size_t elements) { return room(other_, elements); }
    T* third(std::size_t elements) { return room(third_, elements); }
    T* work(std::size_t elements) { return room(work_, elements); }
    Real<T>* reals(std::size_t elements) { return room(reals_, elements); }
    Int* integers(std::size_t elements) { return room(integers_, elements); }

private:
    template <typename E>
    static E* room(std::vector<E>& vector, std::size_t elements) {
        if (vector.size() < elements) vector.resize(elements);
        return vector.data();
    }
    std::vector<T> matrix_, other_, third_, work_;
    std::vector<Real<T>> reals_;
    std::vector<Int> integers_;
};

/// One matrix, and where its results go. LAPACK, which takes matrices by columns, sees the transpose of each; where that
/// gives other results, these are transposed or conjugated.
template <typename T>
struct Member {
    const MatrixWork& work;
    const Lapack<T>& library;
    Scratch<T>& scratch;
    const T* a;
    const T* b;
    const T* factors;            ///< null, or what `factors_member` has made of a
    std::span<void* const> outs; ///< of this member

    T* out(std::size_t i) const { return static_cast<T*>(outs[i]); }
    std::size_t m() const { return static_cast<std::size_t>(work.m); }
    std::size_t n() const { return static_cast<std::size_t>(work.n); }
    std::size_t columns() const { return static_cast<std::size_t>(work.columns); }
};

template <typename T>
T conjugate(T x) {
    if constexpr (kIsComplex<T>)
        return std::conj(x);
    else
        return x;
}
/// x / |x|; 1 of 0.
template <typename T>
T phase_of(T x) {
    const Real<T> size = std::abs(x);
    return size == 0 ? T(1) : x / size;
}
/// Up to so much larger, elements are as large but for rounding.
template <typename T>
inline constexpr Real<T> kMoreThan = 1 + 64 * std::numeric_limits<Real<T>>::epsilon();
/// The largest of `count` elements, `stride` apart; of equally large ones the first, as far as rounding tells them apart.
template <typename T>
T largest_element(const T* x, std::size_t count, std::size_t stride) {
    T largest{};
    Real<T> size = 0;
    for (std::size_t i = 0; i < count; ++i)
        if (const Real<T> own = std::abs(x[i * stride]); own > size * kMoreThan<T>) {
            size = own;
            largest = x[i * stride];
        }
    return largest;
}
template <typename T>
T phase_of_largest(const T* x, std::size_t count, std::size_t stride) {
    return phase_of(largest_element(x, count, stride));
}
/// `to[j, i] = from[i, j]`, both row-major; from has m rows of n.
template <typename T>
void transpose(const T* from, std::size_t m, std::size_t n, T* to) {
    constexpr std::size_t kBlock = 16;
    for (std::size_t i0 = 0; i0 < m; i0 += kBlock)
        for (std::size_t j0 = 0; j0 < n; j0 += kBlock)
            for (std::size_t i = i0; i < std::min(m, i0 + kBlock); ++i)
                for (std::size_t j = j0; j < std::min(n, j0 + kBlock); ++j)
                    to[j * m + i] = from[i * n + j];
}

// Of each function; defined for the four types.
template <typename T>
Outcome solve_member(const Member<T>& member);
template <typename T>
Outcome triangle_member(const Member<T>& member);
template <typename T>
Outcome inverse_member(const Member<T>& member);
template <typename T>
Outcome determinant_member(const Member<T>& member);
template <typename T>
Outcome cholesky_member(const Member<T>& member);
template <typename T>
Outcome qr_member(const Member<T>& member);
template <typename T>
Outcome lu_member(const Member<T>& member);
template <typename T>
Outcome svd_member(const Member<T>& member);
template <typename T>
Outcome eigh_member(const Member<T>& member);
template <typename T>
Outcome eig_member(const Member<T>& member);
template <typename T>
Outcome expm_member(const Member<T>& member);
template <typename T>
Outcome cofactors_member(const Member<T>& member);
template <typename T>
Outcome factors_member(const Member<T>& member);

} // namespace purview::linalg
