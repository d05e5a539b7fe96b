// What a rank sends: a row of the table in docs/distributed.md, for as many ranks as it is run with (scripts/count_messages.sh). Counted, not timed: the
// same on every machine.

#include <purview/mpi/mpi.hpp>
#include <purview/purview.hpp>

#include <cmath>
#include <cstdio>

namespace pm = purview::mpi;
namespace pv = purview;
using pv::index_t;

namespace {

/// What `f` has the rank send that sends most: messages with elements, and elements of 8 bytes.
template <typename F>
void count(const pm::Communicator& world, const char* format, F f) {
    MPI_Barrier(MPI_COMM_WORLD);
    pm::reset_messages();
    f();
    const pm::Messages sent = pm::messages();
    const index_t own[] = {sent.with_elements, sent.elements_bytes / 8};
    index_t most[2];
    MPI_Reduce(own, most, 2, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
    if (world.rank() == 0)
        std::printf(format, static_cast<long>(most[0]), static_cast<long>(most[1]));
}

} // namespace

int main(int argc, char** argv) {
    const pm::Environment environment(argc, argv);
    pv::set_threads(1);
    const pm::Communicator world;
    const index_t n = 384;
    const pm::Grid grid(world, {-1, -1});
    const pm::Distribution d = pm::blocks({n, n}, grid);
    auto x = pm::distribute(
        pv::compute_tensor({n, n},
                           [](index_t i, index_t j) { return double((i * 37 + j * 11) % 1000); }),
        d);
    auto y = pm::distribute(pv::zeros({n, n}), d);
    const auto heat = [](const auto& u) {
        return u + 0.1 * (pv::roll(u, 1, 0) + pv::roll(u, -1, 0) + pv::roll(u, 1, 1) +
                          pv::roll(u, -1, 1) - 4.0 * u);
    };
    if (world.rank() == 0)
        std::printf("| %d (%ld × %ld) |", world.size(), static_cast<long>(grid.extents()[0]),
                    static_cast<long>(grid.extents()[1]));
    pm::assign(heat(x.global()), y); // asks
    count(world, " %ld; %ld |", [&] { pm::assign(heat(x.global()), y); });
    count(world, " %ld; %ld |", [&] { pm::iterate(heat, x, 100); });
    count(world, " %ld; %ld |", [&] { pm::sum(x); });
    count(world, " %ld; %ld |", [&] { pm::assign(pv::transpose(x.global()), y); });
    count(world, " %ld; %ld |", [&] { pm::matmul(x, x, d); });
    count(world, " %ld; %ld |", [&] { pm::redistribute(x, pm::blocks({n, n}, pm::Grid(world))); });
    const index_t m = n * n;
    const auto line =
        pm::distribute(pv::compute_tensor({m}, [](index_t i) { return double(i * 7919 % 100003); }),
                       pm::blocks({m}, pm::Grid(world)));
    count(world, " %ld; %ld |\n", [&] { pm::sort(line); });
}
