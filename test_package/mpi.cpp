// A program that links purview::mpi from outside: sums over what all ranks have, also where it runs without mpirun, as the only one.
#include <purview/mpi/mpi.hpp>
#include <purview/purview.hpp>

#include <iostream>

namespace pv = purview;
namespace pm = purview::mpi;

int main(int argc, char** argv) {
    const pm::Environment environment(argc, argv);
    const pm::Communicator ranks;
    const auto rows = pm::blocks({6, 4}, pm::Grid(ranks));
    const auto x = pm::distribute(pv::reshape(pv::arange(24.), {6, 4}), rows);
    const auto y = pm::evaluate(x.global() * 2 + 1, rows);
    const double total = pv::sum(pm::all_gather(y));
    if (ranks.rank() == 0) std::cout << to_string(rows) << ": " << total << '\n';
    return total == 576 ? 0 : 1;
}
