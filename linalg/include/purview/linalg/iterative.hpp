#pragma once

#include <purview/linalg/linear_operator.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1::linalg {

/// Where iterations end unless something else is asked for.
template <typename T>
inline constexpr double kUsualTolerance =
    std::is_same_v<typename PartOfComplex<T>::type, float> ? 1e-5 : 1e-8;

/// Options of `cg`, `minres` and `bicgstab`, for vectors of T.
template <typename T>
struct IterativeOptions {
    double tolerance = kUsualTolerance<T>; ///< of |b - A x| / |b|
    index_t max_iterations = -1;           ///< negative: ten for each unknown
    Preconditioner<T> preconditioner = {}; ///< nearly A⁻¹
    /// Called after each iteration with its number, from 1 on, and |b - A x| / |b|.
    std::function<void(index_t, double)> on_iteration = {};
    bool throws = true;                  ///< where that does not converge
    std::optional<Tensor<T>> start = {}; ///< else 0
};
/// Options of `gmres`.
template <typename T>
struct GmresOptions {
    double tolerance = kUsualTolerance<T>;
    index_t max_iterations = -1;
    Preconditioner<T> preconditioner = {};
    std::function<void(index_t, double)> on_iteration = {};
    bool throws = true;
    std::optional<Tensor<T>> start = {};
    index_t restart = 30; ///< iterations between restarts: as many vectors are kept
};
/// Options of `lsmr`.
template <typename T>
struct LsmrOptions {
    double tolerance =
        kUsualTolerance<T>; ///< of |Aᴴ r| / (|A| |r|), and of |r| / |b|, with r = b - A x
    index_t max_iterations = -1;
    double damping = 0; ///< d: |b - A x|² + d² |x|² is least
    std::function<void(index_t, double)> on_iteration = {};
    bool throws = true;
    std::optional<Tensor<T>> start =
        {}; ///< of the shape of x, which a function needs if that is not the shape of b
};

template <typename T>
struct IterativeResult {
    MutableTensor<T> x;
    index_t iterations = 0;
    double residual = 0; ///< |b - A x| / |b|, computed of this x
};

enum class IterativeMethod : std::uint8_t { cg, minres, bicgstab, gmres, lsmr };
/// "cg".
PURVIEW_LINALG_EXPORT const char* name_of(IterativeMethod method) noexcept;

/// Of vectors of which each of several processes has a part, all of them calling the same: joins what they find.
class PURVIEW_LINALG_EXPORT JoinedParts {
public:
    /// `before`: how many elements lie on processes before this one, of `all`.
    JoinedParts(index_t before, index_t all, bool is_first) noexcept
        : before_(before), all_(all), is_first_(is_first) {}
    JoinedParts(const JoinedParts&) = delete;
    JoinedParts& operator=(const JoinedParts&) = delete;
    virtual ~JoinedParts();
    index_t before() const noexcept { return before_; }
    index_t all() const noexcept { return all_; }
    bool is_first() const noexcept { return is_first_; }
    /// Sums, in place, the same bits everywhere.
    virtual void add(std::span<double> sums) const = 0;
    virtual double largest(double own) const = 0;

private:
    index_t before_, all_;
    bool is_first_;
};

/// A call of an iterative method, type-erased.
struct IterativeRequest {
    IterativeMethod method;
    DType dtype;
    OperatorPtr matrix;
    OperatorPtr preconditioner = nullptr;
    Operand right;
    std::optional<Operand> start = {};
    double tolerance;
    index_t max_iterations;
    std::function<void(index_t, double)> on_iteration = {};
    bool throws;
    index_t restart = 30;
    double damping = 0;
    const JoinedParts* parts = nullptr; ///< not of `lsmr`
};
struct IterativeOperands {
    Operand x;
    index_t iterations;
    double residual;
};
PURVIEW_LINALG_EXPORT IterativeOperands iterative_result(const IterativeRequest& request);

