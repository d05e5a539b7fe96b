#pragma once

#include <purview/linalg/solve.hpp>

#include <array>

namespace purview::inline v0_1::linalg {

/// Of decompositions into factors that may be square.
struct FactorOptions {
    bool full =
        false; ///< square factors: bases of the whole spaces, of which the last vectors are any
};
struct EighOptions {
    bool upper = false; ///< the triangle that is read
};

template <typename Q_, typename R_>
struct QrResult {
    Q_ Q;
    R_ R;
};
/// `qr(a)`: `{Q, R}` with `a = Q R`, of [..., m, n]: Q [..., m, k] with orthonormal columns, R [..., k, n] upper triangular with
/// a real diagonal that is not negative, k = min(m, n); with `{.full = true}` Q [..., m, m] and R [..., m, n]. O(m n k).
template <MatrixOperand A>
    requires(!HasDims<A>)
auto qr(const A& a, const FactorOptions& options = {}) {
    std::vector<Operand> both =
        matrix_results(MatrixFunction::qr, std::array{a.operand()}, {.full = options.full});
    using Factor = MatrixResult<Element<A>, A>;
    return QrResult{Factor(std::move(both[0])), Factor(std::move(both[1]))};
}
/// `qr(a(i, k), i, k)`: Q over i and R over k, whose other index is the last positional axis: `sum(Q * R, -1)` is a.
template <MatrixOperand A>
    requires(HasDims<A>)
auto qr(const A& a, const Dim& rows, const Dim& columns, const FactorOptions& options = {}) {
    std::vector<DimOperand> both =
        results_over(MatrixFunction::qr, a, rows, columns, {.full = options.full});
    using Factor = ResultHandle<Element<A>, A>;
    return QrResult{Factor(std::move(both[0])), Factor(std::move(both[1]))};
}

template <typename P_, typename F>
struct LuResult {
    P_ P;
    F L, U;
};
/// `lu(a)`: `{P, L, U}` of [..., m, n]: row i of `L U` is row `P(i)` of `a`; P is a list of int64 [..., m], L [..., m, k] lower
/// triangular with a diagonal of ones, U [..., k, n] upper triangular. Of singular matrices, too. O(m n k).
template <MatrixOperand A>
    requires(!HasDims<A>)
auto lu(const A& a) {
    std::vector<Operand> all = matrix_results(MatrixFunction::lu, std::array{a.operand()});
    using Factor = MatrixResult<Element<A>, A>;
    return LuResult<MatrixResult<std::int64_t, A>, Factor>{
        MatrixResult<std::int64_t, A>(std::move(all[0])), Factor(std::move(all[1])),
        Factor(std::move(all[2]))};
}
/// `lu(a(i, k), i, k)`: P and L over i, U over k; the other index of L and U is the last positional axis.
template <MatrixOperand A>
    requires(HasDims<A>)
auto lu(const A& a, const Dim& rows, const Dim& columns) {
    std::vector<DimOperand> all = results_over(MatrixFunction::lu, a, rows, columns);
    using Places = ResultHandle<std::int64_t, A>;
    using Factor = ResultHandle<Element<A>, A>;
    return LuResult<Places, Factor>{Places(std::move(all[0])), Factor(std::move(all[1])),
                                    Factor(std::move(all[2]))};
}

template <typename F, typename V>
struct SvdResult {
    F U;
    V S;
    F Vh;
};
/// `svd(a)`: `{U, S, Vh}` with `a = U diag(S) Vh`, of [..., m, n]: U [..., m, k] and Vh [..., k, n] orthonormal, S [..., k] the
/// singular values, real, from the largest on, k = min(m, n); with `{.full = true}` U [..., m, m] and Vh [..., n, n]. The
/// largest component of each column of U is real and positive; of equal singular values the vectors are any basis. O(m n k).
/// Throws `LinearAlgebraError` where it does not converge, for NaN.
template <MatrixOperand A>
    requires(!HasDims<A>)
auto svd(const A& a, const FactorOptions& options = {}) {
    std::vector<Operand> all =
        matrix_results(MatrixFunction::svd, std::array{a.operand()}, {.full = options.full});
    using Factor = MatrixResult<Element<A>, A>;
    using Values = MatrixResult<RealOf<A>, A>;
    return SvdResult<Factor, Values>{Factor(std::move(all[0])), Values(std::move(all[1])),
                                     Factor(std::move(all[2]))};
}
/// `svd(a(i, k), i, k)`: U over i and Vh over k; the singular values are along the last positional axis of all three:
/// `sum(U * S * Vh, -1)` is a.
template <MatrixOperand A>
    requires(HasDims<A>)
auto svd(const A& a, const Dim& rows, const Dim& columns, const FactorOptions& options = {}) {
    std::vector<DimOperand> all =
        results_over(MatrixFunction::svd, a, rows, columns, {.full = options.full});
    using Factor = ResultHandle<Element<A>, A>;
    using Values = ResultHandle<RealOf<A>, A>;
    return SvdResult<Factor, Values>{Factor(std::move(all[0])), Values(std::move(all[1])),
                                     Factor(std::move(all[2]))};
}
/// `svdvals(a)`: the singular values [..., k] alone, for about a third of the time.
template <MatrixOperand A>
    requires(!HasDims<A>)
auto svdvals(const A& a) {
    return MatrixResult<RealOf<A>, A>(
        std::move(matrix_results(MatrixFunction::svdvals, std::array{a.operand()})[0]));
}
template <MatrixOperand A>
    requires(HasDims<A>)
auto svdvals(const A& a, const Dim& rows, const Dim& columns) {
    return ResultHandle<RealOf<A>, A>(
        std::move(results_over(MatrixFunction::svdvals, a, rows, columns)[0]));
}

template <typename V, typename F>
struct EighResult {
    V eigenvalues;
    F eigenvectors;
};
/// `eigh(a)`: `{eigenvalues, eigenvectors}` of Hermitian [..., n, n], of which the lower triangle is read: real values [..., n],
/// ascending, and orthonormal vectors, the columns of [..., n, n], of each of which the largest component is real and
/// positive; of equal values the vectors are any basis. O(n³).
template <MatrixOperand A>
    requires(!HasDims<A>)
auto eigh(const A& a, const EighOptions& options = {}) {
    std::vector<Operand> both =
        matrix_results(MatrixFunction::eigh, std::array{a.operand()}, {.upper = options.upper});
    return EighResult{MatrixResult<RealOf<A>, A>(std::move(both[0])),
                      MatrixResult<Element<A>, A>(std::move(both[1]))};
}
/// `eigh(a(i, k), i, k)`: eigenvectors over k, as solutions are; which of them it is is the last positional axis of both:
/// `sum(a(i, k) * eigenvectors, k)` is the eigenvalues times the eigenvectors over i.
template <MatrixOperand A>
    requires(HasDims<A>)
auto eigh(const A& a, const Dim& rows, const Dim& columns, const EighOptions& options = {}) {
    std::vector<DimOperand> both =
        results_over(MatrixFunction::eigh, a, rows, columns, {.upper = options.upper});
    using V = ResultHandle<RealOf<A>, A>;
    using F = ResultHandle<Element<A>, A>;
    return EighResult<V, F>{V(std::move(both[0])), F(std::move(both[1]))};
}
/// `eigvalsh(a)`: the eigenvalues alone.
template <MatrixOperand A>
    requires(!HasDims<A>)
auto eigvalsh(const A& a, const EighOptions& options = {}) {
    return MatrixResult<RealOf<A>, A>(std::move(matrix_results(
        MatrixFunction::eigvalsh, std::array{a.operand()}, {.upper = options.upper})[0]));
}
template <MatrixOperand A>
    requires(HasDims<A>)
auto eigvalsh(const A& a, const Dim& rows, const Dim& columns, const EighOptions& options = {}) {
    return ResultHandle<RealOf<A>, A>(std::move(
        results_over(MatrixFunction::eigvalsh, a, rows, columns, {.upper = options.upper})[0]));
}

/// `eig(a)`: `{eigenvalues, eigenvectors}` of any [..., n, n], complex, in no order: values [..., n], and vectors of length 1,
/// the columns of [..., n, n], of each of which the largest component is real and positive. O(n³).
template <MatrixOperand A>
    requires(!HasDims<A>)
auto eig(const A& a) {
    std::vector<Operand> both = matrix_results(MatrixFunction::eig, std::array{a.operand()});
    using Z = MatrixResult<std::complex<RealOf<A>>, A>;
    return EighResult<Z, Z>{Z(std::move(both[0])), Z(std::move(both[1]))};
}
/// `eig(a(i, k), i, k)`: over dims as `eigh`.
template <MatrixOperand A>
    requires(HasDims<A>)
auto eig(const A& a, const Dim& rows, const Dim& columns) {
    std::vector<DimOperand> both = results_over(MatrixFunction::eig, a, rows, columns);
    using Z = ResultHandle<std::complex<RealOf<A>>, A>;
    return EighResult<Z, Z>{Z(std::move(both[0])), Z(std::move(both[1]))};
}
/// `eigvals(a)`: the eigenvalues alone.
template <MatrixOperand A>
    requires(!HasDims<A>)
auto eigvals(const A& a) {
    return MatrixResult<std::complex<RealOf<A>>, A>(
        std::move(matrix_results(MatrixFunction::eigvals, std::array{a.operand()})[0]));
}
template <MatrixOperand A>
    requires(HasDims<A>)
auto eigvals(const A& a, const Dim& rows, const Dim& columns) {
    return ResultHandle<std::complex<RealOf<A>>, A>(
        std::move(results_over(MatrixFunction::eigvals, a, rows, columns)[0]));
}

/// `expm(a)`: the exponential of [..., n, n], the sum of its powers divided by factorials: by Padé's approximation of degree
/// 13 and repeated squaring (Higham 2005). O(n³ log |a|).
template <MatrixOperand A>
    requires(!HasDims<A>)
auto expm(const A& a) {
    return MatrixResult<Element<A>, A>(
        std::move(matrix_results(MatrixFunction::expm, std::array{a.operand()})[0]));
}
/// `expm(a(i, k), i, k)`: over i and k.
template <MatrixOperand A>
    requires(HasDims<A>)
auto expm(const A& a, const Dim& rows, const Dim& columns) {
    return first_result_over<Element<A>>(MatrixFunction::expm, {}, rows, columns, a);
}

} // namespace purview::linalg
