// Matrices of at most 8 rows, which kernels of our own compute in groups: beside naive loops in higher precision, and each
// member with the bits that it has alone.
#include "random_matrices.hpp"

#include <support/catch.hpp>
#include <support/settings.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/blas.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

namespace small_test {
namespace {

using namespace linalg_tests;
using Number = long double;

constexpr index_t kBatches[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 40};

template <typename T>
pv::MutableTensor<T> random_batch_of(Random& random, pv::Shape shape) {
    pv::MutableTensor<T> x = pv::empty<T>(std::move(shape));
    for (T& element : pv::as_span(x)) element = random_number<T>(random);
    return x;
}
/// `a aᵀ + 1` of each.
template <typename T>
pv::MutableTensor<T> positive(const pv::Tensor<T>& a) {
    return pv::clone(pv::matmul(a, pv::swap_axes(a, -1, -2)) + pv::eye<T>(a.shape().back()));
}
template <typename X, typename Y>
bool have_equal_bits(const X& x, const Y& y) {
    const auto u = pv::clone(x);
    const auto v = pv::clone(y);
    const auto p = pv::as_span(u), q = pv::as_span(v);
    return p.size() == q.size() &&
           (p.empty() || std::memcmp(p.data(), q.data(), p.size_bytes()) == 0);
}

/// By elimination with pivoting, in higher precision; the determinant, and `b` becomes the solution.
template <typename T>
Number solve_naively(const T* from, std::size_t n, std::vector<Number>& b, std::size_t columns) {
    std::vector<Number> a(from, from + n * n);
    Number determinant = 1;
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t best = k;
        for (std::size_t i = k + 1; i < n; ++i)
            if (std::abs(a[i * n + k]) > std::abs(a[best * n + k])) best = i;
        if (best != k) determinant = -determinant;
        for (std::size_t j = 0; j < n; ++j) std::swap(a[k * n + j], a[best * n + j]);
        for (std::size_t c = 0; c < columns; ++c)
            std::swap(b[k * columns + c], b[best * columns + c]);
        determinant *= a[k * n + k];
        if (a[k * n + k] == 0) return 0;
        for (std::size_t i = 0; i < n; ++i) {
            if (i == k) continue;
            const Number factor = a[i * n + k] / a[k * n + k];
            for (std::size_t j = 0; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
            for (std::size_t c = 0; c < columns; ++c)
                b[i * columns + c] -= factor * b[k * columns + c];
        }
    }
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = 0; c < columns; ++c) b[i * columns + c] /= a[i * n + i];
    return determinant;
}

/// Calls `f` with each result of functions of `a` and `b`, and with those of symmetric `s`.
template <typename T, typename F>
void for_all_functions(const pv::Tensor<T>& a, const pv::Tensor<T>& b, const pv::Tensor<T>& s,
                       const F& f) {
    const la::SolveOptions nan{la::IfSingular::nan};
    f("solve", la::solve(a, b, nan));
    f("lower", la::solve_triangular(a, b));
    f("upper", la::solve_triangular(a, b, {.upper = true}));
    f("inv", la::inv(a, nan));
    f("det", la::det(a));
    const auto [sign, logarithm] = la::slogdet(a);
    f("sign", sign);
    f("logabsdet", logarithm);
    f("cholesky", la::cholesky(s, {.if_singular = la::IfSingular::nan}));
    f("cholesky, upper", la::cholesky(s, {.upper = true, .if_singular = la::IfSingular::nan}));
    const auto [values, vectors] = la::eigh(s);
    f("eigenvalues", values);
    f("eigenvectors", vectors);
    f("eigvalsh", la::eigvalsh(s, {.upper = true}));
}
template <typename T>
auto all_functions(const pv::Tensor<T>& a, const pv::Tensor<T>& b, const pv::Tensor<T>& s) {
    std::vector<std::pair<std::string, pv::Tensor<T>>> results;
    for_all_functions<T>(a, b, s, [&](const char* name, const auto& x) {
        results.emplace_back(name, pv::Tensor<T>(x));
    });
    return results;
}

} // namespace

