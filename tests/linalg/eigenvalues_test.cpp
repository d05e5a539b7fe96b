// eigsh and lobpcg beside eigh, of operators of every kind.
#include "iterative_methods.hpp"

#include <support/catch.hpp>
#include <support/settings.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/applied/computation.hpp>
#include <purview/functional/applied/random.hpp>
#include <purview/functional/assembly/chunked.hpp>
#include <purview/functional/assembly/pad.hpp>
#include <purview/functional/assembly/sparse.hpp>
#include <purview/tensor/sparse_tensor.hpp>

#include <functional>
#include <limits>
#include <utility>

namespace eigenvalues_test {
namespace {

using namespace linalg_tests;
using Catch::Matchers::ContainsSubstring;

/// A Hermitian matrix of these eigenvalues.
template <typename T>
pv::MutableTensor<T> with_values(Random& random, const std::vector<double>& values) {
    const index_t n = std::ssize(values);
    pv::MutableTensor<T> x = pv::empty<T>({n, n});
    for (T& element : pv::as_span(x)) element = random_number<T>(random);
    const auto q = la::qr(x).Q;
    auto scaled = pv::clone(q);
    for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i < n; ++i)
            scaled(i, j) =
                T(q(i, j)) * T(static_cast<Real<T>>(values[static_cast<std::size_t>(j)]));
    const auto made = pv::clone(pv::matmul(scaled, adjoint(q)));
    return pv::clone((made + adjoint(made)) * T(Real<T>(0.5)));
}
/// Of eigenvectors [n, k]: orthonormal, with definite signs, and mapped to themselves times the values.
template <typename T, typename A, typename R>
void check_vectors(const A& a, const R& found, double tolerance) {
    const auto& x = found.eigenvectors;
    const index_t k = found.eigenvalues.size();
    CHECK(largest(pv::clone(pv::matmul(adjoint(x), x) - pv::eye<T>(k))) < tolerance);
    const double size = std::max(1., largest(a));
    const auto values = pv::clone(found.eigenvalues + T{});
    CHECK(largest(pv::clone(pv::matmul(a, x) - x * values)) < tolerance * size);
    for (index_t j = 0; j < k; ++j) {
        const auto column = pv::clone(x(pv::all, j));
        const double most = largest(column);
        CHECK(std::ranges::any_of(pv::as_span(column), [&](const T& each) {
            return std::abs(each) > 0.999 * most && std::abs(each - T(std::abs(each))) < tolerance;
        }));
    }
}
template <typename T>
inline constexpr double kReached = sizeof(Real<T>) == 4 ? 1e-4 : 1e-7;

} // namespace

TEMPLATE_TEST_CASE("eigsh finds what eigh does at either end", "", LINALG_TYPES) {
    using T = TestType;
    Random random(21);
    for (int round = 0; round < oracle::rounds(40); ++round) {
        const index_t n = random.between(1, 90), k = random.between(0, std::min<index_t>(n, 9));
        // Of whole numbers: many of them are equal.
        std::vector<double> values(static_cast<std::size_t>(n));
        const index_t several = random.one_in(2) ? 8 : 1000;
        for (double& value : values)
            value = static_cast<double>(random.between(-several, several)) / 8;
        const auto a = with_values<T>(random, values);
        std::ranges::sort(values);
        const oracle::Threads threads(static_cast<int>(random.between(1, 3)));
        for (const bool is_largest : {false, true}) {
            CAPTURE(n, k, is_largest, several);
            la::EigshOptions<T> options{.which = is_largest ? la::largest : la::smallest};
            if (random.one_in(2)) options.start = random_vector<T>(random, {n});
            if (random.one_in(3)) options.subspace = k + random.between(4, 10);
            const auto found = la::eigsh(a, k, options);
            REQUIRE(pv::to_shape(found.eigenvectors.shape()) == pv::Shape{n, k});
            const double size = std::max(1., std::abs(values.front()) + std::abs(values.back()));
            for (index_t i = 0; i < k; ++i)
                CHECK(std::abs(double(Real<T>(found.eigenvalues(i))) -
                               values[static_cast<std::size_t>(is_largest ? n - k + i : i)]) <
                      kReached<T> * size);
            CHECK(found.residual <= options.tolerance);
            check_vectors<T>(a, found, kReached<T> * size);
        }
    }
}

TEMPLATE_TEST_CASE("eigsh finds eigenvalues next to a number", "", LINALG_TYPES) {
    using T = TestType;
    Random random(22);
    for (int round = 0; round < oracle::rounds(10); ++round) {
        const index_t n = random.between(5, 60), k = random.between(1, 4);
        std::vector<double> values(static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < values.size(); ++i) // every other one twice
            values[i] = static_cast<double>(i % 3 == 2 ? i - 1 : i) - 10;
        const auto a = with_values<T>(random, values);
        const double sigma = static_cast<double>(random.between(0, 8)) - 10 + 0.3;
        std::ranges::sort(values, {}, [&](double v) { return std::abs(v - sigma); });
        values.resize(static_cast<std::size_t>(k));
        std::ranges::sort(values);
        CAPTURE(n, k, sigma);
        const auto found = la::eigsh(a, k, {.which = la::near(sigma)});
        for (index_t i = 0; i < k; ++i)
            CHECK(std::abs(double(Real<T>(found.eigenvalues(i))) -
                           values[static_cast<std::size_t>(i)]) < kReached<T> * 60);
        check_vectors<T>(a, found, kReached<T> * 60);
    }
}

