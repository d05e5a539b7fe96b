/// Statistics of what a simulation has in its own memory, block by block, without a copy; and a file of the whole.

#include "check.hpp"

#include <purview/mpi/mpi.hpp>
#include <purview/purview.hpp>

#include <cmath>
#include <vector>

namespace pv = purview;
namespace pm = purview::mpi;

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv); // the simulation's own
    {
        pm::Environment environment(argc, argv); // leaves MPI to it
        const pm::Communicator world(MPI_COMM_WORLD);
        // A block of each rank, with a rim of ghost cells that is not part of the field.
        constexpr pv::index_t rows = 30, columns = 20, rim = 2;
        std::vector<double> memory((rows + 2 * rim) * (columns + 2 * rim), -1e300);
        const pm::Grid grid(world, {-1, 1});
        // [wrap]
        auto with_rim = pv::borrow(memory, {rows + 2 * rim, columns + 2 * rim});
        auto block = with_rim(pv::range(rim, -rim), pv::range(rim, -rim)); // what counts
        auto d = pm::blocks({rows * grid.extents()[0], columns}, grid);
        auto pressure = pm::from_local(block, d); // no copy: what the simulation writes is seen
        // [/wrap]
        for (pv::index_t i = 0; i < rows; ++i)
            for (pv::index_t j = 0; j < columns; ++j)
                block(i, j) = std::sin(0.1 * static_cast<double>(world.rank() * rows + i)) +
                              0.01 * static_cast<double>(j);
        // [statistics]
        const double mean = pm::mean(pressure); // the same number on every rank
        const double spread = std::sqrt(pm::variance(pressure));
        const pv::index_t above =
            pm::count_true(pressure.global() > mean + 2 * spread); // an expression over the whole
        const pv::index_t where = pm::argmax(pressure);            // row-major in the whole
        const double exact =
            pm::sum(pressure, pm::reproducible); // on any number of ranks the same bits
        pm::save_npy("pressure.npy", pressure);  // each rank its part, into one file
        // [/statistics]
        const auto whole = pv::load_npy<double>("pressure.npy");
        check(whole.shape() == std::vector{rows * world.size(), columns}, "the shape of the whole");
        check(std::abs(mean - pv::mean(whole)) < 1e-12, "mean");
        check(std::abs(spread - std::sqrt(pv::variance(whole))) < 1e-12, "standard deviation");
        check(above == pv::count_true(whole > mean + 2 * spread), "how many");
        check(where == pv::argmax(whole), "where the greatest is");
        check(exact == pv::exact_sum(whole), "the exact sum, rounded once");
    }
    MPI_Finalize();
    return exit_status();
}
