// Iterative methods over ranks, beside the same in one process.
#include "mpi/random_distribution.hpp"
#include "mpi/random_elements.hpp"
#include "mpi/ranks.hpp"
#include "mpi/same_bits.hpp"
#include "support/catch.hpp"

#include <purview/linalg.hpp>
#include <purview/mpi/linalg.hpp>
#include <purview/purview.hpp>

#include <complex>
#include <stdexcept>

namespace pm = purview::mpi;
namespace pv = purview;
namespace la = purview::linalg;
using oracle::Random;
using pv::index_t;

namespace {

/// Hermitian and positive definite.
template <typename T>
pv::MutableTensor<T> definite(index_t n, int seed) {
    const auto g = oracle::random_elements<T>({n, n}, seed);
    const auto product = pv::clone(pv::matmul(g, la::adjoint(g)));
    return pv::clone(product + pv::cast<T>(double(n) * pv::eye(n)));
}
template <typename T>
double residual(const pv::Tensor<T>& a, const pv::Tensor<T>& x, const pv::Tensor<T>& b) {
    const auto norm = [](const auto& v) { return std::sqrt(double(pv::sum(pv::sq(pv::abs(v))))); };
    return norm(pv::clone(pv::matmul(a, x) - b)) / norm(b);
}
/// Of a grid with walls around it, positive definite.
const auto laplacian = [](const auto& x) {
    return 4.1 * x - pv::rotate(x, {1, 0}) - pv::rotate(x, {-1, 0}) - pv::rotate(x, {0, 1}) -
           pv::rotate(x, {0, -1});
};

} // namespace

TEMPLATE_TEST_CASE("cg and others of distributed matrices solve what the whole ones do", "", float,
                   double, std::complex<double>) {
    Random random(21);
    const double bound = sizeof(pm::RealPart<TestType>) == 4 ? 1e-5 : 1e-8;
    for (int round = 0; round < 6; ++round) {
        const index_t n = random.between(1, 30);
        const auto whole = definite<TestType>(n, round);
        const auto right = oracle::random_elements<TestType>({n}, 50 + round);
        const pv::Shape shape{n, n};
        const auto a = pm::distribute(whole, oracle::random_distribution(random, shape));
        const auto b = pm::distribute(right, oracle::random_distribution(random, pv::Shape{n}));
        const auto check = [&](const auto& found, const auto& alone) {
            CHECK(found.x.distribution() == b.distribution());
            CHECK(residual<TestType>(whole, pm::all_gather(found.x), right) < 2 * bound);
            CHECK(found.residual <= bound);
            CHECK(oracle::is_everywhere(found.residual));
            CHECK(std::abs(found.iterations - alone.iterations) <= 1 + alone.iterations / 5);
        };
        INFO(n);
        check(pm::cg(a, b), la::cg(whole, right));
        check(pm::minres(a, b), la::minres(whole, right));
        check(pm::bicgstab(a, b), la::bicgstab(whole, right));
        check(pm::gmres(a, b, {.restart = 12}), la::gmres(whole, right, {.restart = 12}));
    }
}

TEST_CASE("cg of a stencil over ranks, with halos, with and without a preconditioner") {
    const pm::Grid grid(oracle::world(), {-1, -1});
    const auto right = pv::clone(pv::random_normal({17, 12}, 3));
    const auto weights = pv::clone(1. + 100. * pv::sq(pv::random_uniform({17, 12}, 4)));
    const auto b = pm::distribute(right, pm::blocks({17, 12}, grid));
    const auto w = pm::distribute(weights, pm::blocks({17, 12}, grid));
    const auto alone = la::cg(laplacian, right);
    const auto found = pm::cg(laplacian, b);
    CHECK(found.iterations == alone.iterations);
    CHECK(double(pv::max(pv::abs(pm::all_gather(found.x) - alone.x))) < 1e-6);

    const auto weighted = [&](const auto& x) { return laplacian(x) + w.global() * x; };
    const auto alone_weighted =
        la::cg([&](const auto& x) { return laplacian(x) + weights * x; }, right);
    index_t calls = 0;
    double last = 1;
    const auto plain = pm::cg(weighted, b);
    const auto preconditioned =
        pm::cg(weighted, b,
               {.preconditioner = [&](const auto& r) { return r / (4.1 + w.global()); },
                .on_iteration =
                    [&](index_t i, double residual) {
                        CHECK(i == ++calls);
                        last = residual;
                    }});
    CHECK(std::abs(plain.iterations - alone_weighted.iterations) <= 2);
    CHECK(preconditioned.iterations < plain.iterations);
    CHECK(calls == preconditioned.iterations);
    CHECK(last <= 1e-8);
    CHECK(double(pv::max(pv::abs(pm::all_gather(preconditioned.x) - alone_weighted.x))) < 1e-6);
    // From the solution there is nothing to do.
    CHECK(pm::cg(weighted, b, {.start = preconditioned.x}).iterations == 0);
    // Twice the same bits.
    CHECK(pv::equals(pm::all_gather(pm::cg(weighted, b).x), pm::all_gather(plain.x)));
    // Of nothing, and of no elements.
    CHECK(pm::cg(laplacian, pm::zeros(b.distribution())).iterations == 0);
    CHECK(pm::cg([](const auto& x) { return 2. * x; },
                 pm::zeros(pm::blocks({0}, pm::Grid(oracle::world()))))
              .iterations == 0);
}

