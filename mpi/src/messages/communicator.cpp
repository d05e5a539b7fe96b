#include <purview/evaluation/threads.hpp>
#include <purview/mpi/communicator.hpp>

#include "messages/ranks.hpp"

#include <fmt/format.h>

#include <sched.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>

namespace purview::inline v0_1::mpi {

DistributionError::~DistributionError() = default;

namespace {

bool is_running() noexcept {
    int initialized = 0;
    int finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    return initialized != 0 && finalized == 0;
}

std::shared_ptr<Ranks> ranks_over(MPI_Comm comm) {
    if (!is_running())
        throw DistributionError(
            "Communicator: MPI is not initialised: make an Environment first, or call MPI_Init");
    if (comm == MPI_COMM_NULL)
        throw DistributionError("Communicator: this rank is not in it (MPI_COMM_NULL)");
    return std::make_shared<Ranks>(comm);
}

[[noreturn]] void end_all_ranks() {
    std::string text = "terminate was called";
    if (const std::exception_ptr thrown = std::current_exception()) {
        try {
            std::rethrow_exception(thrown);
        } catch (const std::exception& error) {
            text = error.what();
        } catch (...) {
            text = "an exception that is no std::exception";
        }
    }
    int rank = 0;
    if (is_running()) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::fprintf(stderr, "rank %d: %s\n", rank, text.c_str());
    std::fflush(nullptr);
    if (is_running()) MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
}

/// Ranks of one machine that are bound to the same cores share them evenly.
void share_cores() {
    if (std::getenv("PURVIEW_THREADS") != nullptr) return;
    cpu_set_t own;
    CPU_ZERO(&own);
    if (::sched_getaffinity(0, sizeof(own), &own) != 0) return;
    MPI_Comm machine;
    if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine) !=
        MPI_SUCCESS)
        return;
    int ranks = 1;
    MPI_Comm_size(machine, &ranks);
    std::vector<cpu_set_t> all(static_cast<std::size_t>(ranks));
    MPI_Allgather(&own, sizeof(own), MPI_BYTE, all.data(), sizeof(own), MPI_BYTE, machine);
    MPI_Comm_free(&machine);
    int sharing = 0;
    for (const cpu_set_t& each : all) sharing += CPU_EQUAL(&each, &own) ? 1 : 0;
    set_threads(std::max(CPU_COUNT(&own) / std::max(sharing, 1), 1));
}

} // namespace

Environment::Environment() { begin(nullptr, nullptr); }
Environment::Environment(int& argc, char**& argv) { begin(&argc, &argv); }

void Environment::begin(int* argc, char*** argv) {
    int initialized = 0;
    MPI_Initialized(&initialized);
    if (initialized == 0) {
        int provided = MPI_THREAD_SINGLE;
        if (MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS)
            throw DistributionError("Environment: MPI_Init_thread has failed");
        finalises_ = true;
    }
    exceptions_ = std::uncaught_exceptions();
    std::set_terminate(&end_all_ranks);
    share_cores();
}

Environment::~Environment() {
    if (!finalises_ || !is_running()) return;
    if (std::uncaught_exceptions() > exceptions_) {
        // This rank leaves by an exception: where the others do not, they would wait for it, and it for them.
        MPI_Request barrier;
        MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
        int done = 0;
        for (int turn = 0; done == 0 && turn < 2'000; ++turn) {
            MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
            if (done == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        if (done == 0) {
            int rank = 0;
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            std::fprintf(stderr, "rank %d has left by an exception, alone\n", rank);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    MPI_Finalize();
}

Communicator::Communicator() : ranks_(ranks_over(MPI_COMM_WORLD)) {}
Communicator::Communicator(MPI_Comm comm) : ranks_(ranks_over(comm)) {}
int Communicator::rank() const noexcept { return ranks_->rank(); }
int Communicator::size() const noexcept { return ranks_->size(); }
MPI_Comm Communicator::native() const noexcept { return ranks_->comm(); }

} // namespace purview
