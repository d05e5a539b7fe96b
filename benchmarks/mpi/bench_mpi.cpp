// Two ranks of one thread beside one process of two: a line "case milliseconds" for each. With one rank the same without purview::mpi
// (benchmarks/mpi.sh).

#include <purview/evaluation/threads.hpp>
#include <purview/mpi/mpi.hpp>
#include <purview/purview.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace pm = purview::mpi;
namespace pv = purview;
using pv::index_t;

namespace {

/// The least time of several calls, all ranks together.
template <typename F>
void time(const pm::Communicator& world, const char* name, int calls, F f) {
    using Clock = std::chrono::steady_clock;
    f();
    double best = 1e9;
    for (int i = 0; i < calls; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
        const auto begin = Clock::now();
        f();
        MPI_Barrier(MPI_COMM_WORLD);
        best =
            std::min(best, std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    }
    if (world.rank() == 0) std::printf("%s %.4f\n", name, best);
}

pv::Tensor<double> field(index_t n, index_t factor) {
    return pv::compute_tensor({n, n}, [=](index_t i, index_t j) {
        return static_cast<double>((i * 37 + j * 11 * factor) % 1000) / 7;
    });
}

pv::Tensor<double> chain(const pv::Tensor<double>& x, const pv::Tensor<double>& y) {
    return pv::sqrt(pv::sq(x - 0.5) + 1.0) * 2.0 + y;
}

pv::Tensor<double> heat(const pv::Tensor<double>& t) {
    return t + 0.1 * (pv::rotate(t, {1, 0}) + pv::rotate(t, {-1, 0}) + pv::rotate(t, {0, 1}) +
                      pv::rotate(t, {0, -1}) - 4.0 * t);
}

void on_ranks(const pm::Communicator& world) {
    const pm::Distribution d = pm::blocks({4096, 4096}, pm::Grid(world));
    const auto x = pm::distribute(field(4096, 1), d);
    const auto y = pm::distribute(field(4096, 2), d);
    auto z = pm::distribute(field(4096, 1), d);
    double sum = 0;
    time(world, "squares", 9, [&] { sum = pm::sum(pv::sq(x.global() - y.global())); });
    time(world, "reproducible", 9, [&] { sum = pm::sum(x, pm::reproducible); });
    time(world, "sum", 9, [&] { sum = pm::sum(x); });
    time(world, "chain", 9, [&] { pm::assign(chain(x.global(), y.global()), z); });
    time(world, "transpose", 9, [&] { pm::assign(pv::transpose(x.global()), z); });
    auto u = pm::distribute(field(4096, 1), d);
    time(world, "stencil", 5, [&] {
        for (int step = 0; step < 10; ++step) {
            pm::assign(heat(u.global()), z);
            std::swap(u, z);
        }
    });
    const pm::Distribution square = pm::blocks({2048, 2048}, pm::Grid(world));
    const auto a = pm::distribute(field(2048, 1), square);
    time(world, "matmul", 5, [&] { pm::matmul(a, a, square); });
    const index_t n = 10'000'000;
    const auto line = pm::distribute(
        pv::compute_tensor({n}, [](index_t i) { return static_cast<double>(i * 7919 % 10000019); }),
        pm::blocks({n}, pm::Grid(world)));
    time(world, "sort", 3, [&] { pm::sort(line); });
    time(world, "argsort", 3, [&] { pm::argsort(line); });
    const pm::Distribution small = pm::blocks({100, 100}, pm::Grid(world));
    auto s = pm::distribute(pv::ones({100, 100}), small);
    auto t = pm::distribute(pv::ones({100, 100}), small);
    time(world, "small_stencil_1000", 5, [&] {
        for (int step = 0; step < 1000; ++step) {
            pm::assign(heat(s.global()), t);
            std::swap(s, t);
        }
    });
    time(world, "agreement_1000", 5, [&] {
        for (int i = 0; i < 1000; ++i) pm::collective(world, [] {});
    });
}

void in_memory(const pm::Communicator& world) {
    const auto x = pv::clone(field(4096, 1));
    const auto y = pv::clone(field(4096, 2));
    auto z = pv::clone(field(4096, 1));
    double sum = 0;
    time(world, "squares", 9, [&] { sum = pv::sum(pv::sq(x - y)); });
    time(world, "reproducible", 9, [&] { sum = pv::exact_sum(x); });
    time(world, "sum", 9, [&] { sum = pv::sum(x); });
    time(world, "chain", 9, [&] { pv::copy(chain(x, y), z); });
    time(world, "transpose", 9, [&] { pv::copy(pv::transpose(x), z); });
    auto u = pv::clone(field(4096, 1));
    time(world, "stencil", 5, [&] {
        for (int step = 0; step < 10; ++step) {
            pv::copy(heat(u), z);
            std::swap(u, z);
        }
    });
    const auto a = pv::clone(field(2048, 1));
    time(world, "matmul", 5, [&] { (void)pv::matmul(a, a); });
    const auto line = pv::clone(pv::compute_tensor(
        {10'000'000}, [](index_t i) { return static_cast<double>(i * 7919 % 10000019); }));
    time(world, "sort", 3, [&] { (void)pv::clone(pv::sort(line)); });
    time(world, "argsort", 3, [&] { (void)pv::clone(pv::argsort(line)); });
    auto s = pv::clone(pv::ones({100, 100}));
    auto t = pv::clone(pv::ones({100, 100}));
    time(world, "small_stencil_1000", 5, [&] {
        for (int step = 0; step < 1000; ++step) {
            pv::copy(heat(s), t);
            std::swap(s, t);
        }
    });
}

} // namespace

int main(int argc, char** argv) {
    const pm::Environment environment(argc, argv);
    const pm::Communicator world;
    pv::set_threads(world.size() == 1 ? 2 : 1);
    if (world.size() == 1)
        in_memory(world);
    else
        on_ranks(world);
}