TEST_CASE("Very large and very small right sides of ranks are scaled alike") {
    const pm::Grid line(oracle::world());
    for (const double size : {1e-300, 1e300}) {
        const auto right = pv::clone(pv::where(pv::arange(12) == 7, size, size * 1e-3));
        const auto found = pm::cg([](const auto& x) { return 3. * x; },
                                  pm::distribute(right, pm::blocks({12}, line)));
        CHECK(double(pv::max(pv::abs(pm::all_gather(found.x) / right * 3. - 1.))) < 1e-10);
    }
}

TEST_CASE("Errors of iterative methods are thrown on all ranks, and work goes on") {
    const pm::Grid line(oracle::world());
    const auto b = pm::distribute(pv::clone(pv::random_normal({12}, 3)), pm::blocks({12}, line));
    const auto twice = [](const auto& x) {
        return 2. * x - 0.5 * pv::rotate(x, 1) - 0.5 * pv::rotate(x, -1);
    };
    const std::string few =
        oracle::thrown<pv::LinearAlgebraError>([&] { pm::cg(twice, b, {.max_iterations = 1}); });
    CHECK(few.starts_with("cg: after 1 iterations the residual is "));
    CHECK(few.find("above the tolerance 1e-08") != std::string::npos);
    const auto not_thrown = pm::cg(twice, b, {.max_iterations = 1, .throws = false});
    CHECK(not_thrown.iterations == 1);
    CHECK(not_thrown.residual > 1e-8);
    CHECK(oracle::thrown<pv::LinearAlgebraError>([&] {
              pm::cg([](const auto& x) { return -1. * x; }, b);
          }).find("the operator is not positive definite") != std::string::npos);
    CHECK(oracle::thrown<pv::ShapeError>([&] {
              pm::cg(pm::zeros(pm::blocks({12, 11}, line)), b);
          }).find("cg: the operator takes vectors of [11] and gives vectors of [12]") !=
          std::string::npos);
    CHECK(oracle::thrown<pv::ShapeError>([&] {
              pm::cg(pm::zeros(pm::blocks({10, 10}, line)), b);
          }).find("cg: the operator gives vectors of [10], the right side is of [12]") !=
          std::string::npos);
    CHECK(oracle::thrown<pv::ShapeError>([&] {
              pm::cg([](const auto& x) { return x(pv::range(0, 5)); }, b);
          }).find("cg: the right side is of [12], the operator gives vectors of [5]") !=
          std::string::npos);
    CHECK(oracle::thrown<pv::ShapeError>([&] {
              pm::cg(twice, b, {.start = pm::zeros(pm::blocks({3}, line))});
          }).find("cg: the start is of [3]") != std::string::npos);
    CHECK(oracle::thrown<pv::Error>([&] { pm::gmres(twice, b, {.restart = 0}); }) ==
          "gmres: a restart after 0 iterations");
    // Of one rank alone.
    const int last = oracle::world().size() - 1;
    const std::string stopped = oracle::thrown<std::exception>([&] {
        pm::cg(twice, b, {.on_iteration = [&](index_t i, double) {
                   if (i == 2 && oracle::world().rank() == last) throw std::runtime_error("enough");
               }});
    });
    CHECK(stopped.find("enough") != std::string::npos);
    if (last > 0)
        CHECK(!oracle::thrown<pm::DistributionError>([&] {
                   pm::cg(twice, b, {.tolerance = oracle::world().rank() == 0 ? 1e-3 : 1e-4});
               }).empty());
    CHECK(pm::cg(twice, b, {.throws = false}).iterations > 0);
}

TEST_CASE("Where a function throws on one rank alone, the others do not wait") {
    const pm::Communicator own(MPI_COMM_WORLD); // which cannot be used after that
    const auto b = pm::distribute(pv::ones({12}), pm::blocks({12}, pm::Grid(own)));
    const bool is_last = own.rank() == own.size() - 1;
    int calls = 0;
    const auto call = [&] {
        pm::cg(
            [&](const auto& x) {
                if (++calls == 3 && is_last) throw std::runtime_error("mine");
                return 2. * x - 0.5 * pv::rotate(x, 1) - 0.5 * pv::rotate(x, -1) +
                       pv::arange(12) * x;
            },
            b);
    };
    if (is_last)
        CHECK(oracle::thrown<std::runtime_error>(call) == "mine");
    else
        CHECK(oracle::thrown<pm::DistributionError>(call).find("left by an exception") !=
              std::string::npos);
}
