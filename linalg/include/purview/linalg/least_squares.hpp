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

/// Pseudo-inverses [..., n, m], and the singular values [..., k], type-erased.
struct PseudoInverse {
    Operand inverse, values;
};
/// Of matrices [..., m, n]; a tolerance is relative, one for all or [...]. Of symbols a node.
PURVIEW_LINALG_EXPORT PseudoInverse pseudo_inverse(const Operand& a,
                                                   const std::optional<Operand>& tolerance);
/// The inverse over columns and rows, and the singular values, whose positional axis is the last one.
struct PseudoInverseOver {
    DimOperand inverse, values;
};
/// `pseudo_inverse` over dims.
PURVIEW_LINALG_EXPORT PseudoInverseOver pseudo_inverse_over(const DimOperand& a, const Dim& rows,
                                                            const Dim& columns,
                                                            const RankOptions& options);
/// The tolerance of options as an operand, if there is one.
PURVIEW_LINALG_EXPORT std::optional<Operand> tolerance_operand(const RankOptions& options);

/// `pinv(a)`: the pseudo-inverses [..., n, m] of [..., m, n], by the singular values that count (`RankOptions`). O(m n min(m, n)).
/// Derivatives are those of matrices that keep their rank, of equal singular values, too. Throws as `svd`.
template <MatrixOperand A>
    requires(!HasDims<A>)
auto pinv(const A& a, const RankOptions& options = {}) {
    return MatrixResult<Element<A>, A>(
        pseudo_inverse(a.operand(), tolerance_operand(options)).inverse);
}
/// `pinv(a(i, k), i, k)`: over k and i.
template <MatrixOperand A>
    requires(HasDims<A>)
auto pinv(const A& a, const Dim& rows, const Dim& columns, const RankOptions& options = {}) {
    return DimTensor<Element<A>>(
        pseudo_inverse_over(bound_operand(a), rows, columns, options).inverse);
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

/// The singular values of matrices, and what makes the least solutions of right sides of them. In a traced function by the
/// pseudo-inverse, for its derivatives.
template <typename A>
auto least_squares(const A& a, const RankOptions& options) {
    using R = RealOf<A>;
    if constexpr (std::same_as<ResultKind<A>, TensorKind>) {
        const auto [u, s, vh] = svd(a);
        const auto inverses =
            inverses_of<R>(s, counted(s, relative_tolerance<R>(options, a.shape())));
        return std::pair(s, [=](const auto& right) {
            return matmul(adjoint(vh),
                          inverses(ellipsis, all, new_axis) * matmul(adjoint(u), right));
        });
    } else {
        const PseudoInverse made = pseudo_inverse(a.operand(), tolerance_operand(options));
        const MatrixResult<Element<A>, A> inverse(made.inverse);
        return std::pair(MatrixResult<R, A>(made.values),
                         [=](const auto& right) { return matmul(inverse, right); });
    }
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
    const auto [s, solved] = least_squares(a, options);
    const auto squares = [](const auto& x) { return sum(sq(abs(x)), -2); };
    const auto rank = sum(
        where(counted(s, relative_tolerance<P>(options, a.shape())), index_t{1}, index_t{0}), -1);
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
    const auto result = [&](const DimTensor<T>& x, const DimTensor<P>& s) {
        const auto is_counted = counted(s, relative_tolerance<P>(options, rows, columns));
        return LstsqResult<DimTensor<T>, DimTensor<P>, DimTensor<index_t>>{
            x, kept_over<P>(sum(sq(abs(sum(a * x, columns) - b)), rows)),
            kept_over<index_t>(sum(where(is_counted, index_t{1}, index_t{0}), -1)), s};
    };
    if (const DimOperand x = bound_operand(a); x.operand.node->reads(Below::symbol)) {
        PseudoInverseOver made = pseudo_inverse_over(x, rows, columns, options);
        return result(kept_over<T>(sum(DimTensor<Element<A>>(std::move(made.inverse)) * b, rows)),
                      DimTensor<P>(std::move(made.values)));
    }
    const auto [u, s, vh] = svd(a, rows, columns);
    const auto inverses =
        inverses_of<P>(s, counted(s, relative_tolerance<P>(options, rows, columns)));
    const auto along = kept_over<T>(sum(conjugate(u) * b(ellipsis, new_axis), rows));
    return result(kept_over<T>(sum(conjugate(vh) * (inverses * along), -1)), s);
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
/// The same over dims, of a factor and its conjugate.
PURVIEW_LINALG_EXPORT DimOperand cholesky_solved_over(const DimOperand& l,
                                                      const DimOperand& conjugate,
                                                      const DimOperand& b, const Dim& rows,
                                                      const Dim& columns, bool upper);
/// `cholesky_solve(l, y(i), i, k)`: x over k, given `l = cholesky(a(i, k), i, k)`. Other dims are as of `solve`.
template <MatrixOperand L, MatrixOperand B>
    requires(HasDims<L>)
auto cholesky_solve(const L& given, const B& b, const Dim& rows, const Dim& columns,
                    const TriangleOptions& options = {}) {
    const auto l = read_once("cholesky_solve", given);
    return DimTensor<Common<L, B>>(
        cholesky_solved_over(bound_operand(l), bound_operand(conjugate(l)), bound_operand(b), rows,
                             columns, options.upper));
}

} // namespace purview::linalg
