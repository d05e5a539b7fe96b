#pragma once

// Iterative methods over ranks.
#include <purview/linalg/iterative.hpp>
#include <purview/mpi/linalg/factors.hpp>

namespace purview::inline v0_1::mpi {

/// A linear function of a vector that lies on all ranks, `x.global()`, to an expression over it.
template <typename T>
using VectorFunction = std::function<Tensor<T>(const Tensor<T>&)>;

/// Options of `cg`, `minres` and `bicgstab`: those of linalg.
template <typename T>
struct IterativeOptions {
    double tolerance = linalg::kUsualTolerance<T>; ///< of |b - A x| / |b|
    index_t max_iterations = -1;                   ///< negative: ten for each unknown
    VectorFunction<T> preconditioner = {};         ///< nearly A⁻¹
    /// Called on all ranks after each iteration with its number, from 1 on, and |b - A x| / |b|.
    std::function<void(index_t, double)> on_iteration = {};
    bool throws = true;                       ///< where that does not converge
    std::optional<Distributed<T>> start = {}; ///< else 0
};
/// Options of `gmres`.
template <typename T>
struct GmresOptions {
    double tolerance = linalg::kUsualTolerance<T>;
    index_t max_iterations = -1;
    VectorFunction<T> preconditioner = {};
    std::function<void(index_t, double)> on_iteration = {};
    bool throws = true;
    std::optional<Distributed<T>> start = {};
    index_t restart = 30; ///< iterations between restarts: as many vectors are kept
};
template <typename T>
struct IterativeResult {
    Distributed<T> x; ///< distributed as b
    index_t iterations = 0;
    double residual = 0; ///< |b - A x| / |b|, computed of this x
};

/// A function over ranks, as a method sees its part.
template <typename T>
class FunctionOfRanks final : public linalg::LinearOperator {
public:
    FunctionOfRanks(VectorFunction<T> f, Distribution d)
        : LinearOperator(d.local_shape(), d.local_shape()), f_(std::move(f)), d_(std::move(d)) {}

    void apply(const Operand& x, const Operand& y) const override {
        assign_any(f_(Tensor<T>(AnyDistributed(x, d_).global_operand())).operand(),
                   AnyDistributed(y, d_));
    }
    void apply_adjoint(const Operand&, const Operand&) const override {
        throw Error("the adjoint of a function over ranks is not known");
    }

private:
    VectorFunction<T> f_;
    Distribution d_;
};
/// A matrix in whole rows; vectors are put together for its products.
template <typename T>
class RowsOfRanks final : public linalg::LinearOperator {
public:
    RowsOfRanks(Distributed<T> a, Distribution d)
        : LinearOperator(d.local_shape(), d.local_shape()), a_(std::move(a)), d_(std::move(d)) {}

    void apply(const Operand& x, const Operand& y) const override {
        const Tensor<T> whole(all_gather_any(AnyDistributed(x, d_)));
        collective(d_.communicator(),
                   [&] { copy(purview::matmul(a_.local(), whole), MutableTensor<T>(Operand(y))); });
    }
    void apply_adjoint(const Operand&, const Operand&) const override {
        throw Error("the adjoint of a matrix over ranks is not known");
    }

private:
    Distributed<T> a_;
    Distribution d_;
};
class PartsOfRanks final : public linalg::JoinedParts {
public:
    PartsOfRanks(const char* what, const Distribution& d)
        : JoinedParts(elements(d, d.communicator().rank()), elements(d, d.communicator().size()),
                      d.communicator().rank() == 0),
          what_(what),
          ranks_(d.communicator()) {}
    void add(std::span<double> sums) const override { add_in_steps(what_, ranks_, sums); }
    double largest(double own) const override { return largest_in_steps(what_, ranks_, own); }

private:
    /// How many the first ranks have.
    static index_t elements(const Distribution& d, int ranks) {
        index_t count = 0;
        for (int rank = 0; rank < ranks; ++rank) {
            index_t own = 1;
            for (const index_t extent : d.local_shape(rank)) own *= extent;
            count += own;
        }
        return count;
    }

