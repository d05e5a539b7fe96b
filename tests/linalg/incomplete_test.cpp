// ic0 and ilu0 beside the dense factors, and as preconditioners.
#include "iterative_methods.hpp"

#include <support/catch.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/assembly/sparse.hpp>
#include <purview/tensor/sparse_tensor.hpp>

namespace incomplete_test {
namespace {

using namespace linalg_tests;
using Catch::Matchers::ContainsSubstring;

/// 4 on the diagonal, less the neighbours of a square, of which those on one side count `skew` more.
template <typename T>
pv::MutableTensor<T> grid(index_t side, double skew) {
    const index_t n = side * side;
    const auto a = pv::zeros<T>({n, n});
    for (index_t i = 0; i < n; ++i) {
        const auto put = [&](index_t k, bool is_there, double value) {
            if (is_there) a(i, k) = T(static_cast<Real<T>>(value));
        };
        put(i, true, 4);
        put(i + 1, i % side < side - 1, -1 - skew);
        put(i - 1, i % side > 0, -1 + skew);
        put(i + side, i + side < n, -1);
        put(i - side, i >= side, -1);
    }
    if constexpr (kIsComplex<T>) // Hermitian if it was
        for (index_t i = 0; i + 1 < n; ++i)
            if (i % side < side - 1) {
                a(i, i + 1) = T(0, T(a(i, i + 1)).real());
                a(i + 1, i) = T(0, -T(a(i + 1, i)).real());
            }
    return a;
}

} // namespace

TEMPLATE_TEST_CASE("Incomplete factors are those of the places that are stored", "", LINALG_TYPES) {
    using T = TestType;
    Random random(41);
    for (int round = 0; round < oracle::rounds(30); ++round) {
        const index_t n = random.between(0, 12);
        const bool is_cholesky = random.one_in(2);
        auto a = random_square<T>(random, n, is_cholesky ? Kind::definite : Kind::general);
        for (index_t i = 0; i < n; ++i) {
            for (index_t k = 0; k < i; ++k)
                if (random.one_in(2)) a(i, k) = a(k, i) = T{};
            a(i, i) = T(a(i, i)) + T(300); // of which all factors exist
        }
        // Naively: elimination that passes over the places of zeros.
        auto l = pv::clone(a);
        for (index_t k = 0; k < n; ++k)
            for (index_t i = k + 1; i < n; ++i) {
                if (T(a(i, k)) == T{}) continue;
                l(i, k) = T(l(i, k)) / T(l(k, k));
                for (index_t j = k + 1; j < n; ++j)
                    if (T(a(i, j)) != T{}) l(i, j) = T(l(i, j)) - T(l(i, k)) * T(l(k, j));
            }
        const auto lower = pv::clone(lower_part(l, -1) + pv::eye<T>(n)), upper = upper_part(l);
        const auto x = random_vector<T>(random, {n});
        const auto expected = la::solve(pv::clone(pv::matmul(lower, upper)), x);
        const auto sparse = pv::to_sparse(a, T{});
        CAPTURE(n, is_cholesky);
        CHECK(distance(la::ilu0(sparse)(x), expected) < kClose<T>);
        if (is_cholesky) {
            CHECK(distance(la::ic0(sparse)(x), expected) < kClose<T>);
            const auto half = pv::to_sparse(lower_part(a), T{}); // is all that is read
            CHECK(distance(la::ic0(half)(x), expected) < kClose<T>);
        }
    }
}

TEMPLATE_TEST_CASE("Incomplete factors spare iterations", "", LINALG_TYPES) {
    using T = TestType;
    const index_t side = 20, n = side * side;
    Random random(42);
    const auto b = random_vector<T>(random, {n});
    const double tolerance = sizeof(Real<T>) == 4 ? 1e-5 : 1e-10;
    const auto compare = [&](const auto& a, const auto& solve, const auto& make) {
        const auto sparse = pv::to_sparse(a, T{});
        const auto plain = solve(sparse, la::Preconditioner<T>());
        const auto factored = solve(sparse, la::Preconditioner<T>(make(sparse)));
        CHECK(distance(factored.x, la::solve(a, b)) < 1e5 * tolerance);
        CHECK(2 * factored.iterations < plain.iterations);
    };
    const auto ic0 = [](const auto& a) { return la::ic0(a); };
    const auto ilu0 = [](const auto& a) { return la::ilu0(a); };
    const auto by_cg = [&](const auto& a, const la::Preconditioner<T>& m) {
        return la::cg(a, b, {.tolerance = tolerance, .preconditioner = m});
    };
    const auto by_gmres = [&](const auto& a, const la::Preconditioner<T>& m) {
        return la::gmres(a, b, {.tolerance = tolerance, .preconditioner = m, .restart = 80});
    };
    compare(grid<T>(side, 0), by_cg, ic0);
    compare(grid<T>(side, 0), by_cg, ilu0);
    compare(grid<T>(side, 0.5), by_gmres, ilu0);
    // Of eigenvalues, too.
    const auto a = pv::to_sparse(grid<T>(side, 0), T{});
    const auto start = random_vector<T>(random, {n, 4});
    const auto plain = la::lobpcg(a, start);
    const auto factored = la::lobpcg(a, start, {.preconditioner = la::ic0(a)});
    CHECK(distance(factored.eigenvalues, plain.eigenvalues) < 1e-4);
    CHECK(2 * factored.iterations < plain.iterations);
}

TEST_CASE("Incomplete factors that do not exist say where") {
    const auto sparse = [](const auto& a) { return pv::to_sparse(a, 0.); };
    CHECK_THROWS_WITH(la::ic0(sparse(pv::tensor({{1., 2.}, {2., 1.}}))),
                      "ic0: the pivot of row 1 is -3");
    CHECK_THROWS_WITH(la::ilu0(sparse(pv::tensor({{1., 2.}, {2., 4.}}))),
                      "ilu0: the pivot of row 1 is 0");
    CHECK_THROWS_WITH(la::ilu0(sparse(pv::tensor({{0., 1.}, {1., 0.}}))),
                      "ilu0: the pivot of row 0 is not stored");
    CHECK_THROWS_AS(la::ic0(sparse(pv::zeros({2, 2}))), pv::LinearAlgebraError);
    CHECK_THROWS_AS(la::ic0(sparse(pv::zeros({2, 3}))), pv::ShapeError);
    CHECK_THROWS_AS(la::ic0(pv::eye(3)), pv::KindError);
    CHECK_THROWS_AS(la::ilu0(pv::to_sparse(pv::eye(3), 1.)), pv::KindError);
    CHECK_THROWS_AS(la::ilu0(sparse(pv::eye(3)))(pv::ones({2})), pv::ShapeError);
    CHECK_THROWS_WITH(
        la::cg(pv::eye(2), pv::ones({2}), {.preconditioner = la::ic0(sparse(pv::eye(3)))}),
        ContainsSubstring("cg: the preconditioner takes vectors of [3]"));
    const auto whole = pv::to_sparse(pv::tensor<std::int32_t>({{4, 1}, {1, 3}}), 0);
    CHECK(distance(la::ic0(whole)(pv::tensor({1., 2.})), pv::tensor({1. / 11, 7. / 11})) < 1e-12);
}

} // namespace incomplete_test
