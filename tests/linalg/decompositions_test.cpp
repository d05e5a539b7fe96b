// Factors multiplied again, orthonormal bases, definite signs.
#include "random_matrices.hpp"

#include <support/catch.hpp>
#include <support/settings.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/functional/assembly/triangle.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace decompositions_test {
namespace {

using namespace linalg_tests;

template <typename T, typename X>
void check_orthonormal(const X& columns) {
    CHECK(apart<T>(pv::matmul(adjoint(columns), columns),
                   pv::eye<T>(columns.shape().back()) +
                       T(0) * pv::matmul(adjoint(columns), columns)) < kFew);
}
/// The largest component of each column is real and positive, up to rounding.
template <typename T, typename X>
void check_phases(const X& columns) {
    const auto all = pv::clone(
        pv::reshape(columns, {-1, columns.shape()[static_cast<std::size_t>(columns.rank() - 2)],
                              columns.shape().back()}));
    for (index_t i = 0; i < all.shape()[0]; ++i)
        for (index_t j = 0; j < all.shape()[2]; ++j) {
            const auto column = pv::clone(all(i, pv::all, j));
            const auto sizes = pv::clone(pv::abs(column));
            const double most = static_cast<double>(pv::max(sizes));
            bool any = false; // of those that rounding does not tell apart
            for (index_t k = 0; k < column.size() && !any; ++k) {
                const T x = T(column(k));
                any = static_cast<double>(std::abs(x)) >= most * (1 - 1e-4) && std::real(x) > 0 &&
                      std::abs(std::imag(x)) <= 1e-4 * std::real(x);
            }
            CHECK(any);
        }
}

} // namespace

TEMPLATE_TEST_CASE("qr has orthonormal columns and a triangle", "", LINALG_TYPES) {
    using T = TestType;
    Random random(11);
    for (int round = 0; round < oracle::rounds(80); ++round) {
        const index_t m = random.between(1, 12), n = random.between(1, 12), k = std::min(m, n);
        const pv::Shape batch = random_batch(random);
        const auto a = random_matrices<T>(random, with(batch, {m, n}));
        for (const bool full : {false, true}) {
            CAPTURE(pv::to_string(batch), m, n, full);
            const auto [Q, R] = la::qr(a, {.full = full});
            CHECK(pv::to_shape(Q.shape()) == with(batch, {m, full ? m : k}));
            CHECK(pv::to_shape(R.shape()) == with(batch, {full ? m : k, n}));
            CHECK(apart<T>(pv::matmul(Q, R), a) < kFew);
            check_orthonormal<T>(Q);
            CHECK(largest(lower_part(R, -1)) == 0);
            const auto diagonal = pv::clone(pv::diagonal(R, 0, -2, -1));
            for (const T x : pv::as_span(diagonal)) CHECK((std::real(x) >= 0 && std::imag(x) == 0));
        }
    }
}

TEMPLATE_TEST_CASE("lu multiplied is the matrix with its rows in another order", "", LINALG_TYPES) {
    using T = TestType;
    Random random(12);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        const index_t m = random.between(1, 9), n = random.between(1, 9);
        auto a = pv::clone(random_matrices<T>(random, {2, m, n}));
        if (random.one_in(4)) pv::fill(a(1, pv::ellipsis), T(1)); // singular
        const auto [P, L, U] = la::lu(a);
        for (index_t i = 0; i < 2; ++i)
            CHECK(apart<T>(pv::matmul(L, U)(i, pv::ellipsis),
                           pv::take(a(i, pv::ellipsis), P(i, pv::all), 0)) < kFew);
        CHECK(largest(upper_part(L, 1)) == 0);
        CHECK(largest(lower_part(U, -1)) == 0);
        CHECK(largest(L) <= std::sqrt(2.) + 1e-4); // complex pivots are compared by |x| + |y|
        CHECK(pv::equals(pv::clone(pv::diagonal(L, 0, -2, -1)), pv::ones<T>({2, std::min(m, n)})));
    }
}

TEMPLATE_TEST_CASE("svd has orthonormal factors and descending values", "", LINALG_TYPES) {
    using T = TestType;
    Random random(13);
    for (int round = 0; round < oracle::rounds(80); ++round) {
        const index_t m = random.between(1, 12), n = random.between(1, 12), k = std::min(m, n);
        const pv::Shape batch = random_batch(random);
        const oracle::Threads threads(static_cast<int>(random.between(1, 3)));
        const auto a = random_matrices<T>(random, with(batch, {m, n}));
        for (const bool full : {false, true}) {
            CAPTURE(pv::to_string(batch), m, n, full);
            const auto [U, S, Vh] = la::svd(a, {.full = full});
            CHECK(pv::to_shape(S.shape()) == with(batch, {k}));
            CHECK(pv::to_shape(U.shape()) == with(batch, {m, full ? m : k}));
            CHECK(pv::to_shape(Vh.shape()) == with(batch, {full ? n : k, n}));
            const auto values = pv::clone(pv::cast<T>(S(pv::ellipsis, pv::new_axis, pv::all)));
            CHECK(apart<T>(pv::matmul(pv::clone(U(pv::ellipsis, pv::all, pv::range(0, k)) * values),
                                      pv::clone(Vh(pv::ellipsis, pv::range(0, k), pv::all))),
                           a) < kFew);
            check_orthonormal<T>(U);
            check_orthonormal<T>(adjoint(Vh));
            check_phases<T>(U);
            if (S.size() > 0) CHECK(static_cast<double>(pv::min(S)) >= 0);
            for (index_t i = 0; i + 1 < k; ++i)
                CHECK(pv::all_of(S(pv::ellipsis, i) >= S(pv::ellipsis, i + 1)));
            CHECK(apart<Real<T>>(S, la::svdvals(a)) < kFew);
        }
    }
}

