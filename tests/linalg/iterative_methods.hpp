#pragma once

/// Systems for iterative methods, and which of them take which.

#include "random_matrices.hpp"

#include <algorithm>
#include <cmath>

namespace linalg_tests {

template <typename T>
inline constexpr double kTight = sizeof(Real<T>) == 4 ? 2e-5 : 1e-12;
/// Of solutions, beside those by LAPACK.
template <typename T>
inline constexpr double kClose = sizeof(Real<T>) == 4 ? 2e-3 : 1e-9;

enum class Kind { definite, indefinite, general };
template <typename T>
pv::MutableTensor<T> random_square(Random& random, index_t n, Kind kind) {
    const auto x = pv::clone(random_matrices<T>(random, {n, n}));
    switch (kind) {
    case Kind::definite: return pv::clone(pv::matmul(x, adjoint(x)) + T(10) * pv::eye<T>(n));
    case Kind::indefinite: {
        auto sum = pv::clone(x + adjoint(x));
        for (index_t i = 0; i < n; ++i) sum(i, i) = T(sum(i, i)) + T(i % 2 == 0 ? 40 : -40);
        return sum;
    }
    case Kind::general: break;
    }
    return pv::clone(x + T(20) * pv::eye<T>(n));
}
template <typename T>
pv::MutableTensor<T> random_vector(Random& random, pv::Shape shape) {
    pv::MutableTensor<T> x = pv::empty<T>(shape);
    for (T& element : pv::as_span(x)) element = random_number<T>(random);
    return x;
}
template <typename X, typename Y>
double distance(const X& x, const Y& y) {
    return largest(pv::clone(x) - pv::clone(y)) / std::max(1., largest(y));
}
/// |b - A x| / |b|
template <typename T>
double residual_of(const pv::Tensor<T>& a, const pv::Tensor<T>& x, const pv::Tensor<T>& b) {
    const auto rest = pv::clone(b - pv::matmul(a, x(pv::all, pv::new_axis))(pv::all, 0));
    double square = 0, whole = 0;
    for (const T& element : pv::as_span(rest)) square += double(std::norm(element));
    for (const T& element : pv::as_span(pv::clone(b))) whole += double(std::norm(element));
    return std::sqrt(square / whole);
}

/// Calls `f(name, solve)` with each method for such matrices.
template <typename T, typename F>
void with_methods(Kind kind, const F& f) {
    if (kind == Kind::definite)
        f("cg", [](const auto& a, const auto& b, const la::IterativeOptions<T>& o) {
            return la::cg(a, b, o);
        });
    if (kind != Kind::general)
        f("minres", [](const auto& a, const auto& b, const la::IterativeOptions<T>& o) {
            return la::minres(a, b, o);
        });
    if (kind != Kind::indefinite)
        f("bicgstab", [](const auto& a, const auto& b, const la::IterativeOptions<T>& o) {
            return la::bicgstab(a, b, o);
        });
    f("gmres", [](const auto& a, const auto& b, const la::IterativeOptions<T>& o) {
        return la::gmres(a, b,
                         {.tolerance = o.tolerance,
                          .max_iterations = o.max_iterations,
                          .preconditioner = o.preconditioner,
                          .on_iteration = o.on_iteration,
                          .throws = o.throws,
                          .start = o.start,
                          .restart = 50});
    });
}

} // namespace linalg_tests
