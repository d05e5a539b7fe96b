#include "hostile/check.hpp"
#include "hostile/everything.hpp"
#include "hostile/programs.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <atomic>
#include <stdexcept>

namespace hostile {
namespace {

/// Evaluates in a task of a group that is being cancelled all the while.
void in_cancelled_group() {
    tbb::task_group_context context;
    tbb::task_group group(context);
    std::atomic<bool> done = false;
    group.run([&] {
        context.cancel_group_execution();
        evaluate_everything();
        done = true;
    });
    group.wait();
    check(done, "the task was run to its end");
}

/// A sibling throws, which cancels the loop that this one is in.
void beside_task_that_throws() {
    std::atomic<bool> began = false;
    std::atomic<bool> done = false;
    std::atomic<bool> thrown = false;
    tbb::task_group_context context;
    bool caught = false;
    try {
        tbb::parallel_for(
            0, 2,
            [&](int i) {
                if (i == 1 || began.exchange(true)) {
                    thrown = true;
                    throw std::runtime_error("a sibling");
                }
                // On a machine with one thread nobody else comes to throw.
                for (int k = 0; k < 20 && !context.is_group_execution_cancelled(); ++k)
                    evaluate_everything();
                done = true;
            },
            tbb::simple_partitioner(), context);
    } catch (const std::runtime_error&) {
        caught = true;
    }
    check(!thrown || caught, "the sibling's exception arrives");
    check(done || thrown, "everything ended");
}

} // namespace

void cancelled_groups() {
    for (int i = 0; i < 5; ++i) in_cancelled_group();
    for (int i = 0; i < 5; ++i) beside_task_that_throws();
}

} // namespace hostile
