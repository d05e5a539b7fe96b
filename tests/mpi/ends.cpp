// How programs end: by an exception on one rank, by a rank that dies, and in order, with tensors that outlive MPI. The first argument says how.

#include <purview/mpi/mpi.hpp>
#include <purview/purview.hpp>

#include <csignal>
#include <iostream>
#include <optional>
#include <string_view>

namespace pm = purview::mpi;
namespace pv = purview;

namespace {

pm::Distributed<double> some(const pm::Communicator& world) {
    return pm::distribute(pv::ones({10, 3}), pm::blocks({10, 3}, pm::Grid(world)));
}

} // namespace

int main(int argc, char** argv) {
    const std::string_view how = argc > 1 ? argv[1] : "";
    std::optional<pm::Distributed<double>> kept;
    std::optional<pm::Communicator> also_kept;
    if (how == "own_init") { // the program's own, which it finalises itself
        MPI_Init(&argc, &argv);
        {
            const pm::Environment environment(argc, argv);
            kept = some(pm::Communicator());
        }
        int finalized = 0;
        MPI_Finalized(&finalized);
        if (finalized != 0) return 1;
        MPI_Finalize();
        std::cout << "in order\n";
        return 0;
    }
    if (how == "leaves") { // by an exception that is caught outside, while the others go on
        try {
            const pm::Environment environment(argc, argv);
            const pm::Communicator world;
            kept = some(world);
            if (world.rank() == world.size() - 1) throw pv::Error("gone");
            (void)pm::all_gather(*kept);
        } catch (const pv::Error& error) {
            std::cout << error.what() << '\n';
        }
        return 0;
    }
    {
        const pm::Environment environment(argc, argv);
        const pm::Communicator world;
        kept = some(world);
        also_kept = world;
        const bool is_last = world.rank() == world.size() - 1;
        if (how == "exception" && is_last) throw pv::ShapeError("the last rank has had enough");
        if (how == "dies" && is_last) std::raise(SIGKILL);
        if (how == "exception" || how == "dies") (void)pm::all_gather(*kept); // waits for it
    }
    // MPI is finalised: what is left is memory.
    if (pv::sum(kept->local()) != static_cast<double>(kept->local().size())) return 1;
    const pv::Tensor<double> whole = kept->global();
    try {
        (void)pm::all_gather(*kept);
        return 1;
    } catch (const pm::DistributionError&) {}
    try {
        (void)pm::Communicator();
        return 1;
    } catch (const pm::DistributionError&) {}
    std::cout << "in order\n";
    return 0;
}