    const char* what_;
    Communicator ranks_;
};

/// Throws `ShapeError`, on all ranks, where a function of vectors that lie so gives others; `before` the shape of one, `after` that of the other.
template <typename T>
void check_shape_over_ranks(const char* what, const VectorFunction<T>& f, const Distribution& d,
                            const char* before, const char* after) {
    const Tensor<T> made = f(Distributed<T>(zeros_any(kDType<T>, d)).global());
    collective(d.communicator(), [&] {
        if (!std::ranges::equal(made.shape(), d.shape()))
            throw ShapeError(std::string(what) + before + purview::to_string(d.shape()) + after +
                             purview::to_string(made.shape()));
    });
}
/// What watches a method, called on all ranks.
template <typename O>
std::function<void(index_t, double)> watched_over_ranks(const Communicator& ranks,
                                                        const O& options) {
    if (!options.on_iteration) return {};
    return [&](index_t iteration, double residual) {
        collective(ranks, [&] { options.on_iteration(iteration, residual); });
    };
}

/// Steps of a method, of b, distributed in any way, and an operator on such vectors.
template <typename T, typename O>
IterativeResult<T> iterated_over_ranks(linalg::IterativeMethod method, const linalg::OperatorPtr& a,
                                       const Distributed<T>& b, const O& options) {
    const char* const what = linalg::name_of(method);
    const Distribution& d = b.distribution();
    const Communicator& ranks = d.communicator();
    const PartsOfRanks parts(what, d);
    linalg::IterativeRequest request{.method = method,
                                     .dtype = kDType<T>,
                                     .matrix = a,
                                     .right = b.local_operand(),
                                     .tolerance = options.tolerance,
                                     .max_iterations = options.max_iterations,
                                     .on_iteration = watched_over_ranks(ranks, options),
                                     .throws = options.throws,
                                     .parts = &parts};
    if (options.preconditioner)
        request.preconditioner =
            std::make_shared<const FunctionOfRanks<T>>(options.preconditioner, d);
    if constexpr (requires { options.restart; }) request.restart = options.restart;
    if (options.start) request.start = redistribute(*options.start, d).local_operand();
    linalg::IterativeOperands found = linalg::iterative_result(request);
    return {Distributed<T>(AnyDistributed(std::move(found.x), d)), found.iterations,
            found.residual};
}

template <typename A, typename T>
inline constexpr bool kIsMatrixOfRanks = std::same_as<A, Distributed<T>>;
/// A matrix, or a function of a vector.
template <typename A, typename T>
concept OperatorOfRanks = MatrixElement<T> &&
    (kIsMatrixOfRanks<A, T> || std::convertible_to<A, VectorFunction<T>>);

template <typename T, typename A, typename O>
IterativeResult<T> solved_over_ranks(linalg::IterativeMethod method, const A& a,
                                     const Distributed<T>& b, const O& options) {
    const char* const what = linalg::name_of(method);
    const Communicator& ranks = b.distribution().communicator();
    const auto require = [&](bool fits, const char* before, ShapeSpan shape, const char* after) {
        if (!fits)
            throw ShapeError(std::string(what) + before + purview::to_string(shape) + after +
                             purview::to_string(b.shape()));
    };
    const auto describe = [&] {
        if constexpr (kIsMatrixOfRanks<A, T>) {
            require_matrix(what, a);
            const index_t m = a.shape()[0], n = a.shape()[1];
            require(std::ranges::equal(Shape{m}, b.shape()), ": the operator gives vectors of ",
                    Shape{m}, ", the right side is of ");
            require(m == n, ": the operator takes vectors of ", Shape{n}, " and gives vectors of ");
        }
        if (options.start)
            require(std::ranges::equal(options.start->shape(), b.shape()), ": the start is of ",
                    options.start->shape(), ", the operator takes vectors of ");
        if constexpr (requires { options.restart; })
            if (options.restart < 1)
                throw Error(std::string(what) + ": a restart after " +
                            std::to_string(options.restart) + " iterations");
        std::ostringstream text;
        text << text_of_argument(b) << ", " << options.tolerance << ", " << options.max_iterations
             << (options.preconditioner ? ", preconditioned" : "")
             << (options.start ? ", from a start" : "") << (options.throws ? "" : ", throws not")
             << (options.on_iteration ? ", watched" : "");
        if constexpr (requires { options.restart; }) text << ", restart " << options.restart;
        if constexpr (kIsMatrixOfRanks<A, T>) text << ", " << text_of_argument(a);
        return text.str();
    };
    std::optional<IterativeResult<T>> result;
    run_steps(what, ranks, describe, [&] {
        if (options.preconditioner)
            check_shape_over_ranks<T>(what, options.preconditioner, b.distribution(), ": x is of ",
                                      ", the preconditioner gives vectors of ");
        if constexpr (kIsMatrixOfRanks<A, T>) {
            const Distribution rows = whole_rows(a.distribution());
            const Distribution lines = same_rows(rows, to_shape(b.shape()));
            IterativeResult<T> found = iterated_over_ranks(
                method, std::make_shared<const RowsOfRanks<T>>(in_rows(a, rows), lines),
                in_rows(b, lines), options);
            found.x = redistribute(found.x, b.distribution());
            result.emplace(std::move(found));
        } else {
            const VectorFunction<T> f = a;
            check_shape_over_ranks<T>(what, f, b.distribution(), ": the right side is of ",
                                      ", the operator gives vectors of ");
            result.emplace(iterated_over_ranks(
                method, std::make_shared<const FunctionOfRanks<T>>(f, b.distribution()), b,
                options));
        }
    });
    return *std::move(result);
}

/// `cg(a, b)`: x with `a x = b`, by conjugate gradients as `linalg::cg`: of a distributed matrix [n, n], or of a function of an
/// expression over all ranks, `[](auto x) { return 2 * x - rotate(x, 1) - …; }`, that gives one of the same shape, of which each
/// product is an `assign`. A matrix is brought into whole rows once, and each product puts its vector together on all ranks.
/// b, of any shape, is distributed in any way, and x as b. Inner products are sums along a fixed tree: the same bits in each
/// run on the same grid. Sends of one number ⌈log₂ P⌉ messages at most for each. Throws as `linalg::cg`, on all ranks alike.
template <typename A, MatrixElement T>
    requires OperatorOfRanks<A, T> IterativeResult<T>
    cg(const A& a, const Distributed<T>& b,
       const IterativeOptions<std::type_identity_t<T>>& options = {}) {
        return solved_over_ranks(linalg::IterativeMethod::cg, a, b, options);
    }
/// `minres(a, b)`: of a Hermitian operator, which need not be positive definite. Otherwise as `cg`.
template <typename A, MatrixElement T>
    requires OperatorOfRanks<A, T> IterativeResult<T>
    minres(const A& a, const Distributed<T>& b,
           const IterativeOptions<std::type_identity_t<T>>& options = {}) {
        return solved_over_ranks(linalg::IterativeMethod::minres, a, b, options);
    }
/// `bicgstab(a, b)`: of any operator that is invertible. Otherwise as `cg`.
template <typename A, MatrixElement T>
    requires OperatorOfRanks<A, T> IterativeResult<T>
    bicgstab(const A& a, const Distributed<T>& b,
             const IterativeOptions<std::type_identity_t<T>>& options = {}) {
        return solved_over_ranks(linalg::IterativeMethod::bicgstab, a, b, options);
    }
/// `gmres(a, b, {.restart = 30})`: as `linalg::gmres`. Otherwise as `cg`.
template <typename A, MatrixElement T>
    requires OperatorOfRanks<A, T> IterativeResult<T>
    gmres(const A& a, const Distributed<T>& b,
          const GmresOptions<std::type_identity_t<T>>& options = {}) {
        return solved_over_ranks(linalg::IterativeMethod::gmres, a, b, options);
    }

} // namespace purview::mpi
