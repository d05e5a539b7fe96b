// What a rank takes at most, beside its parts: a program of its own, as that is known of a process.

#include <purview/evaluation/threads.hpp>
#include <purview/mpi/mpi.hpp>
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

/// Whether `f` takes no more than so many MiB at any time, on each rank.
template <typename F>
void check(const char* what, index_t most, F f) {
    pv::trim_recycled_memory();
    MPI_Barrier(MPI_COMM_WORLD);
    std::ofstream("/proc/self/clear_refs") << 5; // the peak begins anew
    const index_t before = status("VmRSS");
    [[maybe_unused]] const auto kept = f();
    const index_t taken = status("VmHWM") - before;
    std::cout << what << ": " << taken << " MiB of " << most << '\n';
    if (taken <= most) return;
    std::cerr << what << " takes " << taken << " MiB, more than " << most << '\n';
    fails = true;
}

} // namespace

int main(int argc, char** argv) {
    const pm::Environment environment(argc, argv);
    pv::set_recycled_memory_limit(0);
    pv::set_threads(1);
    const pm::Communicator world;
    const pm::Grid grid(world, {-1, -1});
    const pm::Grid rows(world);
    const index_t ranks = world.size();
    {
        // 128 MiB each: a panel is 4 MiB, where all rows of a factor would be 64.
        const auto x =
            pm::distribute(pv::full({1024, 16384}, 1.0), pm::blocks({1024, 16384}, grid));
        const auto y =
            pm::distribute(pv::full({16384, 1024}, 2.0), pm::blocks({16384, 1024}, grid));
        const pm::Distribution d = pm::blocks({1024, 1024}, grid);
        pm::matmul(pm::distribute(pv::ones({600, 600}), pm::blocks({600, 600}, grid)),
                   pv::ones({600, 600})); // BLAS has its own memory then
        check("matmul", 8 / ranks + 4 * 8 + 4 + 24, [&] { return pm::matmul(x, y, d); });
    }
    {
        const auto x =
            pm::distribute(pv::full({8192, 4096}, 1.0), pm::blocks({8192, 4096}, grid)); // 256 MiB
        check("redistribute", 256 / ranks + 32, [&] {
            return pm::redistribute(x, pm::blocks({8192, 4096}, rows));
        });
        check("evaluate", 256 / ranks + 16,
              [&] { return pm::evaluate(x.global() + 1.0, x.distribution()); });
        check("transpose", 2 * 256 / ranks + 32, [&] {
            return pm::evaluate(pv::transpose(x.global()), pm::blocks({4096, 8192}, grid));
        });
        check("sum", 16, [&] { return pm::sum(pv::sq(x.global())); });
        check("reproducible sum", 16, [&] { return pm::sum(x, pm::reproducible); });
    }
    {
        const index_t n = 128 * kMiB / 8;
        const auto x = pm::distribute(
            pv::compute_tensor({n},
                               [](index_t i) { return static_cast<double>(i * 7919 % 1000003); }),
            pm::blocks({n}, rows));
        check("sort", 2 * 128 / ranks + 48, [&] { return pm::sort(x); });
    }
    return fails ? 1 : 0;
}
