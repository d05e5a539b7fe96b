// Factors of distributed matrices, beside those of the whole ones in one process.
#include "mpi/random_distribution.hpp"
#include "mpi/random_elements.hpp"
#include "mpi/ranks.hpp"
#include "mpi/same_bits.hpp"
#include "support/catch.hpp"

#include <purview/linalg.hpp>
#include <purview/mpi/linalg.hpp>
#include <purview/purview.hpp>

#include <complex>

namespace pm = purview::mpi;
namespace pv = purview;
namespace la = purview::linalg;
using oracle::Random;
using pv::index_t;

namespace {

template <typename T>
constexpr double kBound = sizeof(pm::RealPart<T>) == 4 ? 2e-4 : 1e-11;

template <typename X, typename Y>
double distance(const X& x, const Y& y) {
    REQUIRE(std::ranges::equal(x.shape(), y.shape()));
    double most = 0;
    const auto a = pv::clone(x), b = pv::clone(y);
    for (std::size_t i = 0; i < pv::as_span(a).size(); ++i)
        most = std::max(most, double(std::abs(pv::as_span(a)[i] - pv::as_span(b)[i])));
    return most;
}
template <typename T>
bool same_everywhere(const pv::Tensor<T>& x) {
    const auto own = pv::clone(x);
    for (const T& each : pv::as_span(own))
        if (!oracle::is_everywhere(each)) return false;
    return true;
}
/// QᴴQ is 1.
template <typename Q>
double beside_orthonormal(const Q& q) {
    using T = typename Q::value_type;
    return distance(pv::matmul(la::adjoint(q), q), pv::cast<T>(pv::eye(q.shape()[1])));
}

} // namespace

TEMPLATE_TEST_CASE("qr of distributed matrices has the factors of the whole ones", "", float,
                   double, std::complex<float>, std::complex<double>) {
    Random random(11);
    for (int round = 0; round < 12; ++round) {
        const pv::Shape shape{random.between(1, 40), random.between(1, 9)};
        const auto whole = oracle::random_elements<TestType>(shape, round);
        const auto a = pm::distribute(whole, oracle::random_distribution(random, shape));
        const auto [q, r] = pm::qr(a);
        const auto expected = la::qr(whole);
        const auto all_q = pm::all_gather(q);
        INFO(pv::to_string(shape));
        CHECK(distance(r, expected.R) < kBound<TestType>);
        CHECK(same_everywhere<TestType>(r));
        CHECK(beside_orthonormal(all_q) < kBound<TestType>);
        CHECK(distance(pv::matmul(all_q, r), whole) < kBound<TestType>);
        if (a.distribution().is_blocks() && a.distribution().grid().extents().size() == 1)
            CHECK(q.distribution().local_shape()[0] == a.distribution().local_shape()[0]);
        for (index_t i = 0; i < r.shape()[0]; ++i) {
            const TestType diagonal = r(i, i);
            CHECK(std::real(diagonal) >= 0);
            CHECK(std::imag(diagonal) == 0);
            for (index_t j = 0; j < i; ++j) CHECK(TestType(r(i, j)) == TestType(0));
        }
    }
}

TEST_CASE("qr of matrices without rows, of zeros, and whose ranks have no rows") {
    const pm::Grid line(oracle::world());
    for (const index_t m : {0, 1, 2, 7})
        for (const index_t n : {0, 1, 3}) {
            INFO(m << ' ' << n);
            const auto [q, r] = pm::qr(pm::zeros(pm::blocks({m, n}, line)));
            const index_t k = std::min(m, n);
            CHECK(std::ranges::equal(pm::all_gather(q).shape(), pv::Shape{m, k}));
            CHECK(std::ranges::equal(r.shape(), pv::Shape{k, n}));
            CHECK(pv::equals(r, pv::zeros({k, n})));
        }
    CHECK(oracle::thrown<pv::ShapeError>([&] {
              pm::qr(pm::zeros(pm::blocks({4}, line)));
          }).find("qr: a matrix is of two axes, not of [4]") != std::string::npos);
}

