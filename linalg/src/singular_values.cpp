// Defines purview/linalg/singular_values.hpp.
#include "spectrum.hpp"
#include "svds.hpp"

namespace purview::inline v0_1::linalg {
namespace {

/// A = U S Vᴴ of a small matrix.
template <typename W>
struct SmallSvd {
    Small<W> u;
    std::vector<double> s;
    Small<W> v;
};
template <typename W>
SmallSvd<W> small_svd(const Small<W>& matrix) {
    std::vector<Operand> all =
        matrix_results(MatrixFunction::svd, std::array{matrix.tensor.operand()}, {});
    const MutableTensor<double> held(std::move(all[1]));
    const std::span<const double> s = as_span(held);
    const Small<W> vh(MutableTensor<W>(std::move(all[2])));
    const index_t n = vh.columns, k = std::ssize(s);
    Small<W> v(n, k);
    for (index_t j = 0; j < k; ++j)
        for (index_t i = 0; i < n; ++i) v(i, j) = conjugate_times(vh(j, i), W(1));
    return {Small<W>(MutableTensor<W>(std::move(all[0]))), {s.begin(), s.end()}, std::move(v)};
}

template <typename W>
Small<W> first_columns(const Small<W>& of, index_t count) {
    const index_t rows = of.tensor.shape()[0];
    Small<W> made(rows, count);
    for (index_t i = 0; i < rows; ++i)
        for (index_t j = 0; j < count; ++j) made(i, j) = of(i, j);
    return made;
}

/// Golub, Kahan and Lanczos, with thick restarts (Hernández, Román and Tomás 2008) and every vector made orthogonal to all before,
/// on both sides. Uᴴ A V is put together of what that takes away. Of the operator or, if that has fewer rows than columns, of its
/// adjoint.
template <typename T>
class Bidiagonalisation {
    using W = Wide<T>;

public:
    explicit Bidiagonalisation(const SvdsRequest& request)
        : request_(request),
          u_(request.matrix->to()),
          v_(request.matrix->from()),
          is_turned_(u_.length() < v_.length()),
          k_(request.count),
          convergence_(k_, request.tolerance) {
        if (is_turned_) std::swap(u_, v_);
        n_ = v_.length();
        most_ =
            std::min(n_, std::max(k_ + 2, request.subspace < 0 ? 2 * k_ + 20 : request.subspace));
        matrix_ = Small<W>(most_, most_);
    }