TEMPLATE_TEST_CASE("Small solutions, inverses and determinants are those of naive loops", "", float,
                   double) {
    using T = TestType;
    Random random(41);
    for (index_t n = 1; n <= 8; ++n)
        for (const index_t count : kBatches) {
            const oracle::Threads threads(static_cast<int>(random.between(1, 3)));
            const index_t k = random.between(1, 3);
            const auto a = random_batch_of<T>(random, {count, n, n});
            const auto b = random_batch_of<T>(random, {count, n, k});
            const auto x = la::solve(a, b), inverses = la::inv(a);
            const auto determinants = la::det(a);
            CAPTURE(n, count, k);
            const auto rows = static_cast<std::size_t>(n), columns = static_cast<std::size_t>(k);
            for (index_t m = 0; m < count; ++m) {
                const auto at = static_cast<std::size_t>(m);
                const T* const own = pv::as_span(a).data() + at * rows * rows;
                const T* const right = pv::as_span(b).data() + at * rows * columns;
                std::vector<Number> expected(right, right + rows * columns), unit(rows * rows);
                for (std::size_t i = 0; i < rows; ++i) unit[i * rows + i] = 1;
                const Number determinant = solve_naively(own, rows, expected, columns);
                solve_naively(own, rows, unit, rows);
                // Errors are those of conditions.
                const auto size = [](const auto* from, std::size_t elements) {
                    Number sum = 0;
                    for (std::size_t i = 0; i < elements; ++i)
                        sum += static_cast<Number>(from[i]) * static_cast<Number>(from[i]);
                    return std::sqrt(sum);
                };
                const Number condition = size(own, rows * rows) * size(unit.data(), rows * rows);
                const Number rounding = 16 * std::numeric_limits<T>::epsilon();
                for (std::size_t i = 0; i < rows * columns; ++i)
                    CHECK(std::abs(pv::as_span(x)[at * rows * columns + i] - expected[i]) <=
                          rounding * condition * size(expected.data(), rows * columns));
                for (std::size_t i = 0; i < rows * rows; ++i)
                    CHECK(std::abs(pv::as_span(inverses)[at * rows * rows + i] - unit[i]) <=
                          rounding * condition * size(unit.data(), rows * rows));
                CHECK(std::abs(pv::as_span(determinants)[at] - determinant) <=
                      rounding * condition * std::abs(determinant));
            }
        }
}

TEMPLATE_TEST_CASE("A small matrix has the bits that it has alone, wherever it is", "", float,
                   double) {
    using T = TestType;
    Random random(42);
    for (index_t n = 1; n <= 8; ++n)
        for (const index_t count : {5, 8, 19}) {
            const index_t k = random.one_in(2) ? random.between(1, 8) : random.between(9, 150);
            const auto a = random_batch_of<T>(random, {count, n, n});
            const auto b = random_batch_of<T>(random, {count, n, k});
            const auto s = positive<T>(a);
            // What others have nothing to do with: NaN, infinities, what is singular, or converges soon.
            const T nan = std::numeric_limits<T>::quiet_NaN();
            pv::fill(a(1, pv::ellipsis), T(0));
            pv::fill(a(2, pv::ellipsis), nan);
            a(3, n - 1, n - 1) = std::numeric_limits<T>::infinity();
            pv::copy(pv::eye<T>(n), s(0, pv::ellipsis));
            s(3, 0, 0) = -s(3, 0, 0);
            for (index_t i = 0; i < n; ++i) a(4, i, i) = T(1) / T(3);
            pv::fill(b(4, pv::ellipsis), T(7));
            CAPTURE(n, count, k);
            // Triangles of which a diagonal is 0 have no option that gives NaN.
            const auto triangles = pv::clone(a);
            pv::copy(pv::eye<T>(n), triangles(1, pv::ellipsis));
            const auto compute = [&](const auto& range) {
                auto all = all_functions<T>(triangles(range, pv::ellipsis), b(range, pv::ellipsis),
                                            s(range, pv::ellipsis));
                const la::SolveOptions nan_option{la::IfSingular::nan};
                all.emplace_back("inv", la::inv(a(range, pv::ellipsis), nan_option));
                all.emplace_back(
                    "solve", la::solve(a(range, pv::ellipsis), b(range, pv::ellipsis), nan_option));
                all.emplace_back("det", la::det(a(range, pv::ellipsis)));
                return all;
            };
            const auto together = compute(pv::range(0, count));
            for (index_t m = 0; m < count; ++m) {
                const oracle::Threads threads(static_cast<int>(random.between(1, 3)));
                const index_t first = random.between(0, m), last = random.between(m + 1, count);
                const auto some = compute(pv::range(first, last));
                for (std::size_t f = 0; f < together.size(); ++f) {
                    CAPTURE(together[f].first, m, first, last);
                    CHECK(have_equal_bits(together[f].second(m, pv::ellipsis),
                                          some[f].second(m - first, pv::ellipsis)));
                }
            }
            CHECK(pv::all_of(pv::is_nan(together[together.size() - 3].second(1, pv::ellipsis))));
            CHECK(pv::all_of(pv::is_nan(together[together.size() - 2].second(2, pv::ellipsis))));
            CHECK(together.back().second(1) == 0);
        }
}