TEMPLATE_TEST_CASE("lstsq of distributed matrices has the results of the whole ones", "", float,
                   double, std::complex<double>) {
    using P = pm::RealPart<TestType>;
    Random random(12);
    for (int round = 0; round < 12; ++round) {
        const pv::Shape shape{random.between(1, 40), random.between(1, 6)};
        const bool is_vector = round % 2 == 0;
        const pv::Shape right_shape =
            is_vector ? pv::Shape{shape[0]} : pv::Shape{shape[0], random.between(1, 3)};
        auto whole = oracle::random_elements<TestType>(shape, round);
        if (round % 3 == 0) pv::fill(whole(pv::all, 0), TestType(0)); // of less than full rank
        const auto b = oracle::random_elements<TestType>(right_shape, 100 + round);
        const auto found =
            pm::lstsq(pm::distribute(whole, oracle::random_distribution(random, shape)),
                      pm::distribute(b, oracle::random_distribution(random, right_shape)));
        const auto expected = la::lstsq(whole, b);
        INFO(pv::to_string(shape));
        CHECK(found.rank == expected.rank.item());
        CHECK(distance(found.S, expected.S) < kBound<TestType>);
        const double size = 1 + double(pv::max(pv::abs(expected.x)));
        CHECK(distance(found.x, expected.x) < 100 * kBound<TestType> * size * size);
        CHECK(distance(found.residuals, expected.residuals) < 100 * kBound<TestType> * size);
        CHECK(same_everywhere<TestType>(found.x));
        CHECK(same_everywhere<P>(found.residuals));
    }
    const pm::Grid line(oracle::world());
    const auto a = pm::zeros(pm::blocks({6, 2}, line)), b = pm::zeros(pm::blocks({5}, line));
    CHECK(oracle::thrown<pv::ShapeError>([&] {
              pm::lstsq(a, b);
          }).find("lstsq: a right side of [5] for a matrix of [6 2]") != std::string::npos);
}

TEMPLATE_TEST_CASE("svds of distributed matrices has the largest values of the whole ones", "",
                   float, double, std::complex<double>) {
    Random random(13);
    for (int round = 0; round < 12; ++round) {
        const pv::Shape shape{random.between(1, 40), random.between(1, 9)};
        const index_t k = random.between(0, std::min(shape[0], shape[1]));
        const auto whole = oracle::random_elements<TestType>(shape, round);
        const auto a = pm::distribute(whole, oracle::random_distribution(random, shape));
        // Of so few columns, random vectors span all of the space.
        const auto expected = la::svds(whole, k, {.randomised = true});
        for (const pm::SvdsOptions& options :
             {pm::SvdsOptions{}, pm::SvdsOptions{.randomised = true},
              pm::SvdsOptions{.randomised = true, .passes = 2},
              pm::SvdsOptions{.randomised = true, .passes = 4}}) {
            const auto [u, s, vh] = pm::svds(a, k, options);
            const auto all_u = pm::all_gather(u);
            INFO(pv::to_string(shape) << ' ' << k << ' ' << options.passes);
            CHECK(distance(s, expected.S) < 10 * kBound<TestType>);
            CHECK(same_everywhere<TestType>(vh));
            CHECK(beside_orthonormal(all_u) < 10 * kBound<TestType>);
            CHECK(beside_orthonormal(la::adjoint(vh)) < 10 * kBound<TestType>);
            // Signs, and vectors.
            CHECK(distance(pv::matmul(whole, la::adjoint(vh)), all_u * s) < 40 * kBound<TestType>);
            for (index_t j = 0; j < k; ++j) {
                const auto column = pv::clone(all_u(pv::all, j));
                const TestType largest = column(pv::argmax(pv::abs(column)));
                CHECK(std::real(largest) > 0);
                CHECK(std::abs(std::imag(largest)) < kBound<TestType>);
            }
        }
    }
    const auto a = pm::zeros(pm::blocks({6, 2}, pm::Grid(oracle::world())));
    CHECK(oracle::thrown<pv::ShapeError>([&] {
              pm::svds(a, 3);
          }).find("svds: 3 singular values of a matrix of [6 2]") != std::string::npos);
    CHECK(oracle::thrown<pv::Error>([&] {
              pm::svds(a, 1, {.randomised = true, .passes = 1});
          }).starts_with("svds: 1 passes, of which there are at least 2"));
}

TEST_CASE("What is not a number is an error of linear algebra on all ranks") {
    auto whole = pv::clone(pv::random_normal({12, 3}, 1));
    whole(11, 1) = std::numeric_limits<double>::quiet_NaN();
    const auto a = pm::distribute(whole, pm::blocks({12, 3}, pm::Grid(oracle::world())));
    CHECK(!oracle::thrown<pv::LinearAlgebraError>([&] { pm::svds(a, 1); }).empty());
    CHECK(pm::qr(pm::zeros(a.distribution())).R.size() == 9); // work goes on
}
