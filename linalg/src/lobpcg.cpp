// Defines purview/linalg/eigenvalues.hpp.
// The block method of conjugate gradients.
#include "elements_of.hpp"
#include "spectrum.hpp"

namespace purview::inline v0_1::linalg {
namespace {

/// Knyazev 2001, by a basis that is orthonormal (Hetmaniuk and Lehoucq 2006): vectors x, directions p that they came by, and
/// preconditioned residuals w, of which the small matrix of the operator has the best x in it.
template <typename T>
class Lobpcg {
    using W = Wide<T>;

public:
    explicit Lobpcg(const EigenvaluesRequest& request)
        : request_(request),
          k_(request.count),
          basis_(request.matrix->from(), request.parts),
          images_(request.matrix->from(), request.parts),
          n_(basis_.length()) {}

    EigenvaluesOperands run() {
        basis_.add_columns(reshape(elements_of<T>(request_.what, *request_.start), {n_, k_}), k_);
        begin();
        watched_steps(request_.what, std::max<index_t>(request_.max_iterations, 0) + 1,
                      [&](index_t) { return is_finite_ && step(); });
        basis_.shorten(k_);
        return found_eigenvalues(request_, basis_, size_, iterations_, reason_);
    }

private:
    /// Makes the last vector orthonormal to those before; whether anything is left of it.
    bool is_new() {
        const index_t last = basis_.count() - 1;
        T* const w = basis_[last].data;
        constexpr double kLeast =
            1e4 * std::numeric_limits<typename PartOfComplex<T>::type>::epsilon();
        double norm = basis_.norm_of(w);
        is_finite_ = is_finite_ && std::isfinite(norm);
        if (!(norm > 0) || !is_finite_) return false;
        scale_to(n_, w, scalar<T>(1 / norm), w);
        for (int times = 0; times < 2; ++times) {
            norm = std::real(basis_.orthogonalised(last, w).back());
            if (!(norm > kLeast)) return false;
            scale_to(n_, w, scalar<T>(1 / norm), w);
            if (norm > 0.5) break;
        }
        return true;
    }
    void multiply() {
        const index_t last = images_.count();
        request_.matrix->apply(basis_[last].operand(), images_.add().operand());
        const double norm = images_.norm_of(images_[last].data);
        is_finite_ = is_finite_ && std::isfinite(norm);
        size_ = std::max(size_, norm);
    }
    /// Of x alone.
    void begin() {
        Basis<T> x = std::move(basis_);
        basis_ = Basis<T>(x.shape(), x.parts());
        images_ = Basis<T>(x.shape(), x.parts());
        for (index_t j = 0; j < k_; ++j) {
            basis_.add(std::move(x[j]));
            if (!is_new() && is_finite_) basis_.make_random(j, basis_[j].data, seed_++);
            if (is_finite_) multiply();
        }
        if (is_finite_) turn();
    }
    /// The best x, and directions to them.
    void turn() {
        const index_t all = basis_.count();
        Small<W> matrix(all, all);
        for (index_t j = 0; j < all; ++j) {
            const std::vector<W> products = basis_.swept(all, images_[j].data, nullptr, true);
            for (index_t i = 0; i < all; ++i) matrix(i, j) = products[static_cast<std::size_t>(i)];
        }
        const auto [values, by] = small_eigh(matrix, request_.parts);
        const index_t directions = std::min(k_, all - k_);
        Small<W> chosen(all, k_ + directions);
        values_.clear();
        for (index_t j = 0; j < k_; ++j) {
            const index_t from = request_.which.end == Which::End::largest ? all - 1 - j : j;
            values_.push_back(values[static_cast<std::size_t>(from)]);
            for (index_t i = 0; i < all; ++i) chosen(i, j) = by(i, from);
        }
        const index_t made = put_directions(chosen, all, directions);
        basis_ = basis_.combined(chosen, made);
        images_ = images_.combined(chosen, made);
    }
    /// Behind k columns what they have beside x, orthonormal to them; how many columns there are.
    index_t put_directions(const Small<W>& c, index_t all, index_t directions) const {
        index_t made = k_;
        for (index_t j = 0; j < directions; ++j) {
            const auto norm = [&] {
                double sum = 0;
                for (index_t i = 0; i < all; ++i) sum += std::norm(c(i, made));
                return std::sqrt(sum);
            };
            for (index_t i = 0; i < all; ++i) c(i, made) = i < k_ ? W{} : c(i, j);
            const double whole = norm();
            if (whole == 0) continue;
            for (int times = 0; times < 2; ++times)
                for (index_t before = 0; before < made; ++before) {
                    W along{};
                    for (index_t i = 0; i < all; ++i)
                        along += conjugate_times(c(i, before), c(i, made));
                    for (index_t i = 0; i < all; ++i)
                        c(i, made) -= linalg::times(along, c(i, before));
                }
            const double left = norm();
            if (!(left > 1e-6 * whole)) continue;
            for (index_t i = 0; i < all; ++i) c(i, made) /= left;
            ++made;
        }
        return made;
    }
    /// Whether there is another one.
    bool step() {
        const double goal = request_.tolerance / 2;
        Vector<T> rest(basis_.shape()), own(basis_.shape());
        const Basis<T> before = basis_; // x and p
        double worst = 0;
        std::vector<index_t> left;
        const auto residual = [&](index_t j) {
            scale_to(n_, rest.data, T(1), images_[j].data);
            return before.combine(rest.data, scalar<T>(-values_[static_cast<std::size_t>(j)]),
                                  before[j].data, T(1));
        };
        for (index_t j = 0; j < k_; ++j) {
            const double norm = residual(j);
            const double part = norm > 0 ? norm / size_ : norm;
            worst = std::max(worst, part);
            if (!(part <= goal)) left.push_back(j);
        }
        if (iterations_ > 0 && request_.on_iteration && !is_fresh_)
            request_.on_iteration(iterations_, worst);
        if (left.empty() && !is_fresh_) { // as far as recurrences know
            basis_.shorten(k_);
            begin();
            is_fresh_ = true;
            return true;
        }
        is_fresh_ = false;
        if (left.empty() || iterations_ >= request_.max_iterations) return false;
        ++iterations_;
        for (const index_t j : left) {
            residual(j);
            if (request_.preconditioner) {
                request_.preconditioner->apply(rest.operand(), own.operand());
                basis_.add(std::exchange(own, Vector<T>(basis_.shape())));
            } else {
                basis_.add(std::exchange(rest, Vector<T>(basis_.shape())));
            }
            if (is_new())
                multiply();
            else
                basis_.shorten(basis_.count() - 1);
            if (!is_finite_) return false;
        }
        if (basis_.count() == before.count()) {
            reason_ = "no residual leads out of the vectors that are there";
            return false;
        }
        turn();
        return true;
    }