/// The shape of x, as far as options say it.
template <typename B, typename O>
ShapeSpan shape_of_x(const B& b, const O& options) {
    return (options.start ? options.start->operand() : b.operand()).dims.max_shape();
}
/// The operator of a matrix or a function.
template <typename T, typename A, typename B, typename O>
OperatorPtr operator_beside(IterativeMethod method, const A& a, const B& b, const O& options) {
    return operator_of<T>(name_of(method), a, shape_of_x(b, options), b.operand().dims.max_shape());
}
/// A call; of an operator that is null, to be made of a function.
template <typename T, typename B, typename O>
IterativeRequest request_of(IterativeMethod method, OperatorPtr a, const B& b, const O& options) {
    IterativeRequest request{.method = method,
                             .dtype = kDType<T>,
                             .matrix = std::move(a),
                             .right = b.operand(),
                             .tolerance = options.tolerance,
                             .max_iterations = options.max_iterations,
                             .on_iteration = options.on_iteration,
                             .throws = options.throws};
    if constexpr (requires { options.preconditioner; })
        request.preconditioner = options.preconditioner.over(
            name_of(method),
            request.matrix == nullptr ? shape_of_x(b, options) : request.matrix->from());
    if constexpr (requires { options.restart; }) request.restart = options.restart;
    if constexpr (requires { options.damping; }) request.damping = options.damping;
    if (options.start) request.start = options.start->operand();
    return request;
}
template <typename T, typename B, typename O>
IterativeResult<T> iterated(IterativeMethod method, OperatorPtr a, const B& b, const O& options) {
    IterativeOperands result = iterative_result(request_of<T>(method, std::move(a), b, options));
    return {MutableTensor<T>(std::move(result.x)), result.iterations, result.residual};
}

/// What a method gives in a traced function.
template <typename T>
struct TracedIterativeResult {
    Symbol<T> x;
    Symbol<index_t> iterations;
    Symbol<double> residual;
};
/// x, iterations and residual, in a traced function: of the operator of a request, or of a function that may capture symbols.
PURVIEW_LINALG_EXPORT std::vector<Operand>
iterative_stage(IterativeRequest request, std::unique_ptr<const FunctionOfSymbols> function,
                ShapeSpan from);

/// A method of operators from vectors to vectors of the same shape: called now, or a node where one of the two is a symbol.
template <typename T, typename A, typename B, typename O>
auto solved_by(IterativeMethod method, const A& a, const B& b, const O& options) {
    if constexpr (!SymbolLike<A> && !SymbolLike<B>) {
        return iterated<T>(method, operator_beside<T>(method, a, b, options), b, options);
    } else {
        const ShapeSpan from = shape_of_x(b, options);
        const auto stage = [&](OperatorPtr matrix, auto... function) {
            std::unique_ptr<const FunctionOfSymbols> traced;
            if constexpr (sizeof...(function) == 1)
                traced.reset(new TypedFunctionOfSymbols<decltype(function)..., Symbol<T>>(
                    std::move(function)...));
            const std::vector<Operand> all = iterative_stage(
                request_of<T>(method, std::move(matrix), b, options), std::move(traced), from);
            return TracedIterativeResult<T>{Symbol<T>(all[0]), Symbol<index_t>(all[1]),
                                            Symbol<double>(all[2])};
        };
        if constexpr (SymbolLike<A>)
            return stage(nullptr, [a](const Symbol<T>& x) {
                return Symbol<T>(matmul(a, x(all, new_axis))(all, 0).operand());
            });
        else if constexpr (!TensorLike<A> && std::invocable<const A&, Symbol<T>>)
            return stage(nullptr, a);
        else
            return stage(operator_beside<T>(method, a, b, options));
    }
}

template <typename A, typename B>
using ElementOf = typename OperatorElement<A, B>::type;
/// A matrix or a function, and a right side.
template <typename A, typename B>
concept OperatorAndVector = MatrixOperand<B> && !HasDims<B> &&
                            ((MatrixOperand<A> && !HasDims<A>) || OperatorFunction<A, Element<B>>);

