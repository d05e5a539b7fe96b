// A part of the test program: MPI begins before its tests and ends after them; where a test fails on one rank, all ranks end, as they would wait for
// it.

#define CATCH_CONFIG_EXTERNAL_INTERFACES // v2 declares listeners then
#include "support/catch.hpp"

#include "mpi/ranks.hpp"

#include <cstdio>
#include <cstdlib>

namespace {

#if __has_include(<catch2/catch_all.hpp>)
using Listener = Catch::EventListenerBase;
#else
using Listener = Catch::TestEventListenerBase;
#endif

class EveryRank : public Listener {
public:
    using Listener::Listener;

    void testRunStarting(const Catch::TestRunInfo&) override {
        static const purview::mpi::Environment environment;
        purview::mpi::set_timeout(60);
        oracle::world();
    }
    void testCaseEnded(const Catch::TestCaseStats& stats) override {
        if (stats.totals.assertions.failed == 0 && stats.totals.testCases.failed == 0) return;
        std::fprintf(stderr, "rank %d of %d: a test case has failed\n", oracle::world().rank(),
                     oracle::world().size());
        std::fflush(nullptr);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
};

} // namespace

CATCH_REGISTER_LISTENER(EveryRank)
