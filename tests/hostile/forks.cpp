#include "hostile/check.hpp"
#include "hostile/everything.hpp"
#include "hostile/programs.hpp"

#include <purview/core.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/functional/reductions/product.hpp>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace hostile {
namespace {

/// Children of a process whose threads do the same work, each of which has to end well.
void fork_while_busy(int children, const std::function<void()>& work) {
    constexpr int kBusy = 2;
    std::atomic<bool> stop = false;
    std::vector<std::thread> busy;
    for (int i = 0; i < kBusy; ++i)
        busy.emplace_back([&] {
            while (!stop) work();
        });
    work();
    for (int i = 0; i < children; ++i) {
        const pid_t child = ::fork();
        check(child >= 0, "fork");
        if (child == 0) {
            ::alarm(60); // what hangs fails
            work();
            ::_exit(0);
        }
        int status = -1;
        check(::waitpid(child, &status, 0) == child, "waitpid");
        check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child has done its work");
    }
    stop = true;
    for (std::thread& thread : busy) thread.join();
}

} // namespace

void forks() {
    for (const int threads : {0, 2}) {
        purview::set_threads(threads);
        fork_while_busy(6, evaluate_everything);
    }
    // In BLAS, whose locks nobody gives back in the child.
    const auto x = purview::ones({40, 40});
    fork_while_busy(300, [&] { check(purview::matmul(x, x)(39, 39) == 40.0, "the product"); });
}

} // namespace hostile
