// eigsh and lobpcg beside eigh, of operators of every kind.
#include "iterative_methods.hpp"

#include <support/catch.hpp>
#include <support/settings.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/applied/computation.hpp>
#include <purview/functional/assembly/chunked.hpp>
#include <purview/functional/assembly/sparse.hpp>
#include <purview/tensor/sparse_tensor.hpp>

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

} // namespace eigenvalues_test
