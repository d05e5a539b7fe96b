// What a rank takes at most while it computes from a stored array larger than the memory limit: a program of its own, as that is known of a process.

#include "mpi/shared_folder.hpp"

#include <purview/evaluation/threads.hpp>
#include <purview/mpi/mpi.hpp>
#include <purview/mpi/zarr.hpp>
#include <purview/purview.hpp>
#include <purview/reader/memory_pool.hpp>

#include <fstream>
#include <iostream>
#include <string>

namespace pm = purview::mpi;
namespace pv = purview;
using pv::index_t;

namespace {

constexpr index_t kMiB = index_t{1} << 20;
constexpr index_t kLimit = 64;

/// A line of /proc/self/status, in MiB.
index_t status(const std::string& name) {
    std::ifstream file("/proc/self/status");
    for (std::string word; file >> word;) {
        index_t kibibytes = 0;
        if (word == name + ":" && file >> kibibytes) return kibibytes / 1024;
    }
    return -1;
}

bool fails = false;

/// Whether a rank takes no more than the limit, 64 MiB and what `f` returns, which takes so many MiB.
template <typename F>
void check(const char* what, index_t result, F f) {
    pv::drop_cached_chunks();
    pv::trim_recycled_memory();
    MPI_Barrier(MPI_COMM_WORLD);
    std::ofstream("/proc/self/clear_refs") << 5; // the peak begins anew
    [[maybe_unused]] const auto kept = f();
    const index_t taken = status("VmHWM");
    const index_t most = kLimit + 64 + result;
    std::cout << what << ": " << taken << " MiB of " << most << '\n';
    if (taken <= most) return;
    std::cerr << what << " takes " << taken << " MiB, more than " << most << '\n';
    fails = true;
}

template <typename F>
void check_nothing(const char* what, index_t held, F f) {
    check(what, held, [&] { return f(), 0; });
}

} // namespace

int main(int argc, char** argv) {
    const pm::Environment environment(argc, argv);
    pv::set_recycled_memory_limit(0);
    pv::set_memory_limit(kLimit * kMiB);
    pv::set_threads(1);
    {
        const oracle::SharedFolder folder;
        const std::string path = folder / "x.zarr";
        const pm::Communicator& world = oracle::world();
        const pm::Grid grid(world);
        const index_t n = 8192; // 512 MiB of float64
        const pv::ZarrOptions options{.chunks = {512, 512}};
        const auto rows = pv::arange(static_cast<double>(n));
        const auto formula = rows(pv::all, pv::new_axis) + pv::sin(rows);
        const auto whole = pm::distribute_lazily(formula, pm::blocks({n, n}, grid));
        check_nothing("save what is computed", 0, [&] { pm::save_zarr(path, whole, options); });
        const auto x = pm::open_zarr<double>(path, grid);
        const auto g = x.global();
        check("sum", 0, [&] { return pm::sum(pv::sq(g)); });
        check("mean over an axis", 0, [&] { return pm::mean(x, 0); });
        check("mean over the other axis", 0, [&] { return pm::mean(x, 1); });
        check("histogram", 0, [&] { return pm::histogram(x, {20, -1., 9000.}); });
        const auto stencil = pv::rotate(g, {1, 0}) + pv::rotate(g, {-1, 0}) - 2 * g;
        check("sum of a stencil", 0, [&] { return pm::sum(pv::abs(stencil)); });
        check("every sixteenth row of a stencil", 32 / world.size(), [&] {
            return pm::evaluate(stencil(pv::range(0, n, 16)), pm::blocks({n / 16, n}, grid));
        });
        check_nothing("save a stencil", 0,
                      [&] { pm::save_zarr(folder / "y.zarr", stencil, world, options); });
        const index_t part = 512 / world.size();
        check("load", part, [&] { return pm::load_zarr<double>(path, grid); });
        {
            const auto loaded = pm::load_zarr<double>(path, pm::Grid(world, {1, -1}));
            check_nothing("save what is in memory", part,
                          [&] { pm::save_zarr(folder / "z.zarr", loaded, options); });
        }
    }
    return fails ? 1 : 0;
}