/// `cg(a, b)`: x with `a x = b`, by conjugate gradients, of a Hermitian positive definite operator: a matrix [n, n] (dense,
/// sparse, lazy, in chunks), or a linear function of a tensor of the shape of b. A function of `auto`, or of a symbol, is
/// traced and compiled once; one of a `Tensor<T>` is called for each product. Its preconditioner is positive definite, too.
/// An iteration is a product, and three passes over vectors. Throws `LinearAlgebraError` with residual and iterations where
/// the tolerance is not reached, or the operator is not positive definite; `ShapeError`. In a traced function, where `a` or `b`
/// is a symbol, a node (`TracedIterativeResult`), with derivatives of x by b and by what a function captures.
template <typename A, typename B>
    requires OperatorAndVector<A, B>
auto cg(const A& a, const B& b, const IterativeOptions<ElementOf<A, B>>& options = {}) {
    using T = ElementOf<A, B>;
    constexpr auto kMethod = IterativeMethod::cg;
    return solved_by<T>(kMethod, a, b, options);
}
/// `minres(a, b)`: of a Hermitian operator, which need not be positive definite; its preconditioner is. Otherwise as `cg`.
template <typename A, typename B>
    requires OperatorAndVector<A, B>
auto minres(const A& a, const B& b, const IterativeOptions<ElementOf<A, B>>& options = {}) {
    using T = ElementOf<A, B>;
    constexpr auto kMethod = IterativeMethod::minres;
    return solved_by<T>(kMethod, a, b, options);
}
/// `bicgstab(a, b)`: of any operator that is invertible. Two products an iteration. Otherwise as `cg`.
template <typename A, typename B>
    requires OperatorAndVector<A, B>
auto bicgstab(const A& a, const B& b, const IterativeOptions<ElementOf<A, B>>& options = {}) {
    using T = ElementOf<A, B>;
    constexpr auto kMethod = IterativeMethod::bicgstab;
    return solved_by<T>(kMethod, a, b, options);
}
/// `gmres(a, b, {.restart = 30})`: of any operator that is invertible, with residuals that do not grow. Keeps `restart`
/// vectors. Otherwise as `cg`.
template <typename A, typename B>
    requires OperatorAndVector<A, B>
auto gmres(const A& a, const B& b, const GmresOptions<ElementOf<A, B>>& options = {}) {
    using T = ElementOf<A, B>;
    constexpr auto kMethod = IterativeMethod::gmres;
    return solved_by<T>(kMethod, a, b, options);
}
/// `lsmr(a, b, {.damping})`: x of least |b - a x|, and of these of least norm, of any operator. A product with it and one with its
/// adjoint an iteration: of a function that is traced its derivative; others are given as `lsmr(a, adjoint, b, …)`. Otherwise as
/// `cg`.
template <typename A, typename B>
    requires OperatorAndVector<A, B>
auto lsmr(const A& a, const B& b, const LsmrOptions<ElementOf<A, B>>& options = {}) {
    using T = ElementOf<A, B>;
    constexpr auto kMethod = IterativeMethod::lsmr;
    return iterated<T>(kMethod, operator_beside<T>(kMethod, a, b, options), b, options);
}

/// An operator and its adjoint, of two functions.
PURVIEW_LINALG_EXPORT OperatorPtr paired_operator(const char* what, OperatorPtr a,
                                                  OperatorPtr adjoint);

template <typename A, typename H, typename B>
    requires(OperatorAndVector<A, B>&& OperatorFunction<H, Element<B>>)
auto lsmr(const A& a, const H& adjoint, const B& b,
          const LsmrOptions<ElementOf<A, B>>& options = {}) {
    using T = ElementOf<A, B>;
    constexpr auto kMethod = IterativeMethod::lsmr;
    return iterated<T>(
        kMethod,
        paired_operator(name_of(kMethod), operator_beside<T>(kMethod, a, b, options),
                        operator_of<T>(name_of(kMethod), adjoint, b.operand().dims.max_shape(),
                                       shape_of_x(b, options))),
        b, options);
}

} // namespace purview::linalg
