// svds and pca beside svd, of operators of every kind.
#include "iterative_methods.hpp"

#include <support/catch.hpp>
#include <support/settings.hpp>
#include <support/stored_chunks.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/applied/random.hpp>
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

TEST_CASE("Randomised ones of many rows, in blocks of which what is left is decomposed") {
    for (const index_t rows : {4096, 5003, 9999}) {
        CAPTURE(rows);
        const auto left =
            pv::clone(pv::random_normal({rows, 6}, 1) * pv::tensor({32., 16., 8., 4., 2., 1.}));
        const auto a = pv::clone(pv::matmul(left, pv::random_normal({6, 40}, 2)));
        const auto exact = la::svd(a);
        for (const index_t passes : {2, 3}) {
            const auto found = la::svds(a, 4, {.randomised = true, .passes = passes});
            CHECK(distance(found.S, exact.S(pv::range(0, 4))) < 1e-10 * double(exact.S(0)));
            CHECK(pv::allclose(found.U, exact.U(pv::all, pv::range(0, 4)), {.absolute = 1e-9}));
            CHECK(pv::allclose(found.Vh, exact.Vh(pv::range(0, 4)), {.absolute = 1e-9}));
        }
    }
}

TEST_CASE("Randomised ones read each chunk once a pass") {
    const index_t rows = 512, columns = 64;
    const oracle::Twins<double> a({rows, columns}, {32, 16}, [](index_t i) {
        const auto row = static_cast<double>(i / columns),
                   column = static_cast<double>(i % columns);
        return std::sin(row / 40 + 1) * column + std::cos(row / 9) * (column - 30) + 3;
    });
    for (const bool is_turned : {false, true}) {
        const auto turned = [&](const pv::Tensor<double>& x) {
            return is_turned ? pv::Tensor<double>(pv::transpose(x)) : x;
        };
        const auto memory = turned(a.memory);
        const auto values = la::svd(memory).S;
        for (const index_t passes : {2, 3, 4}) {
            CAPTURE(passes, is_turned);
            {
                const oracle::MemoryLimit limited(180 << 10);
                a.forget();
                const auto found =
                    la::svds(turned(a.chunks), 3, {.randomised = true, .passes = passes});
                CHECK(a.stored->reads == passes * 64);
                CHECK(distance(found.S, values(pv::range(0, 3))) < 1e-9);
                a.forget();
                const auto components =
                    la::pca(turned(a.chunks), 2, {.randomised = true, .passes = passes});
                CHECK(a.stored->reads == passes * 64);
                CHECK(distance(components.explained_variances,
                               la::pca(memory, 2).explained_variances) < 1e-9);
            }
        }
    }
}

