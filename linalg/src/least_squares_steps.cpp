// Defines iteration.hpp.
// Least squares by products with an operator and its adjoint.
#include "iteration.hpp"

namespace purview::inline v0_1::linalg {
namespace {

struct Rotation {
    double cosine, sine, length;
};
Rotation rotation(double a, double b) {
    const double length = std::hypot(a, b);
    return length == 0 ? Rotation{1, 0, 0} : Rotation{a / length, b / length, length};
}

} // namespace

/// Fong and Saunders 2011, in their letters. The vectors of the bidiagonalisation are kept times their lengths, so that no pass
/// divides by them.
template <typename T>
Ended lsmr_steps(Iteration<T>& s) {
    const index_t rows = s.n, columns = s.x.tensor.size();
    const LinearOperator& a = *s.request.matrix;
    const auto of_x = [&] { return Vector<T>(a.from()); };
    Vector<T>& u = s.r; // times beta
    Vector<T> v = of_x(), image = s.vector(), back = of_x(), h = of_x(), hbar = of_x();
    double beta = s.norm;
    a.apply_adjoint(u.operand(), v.operand());
    scale_to(columns, v.data, scalar<T>(1 / beta), v.data);
    double alpha = norm_of(columns, v.data); // v is times alpha
    if (alpha == 0) {                        // no x is better
        const auto gradient = as_span(v.tensor);
        if (std::ranges::any_of(gradient, [](const T& each) { return each != T{}; }))
            return s.breaks("squares of the adjoint's products vanish");
        s.found = true;
        return Ended::reached;
    }
    scale_to(columns, h.data, scalar<T>(1 / alpha), v.data);
    std::fill_n(hbar.data, columns, T{});

    const double damping = s.request.damping, tolerance = s.request.tolerance;
    double alphabar = alpha, zetabar = alpha * beta, rho = 1, rhobar = 1, cbar = 1, sbar = 0;
    double betadd = beta, betad = 0, rhodold = 1, tautilde = 0, thetatilde = 0, zeta = 0, d = 0;
    double square_of_a = alpha * alpha;
    s.steps(s.most, [&] {
        a.apply(v.operand(), image.operand());
        const double old_beta = beta, old_alpha = alpha;
        beta = combine(rows, u.data, scalar<T>(1 / old_alpha), image.data,
                       scalar<T>(-old_alpha / old_beta));
        if (beta > 0) {
            a.apply_adjoint(u.operand(), back.operand());
            alpha = combine(columns, v.data, scalar<T>(1 / beta), back.data,
                            scalar<T>(-beta / old_alpha));
        } else {
            alpha = 0;
        }
        const auto [chat, shat, alphahat] = rotation(alphabar, damping);
        const double old_rho = rho, old_rhobar = rhobar, old_zeta = zeta;
        const Rotation first = rotation(alphahat, beta);
        rho = first.length;
        const double theta = first.sine * alpha;
        alphabar = first.cosine * alpha;
        const double thetabar = sbar * rho;
        const Rotation second = rotation(cbar * rho, theta);
        cbar = second.cosine, sbar = second.sine, rhobar = second.length;
        zeta = cbar * zetabar;
        zetabar = -sbar * zetabar;
        if (rho == 0 || rhobar == 0) return false;
        {
            const T turn = scalar<T>(-thetabar * rho / (old_rho * old_rhobar)),
                    length = scalar<T>(zeta / (rho * rhobar)), by = scalar<T>(-theta / rho),
                    of_v = scalar<T>(alpha > 0 ? 1 / alpha : 0);
            T *const to_h = h.data, *const to_hbar = hbar.data, *const x = s.x.data;
            const T* const from_v = v.data;
            pass_over<T>(columns, 7, [=]<typename V>(index_t i) {
                const V old = load<V>(to_h + i);
                const V bar = old + times(turn, load<V>(to_hbar + i));
                store(to_hbar + i, bar);
                store(x + i, load<V>(x + i) + times(length, bar));
                store(to_h + i, times(of_v, load<V>(from_v + i)) + times(by, old));
            });
        }
        // The norm of the residual.
        const double betaacute = chat * betadd, betacheck = -shat * betadd;
        const double betahat = first.cosine * betaacute;
        betadd = -first.sine * betaacute;
        const double old_thetatilde = thetatilde;
        const Rotation tilde = rotation(rhodold, thetabar);
        thetatilde = tilde.sine * rhobar;
        rhodold = tilde.cosine * rhobar;
        betad = -tilde.sine * betad + tilde.cosine * betahat;
        tautilde = (old_zeta - old_thetatilde * tautilde) / tilde.length;
        const double taud = (zeta - thetatilde * tautilde) / rhodold;
        d += betacheck * betacheck;
        const double residual = std::sqrt(d + (betad - taud) * (betad - taud) + betadd * betadd);
        square_of_a += beta * beta;
        const double size = std::sqrt(square_of_a);
        square_of_a += alpha * alpha;
        const bool is_last = s.is_last(residual);
        if (residual <= s.goal || std::abs(zetabar) <= tolerance * size * residual) {
            s.found = true;
            return false;
        }
        return !is_last && alpha > 0;
    });
    return Ended::reached;
}

#define PURVIEW_LSMR_STEPS(T) template Ended lsmr_steps<T>(Iteration<T> & s);
PURVIEW_EACH_VECTOR_TYPE(PURVIEW_LSMR_STEPS)

} // namespace purview::linalg
