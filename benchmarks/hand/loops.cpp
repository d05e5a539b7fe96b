/// Loops of many steps, a pass over memory for each; on as many threads as are asked for, each with rows of its own.

#include "../support/loop_data.hpp"
#include "inputs.hpp"

#include <array>
#include <barrier>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace bench;

/// `rows(step, begin, end)` for the rows of each step; no thread begins a step before all have ended the last one.
template <typename Rows>
void take_steps(std::size_t steps, std::size_t count, Rows rows) {
    const auto parts = static_cast<std::size_t>(threads());
    std::barrier<> all_are_here(threads());
    const auto take = [&](std::size_t part) {
        for (std::size_t step = 0; step < steps; ++step) {
            rows(step, count * part / parts, count * (part + 1) / parts);
            if (parts > 1) all_are_here.arrive_and_wait();
        }
    };
    std::vector<std::jthread> others;
    for (std::size_t part = 1; part < parts; ++part) others.emplace_back(take, part);
    take(0);
}

/// The rows around one of a torus, and a function of them: `at(rows, columns)`, where columns are those around one.
template <int radius, typename T, typename At>
struct TorusRow {
    static constexpr std::size_t kWidth = 2 * radius + 1;
    using Offsets = std::make_index_sequence<kWidth>;

    std::array<const T*, kWidth> rows;
    std::size_t side;
    At at;

    TorusRow(const T* from, std::size_t i, std::size_t n, At function)
        : TorusRow(from, i, n, function, Offsets{}) {}

    void write(T* __restrict out) const {
        for (std::size_t j = 0; j < radius; ++j) out[j] = wrapped(j, Offsets{});
        for (std::size_t j = radius; j < side - radius; ++j) out[j] = inner(j, Offsets{});
        for (std::size_t j = side - radius; j < side; ++j) out[j] = wrapped(j, Offsets{});
    }

private:
    template <std::size_t... K>
    TorusRow(const T* from, std::size_t i, std::size_t n, At function, std::index_sequence<K...>)
        : rows{from + (i + n + K - radius) % n * n...}, side(n), at(function) {}
    template <std::size_t... K>
    T inner(std::size_t j, std::index_sequence<K...>) const {
        return at(rows, std::array{j + K - radius...});
    }
    template <std::size_t... K>
    T wrapped(std::size_t j, std::index_sequence<K...>) const {
        return at(rows, std::array{(j + side + K - radius) % side...});
    }
};

/// A case of steps of a torus from a start that stays, between two arrays.
template <int radius, typename T, typename At>
void add_torus(const char* name, const char* dtype, const LoopSize& size, At at) {
    add(case_name(name, size.of_square(), dtype), [=] {
        const std::size_t n = size.side;
        const auto start = random_memory<T>(n * n, 1);
        const std::array places{allocate<T>(n * n), allocate<T>(n * n)};
        const auto run = [=] {
            take_steps(size.steps, n, [&](std::size_t step, std::size_t begin, std::size_t end) {
                const T* const from = step == 0 ? start.get() : places[(step - 1) % 2].get();
                T* const to = places[step % 2].get();
                for (std::size_t i = begin; i < end; ++i)
                    TorusRow<radius, T, At>(from, i, n, at).write(to + i * n);
            });
        };
        return Task{run, [=] { return summary_of(places[(size.steps - 1) % 2].get(), n * n); }};
    });
}

template <typename T>
void add_heat(const char* dtype, const LoopSize& size) {
    add_torus<1, T>("iterate_heat", dtype, size, [](const auto& rows, const auto& columns) {
        const auto [above, row, below] = rows;
        const auto [left, j, right] = columns;
        const T sum = above[j] + below[j] + row[left] + row[right];
        return row[j] + static_cast<T>(kDiffusivity) * (sum - 4 * row[j]);
    });
}

/// The sum of all that lies around, row by row.
template <int radius>
struct Box {
    static constexpr std::size_t kWidth = 2 * radius + 1;
    static constexpr std::array<float, kWidth* kWidth> kFactors = [] {
        std::array<float, kWidth * kWidth> factors{};
        for (std::size_t k = 0; k < factors.size(); ++k)
            factors[k] =
                static_cast<float>(box_factor(radius, static_cast<int>(k / kWidth) - radius,
                                              static_cast<int>(k % kWidth) - radius));
        return factors;
    }();

    float operator()(const auto& rows, const auto& columns) const {
        return [&]<std::size_t... K>(std::index_sequence<K...>) {
            return (... + (kFactors[K] * rows[K / kWidth][columns[K % kWidth]]));
        }
        (std::make_index_sequence<kWidth * kWidth>{});
    }
};

/// A row of the next state; `before` is the same row of the state before, or `out` if that is overwritten.
template <bool overwrites>
void wave_row(const float* u, const float* const* around, const float* before,
              float* __restrict out, std::size_t n) {
    const auto at = [=](std::size_t k, std::size_t left, std::size_t right) {
        const float sum =
            around[0][k] + around[1][k] + around[2][k] + around[3][k] + u[left] + u[right];
        const float old = overwrites ? out[k] : before[k];
        out[k] = 2 * u[k] - old + static_cast<float>(kSpeed) * (sum - 6 * u[k]);
    };
    at(0, n - 1, 1);
    for (std::size_t k = 1; k < n - 1; ++k) at(k, k - 1, k + 1);
    at(n - 1, n - 2, 0);
}

