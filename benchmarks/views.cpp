/// What laziness costs: making a view or an element-wise operation, and dropping it again. No element
/// is read. Small and large operands have to take the same time.
///
/// A second thread is alive all the while, so that reference counts are atomic, as in most programs.

#include <purview/purview.hpp>

#include <benchmark/benchmark.h>

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace pv = purview;

namespace {

const std::jthread second_thread([](std::stop_token stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait(lock, stop, [] { return false; });
});

pv::MutableTensor<double> matrix(const benchmark::State& state) {
    const pv::index_t scale = state.range(0);
    return pv::zeros({2 * scale, 3 * scale});
}

template <typename Make>
void measure(benchmark::State& state, Make make) {
    for (auto _ : state) {
        auto made = make();
        benchmark::DoNotOptimize(made);
    }
}

// Matrices of 2 × 3 and of 2,000 × 3,000.
#define PURVIEW_LAZY(name) BENCHMARK(name)->Arg(1)->Arg(1000)

void copy_of_a_handle(benchmark::State& state) {
    const auto x = matrix(state);
    measure(state, [&] { return x; });
}
PURVIEW_LAZY(copy_of_a_handle);

void transpose(benchmark::State& state) {
    const auto x = matrix(state);
    measure(state, [&] { return x | pv::transpose({1, 0}); });
}
PURVIEW_LAZY(transpose);

void select_row(benchmark::State& state) {
    const auto x = matrix(state);
    measure(state, [&] { return x(1, pv::all); });
}
PURVIEW_LAZY(select_row);

void select_range(benchmark::State& state) {
    const auto x = matrix(state);
    measure(state, [&] { return x(pv::all, pv::range(1, 3)); });
}
PURVIEW_LAZY(select_range);

void rotate(benchmark::State& state) {
    const auto x = matrix(state);
    measure(state, [&] { return x | pv::rotate({0, 1}); });
}
PURVIEW_LAZY(rotate);

void broadcast(benchmark::State& state) {
    const auto x = matrix(state);
    const pv::Shape twice_as_high{4 * state.range(0), 3 * state.range(0)};
    measure(state, [&] { return x | pv::broadcast(twice_as_high); });
}
PURVIEW_LAZY(broadcast);

void add_two(benchmark::State& state) {
    const auto x = matrix(state);
    const auto y = matrix(state);
    measure(state, [&] { return x + y; });
}
PURVIEW_LAZY(add_two);

void add_a_number(benchmark::State& state) {
    const auto x = matrix(state);
    measure(state, [&] { return x + 4; });
}
PURVIEW_LAZY(add_a_number);

} // namespace
