// Solutions, inverses, determinants and triangles, beside what defines them.
#include "random_matrices.hpp"

#include <support/catch.hpp>
#include <support/settings.hpp>

#include <purview/base/errors.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>

#include <array>
#include <cstdint>

namespace solve_test {
namespace {

using namespace linalg_tests;
using Catch::Matchers::ContainsSubstring;

/// By Laplace's rule.
template <typename T>
T determinant(const std::vector<T>& a, std::size_t n) {
    if (n == 0) return T(1);
    T sum{};
    for (std::size_t column = 0; column < n; ++column) {
        std::vector<T> minor;
        for (std::size_t i = 1; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                if (j != column) minor.push_back(a[i * n + j]);
        const T part = a[column] * determinant(minor, n - 1);
        sum += column % 2 == 0 ? part : -part;
    }
    return sum;
}

} // namespace

TEMPLATE_TEST_CASE("solve and inv give what times the matrix is the right side", "", LINALG_TYPES) {
    using T = TestType;
    Random random(1);
    for (int round = 0; round < oracle::rounds(80); ++round) {
        const index_t n = random.between(0, 12), k = random.between(0, 4);
        const pv::Shape batch = random_batch(random);
        const oracle::Threads threads(static_cast<int>(random.between(1, 3)));
        // Diagonals keep conditions small.
        const auto a =
            pv::clone(random_matrices<T>(random, with(batch, {n, n})) + T(30) * pv::eye<T>(n));
        const auto b =
            random_matrices<T>(random, with(random.one_in(2) ? batch : pv::Shape{}, {n, k}));
        CAPTURE(pv::to_string(batch), n, k);
        CHECK(apart<T>(pv::matmul(a, la::solve(a, b)), b + T(0) * pv::matmul(a, b)) < kFew);
        CHECK(apart<T>(pv::matmul(a, la::inv(a)), pv::eye<T>(n) + T(0) * a) < kFew);
        const auto v = pv::clone(random_matrices<T>(random, {n, 1})(pv::all, 0));
        const auto x = la::solve(a, v);
        CHECK(pv::to_shape(x.shape()) == with(batch, {n}));
        CHECK(apart<T>(pv::matmul(a, x(pv::ellipsis, pv::new_axis)),
                       v(pv::all, pv::new_axis) + T(0) * x(pv::ellipsis, pv::new_axis)) < kFew);
        for (const bool upper : {false, true}) {
            const auto triangle = upper ? upper_part(a) : lower_part(a);
            CHECK(apart<T>(pv::matmul(triangle, la::solve_triangular(a, b, {.upper = upper})),
                           b + T(0) * pv::matmul(a, b)) < kFew);
        }
    }
}

TEMPLATE_TEST_CASE("det and slogdet are sums over permutations", "", LINALG_TYPES) {
    using T = TestType;
    Random random(2);
    for (int round = 0; round < oracle::rounds(80); ++round) {
        const index_t n = random.between(0, 6);
        const auto a = random_matrices<T>(random, {3, n, n});
        const auto flat = pv::clone(a);
        const auto d = la::det(a);
        const auto [sign, logarithm] = la::slogdet(a);
        for (index_t i = 0; i < 3; ++i) {
            const auto own = pv::as_span(flat).subspan(static_cast<std::size_t>(i * n * n),
                                                       static_cast<std::size_t>(n * n));
            const T expected =
                determinant(std::vector<T>(own.begin(), own.end()), static_cast<std::size_t>(n));
            const auto tolerance = static_cast<Real<T>>(kFew) *
                                   std::numeric_limits<Real<T>>::epsilon() *
                                   (1 + std::abs(expected));
            CHECK(std::abs(T(d(i)) - expected) < tolerance);
            CHECK(std::abs(T(sign(i)) * std::exp(Real<T>(logarithm(i))) - expected) < tolerance);
        }
    }
    const auto [sign, logarithm] = la::slogdet(pv::zeros<T>({2, 2}));
    CHECK(sign.item() == T(0));
    CHECK(logarithm.item() == -std::numeric_limits<Real<T>>::infinity());
    CHECK(la::det(pv::zeros<T>({2, 2})).item() == T(0));
}

TEMPLATE_TEST_CASE("cholesky is the triangle whose square is the matrix", "", LINALG_TYPES) {
    using T = TestType;
    Random random(3);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        const index_t n = random.between(0, 12);
        const auto x = random_matrices<T>(random, with(random_batch(random), {n, n}));
        const auto a = pv::clone(pv::matmul(x, adjoint(x)) + pv::eye<T>(n));
        const auto l = la::cholesky(a), u = la::cholesky(a, {.upper = true});
        CHECK(apart<T>(pv::matmul(l, adjoint(l)), a) < kFew);
        CHECK(apart<T>(pv::matmul(adjoint(u), u), a) < kFew);
        CHECK(largest(upper_part(l, 1)) == 0);
        CHECK(largest(lower_part(u, -1)) == 0);
        CHECK(apart<T>(u, adjoint(l)) < kFew);
        // One triangle is read.
        CHECK(pv::equals(la::cholesky(lower_part(a)), l));
        CHECK(pv::equals(la::cholesky(upper_part(a), {.upper = true}), u));
        const auto b = random_matrices<T>(random, {n, 2});
        CHECK(apart<T>(pv::matmul(a, la::cholesky_solve(l, b)), b + T(0) * pv::matmul(a, b)) <
              100 * kFew * static_cast<double>(n + 1));
        CHECK(apart<T>(la::cholesky_solve(u, b, {.upper = true}), la::cholesky_solve(l, b)) <
              100 * kFew * static_cast<double>(n + 1));
        // A vector is one right side, of each of a batch.
        const auto vector = pv::clone(b(pv::all, 0));
        const auto solutions = pv::clone(la::cholesky_solve(l, b)(pv::ellipsis, 0));
        CHECK(apart<T>(la::cholesky_solve(l, vector), solutions) <
              100 * kFew * static_cast<double>(n + 1));
        CHECK(apart<T>(la::cholesky_solve(u, vector, {.upper = true}), solutions) <
              100 * kFew * static_cast<double>(n + 1));
    }
}

TEST_CASE("Integers are computed in double, and types are joined") {
    const auto a = pv::tensor<std::int32_t>({{2, 1}, {1, 3}});
    const auto x = la::solve(a, pv::tensor<std::int64_t>({3, 5}));
    static_assert(std::same_as<decltype(x)::value_type, double>);
    CHECK(largest(x - pv::tensor({0.8, 1.4})) < 1e-15);
    static_assert(
        std::same_as<decltype(la::solve(pv::zeros<float>({1, 1}), a))::value_type, double>);
    static_assert(std::same_as<decltype(la::solve(pv::zeros<float>({1, 1}),
                                                  pv::zeros<float>({1})))::value_type,
                               float>);
    using Z = std::complex<float>;
    const auto z = la::solve(pv::tensor<Z>({{Z(0, 1)}}), pv::tensor({2.}));
    static_assert(std::same_as<decltype(z)::value_type, const std::complex<double>> ||
                  std::same_as<decltype(z)::value_type, std::complex<double>>);
    CHECK(std::complex<double>(z(0)) == std::complex<double>(0, -2));
    CHECK(la::det(a).item() == 5);
}

TEST_CASE("What has no solution says which matrix, and which pivot") {
    const auto zeros = pv::zeros({2, 3, 3});
    CHECK_THROWS_WITH(la::inv(zeros), "inv: matrix [0] of the batch is singular: pivot 0 is 0");
    CHECK_THROWS_AS(la::solve(zeros, pv::zeros({3})), pv::LinearAlgebraError);
    CHECK_THROWS_AS(la::solve(zeros, pv::zeros({3})), pv::ArithmeticError);
    auto mixed = pv::clone(zeros + pv::eye(3));
    mixed(1, 2, 2) = 0;
    CHECK_THROWS_WITH(la::inv(mixed), "inv: matrix [1] of the batch is singular: pivot 2 is 0");
    CHECK_THROWS_WITH(la::inv(pv::tensor({{1., 2.}, {2., 4.}})),
                      "inv: the matrix is singular: pivot 1 is 0");
    const auto some = la::inv(mixed, {.if_singular = la::IfSingular::nan});
    CHECK(pv::equals(some(0, pv::ellipsis), pv::eye(3)));
    CHECK(pv::all_of(pv::is_nan(some(1, pv::ellipsis))));
    const auto x = la::solve(mixed, pv::ones({3}), {.if_singular = la::IfSingular::nan});
    CHECK(pv::equals(x(0, pv::all), pv::ones({3})));
    CHECK(pv::all_of(pv::is_nan(x(1, pv::all))));
    CHECK_THROWS_WITH(
        la::cholesky(pv::tensor({{1., 2.}, {2., 1.}})),
        "cholesky: the matrix is not positive definite, by the first 2 rows and columns");
    CHECK(pv::all_of(pv::is_nan(
        la::cholesky(pv::tensor({{1., 2.}, {2., 1.}}), {.if_singular = la::IfSingular::nan}))));
    CHECK_THROWS_AS(la::solve_triangular(pv::tensor({{1., 0.}, {1., 0.}}), pv::ones({2})),
                    pv::LinearAlgebraError);
}

TEST_CASE("What is no matrix, or does not fit, is refused by its shape") {
    CHECK_THROWS_WITH(la::inv(pv::zeros({2, 3})), "inv: matrices of [2 3] are not square");
    CHECK_THROWS_AS(la::inv(pv::zeros({3})), pv::ShapeError);
    CHECK_THROWS_WITH(la::solve(pv::eye(3), pv::zeros({4})),
                      ContainsSubstring("has not the 3 rows of matrices of [3 3]"));
    CHECK_THROWS_AS(la::solve(pv::zeros({2, 3, 3}), pv::zeros({3, 3, 1})), pv::ShapeError);
}

TEST_CASE("solve, inv and det over dims") {
    Random random(5);
    const auto a = pv::clone(random_matrices<double>(random, {4, 3, 3}) + 30. * pv::eye(3));
    const auto y = random_matrices<double>(random, {3, 4});
    const pv::Dim b("b"), i("i"), k("k"), r("r");
    const auto x = la::solve(a(b, i, k), y(i, b), i, k);
    const auto plain = la::solve(a, pv::transpose(y)(pv::ellipsis, pv::new_axis));
    CHECK(pv::equals(pv::Tensor<double>(x | pv::order(b, k)), plain(pv::ellipsis, 0)));
    // A batch of one side alone, and a further axis of the other.
    const auto many = random_matrices<double>(random, {3, 5});
    const auto of_all = la::solve(a(b, i, k), many(i, r), i, k);
    CHECK(apart<double>(pv::Tensor<double>(of_all | pv::order(b, k, r)), la::solve(a, many)) <
          kFew);
    CHECK(
        pv::equals(pv::Tensor<double>(la::inv(a(b, i, k), i, k) | pv::order(b, k, i)), la::inv(a)));
    CHECK(pv::equals(pv::Tensor<double>(la::inv(a(b, i, k), k, i) | pv::order(b, k, i)),
                     pv::swap_axes(la::inv(pv::clone(pv::swap_axes(a, 1, 2))), 1, 2)));
    CHECK(pv::equals(pv::Tensor<double>(la::det(a(b, i, k), i, k) | pv::order(b)), la::det(a)));
    CHECK_THROWS_AS(la::solve(a(b, i, k), y(i, b), i, r), pv::DimError);
    CHECK_THROWS_AS(la::solve(a(b, i, k), y(k, b), i, k), pv::DimError);
}

} // namespace solve_test
