#pragma once

#include "basis.hpp"

#include <purview/linalg/eigenvalues.hpp>

#include <fmt/format.h>

#include <string_view>

namespace purview::inline v0_1::linalg {

inline std::string not_converged(const char* what, index_t iterations, double residual,
                                 double tolerance, std::string_view why) {
    return fmt::format("{}: after {} iterations the largest residual is {:.3g} of the operator, "
                       "above the tolerance {:.3g}{}{}",
                       what, iterations, residual, tolerance, why.empty() ? "" : ": ", why);
}

enum class Verdict : std::uint8_t {
    goes_on, ///< with what is left of the last product
    checks,  ///< with a random vector instead
    enough
};
/// Whether the first `k` of values that are known with errors have converged. Of a value with several vectors one start finds
/// one. So what converges is compared with what has converged from the starts before, and the value behind it is to be another
/// one, or to have converged.
class Convergence {
public:
    Convergence(index_t k, double tolerance) : k_(k), goal_(tolerance / 4) {}

    /// `value(i)`, in the order wanted, `error(i)`, and `scale(i)`, of which the errors are to be small; `most`: how many there
    /// are, which is all, if `is_whole`.
    template <typename V, typename E, typename S>
    Verdict judge(index_t most, bool is_whole, const V& value, const E& error, const S& scale) {
        worst_ = 0;
        for (index_t i = 0; i < k_; ++i)
            if (const double own = error(i); own > 0) worst_ = std::max(worst_, own / scale(i));
        if (worst_ > goal_) return Verdict::goes_on;
        if (is_whole) return Verdict::enough;
        bool is_same = !values_.empty();
        std::vector<double> values;
        for (index_t i = 0; i < k_; ++i) {
            values.push_back(value(i));
            is_same = is_same && std::abs(value(i) - values_[static_cast<std::size_t>(i)]) <=
                                     4 * goal_ * scale(i);
        }
        if (!is_same) {
            values_ = std::move(values);
            return Verdict::checks;
        }
        const bool is_apart =
            k_ == most ||
            error(k_) <= std::max(goal_ * scale(k_), std::abs(value(k_) - value(k_ - 1)) / 2);
        return is_apart ? Verdict::enough : Verdict::goes_on;
    }
    /// The largest error of those wanted, in its scale.
    double worst() const noexcept { return worst_; }

private:
    index_t k_;
    double goal_;
    double worst_ = 0;
    std::vector<double> values_;
};

/// The eigenvalues of a request are those that `x`, orthonormal, has: by the small matrix Xᴴ A X, which turns x.
template <typename T>
EigenvaluesOperands found_eigenvalues(const EigenvaluesRequest& request, const Basis<T>& x,
                                      double size, index_t iterations, std::string_view why) {
    using W = Wide<T>;
    using P = typename PartOfComplex<T>::type;
    const index_t k = x.count();
    Basis<T> images(x.shape(), x.parts());
    Small<W> own(k, k);
    for (index_t j = 0; j < k; ++j) {
        request.matrix->apply(x[j].operand(), images.add().operand());
        const std::vector<W> products = x.swept(k, images[j].data, nullptr, true);
        for (index_t i = 0; i < k; ++i) own(i, j) = products[static_cast<std::size_t>(i)];
    }
    MutableTensor<P> values = empty<P>({k});
    double residual = 0;
    const bool is_finite = std::all_of(own.data, own.data + k * k,
                                       [](W each) { return std::isfinite(std::abs(each)); });
    Basis<T> turned = x;
    if (is_finite && k > 0) {
        const auto [eigenvalues, by] = small_eigh(own, x.parts());
        turned = x.combined(by, k);
        images = images.combined(by, k);
        for (index_t j = 0; j < k; ++j) {
            const double value = eigenvalues[static_cast<std::size_t>(j)];
            as_span(values)[static_cast<std::size_t>(j)] = static_cast<P>(value);
            residual = std::max(residual,
                                x.combine(images[j].data, scalar<T>(-value), turned[j].data, T(1)));
            size = std::max(size, std::abs(value));
        }
        if (residual > 0) residual /= size;
    } else if (k > 0) {
        residual = std::numeric_limits<double>::quiet_NaN();
        std::ranges::fill(as_span(values), std::numeric_limits<P>::quiet_NaN());
        why = "the operator gives numbers that are not finite";
    }
    if (request.throws && !(residual <= request.tolerance))
        throw LinearAlgebraError(
            not_converged(request.what, iterations, residual, request.tolerance, why));
    return {values.operand(), turned.columns(turned.phases()).operand(), iterations, residual};
}

} // namespace purview::linalg
