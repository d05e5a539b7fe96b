// A part of the test program: MPI begins before its tests and ends after them; where a test fails on one rank, all ranks end, as they would wait for
// it.

#define CATCH_CONFIG_EXTERNAL_INTERFACES // v2 declares listeners then
#include "support/catch.hpp"

#include "mpi/ranks.hpp"

#include <cstdio>
#include <cstdlib>

// Under the address sanitizer Open MPI's modules stay loaded, so that what they leak can be told by their names.
#if defined(__SANITIZE_ADDRESS__)
# define PURVIEW_KEEPS_MODULES
#elif defined(__has_feature)
# if __has_feature(address_sanitizer)
#  define PURVIEW_KEEPS_MODULES
# endif
#endif
#ifdef PURVIEW_KEEPS_MODULES
extern "C" int dlclose(void*) { return 0; }
#endif

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