TEMPLATE_TEST_CASE("A right side has the bits that it has alone", "", float, double) {
    using T = TestType;
    Random random(43);
    for (index_t n = 1; n <= 8; ++n)
        for (const index_t k : {2, 7, 8, 9, 31, 64, 65, 200}) {
            const auto a = random_batch_of<T>(random, {2, n, n});
            for (index_t i = 0; i < n; ++i) a(0, i, i) += T(9);
            const auto b = random_batch_of<T>(random, {2, n, k});
            const oracle::Threads threads(static_cast<int>(random.between(1, 3)));
            const auto x = la::solve(a, b);
            const auto lower = la::solve_triangular(a(0, pv::ellipsis), b(0, pv::ellipsis));
            for (index_t c = 0; c < k; ++c) {
                CAPTURE(n, k, c);
                const auto own = b(pv::all, pv::all, pv::range(c, c + 1));
                CHECK(have_equal_bits(x(pv::all, pv::all, pv::range(c, c + 1)), la::solve(a, own)));
                CHECK(have_equal_bits(lower(pv::all, c),
                                      la::solve_triangular(a(0, pv::ellipsis), b(0, pv::all, c))));
            }
        }
    // One matrix is told singular once, whatever is on its right.
    CHECK_THROWS_AS(la::solve(pv::zeros<T>({3, 3}), pv::ones<T>({3, 100})), pv::LinearAlgebraError);
    CHECK(pv::all_of(pv::is_nan(la::solve(pv::zeros<T>({3, 3}), pv::ones<T>({3, 1000}),
                                          {.if_singular = la::IfSingular::nan}))));
    CHECK_THROWS_WITH(la::solve_triangular(pv::zeros<T>({2, 3, 3}) + T(0) * pv::eye<T>(3),
                                           pv::ones<T>({2, 3, 70})),
                      "solve_triangular: matrix [0] of the batch is singular: pivot 0 is 0");
}

