// Matrix-free methods beside the dense ones, of operators of every kind.
#include "iterative_methods.hpp"

#include <support/catch.hpp>
#include <support/settings.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/assembly/chunked.hpp>
#include <purview/functional/assembly/pad.hpp>
#include <purview/functional/assembly/sparse.hpp>
#include <purview/tensor/sparse_tensor.hpp>

#include <functional>
#include <utility>

namespace iterative_test {
namespace {

using namespace linalg_tests;
using Catch::Matchers::ContainsSubstring;

} // namespace

TEMPLATE_TEST_CASE("Iterative methods solve what solve does", "", LINALG_TYPES) {
    using T = TestType;
    Random random(11);
    for (int round = 0; round < oracle::rounds(40); ++round)
        for (const Kind kind : {Kind::definite, Kind::indefinite, Kind::general}) {
            const index_t n = random.between(0, 24);
            const auto a = random_square<T>(random, n, kind);
            const auto b = random_vector<T>(random, {n});
            const auto expected = la::solve(a, b);
            const oracle::Threads threads(static_cast<int>(random.between(1, 3)));
            with_methods<T>(kind, [&](const char* name, const auto& solve) {
                CAPTURE(name, n, static_cast<int>(kind));
                la::IterativeOptions<T> options{.tolerance = kTight<T>, .max_iterations = 1000};
                if (random.one_in(2)) options.preconditioner = la::jacobi(pv::abs(a));
                if (random.one_in(3)) options.start = random_vector<T>(random, {n});
                const auto [x, iterations, residual] = solve(a, b, options);
                CHECK(distance(x, expected) < 100 * kClose<T>);
                CHECK(residual <= kTight<T>);
                if (n > 0) CHECK(std::abs(residual_of<T>(a, x, b) - residual) < 2 * kTight<T>);
            });
        }
}

TEMPLATE_TEST_CASE("Matrices are operators whatever they are", "", LINALG_TYPES) {
    using T = TestType;
    Random random(12);
    for (int round = 0; round < oracle::rounds(10); ++round) {
        const index_t n = random.between(1, 20);
        auto a = random_square<T>(random, n, Kind::definite);
        for (index_t i = 0; i < n; ++i)
            for (index_t k = 0; k < i; ++k)
                if (random.one_in(2)) a(i, k) = a(k, i) = T{};
        for (index_t i = 0; i < n; ++i) a(i, i) = T(static_cast<Real<T>>(1000 * n));
        const auto b = random_vector<T>(random, {n});
        const la::IterativeOptions<T> options{.tolerance = kTight<T>};
        const auto expected = la::solve(a, b);
        const auto check = [&](const char* what, const auto& matrix) {
            CAPTURE(what);
            CHECK(distance(la::cg(matrix, b, options).x, expected) < kClose<T>);
            CHECK(distance(la::lsmr(matrix, b, {.tolerance = kTight<T>}).x, expected) < kClose<T>);
            CHECK(distance(la::cg(matrix, b,
                                  {.tolerance = kTight<T>, .preconditioner = la::jacobi(matrix)})
                               .x,
                           expected) < kClose<T>);
        };
        check("dense", a);
        check("a view", pv::clone(pv::transpose(a)) | pv::transpose);
        check("lazy", a + T{});
        check("sparse", pv::to_sparse(a, T{}));
        check("of another fill", pv::to_sparse(a, T(3)));
        if constexpr (!kIsComplex<T>) check("in chunks", pv::chunked(a, {3, 7}));
    }
}

TEST_CASE("Types of matrices and right sides are joined") {
    const auto whole = pv::tensor<std::int32_t>({{4, 1}, {1, 3}});
    const auto x = la::cg(whole, pv::tensor<std::int64_t>({1, 2})).x;
    static_assert(std::same_as<decltype(x)::value_type, double>);
    CHECK(distance(x, pv::tensor({1. / 11, 7. / 11})) < 1e-8);
    using C = std::complex<float>;
    using Z = std::complex<double>;
    const auto of_real = la::cg(whole, pv::tensor<C>({C(0, 1), C(0, 2)})).x;
    static_assert(std::same_as<decltype(of_real)::value_type, Z>);
    CHECK(distance(of_real, pv::tensor<Z>({Z(0, 1. / 11), Z(0, 7. / 11)})) < 1e-8);
    const auto sparse = pv::to_sparse(pv::tensor<std::int32_t>({{4, 0}, {0, 2}}), 0);
    CHECK(distance(la::cg(sparse, pv::tensor({2., 1.}), {.preconditioner = la::jacobi(sparse)}).x,
                   pv::tensor({0.5, 0.5})) < 1e-12);
    CHECK(distance(la::gmres(pv::to_sparse(pv::tensor<C>({{C(0, 2)}}), C{}), pv::tensor({2.})).x,
                   pv::tensor<Z>({Z(0, -1)})) < 1e-12);
    CHECK(distance(la::gmres(sparse, pv::tensor<Z>({Z(0, 2), 1.})).x,
                   pv::tensor<Z>({Z(0, 0.5), 0.5})) < 1e-12);
}

namespace {

/// 4.5 u less its neighbours, 0 beyond the edges; of another `skew` than 0 not symmetric.
template <typename U>
auto stencil(const U& u, double skew) {
    using T = typename U::value_type;
    const index_t rows = u.shape()[0], columns = u.shape()[1];
    const auto y = pv::arange(rows)(pv::all, pv::new_axis), x = pv::arange(columns);
    const T none{}, much(4.5F), left(static_cast<Real<T>>(1 + skew)),
        right(static_cast<Real<T>>(1 - skew));
    return much * u - pv::where(y > 0, pv::roll(u, 1, 0), none) -
           pv::where(y < rows - 1, pv::roll(u, -1, 0), none) -
           left * pv::where(x > 0, pv::roll(u, 1, 1), none) -
           right * pv::where(x < columns - 1, pv::roll(u, -1, 1), none);
}
/// The matrix of a function of [rows, columns].
template <typename T, typename F>
pv::MutableTensor<T> matrix_of(const F& f, index_t rows, index_t columns) {
    const index_t n = rows * columns;
    const auto a = pv::zeros<T>({n, n});
    for (index_t k = 0; k < n; ++k) {
        const auto unit = pv::zeros<T>({rows, columns});
        unit(k / columns, k % columns) = T(1);
        pv::copy(pv::reshape(pv::clone(f(pv::Tensor<T>(unit))), {n}), a(pv::all, k));
    }
    return a;
}

} // namespace

TEMPLATE_TEST_CASE("Functions are operators on tensors of any shape", "", LINALG_TYPES) {
    using T = TestType;
    Random random(13);
    for (int round = 0; round < oracle::rounds(15); ++round)
        for (const double skew : {0., 0.5}) {
            const index_t rows = random.between(1, 7), columns = random.between(1, 7);
            const auto traced = [&](const auto& u) { return stencil(u, skew); };
            const auto called = [&](const pv::Tensor<T>& u) { return stencil(u, skew); };
            const auto b = random_vector<T>(random, {rows, columns});
            const auto matrix = matrix_of<T>(called, rows, columns);
            const auto flat = pv::clone(pv::reshape(b, {-1}));
            const auto expected = pv::reshape(la::solve(matrix, flat), {rows, columns});
            with_methods<T>(skew == 0 ? Kind::definite : Kind::general, [&](const char* name,
                                                                            const auto& solve) {
                CAPTURE(name, rows, columns, skew);
                la::IterativeOptions<T> options{.tolerance = kTight<T>};
                const auto x = solve(traced, b, options).x;
                CHECK(pv::to_shape(x.shape()) == pv::Shape{rows, columns});
                CHECK(distance(x, expected) < kClose<T>);
                CHECK(pv::equals(solve(called, b, options).x, x));
                options.preconditioner = [](const auto& r) { return r / T(4.5F); };
                const auto y = solve(traced, b, options).x;
                CHECK(distance(y, expected) < kClose<T>);
                options.preconditioner = [](const pv::Tensor<T>& r) { return r / T(4.5F); };
                CHECK(pv::equals(solve(traced, b, options).x, y));
            });
            const auto adjoint = [&](const pv::Tensor<T>& u) { return stencil(u, -skew); };
            const auto y = la::lsmr(called, adjoint, b, {.tolerance = kTight<T>}).x;
            CHECK(distance(y, expected) < kClose<T>);
            if constexpr (!kIsComplex<T>)
                CHECK(distance(la::lsmr(traced, b, {.tolerance = kTight<T>}).x, expected) <
                      kClose<T>);
        }
}

TEMPLATE_TEST_CASE("lsmr finds what lstsq does", "", LINALG_TYPES) {
    using T = TestType;
    Random random(14);
    for (int round = 0; round < oracle::rounds(40); ++round) {
        const index_t n = random.between(1, 10), m = n + random.between(0, 10);
        auto a = pv::clone(random_matrices<T>(random, {m, n}));
        for (index_t i = 0; i < n; ++i) a(i, i) = T(a(i, i)) + T(20);
        const bool wide = random.one_in(2);
        const auto matrix = wide ? adjoint(a) : a;
        const auto b = random_vector<T>(random, {wide ? n : m});
        const la::LsmrOptions<T> options{.tolerance = kTight<T>, .max_iterations = 500};
        const auto expected = la::lstsq(matrix, b).x;
        const auto [x, iterations, residual] = la::lsmr(matrix, b, options);
        CAPTURE(m, n, wide);
        CHECK(distance(x, expected) < 10 * kClose<T>);
        CHECK(std::abs(residual - residual_of<T>(matrix, expected, b)) < kClose<T>);
        CHECK(distance(la::lsmr(pv::to_sparse(matrix, T{}), b, options).x, expected) <
              10 * kClose<T>);
        if constexpr (!kIsComplex<T>) {
            const auto product = [&](const auto& v) {
                return pv::reshape(pv::matmul(matrix, pv::reshape(v, {-1, 1})), {-1});
            };
            la::LsmrOptions<T> of_x = options;
            of_x.start = random_vector<T>(random, {wide ? m : n});
            const auto y = la::lsmr(product, b, of_x).x;
            // Of a wide one every start has a solution of its own.
            if (!wide) CHECK(distance(y, expected) < 10 * kClose<T>);
            if (wide) CHECK(residual_of<T>(matrix, y, b) < kClose<T>);
        }
        // Damped: (AᴴA + d²) x = Aᴴ b
        const auto normal =
            pv::clone(pv::matmul(adjoint(matrix), matrix) + T(9) * pv::eye<T>(matrix.shape()[1]));
        const auto side =
            pv::clone(pv::matmul(adjoint(matrix), b(pv::all, pv::new_axis))(pv::all, 0));
        la::LsmrOptions<T> damped = options;
        damped.damping = 3;
        CHECK(distance(la::lsmr(matrix, b, damped).x, la::solve(normal, side)) < 10 * kClose<T>);
    }
}

TEST_CASE("Iterations are counted, watched and limited") {
    Random random(15);
    const index_t n = 30;
    for (const Kind kind : {Kind::definite, Kind::indefinite, Kind::general}) {
        const auto a = random_square<double>(random, n, kind);
        const auto b = random_vector<double>(random, {n});
        const auto exact = la::solve(a, b);
        with_methods<double>(kind, [&](const char* name, const auto& solve) {
            CAPTURE(name);
            std::vector<std::pair<index_t, double>> seen;
            const auto watch = [&](index_t i, double r) { seen.emplace_back(i, r); };
            const auto whole = solve(a, b, {.on_iteration = watch});
            REQUIRE(whole.iterations == std::ssize(seen));
            CHECK(whole.iterations > 3);
            for (std::size_t i = 0; i < seen.size(); ++i)
                CHECK(seen[i].first == static_cast<index_t>(i) + 1);
            CHECK(seen.back().second <= 1e-8);
            // What is watched is what a call that ends there gives.
            for (const index_t most : {1, 2, 3}) {
                const auto [x, iterations, residual] =
                    solve(a, b, {.max_iterations = most, .throws = false});
                CHECK(iterations == most);
                const double watched = seen[static_cast<std::size_t>(most) - 1].second;
                CHECK(std::abs(residual - watched) < 1e-9 * (1 + watched));
                CHECK(std::abs(residual_of<double>(a, x, b) - residual) < 1e-9 * (1 + watched));
                CHECK_THROWS_WITH(solve(a, b, {.max_iterations = most}),
                                  ContainsSubstring(std::string(name) + ": after " +
                                                    std::to_string(most) +
                                                    " iterations the residual is "));
            }
            CHECK_THROWS_WITH(solve(a, b, {.max_iterations = 0}),
                              std::string(name) + ": after 0 iterations the residual is 1 of the "
                                                  "right side, above the tolerance 1e-08");
            const auto none = solve(a, b, {.max_iterations = 0, .throws = false});
            CHECK((none.iterations == 0 && none.residual == 1 && largest(none.x) == 0));
            const auto found =
                solve(a, b, {.tolerance = 1e-6, .max_iterations = 0, .start = exact});
            CHECK((found.iterations == 0 && pv::equals(found.x, exact)));
            const auto zero = solve(a, pv::zeros({n}), {.max_iterations = 0, .start = exact});
            CHECK((zero.iterations == 0 && zero.residual == 0 && largest(zero.x) == 0));
            const auto stop = [](index_t i, double) {
                if (i == 2) throw std::runtime_error("enough");
            };
            CHECK_THROWS_WITH(solve(a, b, {.on_iteration = stop}), "enough");
        });
    }
}

TEST_CASE("The bits of a solution do not depend on the threads") {
    Random random(17);
    const auto stencil_of = [](const auto& u) { return stencil(u, 0.); };
    const auto skewed = [](const auto& u) { return stencil(u, 0.5); };
    const auto b = random_vector<double>(random, {301, 403});
    const index_t n = 60'000;
    std::vector<index_t> indexes;
    std::vector<double> values;
    for (index_t i = 0; i < n; ++i)
        for (index_t k = std::max<index_t>(0, i - 2); k < std::min(n, i + 3); ++k) {
            indexes.push_back(i * n + k);
            values.push_back(k == i ? 5. : -1.);
        }
    const auto matrix = pv::sparse_tensor<double>({n, n}, indexes, values);
    const auto side = random_vector<double>(random, {n});
    const auto solutions = [&] {
        std::vector<pv::MutableTensor<double>> all;
        all.push_back(la::cg(stencil_of, b).x);
        all.push_back(la::minres(stencil_of, b).x);
        all.push_back(la::bicgstab(skewed, b).x);
        all.push_back(la::gmres(skewed, b, {.restart = 5}).x);
        all.push_back(la::lsmr(skewed, b).x);
        all.push_back(la::cg(matrix, side, {.preconditioner = la::jacobi(matrix)}).x);
        all.push_back(la::lsmr(matrix, side).x);
        return all;
    };
    std::vector<pv::MutableTensor<double>> one;
    for (const int count : {1, 2, 3}) {
        const oracle::Threads threads(count);
        const auto now = solutions();
        if (one.empty()) one = now;
        for (std::size_t i = 0; i < one.size(); ++i) {
            CAPTURE(count, i);
            CHECK(pv::equals(now[i], one[i]));
        }
    }
}

} // namespace iterative_test
