// Iterative methods in traced functions: derivatives by right sides and by what operators capture, beside differences and
// beside those of `solve`.
#include "derivative_checks.hpp"
#include "iterative_methods.hpp"

#include <purview/base/errors.hpp>

namespace iterative_derivatives_test {
namespace {

using namespace linalg_tests;
using Catch::Matchers::ContainsSubstring;

constexpr double kTiny = 1e-13;
const la::IterativeOptions<double> kExact{.tolerance = kTiny};

/// Calls `f(name, solve)` with each method.
template <typename F>
void with_each(const F& f) {
    f("cg", [](const auto& a, const auto& b) { return la::cg(a, b, kExact); });
    f("minres", [](const auto& a, const auto& b) { return la::minres(a, b, kExact); });
    f("bicgstab", [](const auto& a, const auto& b) { return la::bicgstab(a, b, kExact); });
    f("gmres", [](const auto& a, const auto& b) {
        return la::gmres(a, b, la::GmresOptions<double>{.tolerance = kTiny});
    });
}
bool takes_any(const std::string& name) { return name == "gmres" || name == "bicgstab"; }

} // namespace

TEST_CASE("Solutions in traced functions are those outside of them") {
    Random random(71);
    const auto definite = random_square<double>(random, 6, Kind::definite);
    const auto b = random_vector<double>(random, {6});
    with_each([&](const char* name, const auto& solve) {
        CAPTURE(name);
        const auto c = pv::computation(
            [&](auto y) {
                const auto [x, iterations, residual] = solve(definite, y);
                return std::tuple(x, iterations, residual);
            },
            pv::spec<double>({6}));
        const auto expected = solve(definite, b);
        const auto [x, iterations, residual] = c(b);
        CHECK(pv::equals(x, expected.x));
        CHECK(iterations.item() == expected.iterations);
        CHECK(residual.item() == expected.residual);
        const auto by_matrix =
            pv::computation([&](auto a) { return solve(a, b).x; }, pv::spec<double>({6, 6}));
        CHECK(distance(by_matrix(definite), expected.x) < 1e-10);
    });
}

TEST_CASE("Derivatives of iterative methods are those of differences") {
    Random random(72);
    const index_t n = 5;
    for (const bool is_general : {false, true}) {
        const auto a = pv::clone(
            0.1 * random_square<double>(random, n, is_general ? Kind::general : Kind::definite));
        const auto sparse = pv::to_sparse(a);
        const auto b = random_vector<double>(random, {n});
        with_each([&](const std::string& name, const auto& solve) {
            if (is_general && !takes_any(name)) return;
            CAPTURE(name, is_general);
            check(
                "by b", [&](auto y) { return weighted(solve(a, y).x); }, b);
            check(
                "by b, sparse", [&](auto y) { return weighted(pv::sq(solve(sparse, y).x)); }, b);
            check(
                "by b, a function",
                [&](auto y) {
                    return weighted(solve(
                                        [&](auto u) {
                                            return pv::matmul(a, u(pv::all, pv::new_axis))(pv::all,
                                                                                           0);
                                        },
                                        pv::sin(y))
                                        .x);
                },
                b);
            const auto diagonal = pv::clone(pv::abs(b) + 2.);
            check(
                "by what is captured",
                [&](auto d) {
                    const auto scale = pv::exp(0.1 * d); // outside of the operator
                    return weighted(pv::sq(solve(
                                               [&](auto u) {
                                                   return scale * u +
                                                          pv::matmul(a, u(pv::all, pv::new_axis))(
                                                              pv::all, 0);
                                               },
                                               d * b)
                                               .x));
                },
                diagonal);
            check(
                "by a matrix",
                [&](auto m) {
                    const auto own = is_general ? m + 0. : m + pv::transpose(m);
                    return weighted(solve(own, b).x);
                },
                a);
        });
    }
}

TEST_CASE("Jacobians of iterative methods are those of solve") {
    Random random(73);
    const auto a = pv::clone(0.1 * random_square<double>(random, 4, Kind::general));
    const auto b = random_vector<double>(random, {4});
    const auto scaled = [&](auto d) {
        return [&a, d](auto u) { return d * pv::matmul(a, u(pv::all, pv::new_axis))(pv::all, 0); };
    };
    const auto d = pv::clone(pv::abs(b) + 1.);
    const auto own = [&](auto z) { return la::gmres(scaled(z), z * b, {.tolerance = kTiny}).x; };
    const auto plain = [&](auto z) { return la::solve(z(pv::all, pv::new_axis) * a, z * b); };
    const auto jacobian = [&](const auto& f) {
        return pv::clone(pv::computation([&](auto z) { return pv::jacobian(f(z), z); },
                                         pv::spec<double>({4}))(d));
    };
    const auto hessian = [&](const auto& f) {
        return pv::clone(
            pv::computation([&](auto z) { return pv::hessian(pv::sum(pv::sq(f(z))), z); },
                            pv::spec<double>({4}))(d));
    };
    CHECK(distance(jacobian(own), jacobian(plain)) < 1e-9);
    CHECK(distance(hessian(own), hessian(plain)) < 1e-8);
}

TEST_CASE("Derivatives with incomplete factors, whose adjoints are known") {
    const index_t n = 12;
    const auto apart = pv::arange(n)(pv::all, pv::new_axis) - pv::arange(n);
    const auto dense = pv::clone(
        pv::where(apart == 0, 4., pv::where(apart == 1, -1., pv::where(apart == -2, -1.5, 0.))));
    const auto a = pv::to_sparse(dense, 0.);
    const auto x = pv::clone(pv::random_normal({n}, 5));
    const auto slope = [&](const auto& f) {
        return pv::clone(pv::gradient(pv::computation([&](auto b) { return pv::sum(pv::sq(f(b))); },
                                                      pv::spec<double>({n})))(x));
    };
    const auto expected = slope([&](auto b) { return la::solve(dense, b); });
    const auto close = [&](const auto& f) {
        return pv::allclose(slope(f), expected, {.relative = 1e-9, .absolute = 1e-10});
    };
    CHECK(close([&](auto b) {
        return la::gmres(a, b, {.tolerance = kTiny, .preconditioner = la::ilu0(a)}).x;
    }));
    CHECK(close([&](auto b) {
        return la::bicgstab(a, b, {.tolerance = kTiny, .preconditioner = la::ilu0(a)}).x;
    }));
}

TEST_CASE("Preconditioners, loops and errors of iterative methods in traced functions") {
    const index_t n = 8;
    const auto b = pv::clone(pv::random_normal({n, n}, 3));
    const auto laplace = [](auto u) { // of a tensor with two axes
        return 4.5 * u - pv::roll(u, 1, 0) - pv::roll(u, -1, 0) - pv::roll(u, 1, 1) -
               pv::roll(u, -1, 1);
    };
    const auto loss = [&](auto rate) {
        return pv::computation(
            [&, rate](auto y) {
                const auto last = pv::iterate(
                    [&](auto x) {
                        return la::cg([&](auto u) { return u + rate * laplace(u); }, x,
                                      {.tolerance = kTiny,
                                       .preconditioner = [](auto r) { return 0.25 * r; }})
                            .x;
                    },
                    y, 3);
                return pv::sum(pv::sq(last));
            },
            pv::spec<double>({n, n}));
    };
    const auto c = loss(0.1);
    const auto slopes = pv::clone(pv::gradient(c)(b));
    auto moved = pv::clone(b);
    for (const index_t i : {0, 3, 7}) {
        moved(i, 2) = double(b(i, 2)) + 1e-5;
        const double up = double(c(moved));
        moved(i, 2) = double(b(i, 2)) - 1e-5;
        const double down = double(c(moved));
        moved(i, 2) = double(b(i, 2));
        CHECK(std::abs((up - down) / 2e-5 - double(slopes(i, 2))) < 1e-7);
    }
    CHECK_THROWS_AS(
        pv::computation([&](auto y) { return la::cg(pv::eye(3), y).x; }, pv::spec<double>({4})),
        pv::ShapeError);
    CHECK_THROWS_AS(pv::computation(
                        [&](auto y) {
                            return la::cg(pv::zeros({4, 3}), y).x;
                        },
                        pv::spec<double>({4})),
                    pv::ShapeError);
    const auto indefinite = pv::computation([&](auto y) { return la::cg(-1. * pv::eye(3), y).x; },
                                            pv::spec<double>({3}));
    CHECK_THROWS_AS(indefinite(pv::ones({3})), pv::LinearAlgebraError);
    // A function that is called has no adjoint.
    const auto called = pv::computation(
        [&](auto y) {
            return pv::sum(
                la::gmres([](const pv::Tensor<double>& u) { return pv::clone(2. * u); }, y).x);
        },
        pv::spec<double>({3}));
    CHECK(std::abs(double(called(pv::ones({3}))) - 1.5) < 1e-12);
    const auto slope = pv::gradient(called);
    CHECK_THROWS_WITH(slope(pv::ones({3})),
                      ContainsSubstring("gmres: the operator is a function without a derivative"));
}

} // namespace iterative_derivatives_test
