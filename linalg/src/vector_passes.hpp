#pragma once

#include <purview/base/index.hpp>
#include <purview/evaluation/parallel.hpp>

#include <array>
#include <complex>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

// Passes over vectors in memory: several updates, and sums of what they leave, in one. Sums are those of blocks of fixed
// length, so that they do not depend on the number of threads.

namespace purview::inline v0_1::linalg {

/// What is loaded at once: 16 bytes of floats, a complex number.
template <typename T>
struct Lanes {
    typedef T Vector __attribute__((vector_size(16)));
    static constexpr index_t kCount = 16 / sizeof(T);
};
template <typename P>
struct Lanes<std::complex<P>> {
    using Vector = std::complex<P>;
    static constexpr index_t kCount = 1;
};

template <typename V, typename T>
V load(const T* from) {
    V value;
    std::memcpy(static_cast<void*>(&value), from, sizeof(V));
    return value;
}
template <typename V, typename T>
void store(T* to, const V& value) {
    std::memcpy(static_cast<void*>(to), &value, sizeof(V));
}

/// Products, complex ones without the search for infinities that `operator*` has.
template <typename X, typename Y>
auto times(const X& x, const Y& y) {
    if constexpr (requires { x.real() + y.real(); })
        return X(x.real() * y.real() - x.imag() * y.imag(),
                 x.real() * y.imag() + x.imag() * y.real());
    else
        return x * y;
}
/// conj(x) y
template <typename V>
V conjugate_times(const V& x, const V& y) {
    if constexpr (requires { x.real(); })
        return V(x.real() * y.real() + x.imag() * y.imag(),
                 x.real() * y.imag() - x.imag() * y.real());
    else
        return x * y;
}

inline constexpr index_t kBlock = 4096;
inline constexpr index_t kUnrolled = 4;

/// Sums are added up in double precision, over the blocks.
template <typename T>
using Wide = std::conditional_t<std::is_floating_point_v<T>, double, std::complex<double>>;

/// Calls `f.operator()<V>(i, sums)` for vectors V of elements from i on, all of [0, n) once: it adds to `sums`, which are S.
/// `arrays`: of how many it reads or writes the elements.
template <typename T, std::size_t S, typename F>
std::array<Wide<T>, S> sums_over(index_t n, int arrays, const F& f) {
    using V = typename Lanes<T>::Vector;
    constexpr index_t kCount = Lanes<T>::kCount;
    std::vector<std::array<Wide<T>, S>> blocks(static_cast<std::size_t>((n + kBlock - 1) / kBlock));
    const double cost = 0.06 * sizeof(T) * static_cast<double>(arrays) * static_cast<double>(n);
    parallel_ranges(n, kBlock, cost, [&](index_t first, index_t last) {
        for (index_t begin = first; begin < last; begin += kBlock) {
            const index_t end = std::min(begin + kBlock, last);
            V lanes[kUnrolled][S]{};
            T rest[S]{};
            index_t i = begin;
            for (; i + kUnrolled * kCount <= end; i += kUnrolled * kCount)
                for (index_t u = 0; u < kUnrolled; ++u)
                    f.template operator()<V>(i + u * kCount, lanes[u]);
            for (; i < end; ++i) f.template operator()<T>(i, rest);
            std::array<Wide<T>, S>& sums = blocks[static_cast<std::size_t>(begin / kBlock)];
            for (std::size_t s = 0; s < S; ++s) {
                sums[s] = Wide<T>(rest[s]);
                for (const auto& own : lanes) {
                    T parts[kCount];
                    std::memcpy(static_cast<void*>(parts), &own[s], sizeof parts);
                    for (const T& part : parts) sums[s] += Wide<T>(part);
                }
            }
        }
    });
    std::array<Wide<T>, S> all{};
    for (const auto& block : blocks)
        for (std::size_t s = 0; s < S; ++s) all[s] += block[s];
    return all;
}
/// Without sums: `f.operator()<V>(i)`.
template <typename T, typename F>
void pass_over(index_t n, int arrays, const F& f) {
    using V = typename Lanes<T>::Vector;
    constexpr index_t kCount = Lanes<T>::kCount;
    const double cost = 0.06 * sizeof(T) * static_cast<double>(arrays) * static_cast<double>(n);
    parallel_ranges(n, kBlock, cost, [&](index_t begin, index_t end) {
        index_t i = begin;
        for (; i + kUnrolled * kCount <= end; i += kUnrolled * kCount)
            for (index_t u = 0; u < kUnrolled; ++u) f.template operator()<V>(i + u * kCount);
        for (; i < end; ++i) f.template operator()<T>(i);
    });
}

} // namespace purview::linalg
