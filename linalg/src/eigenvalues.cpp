// Defines purview/linalg/eigenvalues.hpp.
// Lanczos' method.
#include "elements_of.hpp"
#include "spectrum.hpp"

#include <numeric>

namespace purview::inline v0_1::linalg {
namespace {

/// The inverse of an operator less sigma, by `minres`.
template <typename T>
class ShiftedInverse final : public LinearOperator {
public:
    ShiftedInverse(const EigenvaluesRequest& request)
        : LinearOperator(to_shape(request.matrix->from()), to_shape(request.matrix->from())),
          preconditioner_(request.preconditioner),
          tolerance_(
              std::max(request.tolerance / 20,
                       4. * std::numeric_limits<typename PartOfComplex<T>::type>::epsilon())),
          shifted_(std::make_shared<const Shifted>(request.matrix, request.which.sigma)) {}

    void apply(const Operand& x, const Operand& y) const override {
        const IterativeOperands solved = iterative_result({.method = IterativeMethod::minres,
                                                           .dtype = kDType<T>,
                                                           .matrix = shifted_,
                                                           .preconditioner = preconditioner_,
                                                           .right = x,
                                                           .tolerance = tolerance_,
                                                           .max_iterations = -1,
                                                           .throws = false});
        worst_ = std::max(worst_, solved.residual);
        std::ranges::copy(as_span(Tensor<T>(solved.x)),
                          as_span(MutableTensor<T>(Operand(y))).begin());
    }
    void apply_adjoint(const Operand& x, const Operand& y) const override { apply(x, y); }

    double worst() const noexcept { return worst_; }

private:
    class Shifted final : public LinearOperator {
    public:
        Shifted(OperatorPtr a, double sigma)
            : LinearOperator(to_shape(a->from()), to_shape(a->from())),
              a_(std::move(a)),
              sigma_(sigma) {}
        void apply(const Operand& x, const Operand& y) const override {
            a_->apply(x, y);
            const std::span<const T> from = as_span(Tensor<T>(x));
            add_scaled(std::ssize(from), as_span(MutableTensor<T>(Operand(y))).data(),
                       scalar<T>(-sigma_), from.data());
        }
        void apply_adjoint(const Operand& x, const Operand& y) const override { apply(x, y); }

    private:
        OperatorPtr a_;
        double sigma_;
    };

    OperatorPtr preconditioner_;
    double tolerance_;
    OperatorPtr shifted_;
    mutable double worst_ = 0;
};

/// Wu and Simon 2000, with every vector made orthogonal to all before. The matrix Vᴴ A V is put together of what that takes away,
/// so that any vector may be the next one.
template <typename T>
class Lanczos {
    using W = Wide<T>;

public:
    Lanczos(const EigenvaluesRequest& request, const LinearOperator& a)
        : request_(request),
          a_(a),
          basis_(a.from()),
          n_(basis_.length()),
          k_(request.count),
          most_(std::min(n_,
                         std::max(k_ + 2, request.subspace < 0 ? 2 * k_ + 20 : request.subspace))),
          matrix_(most_, most_),
          convergence_(k_, request.tolerance) {}

    /// Orthonormal vectors, which are nearly eigenvectors.
    Basis<T> run() {
        begin();
        const index_t limit = request_.max_iterations < 0 ? 10 * n_ : request_.max_iterations;
        watched_steps(request_.what, std::max<index_t>(limit, 1), [&](index_t) {
            extend();
            if (!is_finite_) {
                basis_.shorten(k_);
                return false;
            }
            return !judge(limit);
        });
        return std::move(basis_);
    }
    double size() const noexcept { return size_; }
    index_t iterations() const noexcept { return iterations_; }

private:
    void begin() {
        T* const first = basis_.add().data;
        if (!request_.start) return basis_.make_random(0, first, seed_++);
        std::ranges::copy(as_span(elements_of<T>(request_.what, *request_.start)), first);
        const double norm = norm_of(n_, first);
        if (norm > 0 && std::isfinite(norm))
            scale_to(n_, first, scalar<T>(1 / norm), first);
        else
            basis_.make_random(0, first, seed_++);
    }
    /// Vectors up to the most, and the next one.
    void extend() {
        constexpr double kRounding =
            16 * std::numeric_limits<typename PartOfComplex<T>::type>::epsilon();
        for (index_t j = basis_.count() - 1; j < most_; ++j) {
            T* const next = basis_.add().data;
            a_.apply(basis_[j].operand(), basis_[j + 1].operand());
            ++iterations_;
            const double whole = norm_of(n_, next);
            const std::vector<W> products = basis_.orthogonalised(j + 1, next);
            length_ = std::real(products.back());
            if (!std::isfinite(whole) || !std::isfinite(length_)) {
                is_finite_ = false;
                while (basis_.count() < k_) {
                    const index_t before = basis_.count();
                    basis_.make_random(before, basis_.add().data, seed_++);
                }
                return;
            }
            for (index_t i = 0; i <= j; ++i) {
                const W product = products[static_cast<std::size_t>(i)];
                matrix_(i, j) = product;
                matrix_(j, i) = conjugate_times(product, W(1));
            }
            size_ = std::max(size_, whole);
            if (j + 1 == n_ ||
                length_ <= kRounding * size_) { // these vectors are mapped to one another
                length_ = 0;
                if (j + 1 < n_) basis_.make_random(j + 1, next, seed_++);
            } else {
                scale_to(n_, next, scalar<T>(1 / length_), next);
            }
        }
    }
    /// Whether that is enough; if not, a restart.
    bool judge(index_t limit) {
        const auto [values, by] = small_eigh(matrix_);
        const bool is_inverse = request_.which.end == Which::End::near;
        std::vector<index_t> order(static_cast<std::size_t>(most_));
        std::iota(order.begin(), order.end(), 0);
        const auto at = [&values](index_t i) { return values[static_cast<std::size_t>(i)]; };
        if (request_.which.end == Which::End::largest) std::ranges::reverse(order);
        if (is_inverse)
            std::ranges::stable_sort(
                order, [&](index_t a, index_t b) { return std::abs(at(a)) > std::abs(at(b)); });
        const double all = std::max(std::abs(values.front()), std::abs(values.back()));
        const auto rest = [&, &by = by](index_t i) {
            return length_ * std::abs(by(most_ - 1, order[static_cast<std::size_t>(i)]));
        };
        const auto value = [&](index_t i) { return at(order[static_cast<std::size_t>(i)]); };
        const auto scale = [&](index_t i) { return is_inverse ? std::abs(value(i)) : all; };
        const Verdict verdict = convergence_.judge(most_, most_ == n_, value, rest, scale);
        if (request_.on_iteration) request_.on_iteration(iterations_, convergence_.worst());
        const bool ends = verdict == Verdict::enough || iterations_ >= limit;
        const index_t kept = ends || verdict == Verdict::checks
                                 ? k_
                                 : std::min(most_ - 1, k_ + (most_ - k_) * 2 / 5);
        Small<W> chosen(most_, kept);
        for (index_t j = 0; j < kept; ++j)
            for (index_t i = 0; i < most_; ++i)
                chosen(i, j) = by(i, order[static_cast<std::size_t>(j)]);
        Basis<T> next = basis_.combined(chosen, kept);
        if (!ends) {
            std::fill_n(matrix_.data, most_ * most_, W{});
            for (index_t j = 0; j < kept; ++j) matrix_(j, j) = W(value(j));
            if (verdict == Verdict::checks) {
                next.make_random(kept, next.add().data, seed_++);
            } else {
                next.add(std::move(basis_[most_]));
            }
        }
        basis_ = std::move(next);
        return ends;
    }

