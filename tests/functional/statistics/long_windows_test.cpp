#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/same_bits.hpp>
#include <support/stored_chunks.hpp>

#include <purview/purview.hpp>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace long_windows_test {

namespace {

namespace pv = purview;
using oracle::expect_same_bits;
using oracle::MemoryLimit;
using oracle::Random;
using oracle::Twins;
using pv::index_t;
using pv::WindowPosition;

template <typename T>
T value(Random& random) {
    if constexpr (std::is_floating_point_v<T>) {
        const auto kind = random.between(0, 2999);
        if (kind < 40) return kind % 2 == 0 ? T{0} : -T{0};
        if (kind == 41) return std::numeric_limits<T>::quiet_NaN();
        return static_cast<T>(random.between(-90'000, 90'000)) / T{777};
    } else {
        return static_cast<T>(random.between(0, 120));
    }
}

template <typename T>
Twins<T> twins_of(Random& random, const pv::Shape& shape, const pv::Shape& chunk) {
    return {shape, chunk, [&](index_t) { return value<T>(random); }};
}

/// Windows of a lane of n elements that ascend, of at most so many elements, with gaps, empty ones anywhere and
/// several of the same.
pv::WindowRanges windows_of(Random& random, index_t n, index_t most, bool any_empty) {
    pv::WindowRanges windows;
    const auto add = [&](index_t begin, index_t end) {
        windows.begin.push_back(begin);
        windows.end.push_back(end);
    };
    index_t begin = 0;
    index_t end = 1;
    while (begin < n - 1) {
        add(begin, end);
        if (any_empty && random.one_in(10)) {
            const index_t at = random.between(0, n);
            add(at, at);
        }
        if (random.one_in(4)) add(begin, end);
        begin += random.one_in(500) ? random.between(0, 3 * most) : random.between(0, 9);
        begin = std::min(begin, n - 1);
        end = std::max(end, begin + 1);
        end = std::min(n, random.between(end, std::max(end, begin + most)));
    }
    return windows;
}

/// The mean of roots, and where windows begin: of 80 bytes.
auto own_reducer(int words) {
    using State = std::array<double, 10>;
    return pv::reducer<double>(
        "roots", State{},
        [words](State& state, double e) {
            for (int w = 0; w < words; ++w)
                state[static_cast<std::size_t>(w)] += std::sqrt(std::abs(e) + w);
        },
        [](State& state, const State& other) {
            for (std::size_t w = 0; w < state.size(); ++w) state[w] += other[w];
        },
        [](const State& state) { return state[0] - state[1]; });
}
auto small_reducer() {
    return pv::reducer<double>(
        "roots", 0., [](double& sum, double e) { sum += std::sqrt(std::abs(e)); },
        [](double& sum, double other) { sum += other; }, [](double sum) { return sum; });
}

/// Calls `f(name, reducer)` with reductions of all kinds.
template <typename T, typename F>
void for_each_reducer(bool any_empty, F f) {
    f("sum", pv::sum);
    f("product", pv::product);
    f("mean", pv::mean);
    f("variance", pv::variance);
    f("own", small_reducer());
    f("own of 80 bytes", own_reducer(10));
    f("function", [](const auto& window) { return static_cast<double>(window.size()); });
    if constexpr (std::is_floating_point_v<T>) {
        f("mean skip", pv::mean(pv::skip_nan));
        f("max skip", pv::max(pv::skip_nan));
        f("median skip", pv::median(pv::skip_nan));
    }
    if (any_empty) return;
    f("min", pv::min);
    f("max", pv::max);
    f("median", pv::median);
}

/// Checks a call of a tensor beside that on memory.
template <typename T, typename Of>
void check(const Twins<T>& twins, index_t bytes, const std::string& name, Of of) {
    INFO(name << ", " << bytes << " bytes");
    const pv::AnyTensor right = of(twins.memory);
    const MemoryLimit limited(bytes);
    twins.forget();
    expect_same_bits(pv::AnyTensor(of(twins.chunks)), right);
    if (twins.memory.rank() == 1)
        CHECK(twins.stored->reads <= 2 * static_cast<int>(twins.stored->count()));
    CHECK(pv::chunk_statistics().peak_bytes <= bytes);
}

} // namespace