TEMPLATE_TEST_CASE("eigh has ascending values and orthonormal vectors", "", LINALG_TYPES) {
    using T = TestType;
    Random random(14);
    for (int round = 0; round < oracle::rounds(80); ++round) {
        const index_t n = random.between(1, 12);
        const pv::Shape batch = random_batch(random);
        const auto x = random_matrices<T>(random, with(batch, {n, n}));
        const auto a = pv::clone(x + adjoint(x));
        CAPTURE(pv::to_string(batch), n);
        const auto [w, v] = la::eigh(a);
        const auto scaled = pv::clone(v * pv::cast<T>(w(pv::ellipsis, pv::new_axis, pv::all)));
        CHECK(apart<T>(pv::matmul(a, v), scaled) < kFew);
        check_orthonormal<T>(v);
        check_phases<T>(v);
        for (index_t i = 0; i + 1 < n; ++i)
            CHECK(pv::all_of(w(pv::ellipsis, i) <= w(pv::ellipsis, i + 1)));
        CHECK(apart<Real<T>>(w, la::eigvalsh(a)) < kFew);
        // One triangle is read.
        CHECK(pv::equals(la::eigh(lower_part(a)).eigenvalues, w));
        CHECK(apart<Real<T>>(la::eigvalsh(upper_part(a), {.upper = true}), w) < kFew);
    }
}

TEMPLATE_TEST_CASE("eig has vectors that are multiplied by their values", "", LINALG_TYPES) {
    using T = TestType;
    using Z = std::complex<Real<T>>;
    Random random(15);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        const index_t n = random.between(1, 9);
        const auto a = pv::clone(random_matrices<T>(random, with(random_batch(random), {n, n})));
        const auto [w, v] = la::eig(a);
        const auto z = pv::clone(pv::cast<Z>(a));
        CHECK(apart<Z>(pv::matmul(z, v), pv::clone(v * w(pv::ellipsis, pv::new_axis, pv::all))) <
              20 * kFew);
        check_phases<Z>(v);
        CHECK(largest(pv::sqrt(pv::sum(pv::sq(pv::abs(v)), -2)) - Real<T>(1)) < 1e-4);
        // Sums and products of eigenvalues are trace and determinant.
        CHECK(largest(pv::sum(w, -1) - pv::cast<Z>(la::trace(a))) <= 1e-3 * (1 + largest(w)));
        CHECK(largest(pv::sum(la::eigvals(a), -1) - pv::sum(w, -1)) <= 1e-3 * (1 + largest(w)));
    }
}

TEMPLATE_TEST_CASE("expm is the sum of powers divided by factorials", "", LINALG_TYPES) {
    using T = TestType;
    Random random(16);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        const index_t n = random.between(1, 6);
        const auto a = pv::clone(random_matrices<T>(random, {2, n, n}) * T(0.25));
        auto sum = pv::clone(pv::eye<T>(n) + T(0) * a), power = pv::clone(sum);
        for (int i = 1; i < 120; ++i) {
            power = pv::clone(pv::matmul(power, a) / T(static_cast<Real<T>>(i)));
            sum = pv::clone(sum + power);
        }
        // Cancelled sums are exact to their largest term alone.
        CHECK(apart<T>(la::expm(a), sum) <
              kFew * (1 + std::exp(largest(pv::sum(pv::abs(a), -2)) - largest(sum))));
    }
    CHECK(pv::equals(la::expm(pv::zeros<T>({3, 3})), pv::eye<T>(3)));
    const auto inf = std::numeric_limits<Real<T>>::infinity();
    CHECK(pv::all_of(pv::is_nan(pv::abs(la::expm(pv::full<T>({2, 2}, T(inf)))))));
}

