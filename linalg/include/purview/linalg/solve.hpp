#pragma once

#include <purview/linalg/matrix_function.hpp>
#include <purview/named/dim_operand.hpp>

#include <array>

namespace purview::inline v0_1::linalg {

struct SolveOptions {
    IfSingular if_singular = IfSingular::error;
};
struct TriangleOptions {
    bool upper = false; ///< else the lower triangle is read; the other one is not
};
struct CholeskyOptions {
    bool upper =
        false; ///< U of `A = Uᴴ U`, of the upper triangle of A; else L of `A = L Lᴴ`, of the lower one
    IfSingular if_singular = IfSingular::error;
};

template <typename R, typename... X>
auto first_result(MatrixFunction function, const MatrixOptions& options, const X&... x) {
    const std::array<Operand, sizeof...(X)> operands{x.operand()...};
    return MatrixResult<R, X...>(std::move(matrix_results(function, operands, options)[0]));
}
template <typename R, typename... X>
auto first_result_over(MatrixFunction function, const MatrixOptions& options, const Dim& rows,
                       const Dim& columns, const X&... x) {
    const std::array<DimOperand, sizeof...(X)> operands{bound_operand(x)...};
    return ResultHandle<R, X...>(
        std::move(matrix_results_over(function, operands, rows, columns, options)[0]));
}

/// `solve(a, b)`: x with `a x = b`, of `a` [..., n, n] and `b` [..., n, k], or a vector [n] if `b` has one axis; batches
/// are broadcast together. By an LU decomposition with partial pivoting, O(n³ + n² k) for each, members of a batch on all
/// threads. Throws `ShapeError`, and `LinearAlgebraError` for a singular matrix, or with `IfSingular::nan` gives NaN for
/// that member.
template <MatrixOperand A, MatrixOperand B>
    requires(!HasDims<A> && !HasDims<B>)
auto solve(const A& a, const B& b, const SolveOptions& options = {}) {
    return first_result<Common<A, B>>(MatrixFunction::solve, {.if_singular = options.if_singular},
                                      a, b);
}
/// `solve(a(b, i, k), y(b, i), i, k)`: x(b, k) with the sum over k of `a(b, i, k) x(b, k) = y(b, i)`. Otherwise as above.
template <MatrixOperand A, MatrixOperand B>
auto solve(const A& a, const B& b, const Dim& rows, const Dim& columns,
           const SolveOptions& options = {}) {
    return first_result_over<Common<A, B>>(
        MatrixFunction::solve, {.if_singular = options.if_singular}, rows, columns, a, b);
}

/// `solve_triangular(a, b, {.upper = true})`: x with `a x = b` of a triangular `a`, of which the other triangle is not
/// read. O(n² k). Otherwise as `solve`.
template <MatrixOperand A, MatrixOperand B>
    requires(!HasDims<A> && !HasDims<B>)
auto solve_triangular(const A& a, const B& b, const TriangleOptions& options = {}) {
    return first_result<Common<A, B>>(MatrixFunction::solve_triangular, {.upper = options.upper}, a,
                                      b);
}

template <MatrixOperand A, MatrixOperand B>
    requires(HasDims<A>)
auto solve_triangular(const A& a, const B& b, const Dim& rows, const Dim& columns,
                      const TriangleOptions& options = {}) {
    return first_result_over<Common<A, B>>(MatrixFunction::solve_triangular,
                                           {.upper = options.upper}, rows, columns, a, b);
}

/// `inv(a)`: the inverses of [..., n, n]. O(n³). Throws as `solve`, which is faster and more exact where a product with an
/// inverse is wanted.
template <MatrixOperand A>
    requires(!HasDims<A>)
auto inv(const A& a, const SolveOptions& options = {}) {
    return first_result<Element<A>>(MatrixFunction::inv, {.if_singular = options.if_singular}, a);
}
/// `inv(a(i, k), i, k)`: over k and i.
template <MatrixOperand A>
auto inv(const A& a, const Dim& rows, const Dim& columns, const SolveOptions& options = {}) {
    return first_result_over<Element<A>>(MatrixFunction::inv, {.if_singular = options.if_singular},
                                         rows, columns, a);
}

/// `det(a)`: the determinants of [..., n, n], of shape [...]; 0 of a singular matrix. O(n³).
template <MatrixOperand A>
    requires(!HasDims<A>)
auto det(const A& a) { return first_result<Element<A>>(MatrixFunction::det, {}, a); }
template <MatrixOperand A>
auto det(const A& a, const Dim& rows, const Dim& columns) {
    return first_result_over<Element<A>>(MatrixFunction::det, {}, rows, columns, a);
}

template <typename S, typename L>
struct SlogdetResult {
    S sign;
    L logabsdet;
};
/// `slogdet(a)`: `{sign, logabsdet}` with `det(a) = sign * exp(logabsdet)`, which neither overflows nor underflows: of a
/// singular matrix 0 and -inf; of complex ones a sign of absolute value 1. O(n³).
template <MatrixOperand A>
    requires(!HasDims<A>)
auto slogdet(const A& a) {
    std::vector<Operand> both = matrix_results(MatrixFunction::slogdet, std::array{a.operand()});
    return SlogdetResult{MatrixResult<Element<A>, A>(std::move(both[0])),
                         MatrixResult<RealOf<A>, A>(std::move(both[1]))};
}
template <MatrixOperand A>
    requires(HasDims<A>)
auto slogdet(const A& a, const Dim& rows, const Dim& columns) {
    std::vector<DimOperand> both = results_over(MatrixFunction::slogdet, a, rows, columns);
    return SlogdetResult{ResultHandle<Element<A>, A>(std::move(both[0])),
                         ResultHandle<RealOf<A>, A>(std::move(both[1]))};
}

/// `cholesky(a)`: the lower triangular L with `a = L Lᴴ` and a positive diagonal, of a Hermitian positive definite [..., n, n],
/// of which the lower triangle is read. O(n³). Throws `LinearAlgebraError` where it is not positive definite.
template <MatrixOperand A>
    requires(!HasDims<A>)
auto cholesky(const A& a, const CholeskyOptions& options = {}) {
    return first_result<Element<A>>(
        MatrixFunction::cholesky, {.upper = options.upper, .if_singular = options.if_singular}, a);
}
/// `cholesky(a(i, k), i, k)`: L over i, and U over k, whose other index is the last positional axis: `cholesky(a(i, k), i,
/// k)(k)` is over both.
template <MatrixOperand A>
    requires(HasDims<A>)
auto cholesky(const A& a, const Dim& rows, const Dim& columns,
              const CholeskyOptions& options = {}) {
    return first_result_over<Element<A>>(
        MatrixFunction::cholesky, {.upper = options.upper, .if_singular = options.if_singular},
        rows, columns, a);
}

} // namespace purview::linalg
