#include "hostile/check.hpp"
#include "hostile/everything.hpp"
#include "hostile/programs.hpp"

#include <purview/core.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/functional/reductions/product.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace hostile {
namespace {

/// Has a child process do some work, which has to end well.
void in_child(const std::function<void()>& work) {
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

/// Children of a process whose threads do the same work.
void fork_while_busy(int children, const std::function<void()>& work) {
    constexpr int kBusy = 2;
    std::atomic<bool> stop = false;
    std::vector<std::thread> busy;
    for (int i = 0; i < kBusy; ++i)
        busy.emplace_back([&] {
            while (!stop) work();
        });
    work();
    for (int i = 0; i < children; ++i) in_child(work);
    stop = true;
    for (std::thread& thread : busy) thread.join();
}

/// Children of a process of which another thread does some work for the first time.
void fork_while_starting(const std::function<void()>& work) {
    for (int i = 0; i < 20; ++i)
        in_child([&] {
            std::thread starts(work);
            std::this_thread::sleep_for(std::chrono::microseconds(300 * i));
            in_child(work);
            starts.join();
            work();
        });
}

} // namespace

void forks() {
    // BLAS has locks that nobody gives back in the child; it is loaded by the first product.
    const auto x = purview::ones({40, 40});
    const auto multiply = [&] { check(purview::matmul(x, x)(39, 39) == 40.0, "the product"); };
    fork_while_starting(multiply);
    fork_while_busy(300, multiply);
    for (const int threads : {0, 2}) {
        purview::set_threads(threads);
        fork_while_busy(6, evaluate_everything);
    }
}

} // namespace hostile
