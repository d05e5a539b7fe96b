#include "process.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>

#include <pthread.h>

namespace purview::inline v0_1::gpu::detail {
namespace {
std::atomic<bool> process_forked{false};
std::atomic<bool> process_ends{false};
} // namespace

void watch_process() {
    ::pthread_atfork(nullptr, nullptr, [] { process_forked = true; });
    // What was made after this is destroyed before it, while the drivers are there.
    std::atexit([] { process_ends = true; });
}

bool is_forked() noexcept { return process_forked.load(std::memory_order_relaxed); }

void check_not_forked(const std::string& device) {
    if (is_forked())
        throw DeviceError(fmt::format(
            "{}: this process is the child of a fork, and drivers do not work in the child "
            "of a process that has opened them: fork before the first use of a device, or "
            "start a new program",
            device));
}

bool is_left_alone() noexcept {
    return is_forked() || process_ends.load(std::memory_order_relaxed);
}

} // namespace purview
