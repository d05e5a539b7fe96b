// Defines iteration.hpp.
// Methods for operators of any kind, preconditioned from the right, so that residuals are those of the system itself.
#include "iteration.hpp"

#include <vector>

namespace purview::inline v0_1::linalg {

/// Van der Vorst 1992.
template <typename T>
Ended bicgstab_steps(Iteration<T>& s) {
    const index_t n = s.n;
    Vector<T> shadow = s.vector(), p = s.vector(), v = s.vector(), t = s.vector();
    Vector<T> own_p = s.vector_if_preconditioned(), own_r = s.vector_if_preconditioned();
    T *const x = s.x.data, *const r = s.r.data;
    std::copy_n(r, n, shadow.data);
    std::copy_n(r, n, p.data);
    Wide<T> rho = s.norm * s.norm;
    Ended ended = Ended::reached;
    s.steps(s.most, [&] {
        const Vector<T>& to_p = s.preconditioned(p, own_p);
        s.multiply(to_p, v);
        const Wide<T> across = s.inner_product(shadow.data, v.data);
        if (across == 0.) {
            ended = s.breaks("a direction has no part along the first residual");
            return false;
        }
        const Wide<T> alpha = rho / across;
        const T length = scalar<T>(alpha);
        const double half = s.subtract_scaled(r, length, v.data);
        if (half <= s.goal) {
            add_scaled(n, x, length, to_p.data);
            s.is_last(half);
            return false;
        }
        const Vector<T>& to_r = s.preconditioned(s.r, own_r);
        s.multiply(to_r, t);
        const T* const image = t.data;
        const auto [along, square] = s.template sums<2>(2, [=]<typename V>(index_t i, V* sums) {
            const V own = load<V>(image + i);
            sums[0] += conjugate_times(own, load<V>(r + i));
            sums[1] += conjugate_times(own, own);
        });
        if (along == 0. || square == 0.) {
            add_scaled(n, x, length, to_p.data);
            s.is_last(half);
            ended = s.breaks("a residual and its product are orthogonal");
            return false;
        }
        const Wide<T> omega = along / square;
        const T by = scalar<T>(omega);
        // x += alpha p + omega r, before r is overwritten
        const T *const from_p = to_p.data, *const from_r = to_r.data;
        pass_over<T>(n, 4, [=]<typename V>(index_t i) {
            store(x + i, load<V>(x + i) + times(length, load<V>(from_p + i)) +
                             times(by, load<V>(from_r + i)));
        });
        const T* const first = shadow.data;
        const auto [rr, next] = s.template sums<2>(4, [=]<typename V>(index_t i, V* sums) {
            const V rest = load<V>(r + i) - times(by, load<V>(image + i));
            store(r + i, rest);
            sums[0] += conjugate_times(rest, rest);
            sums[1] += conjugate_times(load<V>(first + i), rest);
        });
        if (s.is_last(std::sqrt(std::real(rr)))) return false;
        if (next == 0.) {
            ended = s.breaks("a residual has no part along the first one");
            return false;
        }
        const T turn = scalar<T>(next / rho * (alpha / omega)), back = by;
        T* const direction = p.data;
        const T* const image_p = v.data;
        pass_over<T>(n, 4, [=]<typename V>(index_t i) {
            store(direction + i,
                  load<V>(r + i) +
                      times(turn, load<V>(direction + i) - times(back, load<V>(image_p + i))));
        });
        rho = next;
        return true;
    });
    return ended;
}

/// Saad and Schultz 1986, by modified Gram-Schmidt: a pass for each vector that is kept.
template <typename T>
Ended gmres_steps(Iteration<T>& s) {
    using W = Wide<T>;
    const index_t n = s.n;
    const index_t most = std::max<index_t>(
        1, std::min({s.request.restart, s.most - s.done, std::max<index_t>(s.unknowns, 1)}));
    std::vector<Vector<T>> basis;
    Vector<T> own = s.vector_if_preconditioned();
    basis.push_back(s.vector());
    scale_to(n, basis[0].data, scalar<T>(1 / s.norm), s.r.data);
    std::vector<std::vector<W>> columns; // of a triangle
    std::vector<std::pair<W, W>> rotations;
    std::vector<W> g{W(s.norm)};
    Ended ended = Ended::restarts;
    const auto turn = [](const std::pair<W, W>& by, W& a, W& b) {
        const W upper = conjugate_times(by.first, a) + conjugate_times(by.second, b);
        b = times(by.first, b) - times(by.second, a);
        a = upper;
    };
    s.steps(most, [&] {
        basis.push_back(s.vector());
        Vector<T>& w = basis.back();
        s.multiply(s.preconditioned(basis[basis.size() - 2], own), w);
        T* const out = w.data;
        const std::size_t k = columns.size();
        std::vector<W> h(k + 2);
        const T* last = nullptr;
        const double whole = s.norm_of(out);
        h[0] = s.inner_product(basis[0].data, out);
        double length = 0;
        for (std::size_t i = 0; i <= k; ++i) { // w -= h v, and what is left along the next v
            last = basis[i].data;
            const T by = scalar<T>(h[i]);
            if (i == k) {
                length = s.subtract_scaled(out, by, last);
                break;
            }
            const T* const next = basis[i + 1].data;
            h[i + 1] = s.template sums<1>(4, [=]<typename V>(index_t j, V* sums) {
                const V rest = load<V>(out + j) - times(by, load<V>(last + j));
                store(out + j, rest);
                sums[0] += conjugate_times(load<V>(next + j), rest);
            })[0];
        }
        h[k + 1] = length;
        for (std::size_t i = 0; i < k; ++i) turn(rotations[i], h[i], h[i + 1]);
        const double size = std::hypot(std::abs(h[k]), length);
        constexpr double kRounding =
            4 * std::numeric_limits<typename PartOfComplex<T>::type>::epsilon();
        if (!(size > kRounding * whole)) { // A maps this direction to what is there already
            ended =
                s.breaks(std::isnan(size) ? "the operator gives NaN" : "the operator is singular");
            s.is_last(std::abs(g.back()));
            return false;
        }
        rotations.emplace_back(h[k] / size, W(length / size));
        turn(rotations.back(), h[k], h[k + 1]);
        h.pop_back();
        columns.push_back(std::move(h));
        g.push_back(W{});
        turn(rotations.back(), g[k], g[k + 1]);
        if (s.is_last(std::abs(g.back()))) {
            ended = Ended::reached;
            return false;
        }
        if (length <= kRounding * whole) return false; // nothing is left: the solution is here
        scale_to(n, out, scalar<T>(1 / length), out);
        return true;
    });
    // The combination of least residual.
    const std::size_t count = columns.size();
    for (std::size_t i = count; i-- > 0;) {
        for (std::size_t j = i + 1; j < count; ++j) g[i] -= columns[j][i] * g[j];
        g[i] /= columns[i][i];
    }
    if (count == 0) return ended;
    if (!s.has_preconditioner()) {
        for (std::size_t i = 0; i < count; ++i)
            add_scaled(n, s.x.data, scalar<T>(g[i]), basis[i].data);
        return ended;
    }
    scale_to(n, s.r.data, scalar<T>(g[0]), basis[0].data); // the residual is computed anew
    for (std::size_t i = 1; i < count; ++i) add_scaled(n, s.r.data, scalar<T>(g[i]), basis[i].data);
    add_scaled(n, s.x.data, T(1), s.preconditioned(s.r, own).data);
    return ended;
}

#define PURVIEW_GENERAL_STEPS(T)                     \
 template Ended bicgstab_steps<T>(Iteration<T> & s); \
 template Ended gmres_steps<T>(Iteration<T> & s);
PURVIEW_EACH_VECTOR_TYPE(PURVIEW_GENERAL_STEPS)

} // namespace purview::linalg
