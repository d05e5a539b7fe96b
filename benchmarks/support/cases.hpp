#pragma once

/// A contender is a program of Google Benchmark that links support/cases.cpp and adds its cases:
///
///     const bench::Cases sums([] {
///         bench::add("sum/4096x4096/float64", [] {
///             auto matrix = …;
///             return bench::Task{[=] { return sum(matrix); }, [=] { return bench::Summary{sum(matrix)}; }};
///         });
///     });
///
/// The same name means the same inputs and the same result in all of them. driver/cases.py lists them.

#include "data.hpp"
#include "summary.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>

namespace bench {

/// One prepared case. `run` is timed; `result` is asked after a run.
template <typename Run, typename Result>
struct Task {
    Run run;
    Result result;
};

/// From the environment: how many threads a contender that has threads uses (1), for how long to sleep
/// before each run (not at all), and whether to print results before timing (no).
int threads();
std::chrono::microseconds pause();
bool checking();

/// `name/size/dtype`.
std::string case_name(std::string_view name, std::string_view size, std::string_view dtype);

/// Prints a summary as a line of JSON, on the error output, where Google Benchmark prints no results.
void print_summary(const Summary& summary);

/// Keeps what the case that runs has prepared, until another one begins.
void keep_prepared(std::shared_ptr<void> prepared);

/// A second thread, alive until the program ends, so that reference counts are atomic as in most
/// programs.
void keep_second_thread();

template <typename Run>
void run_once(Run& run) {
    if constexpr (std::is_void_v<std::invoke_result_t<Run&>>) {
        run();
    } else {
        auto made = run();
        benchmark::DoNotOptimize(made);
    }
    benchmark::ClobberMemory();
}

template <typename Prepare>
void add(const std::string& name, Prepare prepare) {
    using Prepared = std::invoke_result_t<Prepare&>;
    const auto prepared = std::make_shared<std::weak_ptr<Prepared>>();
    const auto timed = [=](benchmark::State& state) {
        auto task = prepared->lock();
        if (task == nullptr) {
            keep_prepared(nullptr);
            task = std::make_shared<Prepared>(prepare());
            *prepared = task;
            keep_prepared(task);
            if (checking()) {
                run_once(task->run);
                print_summary(task->result());
            }
        }
        if (pause().count() == 0) {
            for (auto _ : state) run_once(task->run);
            return;
        }
        for (auto _ : state) {
            std::this_thread::sleep_for(pause());
            const auto start = std::chrono::steady_clock::now();
            run_once(task->run);
            const auto end = std::chrono::steady_clock::now();
            state.SetIterationTime(std::chrono::duration<double>(end - start).count());
        }
    };
    auto* registered = benchmark::RegisterBenchmark(name.c_str(), timed);
    if (pause().count() > 0) registered->UseManualTime();
}

/// Calls a function that adds cases, before main.
struct Cases {
    template <typename Add>
    explicit Cases(Add add_them) {
        add_them();
    }
};

} // namespace bench