TEMPLATE_TEST_CASE("svds takes whatever multiplies", "", LINALG_TYPES) {
    using T = TestType;
    Random random(33);
    for (int round = 0; round < oracle::rounds(10); ++round) {
        const index_t m = random.between(1, 30), n = random.between(1, 30);
        const index_t k = random.between(0, std::min<index_t>({m, n, 5}));
        auto a = pv::clone(random_matrices<T>(random, {m, n}));
        for (T& element : pv::as_span(a))
            if (random.one_in(2)) element = {};
        const auto all = la::svdvals(a);
        const std::vector<double> values(pv::as_span(all).begin(), pv::as_span(all).end());
        const auto check = [&](const char* what, const auto& matrix) {
            CAPTURE(what, m, n, k);
            const double close = kReached<T> * std::max(1., values.front());
            check_factors<T>(a, la::svds(matrix, k), values, close);
            check_factors<T>(a, la::svds(matrix, k, {.randomised = true, .oversampling = 30}),
                             values, close);
        };
        check("a view", pv::clone(pv::transpose(a)) | pv::transpose);
        check("lazy", a + T{});
        check("sparse", pv::to_sparse(a, T{}));
        check("of another fill", pv::to_sparse(a, T(3)));
        if constexpr (!kIsComplex<T>) check("in chunks", pv::chunked(a, {3, 7}));
        // A function of vectors [n, 1] with results [1, m, 1].
        const auto product = [&](const auto& x) {
            return pv::reshape(pv::matmul(a, x), {1, m, 1});
        };
        const auto back = [&](const pv::Tensor<T>& y) {
            return pv::matmul(la::adjoint(a), pv::reshape(y, {m, 1}));
        };
        const auto flat = [&](const auto& found) {
            return la::SvdsResult<T>{pv::clone(pv::reshape(found.U, {m, k})), found.S,
                                     pv::clone(pv::reshape(found.Vh, {k, n}))};
        };
        const double close = kReached<T> * std::max(1., values.front());
        const auto called = [&](const pv::Tensor<T>& x) { return product(x); };
        const auto paired = la::svds(called, back, pv::spec<T>({n, 1}), pv::spec<T>({1, m, 1}), k);
        CHECK(pv::to_shape(paired.U.shape()) == pv::Shape{1, m, 1, k});
        CHECK(pv::to_shape(paired.Vh.shape()) == pv::Shape{k, n, 1});
        check_factors<T>(a, flat(paired), values, close);
        if constexpr (!kIsComplex<T>)
            for (const bool randomised : {false, true})
                check_factors<T>(a,
                                 flat(la::svds(product, pv::spec<T>({n, 1}), k,
                                               {.randomised = randomised, .oversampling = 30})),
                                 values, close);
    }
}

TEST_CASE("svds says what does not fit, and what does not converge") {
    const auto a = pv::clone(pv::random_normal({40, 30}, 7));
    CHECK_THROWS_WITH(la::svds(a, 31),
                      "svds: 31 singular values of an operator from vectors of [30] to vectors of "
                      "[40]");
    CHECK_THROWS_AS(la::svds(a, -1), pv::ShapeError);
    CHECK_THROWS_WITH(la::svds(pv::ones({3}), 1), "svds: [3] is no matrix");
    CHECK_THROWS_WITH(la::svds(a, 2, {.randomised = true, .passes = 1}),
                      ContainsSubstring("svds: 1 passes"));
    CHECK_THROWS_WITH(la::pca(pv::ones({1, 4}), 1), ContainsSubstring("pca: [1, 4] has 1 rows"));
    CHECK_THROWS_WITH(
        la::svds([](const pv::Tensor<double>& x) { return x; }, pv::spec<double>({3}), 1),
        ContainsSubstring("svds: the operator is a function without a derivative"));
    const auto large = pv::clone(pv::random_normal({400, 300}, 8));
    CHECK_THROWS_WITH(la::svds(large, 3, {.max_iterations = 1}),
                      ContainsSubstring("svds: after 26 iterations the largest residual is "));
    std::vector<std::pair<index_t, double>> seen;
    const auto some =
        la::svds(large, 3,
                 {.max_iterations = 30,
                  .on_iteration = [&](index_t i, double r) { seen.emplace_back(i, r); },
                  .throws = false});
    REQUIRE(seen.size() == 2);
    CHECK((some.iterations == seen.back().first && some.residual > 1e-8));
    CHECK(std::abs(some.residual - seen.back().second) < 0.5 * some.residual);
    CHECK(distance(some.S, la::svdvals(large)(pv::range(0, 3))) < 0.2);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const bool randomised : {false, true})
        CHECK_THROWS_AS(la::svds(pv::clone(a * nan), 2, {.randomised = randomised}),
                        pv::LinearAlgebraError);
    const auto none = la::svds(pv::clone(a * nan), 2, {.throws = false});
    CHECK((std::isnan(double(none.S(1))) && std::isnan(none.residual)));
    CHECK(largest(la::svds(pv::zeros({40, 30}), 2).S) == 0);
    for (const int exponent : {-900, -500, 480, 1000}) {
        const double factor = std::ldexp(1., exponent);
        CHECK(distance(la::svds(pv::clone(a * factor), 2).S / factor, la::svds(a, 2).S) < 1e-9);
    }
}

} // namespace singular_values_test
