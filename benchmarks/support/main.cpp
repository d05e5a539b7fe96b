/// The program around the cases of a contender: Google Benchmark's, and `--check NAME`, which runs a case
/// once and prints its summary as a JSON list.

#include "cases.hpp"

#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <stop_token>

namespace bench {
namespace {

long number_from_environment(const char* name, long otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::atol(text);
}

std::map<std::string, std::function<Summary()>>& checks() {
    static std::map<std::string, std::function<Summary()>> checks;
    return checks;
}

int print_check(const std::string& name) {
    const auto found = checks().find(name);
    if (found == checks().end()) {
        std::fprintf(stderr, "no case %s\n", name.c_str());
        return 2;
    }
    const char* separator = "[";
    for (const double number : found->second()) {
        // JSON has no word for these.
        std::printf(std::isfinite(number) ? "%s%.17g" : "%s\"%g\"", separator, number);
        separator = ", ";
    }
    std::printf("]\n");
    return 0;
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

std::string case_name(std::string_view name, std::string_view size, std::string_view dtype) {
    std::string joined(name);
    for (const std::string_view part : {size, dtype}) {
        joined += '/';
        joined += part;
    }
    return joined;
}

benchmark::internal::Benchmark* add_case(const std::string& name,
                                         std::function<void(benchmark::State&)> timed,
                                         std::function<Summary()> check) {
    checks().emplace(name, std::move(check));
    return benchmark::RegisterBenchmark(name.c_str(), std::move(timed));
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

int main(int argc, char** argv) {
    try {
        if (argc == 3 && std::strcmp(argv[1], "--check") == 0) return bench::print_check(argv[2]);
        benchmark::Initialize(&argc, argv);
        if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
        benchmark::RunSpecifiedBenchmarks();
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