TEMPLATE_TEST_CASE("Permutations are solved, inverted and counted exactly", "", float, double) {
    using T = TestType;
    Random random(44);
    for (index_t n = 1; n <= 8; ++n) {
        const index_t count = 33;
        auto a = pv::zeros<T>({count, n, n});
        const auto matrices = pv::clone(a);
        std::vector<T> signs;
        for (index_t m = 0; m < count; ++m) {
            std::vector<index_t> places(static_cast<std::size_t>(n));
            std::iota(places.begin(), places.end(), index_t{0});
            T sign = 1;
            for (index_t i = n; i-- > 1;) {
                const index_t j = random.between(0, i);
                if (i != j) sign = -sign;
                std::swap(places[static_cast<std::size_t>(i)], places[static_cast<std::size_t>(j)]);
            }
            for (index_t i = 0; i < n; ++i) matrices(m, i, places[static_cast<std::size_t>(i)]) = 1;
            signs.push_back(sign);
        }
        const auto b = random_batch_of<T>(random, {count, n, 2});
        const auto inverses = pv::clone(pv::swap_axes(matrices, -1, -2));
        CHECK(pv::equals(la::inv(matrices), inverses));
        CHECK(pv::equals(la::solve(matrices, b), pv::clone(pv::matmul(inverses, b))));
        const auto determinants = la::det(matrices);
        CHECK(std::ranges::equal(pv::as_span(determinants), signs));
        const auto [sign, logarithm] = la::slogdet(matrices);
        CHECK(pv::equals(sign, determinants));
        CHECK(largest(logarithm) == 0);
    }
}

TEMPLATE_TEST_CASE("Small matrices that are singular are named, with their pivots", "", float,
                   double) {
    using T = TestType;
    Random random(45);
    for (index_t n = 1; n <= 8; ++n)
        for (index_t pivot = 0; pivot < n; ++pivot) {
            const index_t count = random.between(1, 20), which = random.between(0, count - 1);
            const auto a = random_batch_of<T>(random, {count, n, n});
            for (index_t i = 0; i < n; ++i) {
                for (index_t m = 0; m < count; ++m) a(m, i, i) += T(30);
                a(which, i, pivot) = T(0);
            }
            const std::string pivot_text = std::to_string(pivot);
            const std::string text = "matrix [" + std::to_string(which) +
                                     "] of the batch is singular: pivot " + pivot_text + " is 0";
            const oracle::Threads threads(static_cast<int>(random.between(1, 3)));
            CHECK_THROWS_WITH(la::inv(a), "inv: " + text);
            CHECK_THROWS_WITH(la::solve(a, pv::ones<T>({count, n, 1})), "solve: " + text);
            CHECK(la::det(a)(which) == 0);
            const auto [sign, logarithm] = la::slogdet(a);
            CHECK(sign(which) == 0);
            CHECK(logarithm(which) == -std::numeric_limits<T>::infinity());
            const auto s = positive<T>(a);
            s(which, pivot, pivot) = T(-1);
            CHECK_THROWS_WITH(la::cholesky(s),
                              "cholesky: matrix [" + std::to_string(which) +
                                  "] of the batch is not positive definite, by the first " +
                                  std::to_string(pivot + 1) + " rows and columns");
        }
}

TEMPLATE_TEST_CASE("Small ill-conditioned matrices leave residuals of rounding", "", float,
                   double) {
    using T = TestType;
    Random random(46);
    const double rounding = std::numeric_limits<T>::epsilon();
    for (index_t n = 2; n <= 8; ++n) {
        const auto a = random_batch_of<T>(random, {21, n, n});
        for (index_t m = 0; m < 21; ++m)
            for (index_t i = 0; i < n; ++i)
                for (index_t j = 0; j < n; ++j)
                    if (m % 3 == 0)
                        a(m, i, j) = T(1) / static_cast<T>(i + j + 1); // Hilbert's
                    else if (m % 3 == 1)
                        a(m, i, j) *= std::pow(T(10), static_cast<T>(-i - j));
        const auto b = random_batch_of<T>(random, {21, n, 1});
        const auto x = la::solve(a, b);
        for (index_t m = 0; m < 21; ++m)
            for (index_t i = 0; i < n; ++i) {
                Number residual = b(m, i, 0), size = std::abs(b(m, i, 0));
                for (index_t j = 0; j < n; ++j) residual -= Number(a(m, i, j)) * Number(x(m, j, 0));
                for (index_t j = 0; j < n; ++j)
                    for (index_t r = 0; r < n; ++r)
                        size = std::max(size, std::abs(Number(a(m, r, j)) * Number(x(m, j, 0))));
                CHECK(static_cast<double>(std::abs(residual)) <=
                      20 * rounding * static_cast<double>(size));
            }
    }
    // What hardly differs from 0 is divided by as any other number is.
    const T least = std::numeric_limits<T>::denorm_min() * 8;
    const auto tiny = pv::clone(least * pv::eye<T>(4));
    tiny(2, 0) = least;
    CHECK(pv::equals(la::solve(tiny, pv::full<T>({4}, least)), pv::tensor<T>({1, 1, 0, 1})));
}