void add_wave(const LoopSize& size) {
    add(case_name("iterate_wave", size.of_cube(), "float32"), [=] {
        const std::size_t n = size.side;
        const auto start = random_memory<float>(n * n * n, 1);
        const std::array places{allocate<float>(n * n * n), allocate<float>(n * n * n)};
        const auto run = [=] {
            take_steps(
                size.steps, n * n, [&](std::size_t step, std::size_t begin, std::size_t end) {
                    const float* const u = step == 0 ? start.get() : places[(step - 1) % 2].get();
                    for (std::size_t row = begin; row < end; ++row) {
                        const std::size_t i = row / n, j = row % n;
                        const float* const around[] = {
                            u + ((i + n - 1) % n * n + j) * n, u + ((i + 1) % n * n + j) * n,
                            u + (i * n + (j + n - 1) % n) * n, u + (i * n + (j + 1) % n) * n};
                        float* const out = places[step % 2].get() + row * n;
                        if (step < 2) // the states before both are the start
                            wave_row<false>(u + row * n, around, start.get() + row * n, out, n);
                        else
                            wave_row<true>(u + row * n, around, nullptr, out, n);
                    }
                });
        };
        return Task{run, [=] { return summary_of(places[(size.steps - 1) % 2].get(), n * n * n); }};
    });
}

/// A ring of points, on one thread: what a step makes of each, and what all of them are after some.
double curvature(const double* u, std::size_t left, std::size_t i, std::size_t right) {
    return u[left] - 2 * u[i] + u[right];
}
void ring_step(const double* u, double* __restrict out) {
    const auto at = [=](std::size_t left, std::size_t i, std::size_t right) {
        out[i] = u[i] + kRingDiffusivity * curvature(u, left, i, right);
    };
    at(kRingPoints - 1, 0, 1);
    for (std::size_t i = 1; i < kRingPoints - 1; ++i) at(i - 1, i, i + 1);
    at(kRingPoints - 2, kRingPoints - 1, 0);
}
double sum_of_squares(const double* u) {
    return sum_of<double>(kRingPoints, [=](std::size_t i) { return u[i] * u[i]; });
}

/// The last state of two that alternate.
const double* after_steps(std::size_t steps, const double* start, const Memory<double>& places) {
    const double* u = start;
    for (std::size_t step = 0; step < steps; ++step) {
        double* const out = places.get() + step % 2 * kRingPoints;
        ring_step(u, out);
        u = out;
    }
    return u;
}

std::string size_of_ring(std::size_t steps) {
    return std::to_string(steps) + "_of_" + std::to_string(kRingPoints);
}

void add_ring() {
    add(case_name("iterate_ring", size_of_ring(kRingSteps), "float64"), [] {
        const auto start = random_memory<double>(kRingPoints, 1);
        const auto places = allocate<double>(2 * kRingPoints);
        const auto run = [=] { return after_steps(kRingSteps, start.get(), places); };
        return Task{run, [=] { return summary_of(run(), kRingPoints); }};
    });
}

/// The sum of squares after some steps, and its slopes by the diffusivity and, if asked for, by the start: all states
/// are kept, and gone through from the last one on.
void add_gradient_of_ring(const std::string& of, std::size_t steps, bool by_start) {
    add(case_name("forward_" + of, size_of_ring(steps), "float64"), [=] {
        const auto start = random_memory<double>(kRingPoints, 1);
        const auto places = allocate<double>(2 * kRingPoints);
        return number([=] { return sum_of_squares(after_steps(steps, start.get(), places)); });
    });
    add(case_name("gradient_" + of, size_of_ring(steps), "float64"), [=] {
        const auto states = allocate<double>((steps + 1) * kRingPoints);
        fill_random(states.get(), kRingPoints, 1);
        const auto slopes = allocate<double>(2 * kRingPoints);
        const auto run = [=] {
            for (std::size_t t = 0; t < steps; ++t)
                ring_step(&states[t * kRingPoints], &states[(t + 1) * kRingPoints]);
            const double* const last = &states[steps * kRingPoints];
            double *by_u = slopes.get(), *next = by_u + kRingPoints;
            for (std::size_t i = 0; i < kRingPoints; ++i) by_u[i] = 2 * last[i];
            double by_k = 0;
            for (std::size_t t = steps; t-- > 0;) {
                const double* const u = &states[t * kRingPoints];
                const std::size_t end = kRingPoints - 1;
                by_k +=
                    by_u[0] * curvature(u, end, 0, 1) + by_u[end] * curvature(u, end - 1, end, 0);
                by_k += sum_of<double>(kRingPoints - 2, [=](std::size_t i) {
                    return by_u[i + 1] * curvature(u, i, i + 1, i + 2);
                });
                ring_step(by_u, next); // which is its own transpose
                std::swap(by_u, next);
            }
            return std::tuple(sum_of_squares(last), by_k, by_u);
        };
        return Task{run, [=] {
                        const auto [loss, by_k, by_u] = run();
                        Summary all{loss};
                        if (by_start) {
                            const Summary of_start = summary_of(by_u, kRingPoints);
                            all.insert(all.end(), of_start.begin(), of_start.end());
                        }
                        all.push_back(by_k);
                        return all;
                    }};
    });
}

const Cases loops([] {
    for (const LoopSize& size : kHeatOfDoubles) add_heat<double>("float64", size);
    for (const LoopSize& size : kHeatOfFloats) add_heat<float>("float32", size);
    for (const LoopSize& size : kWaves) add_wave(size);
    for (const LoopSize& size : kBoxes) {
        add_torus<1, float>("iterate_9_points", "float32", size, Box<1>{});
        add_torus<2, float>("iterate_25_points", "float32", size, Box<2>{});
    }
    add_ring();
    add_gradient_of_ring("heat", kRingSteps, false);
    add_gradient_of_ring("iterate", kLongRingSteps, true);
});

} // namespace