    const EigenvaluesRequest& request_;
    index_t k_;
    Basis<T> basis_, images_; ///< x, p and w; what the operator makes of them
    index_t n_;
    std::vector<double> values_; ///< of x
    double size_ = 0;            ///< of an image
    bool is_finite_ = true, is_fresh_ = true;
    index_t iterations_ = 0;
    std::string reason_;
    std::uint64_t seed_ = 1;
};

} // namespace

EigenvaluesOperands lobpcg_result(const EigenvaluesRequest& request) {
    const LinearOperator& a = *request.matrix;
    if (!std::ranges::equal(a.from(), a.to()))
        throw ShapeError(
            fmt::format("lobpcg: the operator takes vectors of {} and gives vectors of {}",
                        to_string(a.from()), to_string(a.to())));
    if (const Shape own = shape_of_columns(request.what, *request.start);
        !std::ranges::equal(own, a.from()))
        throw ShapeError(fmt::format("lobpcg: the start has vectors of {}, the operator takes {}",
                                     to_string(own), to_string(a.from())));
    index_t n = 1;
    for (const index_t extent : a.from()) n *= extent;
    if (request.parts != nullptr) n = request.parts->all();
    if (request.count > n)
        throw ShapeError(fmt::format("lobpcg: {} eigenvalues of an operator on vectors of {}",
                                     request.count, to_string(a.from())));
    if (const OperatorPtr& m = request.preconditioner)
        if (!std::ranges::equal(m->from(), a.from()) || !std::ranges::equal(m->to(), a.from()))
            throw ShapeError(fmt::format(
                "lobpcg: the preconditioner takes vectors of {} and gives vectors of {}, x is of {}",
                to_string(m->from()), to_string(m->to()), to_string(a.from())));
    return visit_matrix_dtype(request.dtype, [&]<typename T>(std::type_identity<T>) {
        EigenvaluesRequest own = request;
        const int exponent = make_moderate<T>(own.matrix, own.parts);
        EigenvaluesOperands found = Lobpcg<T>(own).run();
        scale_values<typename PartOfComplex<T>::type>(found.values, -exponent);
        return found;
    });
}

} // namespace purview::linalg
