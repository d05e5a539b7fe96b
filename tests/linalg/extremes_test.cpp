/// What is far from 1, not finite, of several types, or large enough that sizes said in float are rounded.

#include "random_matrices.hpp"

#include <support/catch.hpp>

#include <purview/purview.hpp>

#include <cmath>
#include <complex>
#include <limits>

namespace extremes_test {

namespace {

using namespace linalg_tests;
using Catch::Matchers::ContainsSubstring;
using Complex = std::complex<double>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <typename F>
pv::MutableTensor<double> slopes(F f, const pv::Tensor<double>& x) {
    const auto c = pv::computation(f, pv::spec<double>(pv::to_shape(x.shape())));
    return pv::clone(pv::gradient(c)(x));
}

} // namespace

TEST_CASE("What is not finite has no decomposition, of any size") {
    for (const index_t n : {3, 20})
        for (const double bad : {kNan, kInfinity}) {
            const auto a = pv::clone(pv::random_normal({n, n}, 1) + 20. * pv::eye(n));
            a(1, 0) = bad;
            CAPTURE(n, bad);
            CHECK_THROWS_WITH(la::svd(a), ContainsSubstring("it has NaN or infinities"));
            CHECK_THROWS_WITH(la::svdvals(a), ContainsSubstring("it has NaN or infinities"));
            CHECK_THROWS_WITH(la::eigh(a), ContainsSubstring("it has NaN or infinities"));
            CHECK_THROWS_WITH(la::eigvalsh(a), ContainsSubstring("it has NaN or infinities"));
            CHECK_THROWS_WITH(la::eig(a), ContainsSubstring("it has NaN or infinities"));
            CHECK_THROWS_WITH(la::eigvals(a), ContainsSubstring("it has NaN or infinities"));
            CHECK_THROWS_AS(la::cholesky(a), pv::LinearAlgebraError);
            // Of the other triangle nothing is read.
            CHECK_NOTHROW(la::eigh(a, {.upper = true}));
            CHECK_NOTHROW(la::cholesky(pv::clone(a), {.upper = true}));
        }
}

TEST_CASE("eigh in float of matrices whose work has more than 2^24 elements") {
    const index_t n = 2999; // 2 n² + 6 n + 1 is odd
    const auto a = pv::clone(pv::eye<float>(n));
    CHECK(pv::all_of(la::eigvalsh(a) == 1.F));
    CHECK(la::eigh(a).eigenvalues(n - 1) == 1.F);
}

TEST_CASE("lstsq of a matrix and a right side of two types is computed in both joined") {
    const auto a = pv::clone(pv::cast<float>(pv::random_normal({5, 2}, 1)));
    const auto wide = pv::clone(pv::cast<double>(a)), b = pv::clone(pv::random_normal({5}, 2));
    const auto own = la::lstsq(a, b), expected = la::lstsq(wide, b);
    CHECK(pv::equals(own.x, expected.x));
    CHECK(pv::equals(own.S, expected.S));
    const auto i = pv::Dim("i"), k = pv::Dim("k");
    const auto over = la::lstsq(a(i, k), b(i), i, k);
    CHECK(apart<double>(pv::Tensor<double>(over.x | pv::order(k)), expected.x) < kFew);
    CHECK(pv::equals(la::lstsq(a, pv::tensor({1, 2, 3, 4, 5})).x,
                     la::lstsq(wide, pv::tensor({1., 2., 3., 4., 5.})).x));
    CHECK(pv::equals(la::lstsq(a, pv::clone(b * Complex(1, 2))).x,
                     la::lstsq(wide, pv::clone(b * Complex(1, 2))).x));
    CHECK_THROWS_WITH(la::lstsq(a, pv::ones({4})),
                      "lstsq: a right side of shape [4] has not the 5 rows of matrices of [5 2]");
    CHECK_THROWS_WITH(la::lstsq(b, b), "lstsq: [5] is no matrix");
}

TEST_CASE("cond of zeros, and of nothing; tensordot over axes that are not there") {
    CHECK(pv::all_of(la::cond(pv::zeros({2, 2})) == kInfinity));
    CHECK(pv::all_of(la::cond(pv::clone(pv::zeros({3, 2}) + pv::tensor({1., 0.}))) == kInfinity));
    CHECK_THROWS_WITH(la::cond(pv::zeros({4, 0, 2})), "cond: matrices of [4 0 2] have no elements");
    CHECK_THROWS_AS(la::tensordot(pv::ones({2, 3}), pv::ones({3, 2}), -1), pv::ShapeError);
    CHECK_THROWS_AS(la::tensordot(pv::ones({2, 3}), pv::ones({3, 2}), 3), pv::ShapeError);
}

TEST_CASE("expm of matrices whose powers are small beside their norm") {
    const index_t n = 6; // of which the sixth power is 0
    auto a = pv::clone(pv::zeros({n, n}));
    for (index_t i = 0; i + 1 < n; ++i) a(i, i + 1) = 1e6;
    const auto made = la::expm(a);
    CHECK(double(made(0, 1)) == Catch::Approx(1e6).epsilon(1e-13));
    CHECK(double(made(0, 2)) == Catch::Approx(5e11).epsilon(1e-13));
    CHECK(std::abs(double(made(1, 0))) < 1e-13);
    // SciPy's: exp of [[1, t], [0, -1]].
    for (const double t : {1e3, 1e6, 1e9}) {
        const auto own = la::expm(pv::tensor({{1., t}, {0., -1.}}));
        CHECK(double(own(0, 0)) == Catch::Approx(std::exp(1.)).epsilon(1e-13));
        CHECK(double(own(0, 1)) == Catch::Approx(t * std::sinh(1.)).epsilon(1e-13));
        CHECK(double(own(1, 1)) == Catch::Approx(std::exp(-1.)).epsilon(1e-13));
    }
}

TEST_CASE("det of factors that leave the range of their type on the way") {
    const auto check = [](const auto& diagonal, double expected) {
        const index_t n = diagonal.size();
        const auto a = pv::clone(pv::eye(n) * diagonal);
        CHECK(pv::allclose(la::det(a), pv::tensor(expected), {.relative = 1e-13}));
        const auto z = pv::clone(a * Complex(0, 1)); // a product with i to the power of n
        CHECK(pv::allclose(pv::clone(pv::abs(la::det(z))), pv::tensor(expected),
                           {.relative = 1e-13}));
    };
    check(pv::tensor({1e200, 1e200, 1e-300}), 1e100);
    check(pv::tensor({1e-200, 1e-120, 1e220}), 1e-100);
    const auto large = pv::clone(pv::where(pv::arange(12) < 6, 1e100, 1e-100));
    check(large, 1);
    check(pv::clone(1. / large), 1);
    CHECK(pv::all_of(la::det(pv::clone(1e200 * pv::eye(3))) == kInfinity));
    CHECK(pv::all_of(la::det(pv::clone(1e-200 * pv::eye(12))) == 0.));
    const auto narrow = pv::clone(pv::eye<float>(3) * pv::tensor({1e30F, 1e30F, 1e-35F}));
    CHECK(pv::allclose(la::det(narrow), pv::tensor(1e25F), {.relative = 1e-5}));
}

TEST_CASE("Derivatives of expm are linear in what comes from above") {
    const auto x = pv::tensor({{0.3, 0.5}, {-0.2, 0.7}});
    const auto once = slopes([](auto z) { return pv::sum(la::expm(z)); }, x);
    for (const double factor : {1e-300, 1e12, 1e300}) {
        const auto many = slopes([=](auto z) { return factor * pv::sum(la::expm(z)); }, x);
        CHECK(pv::allclose(pv::clone(many / factor), once, {.relative = 1e-14}));
    }
    CHECK(pv::all_of(slopes([](auto z) { return 0. * pv::sum(la::expm(z)); }, x) == 0.));
}

TEST_CASE(
    "Derivatives of singular vectors of small numbers, and of square matrices that are singular") {
    const auto weights = pv::tensor({{1., 2.}, {3., 4.}});
    const auto loss = [&](auto z) {
        const auto [u, s, vh] = la::svd(z);
        return pv::sum(u * weights) - pv::sum(vh * weights);
    };
    const auto x = pv::tensor({{1., 2.}, {3., 5.}});
    const auto once = slopes(loss, x);
    for (const double factor : {0x1p-600, 0x1p+600})
        CHECK(pv::allclose(pv::clone(slopes(loss, pv::clone(factor * x)) * factor), once,
                           {.relative = 1e-12}));
    const auto of_singular = slopes([&](auto z) { return pv::sum(la::svd(z).U * weights); },
                                    pv::tensor({{1., 0.}, {0., 0.}}));
    CHECK(pv::allclose(of_singular, pv::tensor({{0., 0.}, {1., 0.}}))); // JAX's
}

TEST_CASE("Operators far from 1 are solved with") {
    const auto a = pv::tensor({{4., 1.}, {1., 3.}}), b = pv::tensor({1., 2.});
    const auto expected = la::solve(a, b);
    for (const double factor : {0x1p-700, 0x1p+700}) {
        const auto own = pv::clone(factor * a);
        const auto close = [&](const auto& result) {
            return pv::allclose(pv::clone(result.x * factor), expected, {.relative = 1e-7});
        };
        CHECK(close(la::cg(own, b)));
        CHECK(close(la::minres(own, b)));
        CHECK(close(la::bicgstab(own, b)));
        CHECK(close(la::gmres(own, b)));
        CHECK(close(la::lsmr(own, b)));
    }
}

TEST_CASE("Tolerances that nothing can reach are refused, and right sides that are not finite") {
    const auto a = pv::tensor({{4., 1.}, {1., 3.}}), b = pv::tensor({1., 2.});
    CHECK_THROWS_WITH(la::cg(a, b, {.tolerance = -1}), "cg: a tolerance of -1");
    CHECK_THROWS_WITH(la::gmres(a, b, {.tolerance = kNan}), "gmres: a tolerance of nan");
    CHECK(la::cg(a, b, {.tolerance = 0, .throws = false}).residual < 1e-15);
    CHECK_THROWS_AS(la::cg(a, pv::tensor({1., kInfinity})), pv::LinearAlgebraError);
    CHECK_THROWS_AS(la::minres(a, pv::tensor({1., kNan})), pv::LinearAlgebraError);
}

} // namespace extremes_test
