/// Linear algebra of matrices and grids that lie on many ranks: least squares, principal directions, a system that is only multiplied, and a
/// sparse one.

#include "check.hpp"

#include <purview/linalg.hpp>
#include <purview/mpi/linalg.hpp>
#include <purview/mpi/mpi.hpp>
#include <purview/mpi/sparse.hpp>
#include <purview/purview.hpp>

#include <cmath>

namespace pv = purview;
namespace pm = purview::mpi;

int main(int argc, char** argv) {
    const pm::Environment environment(argc, argv);
    const pm::Communicator world;
    const pm::Grid line(world);

    // [factors]
    auto t = pv::linspace(0, 1, 4000);
    auto powers = pv::pow(t(pv::all, pv::new_axis), pv::arange(4) * 1.); // [4000 4]
    auto a = pm::distribute(powers, pm::blocks({4000, 4}, line));        // each its rows
    auto b = pm::distribute(pv::exp(t), pm::blocks({4000}, line));

    auto [x, residuals, rank, values] = pm::lstsq(a, b); // the same on all ranks
    auto [q, r] = pm::qr(a);                             // Q in the rows of a, R on all ranks
    auto [u, s, vh] = pm::svds(a, 2); // of a matrix with many columns: {.randomised = true}
    // [/factors]
    check(rank == 4 && std::abs(double(x(0)) - 1) < 1e-2, "a cubic is near the exponential");
    auto alone = purview::linalg::lstsq(powers, pv::exp(t)); // in one process
    check(std::abs(double(residuals.item()) / double(alone.residuals.item()) - 1) < 1e-6,
          "what is left is that of one process");
    check(pv::all_of(pv::abs(pv::matmul(pm::all_gather(q), r) - powers) < 1e-12), "factors");
    check(std::abs(double(s(0)) - double(values(0))) < 1e-9, "values");
    check(u.shape()[1] == 2 && vh.shape()[0] == 2, "two of them");

    // [cg]
    const pm::Grid grid(world, {-1, -1});
    auto charges = pm::distribute(pv::random_normal({60, 40}, 7), pm::blocks({60, 40}, grid));
    auto screened = [](auto v) { // halos are sent as by assign
        return 4.1 * v - pv::rotate(v, {1, 0}) - pv::rotate(v, {-1, 0}) - pv::rotate(v, {0, 1}) -
               pv::rotate(v, {0, -1});
    };
    auto [potential, iterations, residual] = pm::cg(screened, charges, {.tolerance = 1e-9});
    // [/cg]
    check(residual <= 1e-9 && iterations > 0, "it has converged");
    check(pm::norm(screened(potential.global()) - charges.global()) < 1e-8 * pm::norm(charges),
          "the potential of these charges");

    // [sparse]
    const pv::index_t n = 2000; // a ring: 2.1 on the diagonal, -1 on both sides
    auto i = pv::clone(pv::arange(n));
    auto rows = pv::clone(pv::concat(i, i, i, 0));
    auto columns = pv::clone(pv::concat(i, (i + 1) % n, (i + n - 1) % n, 0));
    auto entries = pv::clone(pv::where(pv::arange(3 * n) < n, 2.1, -1.0));
    auto ring = pv::to_csr(pv::CooMatrix<double>(n, n, rows, columns, entries));

    auto m = pm::distribute(ring, world); // each rank its rows
    auto f = pm::distribute(pv::random_normal({n}, 8), m.rows());
    auto product = pm::matmul(m, f);    // one element to each neighbour
    auto transposed = pm::matmul(f, m); // of the transpose
    auto solved = pm::cg(m, f, {.tolerance = 1e-10});
    // [/sparse]
    check(solved.residual <= 1e-10, "it has converged");
    check(pm::norm(pm::matmul(m, solved.x).global() - f.global()) < 1e-8,
          "the solution of the ring");
    check(pm::max(pv::abs(product.global() - transposed.global())) < 1e-12, "it is symmetric");
    return exit_status();
}
