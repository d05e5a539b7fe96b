// No rank waits for one that has run out of memory: each allocation of the last rank fails in turn, in each function. A program of its own, as it replaces
// operator new.

#include <purview/mpi/mpi.hpp>
#include <purview/purview.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <random>
#include <utility>
#include <vector>

namespace pm = purview::mpi;
namespace pv = purview;
using pv::index_t;

namespace {

thread_local long allocations_left = 0; // 0: all succeed

void* allocated(std::size_t bytes) {
    if (allocations_left > 0 && --allocations_left == 0) throw std::bad_alloc();
    void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

struct Data {
    pm::Communicator ranks{MPI_COMM_WORLD};
    pm::Distribution d = pm::blocks({16, 6}, pm::Grid(ranks));
    pm::Distribution dealt = pm::cyclic({16, 6}, pm::Grid(ranks), {2});
    pm::Distributed<double> x = pm::distribute(pv::reshape(pv::arange(96.), {16, 6}), d);
    pm::Distributed<double> line =
        pm::distribute(pv::flip(pv::arange(40.)), pm::blocks({40}, pm::Grid(ranks)));
    pm::Distributed<index_t> indexes = pm::distribute(pv::cast<index_t>(pv::flip(pv::arange(16.))),
                                                      pm::blocks({16}, pm::Grid(ranks)));
};

using Function = std::pair<const char*, std::function<void(Data&)>>;

const std::vector<Function>& functions() {
    static const std::vector<Function> all{
        {"evaluate",
         [](Data& a) {
             (void)pm::evaluate(pv::rotate(a.x.global(), {1, 0}) + 1.0, a.d);
         }},
        {"assign",
         [](Data& a) {
             pm::assign(pv::rotate(a.x.global(), {1, 0}), a.x);
         }},
        {"take",
         [](Data& a) { (void)pm::evaluate(pv::take(a.x.global(), a.indexes.global(), 0), a.d); }},
        {"sum",
         [](Data& a) {
             (void)pm::sum(pv::rotate(a.x.global(), {1, 0}));
         }},
        {"sum over an axis", [](Data& a) { (void)pm::sum(a.x, 0); }},
        {"mean with skip_nan", [](Data& a) { (void)pm::mean(a.x, 0, pv::skip_nan); }},
        {"sum with throw_nan", [](Data& a) { (void)pm::sum(a.x, pv::throw_nan); }},
        {"matmul", [](Data& a) { (void)pm::matmul(a.x, pv::transpose(a.x.global())); }},
        {"sort", [](Data& a) { (void)pm::sort(a.line); }},
        {"cumsum", [](Data& a) { (void)pm::cumsum(a.x, 0); }},
        {"redistribute", [](Data& a) { (void)pm::redistribute(a.x, a.dealt); }},
        {"all_gather", [](Data& a) { (void)pm::all_gather(a.x); }},
        {"quantile", [](Data& a) { (void)pm::quantile(a.line, 0.3); }},
        {"group_by_reduce", [](Data& a) { (void)pm::group_by_reduce(a.line, a.line, pv::sum); }},
        {"unique_all", [](Data& a) { (void)pm::unique_all(a.line); }},
        {"all_sum", [](Data& a) { (void)pm::all_sum(pv::ones({9}), a.ranks); }},
        {"norm", [](Data& a) { (void)pm::norm(a.x, 0); }},
        {"broadcast", [](Data& a) { (void)pm::broadcast(pv::ones({9}), a.ranks); }},
    };
    return all;
}

} // namespace

void* operator new(std::size_t bytes) { return allocated(bytes); }
void* operator new[](std::size_t bytes) { return allocated(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

int main(int argc, char** argv) {
    const pm::Environment environment(argc, argv);
    pv::set_threads(1);
    pm::set_timeout(20); // which is never waited for
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const bool is_last = rank == ranks - 1;
    std::mt19937 random(1);
    int failed = 0;
    for (const auto& [name, call] : functions()) {
        auto data = std::make_unique<Data>();
        constexpr long kMany = 1'000'000;
        if (is_last) allocations_left = kMany;
        call(*data);
        long count = kMany - allocations_left;
        allocations_left = 0;
        MPI_Bcast(&count, 1, MPI_LONG, ranks - 1, MPI_COMM_WORLD);
        for (int round = 0; round < 12; ++round) {
            data = std::make_unique<
                Data>(); // a communicator that a rank has left cannot be used any more
            // The first ones come before a function knows whom it calls: by the communicator of its arguments.
            constexpr long kBefore = 4;
            const long which =
                kBefore + 1 +
                static_cast<long>(random() % static_cast<unsigned long>(count - kBefore));
            if (is_last) allocations_left = which;
            const auto begin = std::chrono::steady_clock::now();
            try {
                call(*data);
            } catch (const std::exception&) {}
            allocations_left = 0;
            const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
            int waited = taken.count() > 15 ? 1 : 0;
            MPI_Allreduce(MPI_IN_PLACE, &waited, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
            if (waited == 0) continue;
            if (rank == 0)
                std::fprintf(stderr, "%s: ranks wait where allocation %ld of %ld fails\n", name,
                             which, count);
            ++failed;
            break;
        }
    }
    if (rank == 0) std::printf("%d functions leave ranks waiting\n", failed);
    return failed == 0 ? 0 : 1;
}
