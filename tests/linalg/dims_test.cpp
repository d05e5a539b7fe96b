// Functions of matrices over dims, beside those of axes.
#include "random_matrices.hpp"

#include <support/catch.hpp>

#include <purview/base/errors.hpp>
#include <purview/purview.hpp>

namespace dims_test {
namespace {

using namespace linalg_tests;
using Catch::Matchers::ContainsSubstring;

/// A tensor over dims as axes, in this order; its positional axes are the last ones.
template <typename X, typename... D>
auto ordered(const X& x, const D&... dims) {
    return pv::Tensor<typename X::value_type>(x | pv::order(dims...));
}
template <typename X>
auto turned(const X& x) {
    return pv::clone(pv::swap_axes(x, -1, -2));
}

} // namespace

TEMPLATE_TEST_CASE("Decompositions over dims are those over axes", "", LINALG_TYPES) {
    using T = TestType;
    Random random(41);
    for (int round = 0; round < oracle::rounds(20); ++round) {
        const index_t m = random.between(1, 6), n = random.between(1, 6), d = random.between(1, 3);
        CAPTURE(m, n, d);
        const auto a = pv::clone(random_matrices<T>(random, {d, m, n}));
        const auto b = pv::clone(random_matrices<T>(random, {d, n, n}));
        const auto spd = pv::clone(pv::matmul(b, adjoint(b)) + pv::eye<T>(n));
        const pv::Dim day("day"), i("i"), k("k"), r("r"), c("c");
        // Axes in another order than the dims are asked for.
        const auto over = pv::clone(pv::transpose(a, {2, 0, 1}))(k, day, i);
        const auto square = b(day, r, c), definite = spd(day, r, c);

        const bool upper = random.one_in(2), full = random.one_in(2);
        const auto l = la::cholesky(definite, r, c, {.upper = upper});
        const auto own_l = la::cholesky(spd, {.upper = upper});
        CHECK(pv::equals(upper ? turned(ordered(l, day, c)) : ordered(l, day, r), own_l));

        const auto [q, upper_r] = la::qr(over, i, k, {.full = full});
        const auto [own_q, own_r] = la::qr(a, {.full = full});
        CHECK(pv::equals(ordered(q, day, i), own_q));
        CHECK(pv::equals(turned(ordered(upper_r, day, k)), own_r));
        CHECK(apart<T>(ordered(pv::sum(q * upper_r, -1), day, i, k), a) < kFew);

        const auto [p, lower, u] = la::lu(over, i, k);
        const auto [own_p, own_lower, own_u] = la::lu(a);
        CHECK(pv::equals(ordered(p, day, i), own_p));
        CHECK(pv::equals(ordered(lower, day, i), own_lower));
        CHECK(pv::equals(turned(ordered(u, day, k)), own_u));

        const auto [left, s, right] = la::svd(over, i, k, {.full = full});
        const auto [own_left, own_s, own_right] = la::svd(a, {.full = full});
        CHECK(pv::equals(ordered(left, day, i), own_left));
        CHECK(pv::equals(ordered(s, day), own_s));
        CHECK(pv::equals(turned(ordered(right, day, k)), own_right));
        CHECK(pv::equals(ordered(la::svdvals(over, i, k), day), la::svdvals(a)));

        const auto [w, v] = la::eigh(definite, r, c);
        const auto [own_w, own_v] = la::eigh(spd);
        CHECK(pv::equals(ordered(w, day), own_w));
        CHECK(pv::equals(ordered(v, day, c), own_v));
        CHECK(pv::equals(ordered(la::eigvalsh(definite, r, c), day), la::eigvalsh(spd)));
        const auto [z, vectors] = la::eig(square, r, c);
        const auto [own_z, own_vectors] = la::eig(b);
        CHECK(pv::equals(ordered(z, day), own_z));
        CHECK(pv::equals(ordered(vectors, day, c), own_vectors));
        CHECK(pv::equals(ordered(la::eigvals(square, r, c), day), la::eigvals(b)));

        const auto [sign, logarithm] = la::slogdet(square, r, c);
        const auto [own_sign, own_logarithm] = la::slogdet(b);
        CHECK(pv::equals(ordered(sign, day), own_sign));
        CHECK(pv::equals(ordered(logarithm, day), own_logarithm));
        CHECK(pv::equals(ordered(la::expm(square, r, c), day, r, c), la::expm(b)));
        CHECK(pv::equals(ordered(la::trace(over, i, k, 1), day), pv::clone(la::trace(a, 1))));

        CHECK(pv::equals(ordered(la::matrix_rank(over, i, k), day), pv::clone(la::matrix_rank(a))));
        CHECK(pv::equals(ordered(la::cond(over, i, k), day), la::cond(a)));
        CHECK(apart<T>(ordered(la::pinv(over, i, k), day, k, i), la::pinv(a)) < 100 * kFew);

        const auto y = pv::clone(random_matrices<T>(random, {d, m, 2}));
        const auto own = la::lstsq(a, y);
        const pv::Dim side("side");
        const auto fit = la::lstsq(over, y(day, i, side), i, k);
        CHECK(apart<T>(ordered(fit.x, day, k, side), own.x) < 1000 * kFew);
        CHECK(apart<Real<T>>(ordered(fit.residuals, day, side) + Real<T>(1e4),
                             own.residuals + Real<T>(1e4)) < 1000 * kFew);
        CHECK(pv::equals(ordered(fit.rank, day), pv::clone(own.rank)));
        CHECK(pv::equals(ordered(fit.S, day), own.S));
        // A positional axis of the right sides.
        const auto columns = la::lstsq(over, y(day, i, pv::all), i, k);
        CHECK(apart<T>(ordered(columns.x, day, k), own.x) < 1000 * kFew);

        const auto triangle = pv::clone(spd + T(20) * pv::eye<T>(n));
        const auto rest = pv::clone(random_matrices<T>(random, {d, n, 2}));
        CHECK(pv::equals(ordered(la::solve_triangular(triangle(day, r, c), rest(day, r, side), r, c,
                                                      {.upper = upper}),
                                 day, c, side),
                         la::solve_triangular(triangle, rest, {.upper = upper})));

        const pv::Dim x("x"), three("three");
        CHECK(apart<T>(ordered(la::cholesky_solve(l, rest(day, r, side), r, c, {.upper = upper}),
                               day, c, side),
                       la::cholesky_solve(own_l, rest, {.upper = upper})) < 100 * kFew);
        for (const index_t power : {0, 1, 5, -2})
            CHECK(pv::equals(ordered(la::matrix_power(square, power, r, c), day, r, c),
                             la::matrix_power(b, power)));
        const auto e = pv::clone(random_matrices<T>(random, {d, 3})),
                   f = pv::clone(random_matrices<T>(random, {n, 3}));
        CHECK(pv::equals(ordered(la::cross(e(day, three), f(x, three), three), day, x, three),
                         pv::clone(la::cross(e(pv::all, pv::new_axis, pv::all), f))));
    }
    const pv::Dim i("i"), k("k");
    CHECK_THROWS_WITH(la::cross(pv::ones({2})(i), pv::ones({2})(i), i), ContainsSubstring("cross"));
    CHECK_THROWS_WITH(la::cholesky_solve(pv::eye(2)(i, k), pv::ones({2})(i), i, k),
                      ContainsSubstring("has no positional axis"));
    const auto l = la::cholesky(pv::eye(2)(i, k), i, k);
    CHECK_THROWS_WITH(la::cholesky_solve(l, pv::ones({2})(k), k, i),
                      ContainsSubstring("the factor is not over Dim 'k'"));
    CHECK_THROWS_AS(la::matrix_power(pv::ones({2, 3})(i, k), 2, i, k), pv::Error);
}

TEST_CASE("What is over dims keeps positional axes of a batch, and new ones are last") {
    const auto a = pv::clone(pv::random_normal({4, 3, 2}, 1));
    const pv::Dim i("i"), k("k"), j("j");
    const auto [u, s, vh] = la::svd(pv::clone(pv::transpose(a, {1, 2, 0}))(i, k, pv::all), i, k);
    const auto own = la::svd(a);
    CHECK(u.shape() == pv::Shape{4, 2});
    CHECK(pv::equals(pv::Tensor<double>(u | pv::order(0, i, 1)), own.U));
    CHECK(pv::equals(pv::Tensor<double>(s), own.S));
    // Positional axes are named by indexing.
    CHECK(pv::equals(pv::Tensor<double>(vh(pv::all, j) | pv::order(0, j, k)), own.Vh));
    CHECK_THROWS_WITH(la::svd(pv::zeros({3, 2})(i, k), i, j),
                      ContainsSubstring("svd: the tensor is not over Dim 'j'"));
}

TEST_CASE("Decompositions over dims are traced, and have derivatives") {
    const auto a = pv::clone(pv::random_normal({3, 3}, 1));
    const pv::Dim i("i"), k("k");
    const auto over = pv::computation(
        [&](auto x) {
            const auto [w, v] = la::eigh(x(i, k) + x(k, i), i, k);
            pv::Symbol<double> sums = pv::sum(w * v, -1) | pv::order(k);
            pv::Symbol<double> inverse = la::pinv(x(i, k), i, k) | pv::order(k, i);
            pv::Symbol<double> fit = la::lstsq(x(i, k), x(i, 0), i, k).x | pv::order(k);
            return pv::sum(sums) + pv::sum(inverse) + pv::sum(fit * sums);
        },
        pv::spec<double>({3, 3}));
    const auto plain = pv::computation(
        [&](auto x) {
            const auto [w, v] = la::eigh(x + pv::transpose(x));
            const auto sums = pv::sum(w * v, -1);
            return pv::sum(sums) + pv::sum(la::pinv(x)) +
                   pv::sum(la::lstsq(x, x(pv::all, 0)).x * sums);
        },
        pv::spec<double>({3, 3}));
    CHECK(std::abs(double(over(a)) - double(plain(a))) < 1e-9);
    CHECK(pv::allclose(pv::gradient(over)(a), pv::gradient(plain)(a)));
}

} // namespace dims_test
