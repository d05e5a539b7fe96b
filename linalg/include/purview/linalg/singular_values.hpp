#pragma once

#include <purview/linalg/iterative.hpp>

#include <functional>
#include <optional>
#include <utility>

namespace purview::inline v0_1::linalg {

/// Options of `svds` and `pca`.
template <typename T>
struct SvdsOptions {
    double tolerance = kUsualTolerance<T>; ///< of |A v - σ u| / |A|, and of |Aᴴ u - σ v| / |A|
    index_t max_iterations = -1;           ///< negative: ten for each row or column, of which fewer
    /// Called after each restart with the number of iterations, and the largest residual.
    std::function<void(index_t, double)> on_iteration = {};
    bool throws = true;        ///< where that does not converge
    index_t subspace = -1;     ///< vectors that are kept on each side; negative: 2 k + 20
    bool randomised = false;   ///< by products with random vectors, `passes` of them, at once
    index_t oversampling = 10; ///< more random vectors than k
    index_t passes = 3;        ///< how often the operator, or its adjoint, multiplies: at least 2
};

template <typename T>
struct SvdsResult {
    MutableTensor<T> U;                               ///< [m, k], of functions [..., k]
    MutableTensor<typename PartOfComplex<T>::type> S; ///< [k], descending
    MutableTensor<T> Vh;                              ///< [k, n], of functions [k, ...]
    index_t iterations = 0;
    double residual = 0; ///< the largest, computed of these; of randomised ones not known: NaN
};
template <typename T>
struct PcaResult {
    MutableTensor<T> components; ///< [k, n]: directions, orthonormal
    MutableTensor<typename PartOfComplex<T>::type> explained_variances; ///< [k], descending
    MutableTensor<T> mean;                                              ///< [n], of the rows
    index_t iterations = 0;
    double residual = 0; ///< as of `svds`
};

/// A call of `svds`, type-erased.
struct SvdsRequest {
    const char* what;
    DType dtype;
    OperatorPtr matrix;
    index_t count;
    double tolerance;
    index_t max_iterations;
    std::function<void(index_t, double)> on_iteration = {};
    bool throws;
    index_t subspace = -1;
    bool randomised = false;
    index_t oversampling = 10;
    index_t passes = 3;
    bool signs_of_rows =
        false; ///< the largest component of each row of Vh is positive, not of each column of U
    std::optional<Operand> base = {}; ///< of randomised ones: orthonormal [n, width], else random
};
struct SvdsOperands {
    Operand u, s, vh;
    index_t iterations = 0;
    double residual = 0;
};
PURVIEW_LINALG_EXPORT SvdsOperands svds_result(const SvdsRequest& request);
struct PcaOperands {
    Operand components, variances, mean;
    index_t iterations = 0;
    double residual = 0;
};
/// Of a request of a matrix, which is centred.
PURVIEW_LINALG_EXPORT PcaOperands pca_result(SvdsRequest request);

template <typename T>
SvdsRequest svds_request(const char* what, OperatorPtr a, index_t k,
                         const SvdsOptions<T>& options) {
    return {.what = what,
            .dtype = kDType<T>,
            .matrix = std::move(a),
            .count = k,
            .tolerance = options.tolerance,
            .max_iterations = options.max_iterations,
            .on_iteration = options.on_iteration,
            .throws = options.throws,
            .subspace = options.subspace,
            .randomised = options.randomised,
            .oversampling = options.oversampling,
            .passes = options.passes};
}
template <typename T>
SvdsResult<T> svds_of(OperatorPtr a, index_t k, const SvdsOptions<T>& options) {
    SvdsOperands found = svds_result(svds_request("svds", std::move(a), k, options));
    return {MutableTensor<T>(std::move(found.u)),
            MutableTensor<typename PartOfComplex<T>::type>(std::move(found.s)),
            MutableTensor<T>(std::move(found.vh)), found.iterations, found.residual};
}

/// `svds(a, k)`: the k largest singular values of a matrix [m, n] (dense, sparse, lazy, in chunks), and their vectors, U [m, k] and
/// Vh [k, n], orthonormal; the largest component of each column of U is real and positive. By the bidiagonalisation of Golub and
/// Kahan with thick restarts: an iteration is a product, one with the adjoint, and three passes over what is kept, 2 k + 20 vectors
/// on each side. With `{.randomised = true, .oversampling = 10, .passes = 3}` by products with k + 10 random vectors at once
/// (Halko, Martinsson and Tropp 2011), orthonormal between passes: a matrix in chunks is read `passes` times, and errors are small
/// where singular values beyond k are. O(passes m n k). Throws `LinearAlgebraError` with residual and iterations where the
/// tolerance is not reached; `ShapeError`.
template <MatrixOperand A>
    requires(!HasDims<A>)
auto svds(const A& a, index_t k, const SvdsOptions<Element<A>>& options = {}) {
    using T = Element<A>;
    return svds_of<T>(matrix_operator("svds", a.operand(), kDType<T>), k, options);
}
/// `svds(f, spec<double>({64, 64}), k)`: of a linear function of tensors of that shape, of real numbers, which is traced.
template <typename A, typename T>
    requires OperatorFunction<A, T>
auto svds(const A& a, const Spec<T>& x, index_t k, const SvdsOptions<T>& options = {}) {
    return svds_of<T>(operator_of<T>("svds", a, x.shape, x.shape), k, options);
}
/// `svds(f, adjoint, spec<double>({64, 64}), spec<double>({64}), k)`: of a function of tensors of the first shape with results of
/// the second, and its adjoint.
template <typename A, typename H, typename T>
    requires(OperatorFunction<A, T>&& OperatorFunction<H, T>)
auto svds(const A& a, const H& adjoint, const Spec<T>& x, const Spec<T>& y, index_t k,
          const SvdsOptions<T>& options = {}) {
    return svds_of<T>(paired_operator("svds", operator_of<T>("svds", a, x.shape, y.shape),
                                      operator_of<T>("svds", adjoint, y.shape, x.shape)),
                      k, options);
}

/// `pca(a, k)`: of rows that are observations, [m, n], the k directions in which they vary most, and the variances there, of
/// m - 1. The mean of the rows is taken from products: no other matrix is made. The largest component of each direction is real and
/// positive. Options, cost and errors as of `svds`; the mean is one more reading, randomised it is made with the first
/// product. m is at least 2.
template <MatrixOperand A>
    requires(!HasDims<A>)
auto pca(const A& a, index_t k, const SvdsOptions<Element<A>>& options = {}) {
    using T = Element<A>;
    PcaOperands found = pca_result(
        svds_request<T>("pca", matrix_operator("pca", a.operand(), kDType<T>), k, options));
    return PcaResult<T>{MutableTensor<T>(std::move(found.components)),
                        MutableTensor<typename PartOfComplex<T>::type>(std::move(found.variances)),
                        MutableTensor<T>(std::move(found.mean)), found.iterations, found.residual};
}

} // namespace purview::linalg
