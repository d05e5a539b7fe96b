#include "hostile/check.hpp"
#include "hostile/everything.hpp"
#include "hostile/programs.hpp"

#include <purview/purview.hpp>

#include <atomic>
#include <cstdio>
#include <optional>
#include <thread>

namespace pv = purview;

namespace hostile {
namespace {

std::atomic<int> ended = 0;

/// Evaluates when it is destroyed, if it has been told to.
struct Last {
    bool wanted = false;
    std::optional<pv::Tensor<double>> kept; ///< of a pool and of nodes that are there until then

    void want() {
        wanted = true;
        kept = pv::clone(pv::full({1 << 20}, 1.));
    }
    ~Last() {
        if (!wanted) return;
        evaluate_everything();
        check(pv::sum(*kept) == double{1 << 20}, "what was kept is whole");
        kept.reset();
        ++ended;
    }
};

Last before_main; ///< made before anything of the library was used

void every_thread_local(bool used_before) {
    // Made before the first use in this thread and destroyed after what the library has, or the other way round.
    static thread_local Last first;
    first.want();
    if (used_before) evaluate_everything();
    static thread_local Last last;
    last.want();
}

/// Runs after all that: statics that were made before are destroyed later.
struct Count {
    int expected = 0;
    ~Count() {
        if (expected == 0) return;
        check(ended == expected, "every destructor has evaluated");
        std::fputs("ended well\n", stdout);
    }
};
Count count; // NOLINT: the first of this file would be destroyed last

} // namespace

void exit_of_main() {
    before_main.want();
    static Last unused_yet;
    unused_yet.want();
    every_thread_local(true);
    static Last after_first_use;
    after_first_use.want();
    count.expected = 4; // before_main goes after it
}

void exit_of_threads() {
    for (const bool used_before : {true, false})
        std::thread(every_thread_local, used_before).join();
    check(ended == 4, "threads have ended");
    // One that is the first to evaluate, while the program ends.
    static Last last;
    last.want();
    count.expected = 5;
}

} // namespace hostile
