// Defines member.hpp.
// What is solved by LU, by Cholesky's decomposition, or by triangles.
#include "member.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace purview::inline v0_1::linalg {
namespace {

/// The LU decomposition of the transpose.
template <typename T>
struct Factors {
    const T* lu;
    const Int* pivots;
    Outcome outcome;
};
/// Those that are given, or made at `place`.
template <typename T>
Factors<T> factorised(const Member<T>& member, T* place) {
    const std::size_t n = member.n();
    Int* const pivots = member.scratch.integers(n);
    if (const T* const lu = member.factors) {
        Outcome outcome;
        for (std::size_t i = n; i-- > 0;) {
            const Real<T> pivot = std::real(lu[n * n + i]);
            if (!(pivot > static_cast<Real<T>>(i) && pivot <= static_cast<Real<T>>(n)))
                throw Error(fmt::format("{}: {} is no pivot of row {} of {}",
                                        name_of(member.work.function), pivot, i, n));
            pivots[i] = static_cast<Int>(pivot);
            if (lu[i * n + i] == T(0)) outcome = {Failure::singular, static_cast<Int>(i)};
        }
        return {lu, pivots, outcome};
    }
    std::copy_n(member.a, n * n, place);
    const Int size = static_cast<Int>(n);
    Int info = 0;
    member.library.getrf(&size, &size, place, &size, pivots, &info);
    return {place, pivots, info > 0 ? Outcome{Failure::singular, info - 1} : Outcome{}};
}
/// Memory for factors that are not given.
template <typename T>
T* place_for_factors(const Member<T>& member) {
    return member.factors != nullptr ? nullptr : member.scratch.matrix(member.n() * member.n());
}
/// `sign` times the diagonal of a [n, n], also where a product of the first ones leaves the range of normal numbers.
template <typename T>
T product_of_diagonal(T sign, const T* a, std::size_t n) {
    T product = sign;
    bool is_normal = true;
    for (std::size_t i = 0; i < n; ++i) {
        product *= a[i * n + i];
        is_normal = is_normal && std::isnormal(std::abs(product));
    }
    if (is_normal) return product;
    const auto scaled = [](T x, int exponent) {
        // Of powers beyond the type's own, both halves are within.
        for (const int half : {exponent / 2, exponent - exponent / 2})
            x *= static_cast<Real<T>>(std::ldexp(Real<T>(1), half));
        return x;
    };
    T mantissa = sign;
    int exponent = 0;
    for (std::size_t i = 0; i < n; ++i) {
        T factor = a[i * n + i];
        for (T* const each : {&factor, &mantissa}) {
            const Real<T> size = std::abs(*each);
            if (size == 0 || !std::isfinite(size)) return product;
            const int own = std::ilogb(size);
            *each = scaled(*each, -own);
            exponent += own;
        }
        mantissa *= factor;
    }
    constexpr int kMost = 2 * std::numeric_limits<Real<T>>::max_exponent;
    return scaled(mantissa, std::clamp(exponent, -kMost, kMost));
}
/// The right sides by columns, solved in place by `solve(x)`, and back to rows.
template <typename T, typename Solve>
void solve_columns(const Member<T>& member, const Solve& solve) {
    const std::size_t n = member.n(), columns = member.columns();
    if (columns == 1) {
        std::copy_n(member.b, n, member.out(0));
        solve(member.out(0));
        return;
    }
    T* const x = member.scratch.other(n * columns);
    transpose(member.b, n, columns, x);
    solve(x);
    transpose(x, columns, n, member.out(0));
}

} // namespace

template <typename T>
Outcome solve_member(const Member<T>& member) {
    const Int n = static_cast<Int>(member.work.n), columns = static_cast<Int>(member.work.columns);
    const auto [lu, pivots, outcome] = factorised(member, place_for_factors(member));
    if (outcome.failure != Failure::none) return outcome;
    const char* const transpose = member.work.options.transposed ? "N" : "T";
    solve_columns(member, [&, lu = lu, pivots = pivots](T* x) {
        Int info = 0;
        member.library.getrs(transpose, &n, &columns, lu, &n, pivots, x, &n, &info, 1);
    });
    return {};
}

template <typename T>
Outcome triangle_member(const Member<T>& member) {
    const Int n = static_cast<Int>(member.work.n), columns = static_cast<Int>(member.work.columns);
    Int info = 0;
    solve_columns(member, [&](T* x) {
        member.library.trtrs(member.work.options.upper ? "L" : "U", "T", "N", &n, &columns,
                             member.a, &n, x, &n, &info, 1, 1, 1);
    });
    return info > 0 ? Outcome{Failure::singular, info - 1} : Outcome{};
}

