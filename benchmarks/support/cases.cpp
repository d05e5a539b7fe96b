#include "cases.hpp"

#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stop_token>

namespace bench {
namespace {

long number_from_environment(const char* name, long otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::atol(text);
}

} // namespace

int threads() {
    static const int count = static_cast<int>(number_from_environment("BENCH_THREADS", 1));
    return count;
}

std::chrono::microseconds pause() {
    static const std::chrono::microseconds length(number_from_environment("BENCH_PAUSE_US", 0));
    return length;
}

bool checking() {
    static const bool on = number_from_environment("BENCH_CHECK", 0) != 0;
    return on;
}

std::string case_name(std::string_view name, std::string_view size, std::string_view dtype) {
    std::string joined(name);
    for (const std::string_view part : {size, dtype}) {
        joined += '/';
        joined += part;
    }
    return joined;
}

void print_summary(const Summary& summary) {
    const char* separator = "[";
    for (const double number : summary) {
        // JSON has no word for what is not finite.
        std::fprintf(stderr, std::isfinite(number) ? "%s%.17g" : "%s\"%g\"", separator, number);
        separator = ", ";
    }
    std::fprintf(stderr, "]\n");
}

void keep_prepared(std::shared_ptr<void> prepared) {
    static std::shared_ptr<void> kept;
    kept = std::move(prepared);
}

void keep_second_thread() {
    static const std::jthread thread([](std::stop_token stop) {
        std::mutex mutex;
        std::condition_variable_any never;
        std::unique_lock lock(mutex);
        never.wait(lock, stop, [] { return false; });
    });
}

} // namespace bench
