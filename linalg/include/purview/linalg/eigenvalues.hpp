#pragma once

#include <purview/linalg/iterative.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

namespace purview::inline v0_1::linalg {

/// Which eigenvalues are looked for.
struct Which {
    enum class End : std::uint8_t { smallest, largest, near } end;
    double sigma = 0;
};
inline constexpr Which smallest{Which::End::smallest}, largest{Which::End::largest};
/// Those next to sigma, which is no eigenvalue itself.
constexpr Which near(double sigma) { return {Which::End::near, sigma}; }

/// Options of `eigsh`.
template <typename T>
struct EigshOptions {
    Which which = smallest;
    double tolerance = kUsualTolerance<T>; ///< of |A x - λ x| / |A|
    index_t max_iterations = -1;           ///< negative: ten for each element of a vector
    Preconditioner<T> preconditioner = {}; ///< near(sigma): of `minres` for A - sigma
    /// Called after each restart with the number of iterations, and the largest |A x - λ x| / |A|.
    std::function<void(index_t, double)> on_iteration = {};
    bool throws = true;                  ///< where that does not converge
    std::optional<Tensor<T>> start = {}; ///< else random numbers
    index_t subspace = -1;               ///< vectors that are kept; negative: 2 k + 20
};
/// Options of `lobpcg`.
template <typename T>
struct LobpcgOptions {
    bool largest = false;
    double tolerance = kUsualTolerance<T>; ///< of |A x - λ x| / |A|
    index_t max_iterations = 500;
    Preconditioner<T> preconditioner = {}; ///< nearly A⁻¹, positive definite
    std::function<void(index_t, double)> on_iteration = {};
    bool throws = true;
};

template <typename T>
struct EigenvaluesResult {
    MutableTensor<typename PartOfComplex<T>::type> eigenvalues; ///< [k], ascending
    MutableTensor<T> eigenvectors;                              ///< [..., k]
    index_t iterations = 0;
    double residual = 0; ///< the largest |A x - λ x| / |A|, computed of these x
};

/// A call of `eigsh` or, with vectors to start from [..., k], of `lobpcg`, type-erased.
struct EigenvaluesRequest {
    const char* what;
    DType dtype;
    OperatorPtr matrix;
    OperatorPtr preconditioner = nullptr;
    index_t count;
    Which which;
    std::optional<Operand> start = {};
    double tolerance;
    index_t max_iterations;
    std::function<void(index_t, double)> on_iteration = {};
    bool throws;
    index_t subspace = -1;
    const JoinedParts* parts = nullptr; ///< of `lobpcg` alone
};
struct EigenvaluesOperands {
    Operand values, vectors;
    index_t iterations = 0;
    double residual = 0;
};
PURVIEW_LINALG_EXPORT EigenvaluesOperands eigsh_result(const EigenvaluesRequest& request);
PURVIEW_LINALG_EXPORT EigenvaluesOperands lobpcg_result(const EigenvaluesRequest& request);
/// Of vectors [..., k] the shape of one. Throws `ShapeError`.
PURVIEW_LINALG_EXPORT Shape shape_of_columns(const char* what, const Operand& vectors);

template <typename T>
EigenvaluesResult<T> eigenvalues_result(EigenvaluesOperands&& found) {
    return {MutableTensor<typename PartOfComplex<T>::type>(std::move(found.values)),
            MutableTensor<T>(std::move(found.vectors)), found.iterations, found.residual};
}
template <typename T>
EigenvaluesResult<T> eigsh_of(OperatorPtr a, index_t k, const EigshOptions<T>& options) {
    EigenvaluesRequest request{.what = "eigsh",
                               .dtype = kDType<T>,
                               .matrix = std::move(a),
                               .count = k,
                               .which = options.which,
                               .tolerance = options.tolerance,
                               .max_iterations = options.max_iterations,
                               .on_iteration = options.on_iteration,
                               .throws = options.throws,
                               .subspace = options.subspace};
    request.preconditioner = options.preconditioner.over(request.what, request.matrix->from());
    if (options.start) request.start = options.start->operand();
    return eigenvalues_result<T>(eigsh_result(request));
}

/// `eigsh(a, k, {.which = smallest})`: k eigenvalues, and orthonormal eigenvectors [n, k], of a Hermitian matrix [n, n] (dense,
/// sparse, lazy, in chunks), by Lanczos' method with thick restarts: those of an end, or, with `near(sigma)`, those next to a
/// number, by `minres` with a less sigma. The largest component of each vector is real and positive. Keeps 2 k + 20 vectors; an
/// iteration is a product and three passes over these. What has converged is checked from another, random start, as one start finds
/// one vector of each eigenvalue. Throws `LinearAlgebraError` with residual and iterations where the tolerance is not reached;
/// `ShapeError`.
template <MatrixOperand A>
    requires(!HasDims<A>)
auto eigsh(const A& a, index_t k, const EigshOptions<Element<A>>& options = {}) {
    using T = Element<A>;
    return eigsh_of<T>(matrix_operator("eigsh", a.operand(), kDType<T>), k, options);
}
/// `eigsh(f, spec<double>({64, 64}), k)`: of a linear function of tensors of that shape, as those of `cg`; eigenvectors
/// [64, 64, k].
template <typename A, typename T>
    requires OperatorFunction<A, T>
auto eigsh(const A& a, const Spec<T>& vectors, index_t k, const EigshOptions<T>& options = {}) {
    return eigsh_of<T>(operator_of<T>("eigsh", a, vectors.shape, vectors.shape), k, options);
}

/// `lobpcg(a, x, {.largest, .preconditioner})`: as many of the smallest, or largest, eigenvalues of a Hermitian operator as x
/// [..., k] has vectors, from which it starts, by the locally optimal block method of conjugate gradients: with a preconditioner for
/// large systems where `eigsh` takes many iterations. An iteration is k products and preconditionings; keeps 6 k vectors.
/// Otherwise as `eigsh`.
template <typename A, MatrixOperand X>
    requires(!HasDims<X> && ((MatrixOperand<A> && !HasDims<A>) || OperatorFunction<A, Element<X>>))
auto lobpcg(const A& a, const X& x, const LobpcgOptions<ElementOf<A, X>>& options = {}) {
    using T = ElementOf<A, X>;
    const char* const what = "lobpcg";
    const Operand start = x.operand();
    const Shape shape = shape_of_columns(what, start);
    EigenvaluesRequest request{.what = what,
                               .dtype = kDType<T>,
                               .matrix = operator_of<T>(what, a, shape, shape),
                               .count = start.dims.max_shape().back(),
                               .which = options.largest ? largest : smallest,
                               .start = start,
                               .tolerance = options.tolerance,
                               .max_iterations = options.max_iterations,
                               .on_iteration = options.on_iteration,
                               .throws = options.throws};
    request.preconditioner = options.preconditioner.over(what, shape);
    return eigenvalues_result<T>(lobpcg_result(request));
}

} // namespace purview::linalg