TEMPLATE_TEST_CASE("lobpcg finds what eigh does at either end", "", LINALG_TYPES) {
    using T = TestType;
    Random random(23);
    for (int round = 0; round < oracle::rounds(30); ++round) {
        const index_t n = random.between(1, 60), k = random.between(0, std::min<index_t>(n, 6));
        std::vector<double> values(static_cast<std::size_t>(n));
        const index_t several = random.one_in(2) ? 30 : 1000;
        for (double& value : values) value = static_cast<double>(random.between(1, several)) / 8;
        const auto a = with_values<T>(random, values);
        std::ranges::sort(values);
        const oracle::Threads threads(static_cast<int>(random.between(1, 3)));
        for (const bool is_largest : {false, true}) {
            CAPTURE(n, k, is_largest, several);
            la::LobpcgOptions<T> options{.largest = is_largest};
            auto x = pv::clone(random_matrices<T>(random, {n, k}));
            if (k > 1 && random.one_in(4))
                pv::copy(x(pv::all, 0), x(pv::all, 1)); // as bad as can be
            if (!is_largest && random.one_in(3))
                options.preconditioner = [inverse = la::inv(a)](const pv::Tensor<T>& r) {
                    return pv::matmul(inverse, r(pv::all, pv::new_axis))(pv::all, 0);
                };
            const auto found = la::lobpcg(a, x, options);
            REQUIRE(pv::to_shape(found.eigenvectors.shape()) == pv::Shape{n, k});
            const double size = std::max(1., values.back());
            for (index_t i = 0; i < k; ++i)
                CHECK(std::abs(double(Real<T>(found.eigenvalues(i))) -
                               values[static_cast<std::size_t>(is_largest ? n - k + i : i)]) <
                      kReached<T> * size);
            CHECK(found.residual <= options.tolerance);
            check_vectors<T>(a, found, kReached<T> * size);
        }
    }
}

TEMPLATE_TEST_CASE("Eigenvalues of whatever multiplies", "", LINALG_TYPES) {
    using T = TestType;
    Random random(24);
    for (int round = 0; round < oracle::rounds(8); ++round) {
        const index_t rows = random.between(2, 6), columns = random.between(1, 6);
        const index_t n = rows * columns, k = random.between(1, std::min<index_t>(n, 4));
        auto half = pv::clone(random_matrices<T>(random, {n, n}));
        for (T& each : pv::as_span(half))
            if (random.one_in(2)) each = {};
        const auto a = pv::clone(half + adjoint(half));
        const auto all = la::eigvalsh(a);
        const auto start = random_vector<T>(random, {n, k});
        const double close = kReached<T> * std::max(1., largest(all));
        const auto check = [&](const char* what, const auto& matrix) {
            CAPTURE(what, rows, columns, k);
            const auto found = la::eigsh(matrix, k);
            CHECK(distance(found.eigenvalues, all(pv::range(0, k))) < close);
            check_vectors<T>(a, found, close);
            const auto other = la::lobpcg(matrix, start, {.largest = true});
            CHECK(distance(other.eigenvalues, all(pv::range(n - k, n))) < close);
            check_vectors<T>(a, other, close);
        };
        check("dense", a);
        check("a view", pv::clone(pv::transpose(a)) | pv::transpose);
        check("lazy", a + T{});
        check("sparse", pv::to_sparse(a, T{}));
        check("of another fill", pv::to_sparse(a, T(3)));
        if constexpr (!kIsComplex<T>) check("in chunks", pv::chunked(a, {3, 7}));
        const auto product = [&](const auto& x) {
            return pv::reshape(pv::matmul(a, pv::reshape(x, {n, 1})), {rows, columns});
        };
        const auto called = [&](const pv::Tensor<T>& x) { return product(x); };
        const auto check_function = [&](const auto& f) {
            const auto found =
                la::eigsh(f, pv::spec<T>({rows, columns}), k, {.which = la::largest});
            CHECK(distance(found.eigenvalues, all(pv::range(n - k, n))) < close);
            CHECK(pv::to_shape(found.eigenvectors.shape()) == pv::Shape{rows, columns, k});
            const auto other = la::lobpcg(f, pv::clone(pv::reshape(start, {rows, columns, k})));
            CHECK(distance(other.eigenvalues, all(pv::range(0, k))) < close);
            CHECK(pv::to_shape(other.eigenvectors.shape()) == pv::Shape{rows, columns, k});
        };
        check_function(called);
        if constexpr (!kIsComplex<T>) check_function(product);
    }
}