template <typename T>
Outcome inverse_member(const Member<T>& member) {
    const Int n = static_cast<Int>(member.work.n);
    T* const a = member.out(0);
    const auto [lu, pivots, outcome] = factorised(member, a);
    if (outcome.failure != Failure::none) return outcome;
    if (lu != a) std::copy_n(lu, member.n() * member.n(), a);
    const Int size = n * 64;
    Int info = 0;
    member.library.getri(&n, a, &n, pivots, member.scratch.work(static_cast<std::size_t>(size)),
                         &size, &info);
    return {};
}

template <typename T>
Outcome determinant_member(const Member<T>& member) {
    const std::size_t n = member.n();
    const auto [a, pivots, outcome] = factorised(member, place_for_factors(member));
    const bool is_singular = outcome.failure != Failure::none;
    T sign(1);
    for (std::size_t i = 0; i < n; ++i)
        if (pivots[i] != static_cast<Int>(i) + 1) sign = -sign;
    if (member.work.function == MatrixFunction::det) {
        *member.out(0) = is_singular ? T(0) : product_of_diagonal(sign, a, n);
        return {};
    }
    Real<T> logarithm = is_singular ? -std::numeric_limits<Real<T>>::infinity() : Real<T>(0);
    if (is_singular) sign = T(0);
    for (std::size_t i = 0; i < n && !is_singular; ++i) {
        sign *= phase_of(a[i * n + i]);
        logarithm += std::log(std::abs(a[i * n + i]));
    }
    if (member.outs[0] != nullptr) *member.out(0) = sign;
    if (member.outs[1] != nullptr) *static_cast<Real<T>*>(member.outs[1]) = logarithm;
    return {};
}

template <typename T>
Outcome factors_member(const Member<T>& member) {
    const std::size_t n = member.n();
    const Int* const pivots = factorised(member, member.out(0)).pivots;
    for (std::size_t i = 0; i < n; ++i)
        member.out(0)[n * n + i] = static_cast<T>(static_cast<Real<T>>(pivots[i]));
    return {};
}

template <typename T>
Outcome cholesky_member(const Member<T>& member) {
    const std::size_t n = member.n();
    const Int size = static_cast<Int>(n);
    const bool upper = member.work.options.upper;
    T* const a = member.out(0);
    std::copy_n(member.a, n * n, a);
    Int info = 0;
    member.library.potrf(upper ? "L" : "U", &size, a, &size, &info, 1);
    if (info > 0) return {Failure::not_positive_definite, info - 1};
    for (std::size_t i = 0; i < n; ++i) // NaN goes through some versions
        if (!(std::real(a[i * n + i]) > 0))
            return {Failure::not_positive_definite, static_cast<Int>(i)};
    for (std::size_t i = 0; i < n; ++i)
        if (upper)
            std::fill_n(a + i * n, i, T(0));
        else
            std::fill(a + i * n + i + 1, a + (i + 1) * n, T(0));
    return {};
}

template <typename T>
Outcome lu_member(const Member<T>& member) {
    const std::size_t m = member.m(), n = member.n(), k = std::min(m, n);
    const Int rows = static_cast<Int>(m), columns = static_cast<Int>(n);
    T* const a = member.scratch.matrix(m * n); // by columns: rows are exchanged, and not columns
    transpose(member.a, m, n, a);
    Int* const pivots = member.scratch.integers(k);
    Int info = 0;
    member.library.getrf(&rows, &columns, a, &rows, pivots, &info);
    if (auto* const places = static_cast<std::int64_t*>(member.outs[0])) {
        for (std::size_t i = 0; i < m; ++i) places[i] = static_cast<std::int64_t>(i);
        for (std::size_t i = 0; i < k; ++i) std::swap(places[i], places[pivots[i] - 1]);
    }
    if (T* const lower = member.out(1))
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < k; ++j)
                lower[i * k + j] = i > j ? a[j * m + i] : T(i == j ? 1 : 0);
    if (T* const upper = member.out(2))
        for (std::size_t i = 0; i < k; ++i)
            for (std::size_t j = 0; j < n; ++j) upper[i * n + j] = i <= j ? a[j * m + i] : T(0);
    return {};
}

#define PURVIEW_FOR(T)                                  \
 template Outcome solve_member(const Member<T>&);       \
 template Outcome triangle_member(const Member<T>&);    \
 template Outcome inverse_member(const Member<T>&);     \
 template Outcome determinant_member(const Member<T>&); \
 template Outcome cholesky_member(const Member<T>&);    \
 template Outcome factors_member(const Member<T>&);     \
 template Outcome lu_member(const Member<T>&);
PURVIEW_FOR(float)
PURVIEW_FOR(double)
PURVIEW_FOR(std::complex<float>)
PURVIEW_FOR(std::complex<double>)
#undef PURVIEW_FOR

} // namespace purview::linalg
