// Defines iteration.hpp.
// Methods for Hermitian operators.
#include "iteration.hpp"

namespace purview::inline v0_1::linalg {

/// Hestenes and Stiefel 1952. x is updated where its direction is read again: three passes besides the product, and one
/// for a preconditioner.
template <typename T>
Ended cg_steps(Iteration<T>& s) {
    const index_t n = s.n;
    Vector<T> p = s.vector(), q = s.vector(), own = s.vector_if_preconditioned();
    T *const x = s.x.data, *const r = s.r.data, *const direction = p.data;
    const T* z = s.preconditioned(s.r, own).data;
    double square = s.has_preconditioner() ? s.real_dot(r, z) : s.norm * s.norm;
    std::copy_n(z, n, direction);
    Ended ended = Ended::reached;
    s.steps(s.most, [&] {
        s.multiply(p, q);
        const double curvature = s.real_dot(direction, q.data);
        if (!(curvature > 0) || !(square > 0)) {
            ended = s.breaks(curvature > 0 ? "the preconditioner is not positive definite"
                                           : "the operator is not positive definite");
            return false;
        }
        const double length = square / curvature;
        const T step = scalar<T>(length);
        const double norm = s.subtract_scaled(r, step, q.data);
        if (s.is_last(norm)) {
            add_scaled(n, x, step, direction);
            return false;
        }
        z = s.preconditioned(s.r, own).data;
        const double next = s.has_preconditioner() ? s.real_dot(r, z) : norm * norm;
        const T turn = scalar<T>(next / square);
        const T* const to = z;
        pass_over<T>(n, 5, [=]<typename V>(index_t i) {
            const V old = load<V>(direction + i);
            store(x + i, load<V>(x + i) + times(step, old));
            store(direction + i, load<V>(to + i) + times(turn, old));
        });
        square = next;
        return true;
    });
    return ended;
}

/// Paige and Saunders 1975. Vectors are those of Lanczos times their lengths, so that no pass divides by them.
template <typename T>
Ended minres_steps(Iteration<T>& s) {
    const index_t n = s.n;
    // In the terms of that paper r2 = beta v of this step, r1 of the one before, y = M⁻¹ r2; w of three steps.
    Vector<T> r1 = s.vector(), r2 = s.vector(), y = s.vector(), own = s.vector_if_preconditioned();
    Vector<T> w1 = s.vector(), w2 = s.vector();
    std::copy_n(s.r.data, n, r2.data);
    for (Vector<T>* const w : {&r1, &w1, &w2}) std::fill_n(w->data, n, T{});
    const T* z = s.preconditioned(r2, own).data;
    double beta = s.has_preconditioner() ? s.real_dot(r2.data, z) : s.norm * s.norm;
    if (!(beta > 0)) return s.breaks("the preconditioner is not positive definite");
    beta = std::sqrt(beta);
    double before = 0, dbar = 0, epsilon = 0, phibar = beta, cosine = -1, sine = 0;
    Vector<T> v = s.vector();
    T* const residual =
        s.r.data; // by its recurrence, where a preconditioner makes of phibar another norm
    Ended ended = Ended::reached;
    s.steps(s.most, [&] {
        scale_to(n, v.data, scalar<T>(1 / beta), z);
        s.multiply(v, y);
        // y = A v - alpha / beta r2 - beta / before r1
        if (before != 0) add_scaled(n, y.data, scalar<T>(-beta / before), r1.data);
        const double alpha = s.real_dot(v.data, y.data);
        double next = s.subtract_scaled(y.data, scalar<T>(alpha / beta), r2.data);
        std::swap(r1, r2);
        std::swap(r2, y); // y is free
        z = s.preconditioned(r2, own).data;
        if (s.has_preconditioner()) {
            next = s.real_dot(r2.data, z);
            if (next < 0) {
                ended = s.breaks("the preconditioner is not positive definite");
                return false;
            }
            next = std::sqrt(next);
        }
        // The rotation that takes `next` away.
        const double old_epsilon = epsilon;
        const double delta = cosine * dbar + sine * alpha, gbar = sine * dbar - cosine * alpha;
        epsilon = sine * next;
        dbar = -cosine * next;
        const double gamma = std::hypot(gbar, next);
        if (gamma == 0) {
            ended = s.breaks("the operator is singular");
            return false;
        }
        cosine = gbar / gamma;
        sine = next / gamma;
        const double phi = cosine * phibar;
        phibar *= sine;
        before = beta;
        beta = next;
        // w = (v - epsilon w1 - delta w2) / gamma; x += phi w
        {
            const T of_v = scalar<T>(1 / gamma), of_w1 = scalar<T>(-old_epsilon / gamma),
                    of_w2 = scalar<T>(-delta / gamma), of_x = scalar<T>(phi);
            T *const first = w1.data, *const x = s.x.data;
            const T *const second = w2.data, *const own_v = v.data;
            pass_over<T>(n, 6, [=]<typename V>(index_t i) {
                const V w = times(of_v, load<V>(own_v + i)) + times(of_w1, load<V>(first + i)) +
                            times(of_w2, load<V>(second + i));
                store(first + i, w);
                store(x + i, load<V>(x + i) + times(of_x, w));
            });
            std::swap(w1, w2);
        }
        double norm = std::abs(phibar);
        if (s.has_preconditioner() && next > 0)
            norm = s.combine(residual, scalar<T>(-phibar * cosine / next), r2.data,
                             scalar<T>(sine * sine));
        return !s.is_last(norm) && next > 0;
    });
    return ended;
}

#define PURVIEW_SYMMETRIC_STEPS(T)             \
 template Ended cg_steps<T>(Iteration<T> & s); \
 template Ended minres_steps<T>(Iteration<T> & s);
PURVIEW_EACH_VECTOR_TYPE(PURVIEW_SYMMETRIC_STEPS)

} // namespace purview::linalg