TEMPLATE_TEST_CASE("range_windows of lanes larger than memory have the bits of memory", "", double,
                   float, std::int32_t) {
    using T = TestType;
    Random random(21);
    const auto [shape, chunk, axis] = GENERATE(table<pv::Shape, pv::Shape, index_t>(
        {{{30'000}, {450}, 0}, {{2, 15'000, 2}, {1, 250, 2}, 1}}));
    const auto twins = twins_of<T>(random, shape, chunk);
    const index_t length = shape[static_cast<std::size_t>(axis)];
    for (const bool any_empty : {false, true}) {
        const pv::WindowRanges windows = windows_of(random, length, 300, any_empty);
        for_each_reducer<T>(any_empty, [&](const std::string& name, const auto& reducer) {
            check(twins, 50 << 10, name, [&, axis = axis](const auto& x) {
                return pv::AnyTensor(pv::range_windows(x, windows, reducer, axis));
            });
        });
    }
}

TEST_CASE("variable_rolling_window of lanes larger than memory has the bits of memory") {
    Random random(22);
    const auto twins = twins_of<double>(random, {30'000}, {450});
    std::vector<double> keys;
    for (double key = 0; std::ssize(keys) < twins.memory.size();)
        keys.push_back(key += static_cast<double>(random.between(0, 4)) / 2);
    const auto times = pv::tensor(keys);
    for (const auto position :
         {WindowPosition::trailing, WindowPosition::centre, WindowPosition::leading})
        for (const index_t step : {1, 7})
            for_each_reducer<double>(false, [&](const std::string& name, const auto& reducer) {
                check(twins, 64 << 10, name, [&](const auto& x) {
                    return pv::AnyTensor(pv::variable_rolling_window(
                        x, times, 150.0, reducer, {.position = position, .step = step}));
                });
            });
    // keys that do not fit the axis, and a window of everything
    const MemoryLimit limited(64 << 10);
    twins.forget();
    CHECK_THROWS_AS(pv::variable_rolling_window(twins.chunks, pv::arange(29'000), 9, pv::sum),
                    pv::ShapeError);
    CHECK_THROWS_AS(pv::variable_rolling_window(twins.chunks, times, 1e9, pv::sum),
                    pv::MemoryLimitError);
    CHECK(twins.stored->reads <= 10);
}

TEST_CASE("range_windows of long lanes: few windows, those that descend, errors") {
    Random random(23);
    const auto twins = twins_of<double>(random, {40'000}, {500});
    const auto longs = [](std::vector<index_t> values) { return pv::tensor(std::move(values)); };
    const auto sums = [&](const auto& begins, const auto& ends) {
        return [=](const auto& x) {
            return pv::AnyTensor(pv::range_windows(x, begins, ends, pv::sum));
        };
    };
    check(twins, 50 << 10, "three", sums(longs({3, 20'000, 39'000}), longs({9, 20'700, 40'000})));
    check(twins, 50 << 10, "empty", sums(longs({3, 40'000, 0}), longs({3, 40'000, 0})));
    check(twins, 50 << 10, "none", sums(longs({}), longs({})));
    const MemoryLimit limited(50 << 10);
    twins.forget();
    const auto thrown = [&](const auto& begins, const auto& ends) {
        CHECK_THROWS_AS(pv::range_windows(twins.chunks, begins, ends, pv::sum),
                        pv::MemoryLimitError);
        CHECK_THROWS_WITH(pv::range_windows(twins.chunks, begins, ends, pv::sum),
                          Catch::Matchers::StartsWith("range_windows: ") &&
                              Catch::Matchers::ContainsSubstring("51200 bytes"));
    };
    thrown(longs({100, 5}), longs({101, 9}));
    thrown(longs({0, 5}), longs({39'000, 39'001}));
    CHECK(twins.stored->reads == 0);
    std::vector<index_t> begins;
    std::vector<index_t> ends;
    for (index_t i = 0; i < 39'000; ++i) {
        begins.push_back(i);
        ends.push_back(i == 33'333 ? i : i + 20);
    }
    CHECK_THROWS_WITH(pv::range_windows(twins.chunks, longs(begins), longs(ends), pv::max),
                      "range_windows: window 33333 is empty and has no max");
}

} // namespace long_windows_test