    const EigenvaluesRequest& request_;
    const LinearOperator& a_;
    Basis<T> basis_;
    index_t n_, k_, most_;
    Small<W> matrix_;
    double size_ = 0, length_ = 0; ///< of a product; of what is left of the last one
    bool is_finite_ = true;
    index_t iterations_ = 0;
    Convergence convergence_;
    std::uint64_t seed_ = 1;
};

template <typename T>
EigenvaluesOperands eigsh_of_type(const EigenvaluesRequest& request) {
    const LinearOperator& a = *request.matrix;
    if (request.count == 0) return found_eigenvalues(request, Basis<T>(a.from()), 0, 0, "");
    if (request.which.end != Which::End::near) {
        Lanczos<T> lanczos(request, a);
        const Basis<T> found = lanczos.run();
        return found_eigenvalues(request, found, lanczos.size(), lanczos.iterations(), "");
    }
    const ShiftedInverse<T> inverse(request);
    Lanczos<T> lanczos(request, inverse);
    const Basis<T> found = lanczos.run();
    // The size of the operator is at least what it makes of any vector.
    Basis<T> other(a.from());
    other.make_random(0, other.add().data, 0);
    const Operand image = other.add().operand(); // which moves the vectors
    a.apply(other[0].operand(), image);
    return found_eigenvalues(
        request, found, norm_of(other.length(), other[1].data), lanczos.iterations(),
        fmt::format("minres has solved with the operator less {:g} to {:.3g} of the right side",
                    request.which.sigma, inverse.worst()));
}

} // namespace

EigenvaluesOperands eigsh_result(const EigenvaluesRequest& request) {
    const LinearOperator& a = *request.matrix;
    if (!std::ranges::equal(a.from(), a.to()))
        throw ShapeError(
            fmt::format("eigsh: the operator takes vectors of {} and gives vectors of {}",
                        to_string(a.from()), to_string(a.to())));
    index_t n = 1;
    for (const index_t extent : a.from()) n *= extent;
    if (request.count < 0 || request.count > n)
        throw ShapeError(fmt::format("eigsh: {} eigenvalues of an operator on vectors of {}",
                                     request.count, to_string(a.from())));
    if (request.start && !std::ranges::equal(request.start->dims.max_shape(), a.from()))
        throw ShapeError(fmt::format("eigsh: the start is of {}, the operator takes vectors of {}",
                                     to_string(request.start->dims.max_shape()),
                                     to_string(a.from())));
    return visit_matrix_dtype(request.dtype, [&]<typename T>(std::type_identity<T>) {
        EigenvaluesRequest own = request;
        const int exponent = make_moderate<T>(own.matrix);
        own.which.sigma = std::ldexp(own.which.sigma, exponent);
        EigenvaluesOperands found = eigsh_of_type<T>(own);
        scale_values<typename PartOfComplex<T>::type>(found.values, -exponent);
        return found;
    });
}

Shape shape_of_columns(const char* what, const Operand& vectors) {
    Shape shape = to_shape(vectors.dims.max_shape());
    if (shape.size() < 2)
        throw ShapeError(fmt::format("{}: {} are no vectors [..., k]", what, to_string(shape)));
    shape.pop_back();
    return shape;
}

} // namespace purview::linalg
