// Some eigenvalues over ranks, beside the same in one process.
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

template <typename X>
double largest(const X& x) {
    return x.size() == 0 ? 0 : double(pv::max(pv::abs(pv::clone(x))));
}

} // namespace

TEMPLATE_TEST_CASE("lobpcg of distributed matrices finds the eigenvalues of the whole ones", "",
                   float, double, std::complex<double>) {
    Random random(31);
    const double bound = sizeof(pm::RealPart<TestType>) == 4 ? 1e-3 : 1e-6;
    for (int round = 0; round < 8; ++round) {
        const index_t n = random.between(3, 30), k = random.between(1, 3);
        const auto g = oracle::random_elements<TestType>({n, n}, round);
        const auto whole = pv::clone(pv::matmul(g, la::adjoint(g)));
        const auto start = oracle::random_elements<TestType>({n, k}, 70 + round);
        const auto a = pm::distribute(whole, oracle::random_distribution(random, pv::Shape{n, n}));
        const auto x = pm::distribute(start, oracle::random_distribution(random, pv::Shape{n, k}));
        for (const bool most : {false, true}) {
            INFO(n << ' ' << k << ' ' << most);
            const auto found = pm::lobpcg(a, x, {.largest = most});
            const auto alone = la::lobpcg(whole, start, {.largest = most});
            const double size = largest(whole) * double(n);
            CHECK(largest(found.eigenvalues - alone.eigenvalues) < bound * size);
            CHECK(found.eigenvectors.distribution() == x.distribution());
            CHECK(oracle::is_everywhere(found.residual));
            const auto vectors = pm::all_gather(found.eigenvectors);
            const auto turned = pv::clone(pv::matmul(whole, vectors));
            CHECK(largest(turned - vectors * pv::cast<TestType>(found.eigenvalues)) < bound * size);
            CHECK(largest(pv::matmul(la::adjoint(vectors), vectors) -
                          pv::cast<TestType>(pv::eye(k))) < bound);
            for (index_t j = 0; j < k; ++j) { // as signs in one process
                const auto column = pv::clone(vectors(pv::all, j));
                const TestType most_of = column(pv::argmax(pv::abs(column)));
                CHECK(std::real(most_of) > 0);
                CHECK(std::abs(std::imag(most_of)) < bound);
            }
        }
    }
}

TEST_CASE("lobpcg of a stencil over ranks, with a preconditioner") {
    const auto laplacian = [](const auto& x) {
        return 4. * x - pv::rotate(x, {1, 0}) - pv::rotate(x, {-1, 0}) - pv::rotate(x, {0, 1}) -
               pv::rotate(x, {0, -1});
    };
    const auto weights = pv::clone(1. + 50. * pv::random_uniform({14, 9}, 4));
    const auto start = pv::clone(pv::random_normal({14, 9, 3}, 5));
    const pm::Grid grid(oracle::world(), {-1, -1});
    const auto w = pm::distribute(weights, pm::blocks({14, 9}, grid));
    const auto alone = la::lobpcg([&](const auto& x) { return laplacian(x) + weights * x; }, start);
    for (const auto& d : {pm::blocks({14, 9, 3}, grid),
                          pm::blocks({14, 9, 3}, pm::Grid(oracle::world(), {1, -1, 1})),
                          pm::blocks({14, 9, 3}, pm::Grid(oracle::world(), {1, 1, -1})),
                          pm::cyclic({14, 9, 3}, grid, {2, 1})}) {
        const auto x = pm::distribute(start, d);
        const auto operation = [&](const auto& v) { return laplacian(v) + w.global() * v; };
        index_t calls = 0;
        const auto found = pm::lobpcg(operation, x);
        const auto preconditioned =
            pm::lobpcg(operation, x,
                       {.preconditioner = [&](const auto& r) { return r / (4. + w.global()); },
                        .on_iteration = [&](index_t, double) { ++calls; }});
        CHECK(largest(found.eigenvalues - alone.eigenvalues) < 1e-6);
        CHECK(largest(preconditioned.eigenvalues - alone.eigenvalues) < 1e-6);
        CHECK(largest(pm::all_gather(found.eigenvectors) - alone.eigenvectors) < 1e-4);
        CHECK(preconditioned.iterations < found.iterations);
        CHECK(calls > 0);
        CHECK(found.eigenvectors.distribution() == d);
    }
}

TEST_CASE("Errors of lobpcg are thrown on all ranks, and work goes on") {
    const pm::Grid line(oracle::world());
    const auto x =
        pm::distribute(pv::clone(pv::random_normal({12, 2}, 3)), pm::blocks({12, 2}, line));
    const auto weights = pm::distribute(pv::arange(12) * 1., pm::blocks({12}, line));
    const auto scaled = [&](const auto& v) { return weights.global() * v; };
    CHECK(oracle::thrown<pv::LinearAlgebraError>([&] {
              pm::lobpcg(scaled, x, {.max_iterations = 1});
          }).starts_with("lobpcg: after 1 iterations the largest residual is "));
    CHECK(oracle::thrown<pv::ShapeError>([&] {
              pm::lobpcg(pm::zeros(pm::blocks({11, 11}, line)), x);
          }).find("lobpcg: the start has vectors of [12], the operator takes [11]") !=
          std::string::npos);
    CHECK(!oracle::thrown<pv::ShapeError>([&] {
               pm::lobpcg([](const auto& v) { return v(pv::range(0, 3)); }, x);
           }).empty());
    CHECK(!oracle::thrown<pv::LinearAlgebraError>([&] {
               pm::lobpcg([](const auto& v) { return v * std::nan(""); }, x);
           }).empty());
    const auto values = pm::lobpcg(scaled, x, {.largest = true}).eigenvalues;
    CHECK(std::abs(values(0) - 10.) < 1e-6);
    CHECK(std::abs(values(1) - 11.) < 1e-6);
}
