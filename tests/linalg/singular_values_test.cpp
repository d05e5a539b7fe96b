// svds and pca beside svd, of operators of every kind.
#include "iterative_methods.hpp"

#include <support/catch.hpp>
#include <support/settings.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/assembly/chunked.hpp>
#include <purview/functional/assembly/sparse.hpp>
#include <purview/tensor/sparse_tensor.hpp>

#include <limits>
#include <utility>

namespace singular_values_test {
namespace {

using namespace linalg_tests;
using Catch::Matchers::ContainsSubstring;

/// [m, n] of these singular values.
template <typename T>
pv::MutableTensor<T> with_values(Random& random, index_t m, index_t n,
                                 const std::vector<double>& values) {
    const index_t k = std::ssize(values);
    const auto orthonormal = [&](index_t rows) {
        pv::MutableTensor<T> x = pv::empty<T>({rows, k});
        for (T& element : pv::as_span(x)) element = random_number<T>(random);
        return la::qr(x).Q;
    };
    auto u = orthonormal(m);
    for (index_t j = 0; j < k; ++j)
        for (index_t i = 0; i < m; ++i)
            u(i, j) = T(u(i, j)) * T(static_cast<Real<T>>(values[static_cast<std::size_t>(j)]));
    return pv::clone(pv::matmul(u, adjoint(orthonormal(n))));
}
template <typename T>
inline constexpr double kReached = sizeof(Real<T>) == 4 ? 1e-4 : 1e-7;

/// U S Vh of the first singular values: orthonormal, A V = U S, Aᴴ U = V S, and definite signs.
template <typename T, typename A, typename R>
void check_factors(const A& a, const R& found, const std::vector<double>& values,
                   double tolerance) {
    const index_t k = found.S.size();
    const auto& u = found.U;
    const auto v = adjoint(found.Vh);
    for (index_t i = 0; i < k; ++i)
        CHECK(std::abs(double(Real<T>(found.S(i))) - values[static_cast<std::size_t>(i)]) <
              tolerance);
    for (const auto& x : {pv::Tensor<T>(u), pv::Tensor<T>(v)})
        CHECK(largest(pv::clone(pv::matmul(adjoint(x), x) - pv::eye<T>(k))) < tolerance);
    const auto s = pv::clone(found.S + T{});
    CHECK(largest(pv::clone(pv::matmul(a, v) - u * s)) < tolerance);
    CHECK(largest(pv::clone(pv::matmul(adjoint(a), u) - v * s)) < tolerance);
    for (index_t j = 0; j < k; ++j) {
        const auto column = pv::clone(u(pv::all, j));
        const double most = largest(column);
        CHECK(std::ranges::any_of(pv::as_span(column), [&](const T& each) {
            return std::abs(each) > 0.999 * most && std::abs(each - T(std::abs(each))) < tolerance;
        }));
    }
}

} // namespace

TEMPLATE_TEST_CASE("svds finds what svd does", "", LINALG_TYPES) {
    using T = TestType;
    Random random(31);
    for (int round = 0; round < oracle::rounds(40); ++round) {
        const index_t m = random.between(1, 70), n = random.between(1, 70), least = std::min(m, n);
        const index_t k = random.between(0, std::min<index_t>(least, 8));
        std::vector<double> values(static_cast<std::size_t>(least));
        const index_t several = random.one_in(2) ? 4 : 1000; // many are equal, or 0
        for (double& value : values) value = static_cast<double>(random.between(0, several)) / 16;
        const auto a = with_values<T>(random, m, n, values);
        std::ranges::sort(values, std::greater());
        CAPTURE(m, n, k, several);
        const oracle::Threads threads(static_cast<int>(random.between(1, 3)));
        la::SvdsOptions<T> options;
        if (random.one_in(3)) options.subspace = k + random.between(4, 10);
        const auto found = la::svds(a, k, options);
        REQUIRE(pv::to_shape(found.U.shape()) == pv::Shape{m, k});
        REQUIRE(pv::to_shape(found.Vh.shape()) == pv::Shape{k, n});
        CHECK(found.residual <= options.tolerance);
        check_factors<T>(a, found, values, kReached<T> * std::max(1., values.front()));
        // Of so few values random vectors see all.
        const index_t rank = std::min<index_t>(least, 10);
        std::fill(values.begin() + rank, values.end(), 0.);
        const auto low = with_values<T>(random, m, n, values);
        for (const index_t passes : {2, 3, 4})
            check_factors<T>(
                low, la::svds(low, k, {.randomised = true, .oversampling = 10, .passes = passes}),
                values, kReached<T> * std::max(1., values.front()));
    }
}

TEMPLATE_TEST_CASE("pca is the svd of what is centred", "", LINALG_TYPES) {
    using T = TestType;
    Random random(32);
    for (int round = 0; round < oracle::rounds(15); ++round) {
        const index_t m = random.between(2, 50), n = random.between(1, 12);
        const index_t k = random.between(0, std::min(m, n));
        auto a = pv::clone(random_matrices<T>(random, {m, n}));
        for (index_t j = 0; j < n; ++j) a(0, j) = T(a(0, j)) + T(static_cast<Real<T>>(3 * m));
        auto mean = pv::zeros<T>({n});
        for (index_t i = 0; i < m; ++i)
            for (index_t j = 0; j < n; ++j)
                mean(j) = T(mean(j)) + T(a(i, j)) / T(static_cast<Real<T>>(m));
        const auto centred = pv::clone(a - mean);
        const auto expected = la::svd(centred);
        const auto of_sparse = la::pca(pv::to_sparse(a, T{}), k);
        for (const bool randomised : {false, true}) {
            CAPTURE(m, n, k, randomised);
            const auto found = la::pca(a, k, {.randomised = randomised, .oversampling = 12});
            CHECK(distance(found.mean, mean) < kReached<T>);
            CHECK(distance(found.explained_variances, of_sparse.explained_variances) <
                  10 * kReached<T>);
            const double size = std::max(1., largest(expected.S));
            for (index_t i = 0; i < k; ++i) {
                const double s = double(Real<T>(expected.S(i)));
                CHECK(std::abs(double(Real<T>(found.explained_variances(i))) -
                               s * s / static_cast<double>(m - 1)) < kReached<T> * size * size);
                const auto row = pv::clone(found.components(i, pv::all));
                const auto image =
                    pv::matmul(centred, pv::clone(la::adjoint(row(pv::new_axis, pv::all))));
                const double length = std::sqrt(
                    static_cast<double>(pv::sum(pv::clone(pv::abs(image) * pv::abs(image)))));
                CHECK(std::abs(length - s) < 10 * kReached<T> * size);
            }
        }
    }
}

} // namespace singular_values_test