TEMPLATE_TEST_CASE("Small symmetric matrices of any size and any eigenvalues are diagonalised", "",
                   float, double) {
    using T = TestType;
    Random random(47);
    const T large = std::sqrt(std::numeric_limits<T>::max()), most = large * (large / T(64));
    for (index_t n = 1; n <= 8; ++n)
        for (const T scale : {T(1), most, T(1) / most, large}) {
            const index_t count = 24;
            const auto x = random_batch_of<T>(random, {count, n, n});
            const auto a = pv::clone((x + pv::swap_axes(x, -1, -2)) / T(16));
            pv::fill(a(0, pv::ellipsis), T(0));
            pv::copy(pv::eye<T>(n), a(1, pv::ellipsis));
            pv::fill(a(2, pv::ellipsis), T(1)); // 0, all but once
            pv::copy(-pv::eye<T>(n), a(3, pv::ellipsis));
            pv::copy(pv::eye<T>(n) - T(2) / T(n) * pv::ones<T>({n, n}), a(4, pv::ellipsis));
            for (index_t i = 0; i < n; ++i) // in another order, and nearly equal
                for (index_t j = 0; j < n; ++j) {
                    a(5, i, j) = i == j ? T(n - i) : T(0);
                    a(6, i, j) = i == j ? T(1) : std::numeric_limits<T>::epsilon();
                }
            const auto [values, vectors] = la::eigh(pv::clone(a * scale));
            const auto w = pv::clone(values / scale);
            const auto scaled = pv::clone(vectors * w(pv::ellipsis, pv::new_axis, pv::all));
            CAPTURE(n, scale);
            for (index_t m = 0; m < count; ++m) {
                const double size = std::max(largest(a(m, pv::ellipsis)), 1e-9);
                const double bound = 64 * std::numeric_limits<T>::epsilon();
                CHECK(largest(pv::matmul(a, vectors)(m, pv::ellipsis) - scaled(m, pv::ellipsis)) <=
                      bound * size);
                CHECK(largest(pv::matmul(pv::swap_axes(vectors, -1, -2), vectors)(m, pv::ellipsis) -
                              pv::eye<T>(n)) <= bound);
                for (index_t i = 0; i + 1 < n; ++i) CHECK(w(m, i) <= w(m, i + 1));
            }
            CHECK(have_equal_bits(la::eigvalsh(pv::clone(a * scale)), values));
            CHECK(have_equal_bits(vectors(1, pv::ellipsis), pv::eye<T>(n)));
        }
    const auto a = pv::clone(pv::zeros<T>({9, 3, 3}) + pv::eye<T>(3));
    a(5, 1, 0) = std::numeric_limits<T>::quiet_NaN();
    CHECK_THROWS_WITH(la::eigh(a), Catch::Matchers::StartsWith("eigh: matrix [5] of the batch"));
    a(5, 0, 1) = 0;
    CHECK(pv::equals(la::eigvalsh(a, {.upper = true}), pv::ones<T>({9, 3}))); // not read
}

TEST_CASE("Small matrices need no LAPACK") {
    // This case is run by itself with PURVIEW_BLAS=off, too (tests/CMakeLists.txt).
    CHECK(la::det(pv::eye(8)).item() == 1);
    if (pv::blas_library().starts_with("no BLAS"))
        CHECK_THROWS_AS(la::det(pv::eye(9)), pv::Error);
    else
        CHECK(la::det(pv::eye(9)).item() == 1);
    CHECK(la::det(pv::zeros({0, 0})).item() == 1);
}

} // namespace small_test
