// Sparse operands, and operands in chunks, beside dense ones: what is read, how often, and what has no room.
#include "random_matrices.hpp"

#include <support/catch.hpp>
#include <support/settings.hpp>

#include <purview/base/errors.hpp>
#include <purview/purview.hpp>

namespace operands_test {
namespace {

using namespace linalg_tests;
using Catch::Matchers::ContainsSubstring;

/// Every function of matrices, of a square matrix and one beside it.
template <typename Work>
void with_functions(const Work& work) {
    work("solve", [](const auto& a, const auto& b) { return la::solve(a, b); });
    work("solve_triangular",
         [](const auto& a, const auto& b) { return la::solve_triangular(a, b); });
    work("cholesky_solve", [](const auto& a, const auto& b) { return la::cholesky_solve(a, b); });
    work("inv", [](const auto& a, const auto&) { return la::inv(a); });
    work("det", [](const auto& a, const auto&) { return la::det(a); });
    work("slogdet", [](const auto& a, const auto&) { return la::slogdet(a).logabsdet; });
    work("cholesky", [](const auto& a, const auto&) { return la::cholesky(a); });
    work("qr", [](const auto& a, const auto&) { return la::qr(a).R; });
    work("lu", [](const auto& a, const auto&) { return la::lu(a).U; });
    work("svd", [](const auto& a, const auto&) { return la::svd(a).U; });
    work("svdvals", [](const auto& a, const auto&) { return la::svdvals(a); });
    work("eigh", [](const auto& a, const auto&) { return la::eigh(a).eigenvectors; });
    work("eigvalsh", [](const auto& a, const auto&) { return la::eigvalsh(a); });
    work("eig", [](const auto& a, const auto&) { return la::eig(a).eigenvectors; });
    work("eigvals", [](const auto& a, const auto&) { return la::eigvals(a); });
    work("expm", [](const auto& a, const auto&) { return la::expm(a); });
    work("matrix_power", [](const auto& a, const auto&) { return la::matrix_power(a, 3); });
    work("inverse power", [](const auto& a, const auto&) { return la::matrix_power(a, -2); });
    work("pinv", [](const auto& a, const auto&) { return la::pinv(a); });
    work("cond", [](const auto& a, const auto&) { return la::cond(a); });
    work("matrix_rank", [](const auto& a, const auto&) { return la::matrix_rank(a); });
    work("lstsq", [](const auto& a, const auto& b) { return la::lstsq(a, b).x; });
    work("residuals", [](const auto& a, const auto& b) { return la::lstsq(a, b).residuals; });
}

/// Hermitian and positive definite, with many zeros.
template <typename T>
pv::MutableTensor<T> definite(Random& random, index_t n) {
    auto a = pv::clone(T(9) * pv::eye<T>(n));
    for (index_t k = 0; k < n; ++k) {
        const index_t i = random.between(0, n - 1), j = random.between(0, n - 1);
        if (i != j) a(i, j) = T(1), a(j, i) = T(1);
    }
    return a;
}

} // namespace

TEMPLATE_TEST_CASE("Sparse matrices are those that are dense", "", std::int32_t, LINALG_TYPES) {
    using T = TestType;
    Random random(51);
    for (int round = 0; round < oracle::rounds(5); ++round) {
        const index_t n = random.between(1, 12);
        const auto a = definite<T>(random, n), b = pv::clone(a(pv::all, pv::range(0, 1)) + T(1));
        with_functions([&](const char* what, const auto& f) {
            CAPTURE(what, n);
            CHECK(pv::equals(pv::clone(f(pv::to_sparse(a), b)), pv::clone(f(a, b))));
            CHECK(pv::equals(pv::clone(f(pv::to_sparse(a), pv::to_sparse(b))), pv::clone(f(a, b))));
            // Of another fill, and transposed.
            const auto transposed = pv::transpose(pv::to_sparse(pv::clone(pv::transpose(a)), T(1)));
            CHECK(pv::equals(pv::clone(f(transposed, b)), pv::clone(f(a, b))));
        });
    }
}

TEST_CASE("Sparse matrices in computations are made dense, captured or given") {
    const auto a = pv::tensor({{4., 1., 0.}, {1., 3., 0.}, {0., 0., 2.}});
    const auto b = pv::tensor({1., 2., 3.});
    const auto sparse = pv::to_sparse(a);
    const auto captured =
        pv::computation([&](auto y) { return la::solve(sparse, y); }, pv::spec<double>({3}));
    CHECK(pv::equals(captured(b), la::solve(a, b)));
    const auto given =
        pv::computation([&](auto x) { return la::solve(x, b); }, pv::spec<double>({3, 3}));
    CHECK(pv::equals(given(sparse), la::solve(a, b)));
    const pv::Dim i("i"), k("k");
    CHECK(pv::equals(pv::Tensor<double>(la::solve(sparse(i, k), b(i), i, k) | pv::order(k)),
                     la::solve(a, b)));
    CHECK(pv::equals(la::cg(sparse, pv::to_sparse(b)).x, la::cg(sparse, b).x));
}

TEST_CASE("Matrices in chunks are read once") {
    Random random(52);
    const auto a = definite<double>(random, 7), b = pv::clone(a(pv::all, pv::range(0, 1)) + 1.);
    const auto chunks = pv::chunked(a, {2, 3}), right = pv::chunked(b, {2, 1});
    with_functions([&](const char* what, const auto& f) {
        CAPTURE(what);
        const auto expected = pv::clone(f(a, b));
        pv::drop_cached_chunks();
        pv::reset_chunk_statistics();
        const auto result = pv::clone(f(chunks, b));
        CHECK(pv::chunk_statistics().chunks_read == 12);
        CHECK(pv::chunk_statistics().cache_hits == 0);
        CHECK(pv::equals(result, expected));
        CHECK(pv::equals(pv::clone(f(chunks, right)), expected));
    });
}

TEST_CASE("What has no room as a dense matrix says how much that is, and what multiplies by it") {
    const auto huge = pv::from_coo<double>({100000000, 100000000}, {{0}, {0}}, {2.});
    const oracle::MemoryLimit limit(10000);
    const auto sparse = pv::from_coo<double>({50, 50}, {{0}, {0}}, {2.});
    const auto chunks = pv::chunked(pv::eye(50), {5, 50});
    const auto b = pv::ones({50}), many = pv::ones({100000000});
    pv::reset_chunk_statistics();
    with_functions([&](const char* what, const auto& f) {
        CAPTURE(what);
        CHECK_THROWS_AS(f(sparse, b), pv::MemoryLimitError);
        CHECK_THROWS_AS(f(chunks, b), pv::MemoryLimitError);
        CHECK_THROWS_AS(f(huge, many), pv::MemoryLimitError);
    });
    CHECK(pv::chunk_statistics().chunks_read == 0);
    CHECK_THROWS_WITH(
        la::inv(sparse),
        "inv: 20000 bytes for all elements of [50 50], which is sparse, are more than "
        "what the memory limit, 10000 bytes, leaves; cg, minres, bicgstab, gmres and "
        "lsmr multiply by it as it is, and set_memory_limit gives more");
    CHECK_THROWS_WITH(
        la::lstsq(chunks, b),
        ContainsSubstring("lstsq: 20000 bytes for all elements of [50 50], which is in chunks"));
    const auto definite = pv::clone(sparse + 3. * pv::to_sparse(pv::eye(50)));
    CHECK(largest(la::cg(definite, b).x(pv::range(1, 50)) - 1. / 3.) < 1e-9);
    CHECK(largest(la::cg(chunks, b).x - 1.) < 1e-9);
}

} // namespace operands_test
