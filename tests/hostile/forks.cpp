#include "hostile/check.hpp"
#include "hostile/everything.hpp"
#include "hostile/programs.hpp"

#include <purview/evaluation/threads.hpp>

#include <atomic>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace hostile {

void forks() {
    constexpr int kBusy = 2;
    constexpr int kChildren = 6;
    for (const int threads : {0, 2}) {
        purview::set_threads(threads);
        std::atomic<bool> stop = false;
        std::vector<std::thread> busy;
        for (int i = 0; i < kBusy; ++i)
            busy.emplace_back([&] {
                while (!stop) evaluate_everything();
            });
        evaluate_everything();
        for (int i = 0; i < kChildren; ++i) {
            const pid_t child = ::fork();
            check(child >= 0, "fork");
            if (child == 0) {
                ::alarm(60); // what hangs fails
                evaluate_everything();
                ::_exit(0);
            }
            int status = -1;
            check(::waitpid(child, &status, 0) == child, "waitpid");
            check(WIFEXITED(status) && WEXITSTATUS(status) == 0,
                  "the child has evaluated everything");
        }
        stop = true;
        for (std::thread& thread : busy) thread.join();
    }
}

} // namespace hostile
