#pragma once

#include <purview/linalg/linear_operator.hpp>

#include <cstdint>

namespace purview::inline v0_1::linalg {

enum class Incomplete : std::uint8_t { cholesky, lu };
/// What solves with incomplete factors of a sparse matrix, in the places of its own elements. Throws `ShapeError`, `KindError`,
/// `LinearAlgebraError`.
PURVIEW_LINALG_EXPORT OperatorPtr incomplete_factors(Incomplete kind, const Operand& matrix,
                                                     DType dtype);
/// What an operator makes of a vector of its type, in new memory. Throws `ShapeError`.
PURVIEW_LINALG_EXPORT Operand product_with(const char* what, const LinearOperator& a,
                                           const Operand& x);

/// A preconditioner that solves with incomplete factors.
template <typename T>
struct IncompleteFactors {
    const char* what;
    OperatorPtr inverse;

    const OperatorPtr& linear_operator() const noexcept { return inverse; }
    Tensor<T> operator()(const Tensor<T>& x) const {
        return Tensor<T>(product_with(what, *inverse, x.operand()));
    }
};

/// `ic0(a)`: a preconditioner for `cg`, `minres` and `lobpcg`: L with nearly `a = L Lᴴ`, which is 0 where the sparse Hermitian
/// positive definite [n, n], of which the lower triangle is read, is. Of stored elements s: O(s²/n), and a use O(s), on one thread.
/// Throws `LinearAlgebraError` with row and pivot where that is not positive, as may happen for a matrix that is definite: add to
/// its diagonal; `KindError` of a matrix that is not sparse, or of another fill than 0; `ShapeError`.
template <MatrixOperand A>
    requires(!HasDims<A>)
auto ic0(const A& a) {
    using T = Element<A>;
    return IncompleteFactors<T>{"ic0",
                                incomplete_factors(Incomplete::cholesky, a.operand(), kDType<T>)};
}
/// `ilu0(a)`: a preconditioner for `gmres` and `bicgstab`: L and U with nearly `a = L U`, which are 0 where the sparse [n, n] is.
/// Throws `LinearAlgebraError` with row and pivot where that is 0 or not stored. Otherwise as `ic0`.
template <MatrixOperand A>
    requires(!HasDims<A>)
auto ilu0(const A& a) {
    using T = Element<A>;
    return IncompleteFactors<T>{"ilu0", incomplete_factors(Incomplete::lu, a.operand(), kDType<T>)};
}

} // namespace purview::linalg