    SvdsOperands run() {
        const index_t limit = request_.max_iterations < 0 ? 10 * n_ : request_.max_iterations;
        if (k_ > 0) {
            v_.make_random(0, v_.add().data, seed_++);
            watched_steps(request_.what, std::max<index_t>(limit, 1), [&](index_t) {
                extend();
                return is_finite_ && !judge(limit);
            });
        }
        return found();
    }

private:
    void apply(Basis<T>& from, index_t i, Basis<T>& to, bool of_adjoint) const {
        const Operand image = to.add().operand();
        if (of_adjoint != is_turned_)
            request_.matrix->apply_adjoint(from[i].operand(), image);
        else
            request_.matrix->apply(from[i].operand(), image);
    }
    /// Of the last vector of `basis` what is orthogonal to those before, of length 1, or, if nothing is left, a random one; Vᴴ of
    /// it, and its length.
    std::vector<W> put(Basis<T>& basis) {
        constexpr double kRounding =
            16 * std::numeric_limits<typename PartOfComplex<T>::type>::epsilon();
        const index_t before = basis.count() - 1, n = basis.length();
        T* const data = basis[before].data;
        const double whole = norm_of(n, data);
        std::vector<W> products = basis.orthogonalised(before, data);
        const double length = std::real(products.back());
        is_finite_ = is_finite_ && std::isfinite(whole) && std::isfinite(length);
        if (!is_finite_) return products;
        size_ = std::max(size_, whole);
        if (before == n || length <= kRounding * size_) {
            products.back() = W{};
            if (before < n) basis.make_random(before, data, seed_++);
        } else {
            scale_to(n, data, scalar<T>(1 / length), data);
        }
        return products;
    }
    void extend() {
        for (index_t j = v_.count() - 1; j < most_ && is_finite_; ++j) {
            apply(v_, j, u_, false);
            ++iterations_;
            const std::vector<W> column = put(u_);
            for (index_t i = 0; i <= j; ++i) matrix_(i, j) = column[static_cast<std::size_t>(i)];
            if (!is_finite_) return;
            apply(u_, j, v_, true);
            length_ = std::real(put(v_).back());
        }
    }
    bool judge(index_t limit) {
        const SmallSvd<W> all = small_svd(matrix_);
        const auto value = [&](index_t i) { return all.s[static_cast<std::size_t>(i)]; };
        const Verdict verdict = convergence_.judge(
            most_, most_ == n_, value,
            [&](index_t i) { return length_ * std::abs(all.u(most_ - 1, i)); },
            [&](index_t) { return value(0); });
        if (request_.on_iteration) request_.on_iteration(iterations_, convergence_.worst());
        const bool ends = verdict == Verdict::enough || iterations_ >= limit;
        const index_t kept = ends || verdict == Verdict::checks
                                 ? k_
                                 : std::min(most_ - 1, k_ + (most_ - k_) * 2 / 5);
        Basis<T> next = v_.combined(first_columns(all.v, kept), kept);
        u_ = u_.combined(first_columns(all.u, kept), kept);
        if (!ends) {
            std::fill_n(matrix_.data, most_ * most_, W{});
            for (index_t j = 0; j < kept; ++j) matrix_(j, j) = W(value(j));
            if (verdict == Verdict::checks)
                next.make_random(kept, next.add().data, seed_++);
            else
                next.add(std::move(v_[most_]));
        }
        v_ = std::move(next);
        return ends;
    }
    /// The values that these vectors have, and their residuals.
    SvdsOperands found() {
        using P = typename PartOfComplex<T>::type;
        std::vector<double> values(static_cast<std::size_t>(k_));
        double residual = 0;
        if (!is_finite_) {
            residual = std::numeric_limits<double>::quiet_NaN();
            std::ranges::fill(values, residual);
            for (Basis<T>* const side : {&u_, &v_}) {
                side->shorten(std::min(side->count(), k_));
                while (side->count() < k_) side->add();
                for (index_t j = 0; j < k_; ++j)
                    std::fill_n((*side)[j].data, side->length(),
                                T(std::numeric_limits<P>::quiet_NaN()));
            }
        } else if (k_ > 0) {
            Basis<T> images(u_.shape()), back(v_.shape());
            Small<W> own(k_, k_);
            for (index_t j = 0; j < k_; ++j) {
                apply(v_, j, images, false);
                const std::vector<W> products = u_.swept(k_, images[j].data, nullptr, true);
                for (index_t i = 0; i < k_; ++i) own(i, j) = products[static_cast<std::size_t>(i)];
            }
            const SmallSvd<W> all = small_svd(own);
            u_ = u_.combined(all.u, k_);
            v_ = v_.combined(all.v, k_);
            images = images.combined(all.v, k_);
            for (index_t j = 0; j < k_; ++j) {
                const double value = all.s[static_cast<std::size_t>(j)];
                values[static_cast<std::size_t>(j)] = value;
                size_ = std::max(size_, value);
                apply(u_, j, back, true);
                const T by = scalar<T>(-value);
                residual =
                    std::max({residual, combine(u_.length(), images[j].data, by, u_[j].data, T(1)),
                              combine(n_, back[j].data, by, v_[j].data, T(1))});
            }
            if (residual > 0) residual /= size_;
        }
        if (request_.throws && !(residual <= request_.tolerance))
            throw LinearAlgebraError(
                not_converged(request_.what, iterations_, residual, request_.tolerance,
                              is_finite_ ? "" : "the operator gives numbers that are not finite"));
        if (is_turned_) std::swap(u_, v_);
        return found_factors(request_, u_, values, v_, iterations_, residual);
    }

    const SvdsRequest& request_;
    Basis<T> u_, v_;
    bool is_turned_;
    index_t k_, n_ = 0, most_ = 0;
    Small<W> matrix_{0, 0};
    Convergence convergence_;
    double size_ = 0, length_ = 0; ///< of a product; of what is left of the last one
    bool is_finite_ = true;
    index_t iterations_ = 0;
    std::uint64_t seed_ = 1;
};

} // namespace

SvdsOperands svds_result(const SvdsRequest& request) {
    const LinearOperator& a = *request.matrix;
    index_t rows = 1, columns = 1;
    for (const index_t extent : a.to()) rows *= extent;
    for (const index_t extent : a.from()) columns *= extent;
    if (request.count < 0 || request.count > std::min(rows, columns))
        throw ShapeError(
            fmt::format("{}: {} singular values of an operator from vectors of {} to vectors of {}",
                        request.what, request.count, to_string(a.from()), to_string(a.to())));
    if (request.randomised && (request.passes < (request.base ? 1 : 2) || request.oversampling < 0))
        throw Error(
            fmt::format("{}: {} passes, of which there are at least 2, and an oversampling of {}, "
                        "which is at least 0",
                        request.what, request.passes, request.oversampling));
    return visit_matrix_dtype(request.dtype, [&]<typename T>(std::type_identity<T>) {
        if (request.randomised) return randomised_svd<T>(request);
        SvdsRequest own = request;
        const int exponent = make_moderate<T>(own.matrix);
        SvdsOperands found = Bidiagonalisation<T>(own).run();
        scale_values<typename PartOfComplex<T>::type>(found.s, -exponent);
        return found;
    });
}

} // namespace purview::linalg
