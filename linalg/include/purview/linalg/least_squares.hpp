#pragma once

#include <purview/functional/elementwise/comparison.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/linalg/decompositions.hpp>
#include <purview/linalg/products.hpp>
#include <purview/linalg/solve.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/slices.hpp>

#include <algorithm>
#include <limits>
#include <optional>

namespace purview::inline v0_1::linalg {

struct RankOptions {
    /// Singular values up to so much of the largest one count as 0; if nothing is given, max(m, n) times the distance of 1
    /// from the next float.
    std::optional<double> tolerance = {};
};

/// `tolerance`, or what it is if nothing is given.
template <typename R>
R relative_tolerance(const RankOptions& options, ShapeSpan shape) {
    const index_t most = std::max(shape.back(), shape[shape.size() - 2]);
    return options.tolerance ? static_cast<R>(*options.tolerance)
                             : static_cast<R>(most) * std::numeric_limits<R>::epsilon();
}
/// The matrix of least squares in the precision of their right side, of parts P.
template <typename P, typename A>
auto in_precision(const A& a) {
    if constexpr (std::same_as<RealOf<A>, P>)
        return a;
    else
        return cast<std::conditional_t<ComplexElement<Element<A>>, std::complex<P>, P>>(a);
}
/// Whether each singular value counts.
template <typename R, typename S>
auto counted(const S& values, R tolerance) {
    return values >
           tolerance * values(ellipsis, range(0, std::min<index_t>(1, values.shape().back())));
}
/// What a lazy result is: computed now, but of symbols.
template <typename R, typename A, typename X>
auto kept(const X& x) {
    if constexpr (std::same_as<ResultKind<A>, TensorKind>)
        return MutableTensor<R>(clone(x));
    else
        return MatrixResult<R, A>(x.operand());
}

/// The same over dims.
template <typename R, typename X>
DimTensor<R> kept_over(const X& x) {
    return DimTensor<R>(kept_result(bound_operand(x)));
}
/// What a function reads that it is given, twice.
template <typename X>
auto read_once(const char* what, const X& x) {
    if constexpr (HasDims<X>) {
        DimOperand all = settled(bound_operand(x));
        all.operand = operand_read_once(what, all.operand);
        return DimTensor<typename X::value_type>(std::move(all));
    } else {
        return ReadOnly<X>(operand_read_once(what, x.operand()));
    }
}
/// The tolerance of matrices over these dims, which have sizes.
template <typename R>
R relative_tolerance(const RankOptions& options, const Dim& rows, const Dim& columns) {
    return relative_tolerance<R>(options, Shape{rows.size(), columns.size()});
}
/// 1 / those singular values that count, and 0.
template <typename R, typename S, typename C>
auto inverses_of(const S& values, const C& is_counted) {
    return where(is_counted, R(1) / where(is_counted, values, R(1)), R(0));
}

/// `matrix_rank(a)`: how many singular values of [..., m, n] are more than `tolerance` times the largest one: int64 [...].
template <MatrixOperand A>
    requires(!HasDims<A>)
auto matrix_rank(const A& a, const RankOptions& options = {}) {
    const auto s = svdvals(read_once("matrix_rank", a));
    return sum(where(counted(s, relative_tolerance<RealOf<A>>(options, a.shape())), index_t{1},
                     index_t{0}),
               -1);
}
template <MatrixOperand A>
    requires(HasDims<A>)
auto matrix_rank(const A& a, const Dim& rows, const Dim& columns, const RankOptions& options = {}) {
    const auto s = svdvals(read_once("matrix_rank", a), rows, columns);
    const auto is_counted = counted(s, relative_tolerance<RealOf<A>>(options, rows, columns));
    return kept_over<index_t>(sum(where(is_counted, index_t{1}, index_t{0}), -1));
}

/// `pinv(a)`: the pseudo-inverses [..., n, m] of [..., m, n], by the singular values that count (`RankOptions`). O(m n min(m, n)).
template <MatrixOperand A>
    requires(!HasDims<A>)
auto pinv(const A& a, const RankOptions& options = {}) {
    const auto [u, s, vh] = svd(read_once("pinv", a));
    const auto is_counted = counted(s, relative_tolerance<RealOf<A>>(options, a.shape()));
    const auto inverses = inverses_of<RealOf<A>>(s, is_counted);
    return kept<Element<A>, A>(matmul(adjoint(vh), inverses(ellipsis, all, new_axis) * adjoint(u)));
}
/// `pinv(a(i, k), i, k)`: over k and i.
template <MatrixOperand A>
    requires(HasDims<A>)
auto pinv(const A& a, const Dim& rows, const Dim& columns, const RankOptions& options = {}) {
    const auto [u, s, vh] = svd(read_once("pinv", a), rows, columns);
    const auto is_counted = counted(s, relative_tolerance<RealOf<A>>(options, rows, columns));
    return kept_over<Element<A>>(
        sum(conjugate(vh) * (inverses_of<RealOf<A>>(s, is_counted) * conjugate(u)), -1));
}

/// Of singular values: the largest by the smallest, infinite where that is 0.
template <typename R, typename S>
auto largest_by_smallest(const S& s) {
    const auto least = s(ellipsis, s.shape().back() - 1);
    return where(least == R(0), std::numeric_limits<R>::infinity(), s(ellipsis, 0) / least);
}
/// `cond(a)`: the condition numbers [...] of [..., m, n]: the largest singular value divided by the smallest, infinite for
/// singular matrices. Throws `ShapeError` for matrices without elements, and as `svd`.
template <MatrixOperand A>
    requires(!HasDims<A>)
auto cond(const A& a) {
    require_elements("cond", a.operand());
    return kept<RealOf<A>, A>(largest_by_smallest<RealOf<A>>(svdvals(read_once("cond", a))));
}
template <MatrixOperand A>
    requires(HasDims<A>)
auto cond(const A& a, const Dim& rows, const Dim& columns) {
    const auto s = svdvals(read_once("cond", a), rows, columns);
    return kept_over<RealOf<A>>(largest_by_smallest<RealOf<A>>(s));
}

template <typename X, typename R, typename N>
struct LstsqResult {
    X x;
    R residuals;
    N rank;
    R S;
};
/// `lstsq(a, b)`: `{x, residuals, rank, S}`: the x [..., n, k] of the smallest length that makes the sum of squares of `a x - b`
/// least, of `a` [..., m, n] and `b` [..., m, k], or [m]; these sums [..., k], the ranks [...], and the singular values of `a`
/// [..., min(m, n)], of which those that are small do not count (`RankOptions`). By a singular value decomposition. Throws as `svd`.
template <MatrixOperand A, MatrixOperand B>
    requires(!HasDims<A> && !HasDims<B>)
auto lstsq(const A& given, const B& b, const RankOptions& options = {}) {
    using T = Common<A, B>;
    using P = typename PartOfComplex<T>::type;
    require_rows("lstsq", given.operand(), b.operand());
    const auto a = in_precision<P>(read_once("lstsq", given));
    const auto [u, s, vh] = svd(a);
    const auto is_counted = counted(s, relative_tolerance<P>(options, a.shape()));
    const auto inverses = inverses_of<P>(s, is_counted);
    const auto solved = [&](const auto& right) {
        return matmul(adjoint(vh), inverses(ellipsis, all, new_axis) * matmul(adjoint(u), right));
    };
    const auto squares = [](const auto& x) { return sum(sq(abs(x)), -2); };
    const auto rank = sum(where(is_counted, index_t{1}, index_t{0}), -1);
    using X = MatrixResult<T, A, B>;
    using R = MatrixResult<P, A, B>;
    const bool is_vector = b.rank() == 1;
    const Operand right_side =
        operand_read_once("lstsq", is_vector ? b(all, new_axis).operand() : b.operand());
    const ReadOnly<B> right(right_side);
    const auto x = kept<T, X>(solved(right));
    const auto rest = kept<P, X>(squares(matmul(a, x) - right));
    if (is_vector)
        return LstsqResult<X, R, decltype(rank)>{
            X(x(ellipsis, 0).operand()), R(rest(ellipsis, 0).operand()), rank, R(s.operand())};
    return LstsqResult<X, R, decltype(rank)>{X(x.operand()), R(rest.operand()), rank,
                                             R(s.operand())};
}
/// `lstsq(a(b, i, k), y(b, i), i, k)`: x over b and k, residuals and ranks over b, and S, whose last positional axis is that of
/// the singular values. Other dims and axes of y are as of `solve`.
template <MatrixOperand A, MatrixOperand B>
    requires(HasDims<A>)
auto lstsq(const A& given, const B& right, const Dim& rows, const Dim& columns,
           const RankOptions& options = {}) {
    using T = Common<A, B>;
    using P = typename PartOfComplex<T>::type;
    const auto a = in_precision<P>(read_once("lstsq", given));
    const auto b = read_once("lstsq", right);
    const auto [u, s, vh] = svd(a, rows, columns);
    const auto is_counted = counted(s, relative_tolerance<P>(options, rows, columns));
    const auto along = kept_over<T>(sum(conjugate(u) * b(ellipsis, new_axis), rows));
    const auto x = kept_over<T>(sum(conjugate(vh) * (inverses_of<P>(s, is_counted) * along), -1));
    return LstsqResult<DimTensor<T>, DimTensor<P>, DimTensor<index_t>>{
        x, kept_over<P>(sum(sq(abs(sum(a * x, columns) - b)), rows)),
        kept_over<index_t>(sum(where(is_counted, index_t{1}, index_t{0}), -1)), s};
}

/// `cholesky_solve(l, b)`: x with `a x = b`, given `l = cholesky(a)`, or `u` with `{.upper = true}`. O(n² k). Otherwise as `solve`.
template <MatrixOperand L, MatrixOperand B>
    requires(!HasDims<L> && !HasDims<B>)
auto cholesky_solve(const L& given, const B& b, const TriangleOptions& options = {}) {
    const auto l = read_once("cholesky_solve", given);
    const bool is_vector = b.rank() == 1; // of which a batch has several solutions, no matrix
    const Operand right_side = is_vector ? b(all, new_axis).operand() : b.operand();
    const ReadOnly<B> right(right_side);
    const auto adjoint_of_l = adjoint(l);
    const auto x =
        options.upper ? solve_triangular(l, solve_triangular(adjoint_of_l, right), {.upper = true})
                      : solve_triangular(adjoint_of_l, solve_triangular(l, right), {.upper = true});
    using X = std::remove_const_t<decltype(x)>;
    return is_vector ? X(x(ellipsis, 0).operand()) : x;
}

} // namespace purview::linalg
