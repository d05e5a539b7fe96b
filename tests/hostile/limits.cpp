#include "hostile/check.hpp"
#include "hostile/everything.hpp"
#include "hostile/programs.hpp"

#include <purview/purview.hpp>
#include <support/temporary.hpp>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <new>
#include <string>

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pv = purview;

namespace hostile {
namespace {

void limit(int resource, rlim_t most) {
    rlimit both{most, most};
    check(::setrlimit(static_cast<decltype(RLIMIT_AS)>(resource), &both) == 0, "setrlimit");
}

/// Runs `f` in a child, since limits are not taken back.
template <typename F>
void in_child(F&& f) {
    const pid_t child = ::fork();
    check(child >= 0, "fork");
    if (child == 0) {
        f();
        std::fflush(nullptr);
        ::_exit(0);
    }
    int status = -1;
    check(::waitpid(child, &status, 0) == child, "waitpid");
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ends well");
}

rlim_t address_space() {
    std::ifstream file("/proc/self/statm");
    rlim_t pages = 0;
    file >> pages;
    return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

/// Everything is evaluated rightly or throws, whatever there is of memory beyond what the program has.
void little_memory() {
    for (const rlim_t more : {0U, 2U, 5U, 12U, 30U, 100U})
        in_child([more] {
            limit(RLIMIT_AS, address_space() + (more << 20));
            for (int i = 0; i < 2; ++i) { // again, in whatever state the first left
                try {
                    evaluate_everything();
                } catch (const std::exception&) { // of oneTBB too, where a thread cannot begin
                }
            }
        });
}

/// More than there will ever be is refused at once, and what is there is whole.
void large_sets() {
    check_throws<pv::IndexError>([] { pv::IndexSet::interval(0, pv::index_t{1} << 50); },
                                 "an interval of 2^50");
    in_child([] {
        limit(RLIMIT_AS, address_space() + (rlim_t{40} << 20));
        int thrown = 0;
        for (int shift = 20; shift <= 36; ++shift) {
            try {
                const pv::IndexSet set = pv::IndexSet::interval(1, pv::index_t{1} << shift);
                const pv::IndexSet other = pv::IndexSet::interval(0, (pv::index_t{1} << shift) - 1);
                check((set | other).size() == pv::index_t{1} << shift, "union");
                check((set ^ other).size() == 2, "difference");
            } catch (const std::bad_alloc&) {
                ++thrown;
            }
        }
        check(thrown > 0, "some are too large");
    });
}

void small_stacks() {
    pthread_attr_t attributes;
    check(::pthread_attr_init(&attributes) == 0, "attributes");
    check(::pthread_attr_setstacksize(&attributes, std::size_t{192} << 10) == 0, "a small stack");
    pthread_t thread{};
    const auto run = [](void*) -> void* {
        evaluate_everything();
        return nullptr;
    };
    check(::pthread_create(&thread, &attributes, run, nullptr) == 0, "a thread");
    check(::pthread_join(thread, nullptr) == 0, "join");
    ::pthread_attr_destroy(&attributes);
}

/// A file that cannot be written whole leaves the one that was there.
void short_files() {
    const temporary::Folder folder;
    const std::string path = folder / "x.npy";
    pv::save_npy(path, pv::tensor({1., 2.}));
    const std::string before = temporary::content(path);
    in_child([&] {
        std::signal(SIGXFSZ, SIG_IGN);
        limit(RLIMIT_FSIZE, 1 << 16);
        check_throws<pv::FormatError>([&] { pv::save_npy(path, pv::full({1 << 16}, 1.)); },
                                      "a file that is too long");
    });
    in_child([&] {
        limit(RLIMIT_NOFILE, 3);
        check_throws<pv::FormatError>([&] { pv::save_npy(path, pv::full({4}, 1.)); }, "no files");
        check_throws<pv::FormatError>([&] { pv::load_npy(path); }, "no files");
    });
    check(temporary::content(path) == before && folder.file_count() == 1, "the old file is whole");
}

} // namespace

void limits() {
    // While the program has one thread: CRoaring does not look at what malloc returns, and a look at
    // whether there is room finds it in the memory of other threads, too.
    large_sets();
    evaluate_everything();
    small_stacks();
    short_files();
    little_memory();
}

} // namespace hostile
