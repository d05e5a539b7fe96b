#include <support/catch.hpp>
#include <support/same_bits.hpp>
#include <support/sanitizers.hpp>
#include <support/stored_chunks.hpp>

#include <purview/purview.hpp>

#include <chrono>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace long_lanes_test {

namespace pv = purview;
using oracle::expect_same_bits;
using oracle::MemoryLimit;
using oracle::Twins;
using pv::index_t;
using pv::PadMode;
using pv::WindowPosition;

template <typename T>
T value(std::mt19937& random) {
    if constexpr (std::is_floating_point_v<T>) {
        // Zeros of both signs, and NaNs that differ in their bits.
        const auto kind = random() % 3000;
        if (kind < 40) return kind % 2 == 0 ? T{0} : -T{0};
        if (kind == 41) return std::numeric_limits<T>::quiet_NaN();
        if (kind == 42) return -std::numeric_limits<T>::quiet_NaN();
        return static_cast<T>(static_cast<double>(random() % 200'001) / 777 - 128);
    } else if constexpr (pv::BuiltinType<T>) {
        return static_cast<T>(random() % 251);
    } else {
        return {value<float>(random), value<float>(random)};
    }
}

template <typename T>
Twins<T> twins_of(const pv::Shape& shape, const pv::Shape& chunk, unsigned seed) {
    return {shape, chunk,
            [random = std::mt19937(seed)](index_t) mutable { return value<T>(random); }};
}

template <typename T>
struct Named {
    std::string name;
    std::function<pv::AnyTensor(const pv::Tensor<T>&, index_t)> of;
};

pv::Tensor<bool> most(pv::ShapeSpan shape) {
    const pv::MutableTensor<bool> mask = pv::zeros<bool>(shape);
    std::mt19937 random(7);
    for (int i = 0; bool& masked : pv::as_span(mask)) masked = i++ < 2500 || random() % 300 != 0;
    return mask;
}

template <typename T>
std::vector<Named<T>> scans() {
    using X = const pv::Tensor<T>&;
    std::vector<Named<T>> all{
        {"cumsum", [](X x, index_t a) { return pv::cumsum(x, a); }},
        {"cumprod", [](X x, index_t a) { return pv::cumprod(x, a); }},
        {"cummin", [](X x, index_t a) { return pv::cummin(x, a); }},
        {"cummax", [](X x, index_t a) { return pv::cummax(x, a); }},
        {"scan",
         [](X x, index_t a) {
             return pv::scan(
                 x, [](double s, T e) { return s / 2 + static_cast<double>(e); }, 1., a);
         }},
        {"scan to bools",
         [](X x, index_t a) {
             return pv::scan(
                 x, [](bool s, T e) { return s != (static_cast<double>(e) > 100); }, false, a);
         }},
        {"ewma", [](X x, index_t a) { return pv::ewma(x, {.span = 500}, a); }},
        {"ewma, not adjusted",
         [](X x, index_t a) {
             return pv::ewma(x, {.alpha = .01, .adjust = false, .ignore_na = true}, a);
         }},
        {"forward_fill by a mask",
         [](X x, index_t a) { return pv::forward_fill(x, most(x.shape()), a); }},
        {"backward_fill by a mask",
         [](X x, index_t a) { return pv::backward_fill(x, most(x.shape()), a); }},
        {"expanding mean", [](X x, index_t a) { return pv::expanding_window(x, pv::mean, a); }},
        {"expanding max", [](X x, index_t a) { return pv::expanding_window(x, pv::max, a); }},
    };
    if constexpr (!std::is_floating_point_v<T>) return all;
    const std::vector<Named<T>> of_nan{
        {"cumsum skip", [](X x, index_t a) { return pv::cumsum(x, a, pv::skip_nan); }},
        {"cumprod skip", [](X x, index_t a) { return pv::cumprod(x, a, pv::skip_nan); }},
        {"cummin skip", [](X x, index_t a) { return pv::cummin(x, a, pv::skip_nan); }},
        {"cummax skip", [](X x, index_t a) { return pv::cummax(x, a, pv::skip_nan); }},
        {"expanding mean skip",
         [](X x, index_t a) { return pv::expanding_window(x, pv::mean(pv::skip_nan), a); }},
        {"forward_fill", [](X x, index_t a) { return pv::forward_fill(x, a); }},
        {"backward_fill", [](X x, index_t a) { return pv::backward_fill(x, a); }},
    };
    all.insert(all.end(), of_nan.begin(), of_nan.end());
    return all;
}

TEMPLATE_TEST_CASE("scans of lanes larger than memory have the bits of memory", "", double, float,
                   std::int64_t, std::int16_t, std::uint8_t, bool) {
    using T = TestType;
    const auto [shape, chunk, axis, kibibytes] =
        GENERATE(table<pv::Shape, pv::Shape, index_t, std::vector<index_t>>(
            {{{UNDER_A_SANITIZER ? 3'000 : 12'000}, {300}, 0, {5, 16, 80}},
             {{2, UNDER_A_SANITIZER ? 1500 : 6000, 2}, {1, 300, 2}, 1, {12, 40}},
             {{1000, 20}, {15, 20}, 0, {6}}}));
    const auto twins = twins_of<T>(shape, chunk, 1);
    const index_t chunks = twins.stored->count();
    for (const auto& [name, of] : scans<T>()) {
        const pv::AnyTensor right = of(twins.memory, axis);
        for (const index_t limit_kibibytes : kibibytes) {
            const index_t limit = limit_kibibytes << 10;
            CAPTURE(name, shape, limit);
            const MemoryLimit limited(limit);
            twins.stored->reads = 0;
            expect_same_bits(of(twins.chunks, axis), right);
            // Where there is room for a chunk of each lane beside a segment.
            if (shape.size() == 1 && limit > 5 << 10) CHECK(twins.stored->reads == chunks);
            CHECK(pv::chunk_statistics().peak_bytes <= limit);
        }
    }
}

template <typename T>
std::vector<Named<T>> windows() {
    using X = const pv::Tensor<T>&;
    std::vector<Named<T>> all;
    const auto add = [&](std::string name, auto of) { all.push_back({std::move(name), of}); };
    const auto roll = [&](const std::string& name, index_t width, auto reducer,
                          pv::RollingOptions options = {}) {
        add(name + " of " + std::to_string(width), [=](X x, index_t a) {
            return pv::AnyTensor(pv::fixed_rolling_window(x, width, reducer, a, options));
        });
    };
    for (const index_t width : {1, 2, 100, 700}) {
        roll("sum", width, pv::sum, {.position = WindowPosition::trailing});
        roll("mean", width, pv::mean, {.edge = PadMode::reflect});
        roll("max", width, pv::max, {.position = WindowPosition::leading, .edge = PadMode::wrap});
        roll("mean skip", width, pv::mean(pv::skip_nan), {.edge = PadMode::constant, .step = 3});
    }
    roll("product", 3, pv::product, {.edge = PadMode::symmetric, .step = 96});
    roll("variance", 30, pv::variance, {.position = WindowPosition::trailing});
    roll("variance skip", 700, pv::variance(pv::skip_nan));
    roll("median", 15, pv::median, {.step = 4});
    roll("geometric mean", 5, pv::geometric_mean, {.step = 2});
    roll("mean, incomplete", 50, pv::mean,
         {.position = WindowPosition::trailing, .step = 4, .incomplete = -1});
    roll("sum, incomplete", 40, pv::sum, {.incomplete = 7});
    const auto range = [](const auto& window) { return pv::max(window) - pv::min(window); };
    roll("a function", 9, range, {.edge = PadMode::wrap, .step = 2});
    const auto own = pv::reducer<T>(
        "roots", 0., [](double& sum, T e) { sum += std::sqrt(std::abs(static_cast<double>(e))); },
        [](double& sum, double other) { sum += other; }, [](double sum) { return sum; });
    roll("an own reducer", 60, own);
    roll("an own reducer", 60, own, {.step = 7});
    const pv::Tensor<double> taps = pv::tensor({1., 2.5, -1., .125, 3.});
    for (const auto& options :
         std::vector<pv::ConvolveOptions>{{pv::ConvolveMode::full, PadMode::constant},
                                          {pv::ConvolveMode::full, PadMode::wrap},
                                          {pv::ConvolveMode::same, PadMode::reflect},
                                          {pv::ConvolveMode::valid, PadMode::constant}})
        add("convolve1d",
            [=](X x, index_t a) { return pv::AnyTensor(pv::convolve1d(x, taps, a, options)); });
    add("correlate1d", [=](X x, index_t a) { return pv::AnyTensor(pv::correlate1d(x, taps, a)); });
    add("gaussian1d", [](X x, index_t a) { return pv::AnyTensor(pv::gaussian1d(x, 4., a)); });
    return all;
}

TEMPLATE_TEST_CASE("windows of lanes larger than memory have the bits of memory", "", double, float,
                   std::int64_t, std::int16_t, bool) {
    using T = TestType;
    const auto [shape, chunk, axis] = GENERATE(table<pv::Shape, pv::Shape, index_t>(
        {{{30'000}, {450}, 0}, {{2, 15'000, 2}, {1, 250, 2}, 1}}));
    const auto twins = twins_of<T>(shape, chunk, 2);
    const index_t chunks = twins.stored->count();
    const index_t half = twins.memory.size() * index_t{sizeof(T)} / 2;
    std::vector<index_t> limits{80 << 10};
    if (half > limits[0]) limits.push_back(half);
    for (const auto& [name, of] : windows<T>()) {
        const pv::AnyTensor right = of(twins.memory, axis);
        for (const index_t limit : limits) {
            CAPTURE(name, shape, limit);
            const MemoryLimit limited(limit);
            twins.stored->reads = 0;
            expect_same_bits(of(twins.chunks, axis), right);
            if (shape.size() == 1) CHECK(twins.stored->reads <= 2 * chunks);
            CHECK(pv::chunk_statistics().peak_bytes <= limit);
        }
    }
}

TEST_CASE("what is carried does not depend on threads, nor on what stands before it") {
    std::mt19937 random(3);
    const Twins<double> twins({50'000}, {1000}, [&](index_t i) {
        // Sums are NaN from the second of these on, also where NaN is left out.
        if (i % 10'000 != 0 || i < 20'000) return value<double>(random);
        return std::copysign(std::numeric_limits<double>::infinity(), 25'000. - double(i));
    });
    const pv::Tensor<double> twice = twins.chunks * 2.;
    for (const auto& [name, of] : scans<double>()) {
        const pv::AnyTensor right = of(twins.memory, 0);
        const pv::AnyTensor of_twice = of(twins.memory * 2., 0);
        for (const int threads : {1, 4}) {
            CAPTURE(name, threads);
            const oracle::Threads some(threads);
            const MemoryLimit limited(64 << 10);
            expect_same_bits(of(twins.chunks, 0), right);
            expect_same_bits(of(twice, 0), of_twice);
        }
    }
}

TEST_CASE("elements of other types are scanned and filled in segments") {
    using Time = std::chrono::sys_time<std::chrono::seconds>;
    std::mt19937 random(4);
    const Twins<std::int64_t> twins({30'000}, {1000}, [&](index_t i) {
        const bool is_time = i % 7 >= 3 && i >= 3000 && i <= 28'000;
        return is_time ? value<std::int64_t>(random) : std::numeric_limits<std::int64_t>::min();
    });
    const auto times = [](const auto& x) {
        return pv::Tensor<Time>(pv::times_of(x.operand(), pv::kDType<Time>));
    };
    const pv::Tensor<bool> mask = most(twins.memory.shape());
    const auto complex = twins_of<std::complex<float>>({30'000}, {1000}, 5);
    const auto filled = [&](const auto& x) {
        return std::vector{pv::to_vector(pv::forward_fill(x)), pv::to_vector(pv::backward_fill(x)),
                           pv::to_vector(pv::forward_fill(x, mask)),
                           pv::to_vector(pv::backward_fill(x, mask))};
    };
    const auto right = filled(times(twins.memory));
    const MemoryLimit limited(60'000);
    CHECK(filled(times(twins.chunks)) == right);
    using Complex = std::complex<float>;
    expect_same_bits<Complex>(pv::cumsum(complex.chunks), pv::cumsum(complex.memory));
    expect_same_bits<Complex>(pv::forward_fill(complex.chunks, mask),
                              pv::forward_fill(complex.memory, mask));
}

TEST_CASE("differences and slopes of long lanes go by cells") {
    std::mt19937 random(6);
    const Twins<double> twins({60'000}, {1000}, [&](index_t) {
        return static_cast<double>(random() % 200'001) / 777 - 128;
    });
    const auto differences = pv::clone(pv::diff1d(twins.memory));
    const auto slopes = pv::clone(pv::gradient1d(twins.memory));
    const MemoryLimit limited(60'000);
    CHECK(twins.reads_of([&] { expect_same_bits(pv::diff1d(twins.chunks), differences); }) <= 120);
    CHECK(twins.reads_of([&] { expect_same_bits(pv::gradient1d(twins.chunks), slopes); }) <= 120);
    CHECK(pv::chunk_statistics().peak_bytes <= 60'000);
}

TEST_CASE("a window that has no room says so, as do windows that need the whole lane") {
    const auto twins = twins_of<double>({60'000}, {1000}, 7);
    const MemoryLimit limited(100'000);
    CHECK_THROWS_AS(pv::fixed_rolling_window(twins.chunks, 20'000, pv::sum), pv::MemoryLimitError);
    CHECK_THROWS_AS(pv::expanding_window(twins.chunks, pv::median), pv::MemoryLimitError);
    CHECK_THROWS_AS(
        pv::map_axis([](const auto& lane) { return pv::cumsum(lane); }, twins.chunks, 0),
        pv::MemoryLimitError);
    CHECK(twins.stored->reads == 0);
}

} // namespace long_lanes_test