TEST_CASE("Eigenvalues of the Laplacian of a square, twice each") {
    const index_t n = 20;
    const auto i = pv::arange(n)(pv::all, pv::new_axis), j = pv::arange(n);
    const auto laplace = [&](const auto& u) {
        return 4. * u - pv::where(i > 0, pv::roll(u, 1, 0), 0.) -
               pv::where(i < n - 1, pv::roll(u, -1, 0), 0.) -
               pv::where(j > 0, pv::roll(u, 1, 1), 0.) -
               pv::where(j < n - 1, pv::roll(u, -1, 1), 0.);
    };
    std::vector<double> values;
    for (index_t p = 1; p <= n; ++p)
        for (index_t q = 1; q <= n; ++q) {
            const auto part = [&](index_t m) {
                return 2 - 2 * std::cos(3.14159265358979323846 * static_cast<double>(m) /
                                        static_cast<double>(n + 1));
            };
            values.push_back(part(p) + part(q));
        }
    const auto check = [&](const auto& found, const std::function<double(double)>& order) {
        std::ranges::sort(values, {}, order);
        std::vector<double> wanted(values.begin(), values.begin() + found.eigenvalues.size());
        std::ranges::sort(wanted);
        for (std::size_t k = 0; k < wanted.size(); ++k)
            CHECK(std::abs(double(found.eigenvalues(static_cast<index_t>(k))) - wanted[k]) < 1e-9);
    };
    const auto vectors = pv::spec<double>({n, n});
    for (const index_t k : {1, 6, 12}) {
        CAPTURE(k);
        check(la::eigsh(laplace, vectors, k), [](double v) { return v; });
        // Of one symmetry, from which no product leads.
        const auto start = pv::ones({n, n});
        check(la::eigsh(laplace, vectors, k, {.which = la::largest, .start = start}),
              [](double v) { return -v; });
        check(la::eigsh(laplace, vectors, k, {.which = la::near(1.2345)}),
              [](double v) { return std::abs(v - 1.2345); });
        check(la::lobpcg(laplace, pv::clone(pv::random_normal({n, n, k + 3}, 3)),
                         {.max_iterations = 2000}),
              [](double v) { return v; });
    }
}

TEST_CASE("Eigenvalues that are not found say why") {
    const auto x = pv::clone(pv::random_normal({200, 200}, 7));
    const auto a = pv::clone(x + pv::transpose(x));
    const auto start = pv::clone(pv::random_normal({200, 2}, 5));
    CHECK_THROWS_WITH(la::eigsh(a, 201),
                      "eigsh: 201 eigenvalues of an operator on vectors of [200]");
    CHECK_THROWS_AS(la::eigsh(a, -1), pv::ShapeError);
    CHECK_THROWS_WITH(la::eigsh(pv::zeros({3, 2}), 1),
                      "eigsh: the operator takes vectors of [2] and gives vectors of [3]");
    CHECK_THROWS_WITH(la::eigsh(a, 2, {.start = pv::ones({3})}),
                      "eigsh: the start is of [3], the operator takes vectors of [200]");
    CHECK_THROWS_WITH(la::lobpcg(a, pv::ones({200})), "lobpcg: [200] are no vectors [..., k]");
    CHECK_THROWS_WITH(la::lobpcg(a, pv::ones({100, 2})),
                      "lobpcg: the start has vectors of [100], the operator takes [200]");
    CHECK_THROWS_WITH(la::eigsh(a, 2, {.max_iterations = 1}),
                      ContainsSubstring("eigsh: after 24 iterations the largest residual is "));
    CHECK_THROWS_WITH(la::lobpcg(a, start, {.max_iterations = 3}),
                      ContainsSubstring("lobpcg: after 3 iterations the largest residual is "));
    std::vector<std::pair<index_t, double>> seen;
    const auto watch = [&](index_t i, double r) { seen.emplace_back(i, r); };
    const auto some =
        la::eigsh(a, 2, {.max_iterations = 30, .on_iteration = watch, .throws = false});
    REQUIRE(seen.size() == 2);
    CHECK((some.iterations == seen.back().first && some.residual > 1e-8));
    CHECK(some.residual < 2 * seen.back().second);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto none = pv::clone(a * nan);
    CHECK_THROWS_AS(la::eigsh(none, 2), pv::LinearAlgebraError);
    CHECK_THROWS_AS(la::eigsh(none, 2, {.which = la::near(1)}), pv::LinearAlgebraError);
    CHECK_THROWS_AS(la::lobpcg(none, start), pv::LinearAlgebraError);
    const auto left = la::eigsh(none, 2, {.throws = false});
    CHECK((std::isnan(double(left.eigenvalues(0))) && std::isnan(left.residual)));
    CHECK(largest(la::eigsh(pv::zeros({40, 40}), 3).eigenvalues) == 0);
    const auto values = la::eigsh(a, 2).eigenvalues;
    for (const int exponent : {-900, -500, 480, 1000}) {
        const double factor = std::ldexp(1., exponent);
        const auto scaled = pv::clone(a * factor);
        CHECK(distance(la::eigsh(scaled, 2).eigenvalues / factor, values) < 1e-6);
        CHECK(distance(la::lobpcg(scaled, start).eigenvalues / factor, values) < 1e-6);
    }
}

} // namespace eigenvalues_test
