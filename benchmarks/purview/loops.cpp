/// Loops of many steps, each compiled once: `iterate` of large states, and of one that a cache holds.

#include "../support/loop_data.hpp"
#include "inputs.hpp"

#include <optional>
#include <tuple>

namespace {

using namespace bench;

/// A task of a loop that takes seconds: its result is kept, not made again to be summed up.
template <typename Run>
auto kept(Run run) {
    const auto last = std::make_shared<std::optional<std::invoke_result_t<Run&>>>();
    return Task{[=] {
                    last->reset();
                    last->emplace(run());
                },
                [=] { return summary_of(**last); }};
}

pv::index_t steps_of(const LoopSize& size) { return static_cast<pv::index_t>(size.steps); }
pv::index_t side_of(const LoopSize& size) { return static_cast<pv::index_t>(size.side); }

template <typename T>
void add_heat(const LoopSize& size) {
    add(case_name("iterate_heat", size.of_square(), dtype_name<T>()), [=] {
        const auto start = random_tensor<T>({side_of(size), side_of(size)}, 1);
        const auto step = [](auto u) {
            return u + kDiffusivity * (pv::roll(u, 1, 0) + pv::roll(u, -1, 0) + pv::roll(u, 1, 1) +
                                       pv::roll(u, -1, 1) - 4 * u);
        };
        return kept([=] { return pv::iterate(step, start, steps_of(size)); });
    });
}

/// Two states, of which one is what the other was.
void add_wave(const LoopSize& size) {
    add(case_name("iterate_wave", size.of_cube(), "float32"), [=] {
        const auto start = random_tensor<float>({side_of(size), side_of(size), side_of(size)}, 1);
        const auto step = [](auto u, auto before) {
            auto around = pv::roll(u, 1, 0) + pv::roll(u, -1, 0) + pv::roll(u, 1, 1) +
                          pv::roll(u, -1, 1) + pv::roll(u, 1, 2) + pv::roll(u, -1, 2) - 6 * u;
            return std::tuple(2 * u - before + kSpeed * around, u);
        };
        return kept([=] {
            return std::get<0>(pv::iterate(step, std::tuple(start, start), steps_of(size)));
        });
    });
}

/// Weighted sums of what lies around each element of a torus.
template <int radius>
void add_box(const char* name, const LoopSize& size) {
    add(case_name(name, size.of_square(), "float32"), [=] {
        const auto start = random_tensor<float>({side_of(size), side_of(size)}, 1);
        const auto step = [](auto u) {
            auto at = [&](int i, int j) {
                return box_factor(radius, i, j) * pv::roll(pv::roll(u, -i, 0), -j, 1);
            };
            auto sum = at(-radius, -radius);
            for (int i = -radius; i <= radius; ++i)
                for (int j = -radius; j <= radius; ++j)
                    if (i != -radius || j != -radius) sum = sum + at(i, j);
            return sum;
        };
        return kept([=] { return pv::iterate(step, start, steps_of(size)); });
    });
}

/// What a step of a small state costs: called as it is, and in a computation.
void add_ring() {
    const std::string size = std::to_string(kRingSteps) + "_of_" + std::to_string(kRingPoints);
    const auto loop = [](auto start) {
        const auto step = [](auto u) {
            return u + kRingDiffusivity * (pv::roll(u, 1, 0) - 2 * u + pv::roll(u, -1, 0));
        };
        return pv::iterate(step, start, static_cast<pv::index_t>(kRingSteps));
    };
    const pv::index_t points = kRingPoints;
    add(case_name("iterate_ring", size, "float64"), [=] {
        const auto start = random_tensor({points}, 1);
        return made([=] { return loop(start); });
    });
    add(case_name("iterate_ring_computation", size, "float64"), [=] {
        const auto start = random_tensor({points}, 1);
        const auto c = pv::computation(loop, pv::spec<double>({points}));
        return made([=] { return c(start); });
    });
}

const Cases loops([] {
    for (const LoopSize& size : kHeatOfDoubles) add_heat<double>(size);
    for (const LoopSize& size : kHeatOfFloats) add_heat<float>(size);
    for (const LoopSize& size : kWaves) add_wave(size);
    for (const LoopSize& size : kBoxes) {
        add_box<1>("iterate_9_points", size);
        add_box<2>("iterate_25_points", size);
    }
    add_ring();
});

} // namespace
