// Iterative methods where they cannot go on, and at the ends of the range of numbers.
#include "iterative_methods.hpp"

#include <support/catch.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/applied/computation.hpp>

#include <limits>
#include <utility>

namespace iterative_errors_test {
namespace {

using namespace linalg_tests;
using Catch::Matchers::ContainsSubstring;

} // namespace

TEST_CASE("Right sides of any size have the same solutions") {
    Random random(16);
    for (const Kind kind : {Kind::definite, Kind::general}) {
        const auto a = random_square<double>(random, 8, kind);
        const auto b = random_vector<double>(random, {8});
        with_methods<double>(kind, [&](const char*, const auto& solve) {
            const auto x = solve(a, b, {.tolerance = 1e-12}).x;
            for (const int exponent : {-1000, -600, -300, 300, 900}) {
                const double factor = std::ldexp(1., exponent);
                const auto y = solve(a, pv::clone(b * factor), {.tolerance = 1e-12}).x;
                CHECK(distance(y / factor, x) < 1e-11);
            }
        });
    }
}

TEST_CASE("What cannot go on says why") {
    const auto b = pv::tensor({1., 2.});
    CHECK_THROWS_WITH(la::cg(pv::tensor({{1., 0.}, {0., -1.}}), b),
                      ContainsSubstring(": the operator is not positive definite"));
    CHECK_THROWS_AS(la::cg(pv::tensor({{1., 0.}, {0., -1.}}), b), pv::LinearAlgebraError);
    CHECK_THROWS_WITH(la::cg(pv::eye(2), b, {.preconditioner = -1. * pv::eye(2)}),
                      ContainsSubstring(": the preconditioner is not positive definite"));
    CHECK_THROWS_WITH(la::minres(pv::eye(2), b, {.preconditioner = -1. * pv::eye(2)}),
                      ContainsSubstring(": the preconditioner is not positive definite"));
    const auto singular = pv::zeros({2, 2});
    for (const bool throws : {false, true})
        with_methods<double>(Kind::definite, [&](const char* name, const auto& solve) {
            CAPTURE(name);
            if (throws) {
                CHECK_THROWS_AS(solve(singular, b, {}), pv::LinearAlgebraError);
                return;
            }
            const auto x = solve(singular, b, {.throws = false});
            CHECK(largest(x.x) == 0);
            CHECK(x.residual == 1);
        });
    // A rotation: its first product is orthogonal to what it is of.
    const auto turn = pv::tensor({{0., 1.}, {-1., 0.}});
    CHECK_THROWS_WITH(la::bicgstab(turn, pv::tensor({1., 0.})),
                      ContainsSubstring(": a direction has no part along the first residual"));
    CHECK(distance(la::gmres(turn, b).x, pv::tensor({-2., 1.})) < 1e-12);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const auto& [a, side] : {std::pair(pv::clone(pv::eye(2) * nan), b),
                                  std::pair(pv::clone(pv::eye(2)), pv::tensor({1., nan}))})
        with_methods<double>(Kind::definite, [&](const char* name, const auto& solve) {
            CAPTURE(name);
            CHECK_THROWS_AS(solve(a, side, {}), pv::LinearAlgebraError);
            const auto x = solve(a, side, {.throws = false});
            CHECK(x.iterations <= 1);
        });
    CHECK_THROWS_AS(la::lsmr(pv::clone(pv::eye(2) * nan), b), pv::LinearAlgebraError);
    // No x is better than 0.
    const auto orthogonal = la::lsmr(pv::tensor({{1.}, {0.}}), pv::tensor({0., 1.}));
    CHECK((orthogonal.iterations == 0 && orthogonal.residual == 1));
    CHECK_THROWS_AS(la::lsmr(pv::tensor({{1.}, {2.}}), b, {.max_iterations = 0}),
                    pv::LinearAlgebraError);
}

TEST_CASE("What does not fit is refused by its shape and type") {
    const auto b = pv::ones({3});
    CHECK_THROWS_WITH(la::cg(pv::zeros({3, 2}), b),
                      "cg: the operator takes vectors of [2] and gives vectors of [3]");
    CHECK_THROWS_WITH(la::cg(pv::eye(2), b),
                      "cg: the operator gives vectors of [2], the right side is of [3]");
    CHECK_THROWS_WITH(la::cg(b, b), "cg: [3] is no matrix");
    CHECK_THROWS_WITH(la::cg(pv::eye(3), b, {.preconditioner = pv::eye(2)}),
                      ContainsSubstring("cg: the preconditioner takes vectors of [2]"));
    CHECK_THROWS_WITH(la::cg(pv::eye(3), b, {.start = pv::ones({2})}),
                      "cg: the start is of [2], the operator takes vectors of [3]");
    CHECK_THROWS_WITH(la::cg([](const auto& u) { return pv::sum(u); }, b),
                      "cg: the operator gives vectors of [], the right side is of [3]");
    CHECK_THROWS_WITH(la::cg([](const pv::Tensor<double>& u) { return u(pv::range(0, 2)); }, b),
                      "cg: the operator gives a tensor of [2] where [3] is wanted");
    const auto wide = pv::ones({3});
    CHECK_THROWS_AS(la::cg([&](const auto& u) { return u * wide; }, pv::ones<float>({3})),
                    pv::DtypeError);
    CHECK_THROWS_WITH(la::lsmr([](const pv::Tensor<double>& u) { return u; }, b),
                      ContainsSubstring("lsmr: the operator is a function without a derivative"));
    CHECK_THROWS_AS(pv::computation([](auto side) { return la::lsmr(pv::eye(3), side).x; },
                                    pv::spec<double>({3})),
                    pv::SymbolError);
    CHECK_THROWS_AS(la::jacobi(pv::zeros({3, 2})), pv::ShapeError);
    CHECK_THROWS_AS(la::jacobi(pv::zeros({2, 2, 2})), pv::ShapeError);
    CHECK_THROWS_AS(la::gmres(pv::eye(3), b, {.restart = 0}), pv::Error);
}

} // namespace iterative_errors_test