TEMPLATE_TEST_CASE("pinv, lstsq, matrix_rank and cond go by singular values", "", LINALG_TYPES) {
    using T = TestType;
    Random random(17);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        const index_t m = random.between(1, 9), n = random.between(1, 9);
        const index_t rank = random.between(1, std::min(m, n));
        const auto x = random_matrices<T>(random, {2, m, rank}),
                   y = random_matrices<T>(random, {2, rank, n});
        const auto a = pv::clone(pv::matmul(x, y));
        const la::RankOptions options{.tolerance = 1e-3};
        CAPTURE(m, n, rank);
        const auto s = la::svdvals(a);
        // Products of random numbers may be nearly of a lower rank.
        if (static_cast<double>(pv::min(s(pv::all, rank - 1) / s(pv::all, 0))) < 0.01) continue;
        CHECK(pv::equals(la::matrix_rank(a, options), pv::full<index_t>({2}, rank)));
        const auto p = la::pinv(a, options);
        CHECK(apart<T>(pv::matmul(pv::matmul(a, p), a), a) < 20 * kFew);
        CHECK(apart<T>(pv::matmul(pv::matmul(p, a), p), p) < 20 * kFew);
        const auto b = random_matrices<T>(random, {2, m, 3});
        const auto [solution, residuals, ranks, values] = la::lstsq(a, b, options);
        CHECK(apart<T>(solution, pv::matmul(p, b)) < 20 * kFew);
        CHECK(apart<Real<T>>(residuals, pv::sum(pv::sq(pv::abs(pv::matmul(a, solution) - b)), -2)) <
              20 * kFew);
        CHECK(pv::equals(pv::clone(ranks), pv::full<index_t>({2}, rank)));
        CHECK(apart<Real<T>>(values, s) < kFew);
        if (rank == std::min(m, n))
            CHECK(apart<Real<T>>(la::cond(a), s(pv::all, 0) / s(pv::all, rank - 1)) < 20 * kFew);
        const auto v = pv::clone(b(0, pv::all, 0));
        const auto one = pv::clone(a(0, pv::ellipsis));
        CHECK(apart<T>(la::lstsq(one, v, options).x, solution(0, pv::all, 0)) < 20 * kFew);
    }
}

TEST_CASE("products, powers and traces") {
    Random random(18);
    const auto a = random_matrices<double>(random, {2, 4, 4});
    CHECK(apart<double>(la::matrix_power(a, 5),
                        pv::matmul(a, pv::matmul(pv::matmul(a, a), pv::matmul(a, a)))) < kFew);
    CHECK(pv::equals(la::matrix_power(a, 0), pv::clone(pv::eye(4) + 0. * a)));
    CHECK(pv::equals(la::matrix_power(a, 1), pv::clone(a)));
    CHECK(apart<double>(la::matrix_power(a, -2), la::inv(pv::matmul(a, a))) < 1e6);
    CHECK(pv::equals(pv::clone(la::trace(a)), pv::clone(a(pv::all, 0, 0) + a(pv::all, 1, 1) +
                                                        a(pv::all, 2, 2) + a(pv::all, 3, 3))));
    CHECK(pv::clone(la::trace(a, 2))(1) == a(1, 0, 2) + a(1, 1, 3));
    const auto x = pv::tensor({1., 2., 3.}), y = pv::tensor({-2., 0.5, 4.});
    CHECK(pv::equals(pv::clone(la::cross(x, y)),
                     pv::tensor({2 * 4 - 3 * 0.5, 3. * -2 - 1 * 4, 1 * 0.5 - 2. * -2})));
    CHECK_THROWS_AS(la::cross(x, pv::zeros({2})), pv::ShapeError);
    using Z = std::complex<double>;
    CHECK(la::vecdot(pv::tensor<Z>({Z(0, 1), Z(2, 0)}), pv::tensor<Z>({Z(0, 1), Z(1, 1)})).item() ==
          Z(3, 2));
    const auto p = random_matrices<double>(random, {2, 3, 4}),
               q = random_matrices<double>(random, {3, 4, 5});
    const auto t = pv::clone(la::tensordot(p, q, 2));
    for (index_t i = 0; i < 2; ++i)
        for (index_t j = 0; j < 5; ++j) {
            double sum = 0;
            for (index_t k = 0; k < 3; ++k)
                for (index_t l = 0; l < 4; ++l) sum += p(i, k, l) * q(k, l, j);
            CHECK(std::abs(t(i, j) - sum) < 1e-9);
        }
    CHECK(pv::equals(pv::clone(la::tensordot(p, q, {1, 2}, {0, 1})), t));
    CHECK(pv::to_shape(pv::clone(la::tensordot(p, q, {2}, {1})).shape()) == pv::Shape{2, 3, 3, 5});
    CHECK_THROWS_AS(la::tensordot(p, q, {0}, {0}), pv::ShapeError);
    CHECK_THROWS_AS(la::matrix_power(p, 2), pv::ShapeError);
}

TEST_CASE("What is NaN does not converge, or is NaN where that is asked for") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto a = pv::full({3, 3}, nan);
    CHECK_THROWS_AS(la::svd(a), pv::LinearAlgebraError);
    CHECK(pv::all_of(pv::is_nan(la::solve(a, pv::ones({3})))));
}

} // namespace decompositions_test
