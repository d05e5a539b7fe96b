/// Heat on a torus, of which each rank has a block: an expression over the whole, stepped in time, of which only the rows and columns between blocks
/// travel. The picture at the end is put together on one rank.

#include "check.hpp"

#include <purview/image/save_image.hpp>
#include <purview/mpi/mpi.hpp>
#include <purview/purview.hpp>

#include <utility>

namespace pv = purview;
namespace pm = purview::mpi;

int main(int argc, char** argv) {
    // [first]
    pm::Environment environment(argc, argv); // MPI_Init and MPI_Finalize
    pm::Communicator world;
    pm::Grid grid(world, {-1, -1}); // as square as the ranks can be put

    auto x = pv::linspace(-1, 1, 240), y = x(pv::all, pv::new_axis);
    auto spot = pv::exp(-40 * (pv::sq(x - 0.5) + pv::sq(y + 0.3))); // what all ranks could compute
    auto u = pm::distribute(spot, pm::blocks(spot.shape(), grid));  // [240 240]: each its block
    auto next = pm::distribute(spot, u.distribution());
    // [/first]
    // [heat]
    for (int step = 0; step < 200; ++step) {
        auto t = u.global(); // the whole, for expressions
        pm::assign(t + 0.2 * (pv::rotate(t, {1, 0}) + pv::rotate(t, {-1, 0}) +
                              pv::rotate(t, {0, 1}) + pv::rotate(t, {0, -1}) - 4 * t),
                   next); // each rank its block; edges come from the neighbours
        std::swap(u, next);
    }
    // [/heat]
    // [iterate]
    auto heat = [](auto t) {
        return t + 0.2 * (pv::rotate(t, {1, 0}) + pv::rotate(t, {-1, 0}) + pv::rotate(t, {0, 1}) +
                          pv::rotate(t, {0, -1}) - 4 * t);
    };
    auto same = pm::iterate(heat, pm::distribute(spot, u.distribution()), 200);
    // [/iterate]
    check(pv::equals(pm::all_gather(same), pm::all_gather(u)), "the same by iterate");
    const double all_heat = pm::sum(u);
    check(std::abs(all_heat - pv::sum(spot)) < 1e-9 * all_heat, "no heat is lost");
    check(pm::max(u) < pv::max(spot), "it spreads");
    // [picture]
    auto field = pm::gather(u, 0); // on rank 0; empty elsewhere
    if (world.rank() == 0)
        pv::save_image("torus.png", pv::clone(pv::colorize(field, pv::gradients::viridis)));
    // [/picture]
    if (world.rank() == 0) {
        auto all = pv::clone(spot); // the same without MPI
        for (int step = 0; step < 200; ++step)
            all = pv::clone(all +
                            0.2 * (pv::rotate(all, {1, 0}) + pv::rotate(all, {-1, 0}) +
                                   pv::rotate(all, {0, 1}) + pv::rotate(all, {0, -1}) - 4 * all));
        check(pv::equals(field, all), "the same bits as on one rank");
    }
    return exit_status();
}
