// 2 ranks x 1 thread (or 1 rank x 2 threads): the cases of the table
#include <chrono>
#include <cstdio>
#include <purview/mpi/mpi.hpp>
#include <purview/purview.hpp>
namespace pv = purview;
namespace pm = purview::mpi;
using pv::index_t;
template <typename F>
double timed(F f, int reps) {
    f();
    double best = 1e9;
    for (int k = 0; k < reps; ++k) {
        MPI_Barrier(MPI_COMM_WORLD);
        auto t = std::chrono::steady_clock::now();
        f();
        MPI_Barrier(MPI_COMM_WORLD);
        best = std::min(
            best, std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count());
    }
    return best * 1e3;
}
int main(int argc, char** argv) {
    pm::Environment environment(argc, argv);
    pm::Communicator world;
    const int threads = argc > 1 ? atoi(argv[1]) : 1;
    pv::set_threads(threads);
    const index_t n = 4096;
    const bool one = world.size() == 1;
    auto fill = [&](index_t k) {
        return pv::compute_tensor(
            {n, n}, [=](index_t i, index_t j) { return double((i * 37 + j * 11 * k) % 1000) / 7; });
    };
    auto d = pm::blocks({n, n}, pm::Grid(world));
    auto x = pm::distribute(fill(1), d), y = pm::distribute(fill(2), d),
         z = pm::distribute(fill(1), d);
    auto chain = [](const auto& x, const auto& y) {
        return pv::sqrt(pv::sq(x - 0.5) + 1.0) * 2.0 + y;
    };
    auto heat = [](const auto& g) {
        return g + 0.1 * (pv::rotate(g, {1, 0}) + pv::rotate(g, {-1, 0}) + pv::rotate(g, {0, 1}) +
                          pv::rotate(g, {0, -1}) - 4.0 * g);
    };
    auto heat1 = [](const auto& g) {
        return g + 0.1 * (pv::rotate(g, {1, 0}) + pv::rotate(g, {-1, 0}) - 2.0 * g);
    };
    auto X = x.local(), Y = y.local(), Z = z.local();
    double t_chain = one ? timed([&] { pv::copy(chain(X, Y), Z); }, 9)
                         : timed([&] { pm::assign(chain(x.global(), y.global()), z); }, 9);
    double t_heat = one ? timed([&] { pv::copy(heat(X), Z); }, 9)
                        : timed([&] { pm::assign(heat(x.global()), z); }, 9);
    double t_heat1 = one ? timed([&] { pv::copy(heat1(X), Z); }, 9)
                         : timed([&] { pm::assign(heat1(x.global()), z); }, 9);
    double t_tr = one ? timed([&] { pv::copy(pv::transpose(X), Z); }, 9)
                      : timed([&] { pm::assign(pv::transpose(x.global()), z); }, 9);
    const index_t k = 2048;
    auto dk = pm::blocks({k, k}, pm::Grid(world));
    auto a = pm::distribute(
        pv::compute_tensor(
            {k, k}, [=](index_t i, index_t j) { return double((i * 37 + j * 11) % 1000) / 7; }),
        dk);
    auto A = a.local();
    double t_mm = one ? timed([&] { auto c = pv::matmul(A, A); }, 4)
                      : timed([&] { auto c = pm::matmul(a, a, dk); }, 4);
    auto ds = pm::blocks({100, 100}, pm::Grid(world));
    auto s = pm::distribute(pv::ones({100, 100}), ds), r = pm::distribute(pv::ones({100, 100}), ds);
    auto S = s.local(), R = r.local();
    double t_small = one ? timed(
                               [&] {
                                   for (int i = 0; i < 100; ++i) pv::copy(heat(S), R);
                               },
                               9)
                         : timed(
                               [&] {
                                   for (int i = 0; i < 100; ++i) pm::assign(heat(s.global()), r);
                               },
                               9);
    double t_agree = timed(
        [&] {
            for (int i = 0; i < 100; ++i) pm::together(world, [] {});
        },
        9);
    if (world.rank() == 0)
        std::printf(
            "%d ranks x %d threads: chain %.2f  heat %.2f  heat of rows %.2f  transpose %.2f  matmul %.1f ms;  step of 100^2 %.1f us, agreement %.1f us\n",
            world.size(), pv::threads(), t_chain, t_heat, t_heat1, t_tr, t_mm, t_small * 10,
            t_agree * 10);
}
