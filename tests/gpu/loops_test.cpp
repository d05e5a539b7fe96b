// Loops and branches over tensors on a device.
#include "gpu/same_bits.hpp"

#include <tuple>
#include <utility>

namespace {
using namespace gpu_tests;

pv::MutableTensor<float> waves(const pv::Shape& shape) {
    index_t size = 1;
    for (const index_t extent : shape) size *= extent;
    return pv::clone(
        pv::reshape(pv::sin(pv::arange(static_cast<float>(size))), pv::AxisValues(shape)));
}
template <typename X>
std::string difference_of(const X& there, const X& here) {
    if (!gpu::device_of(there)) return "it lies on the host";
    return difference(gpu::to_host(there), pv::clone(here), 0);
}

TEST_CASE("loops over states on a device stay there") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto u = waves({20, 30});
        const auto v = waves({20, 30});
        const auto there = gpu::to_device(u, d);
        const auto others = gpu::to_device(v, d);
        const auto heat = [](auto x) {
            return x + 0.125F * (pv::roll(x, 1, 0) + pv::roll(x, -1, 1) - 2.F * x);
        };
        for (const index_t steps : {0, 1, 7})
            CHECK(difference_of(pv::iterate(heat, there, steps), pv::iterate(heat, u, steps)) ==
                  "");
        const auto wave = [](auto x, auto y) {
            return std::tuple(2.F * x - y + 0.125F * pv::roll(x, 1, 0), x);
        };
        const auto [a, b] = pv::iterate(wave, std::tuple(there, others), 9);
        const auto [p, q] = pv::iterate(wave, std::tuple(u, v), 9);
        CHECK(difference_of(a, p) == "");
        CHECK(difference_of(b, q) == "");
        // What is captured lies there, too.
        const auto weighted = [&](const auto& weight) {
            return [weight](auto x) { return x * 0.5F + weight; };
        };
        CHECK(difference_of(pv::iterate(weighted(others), there, 5),
                            pv::iterate(weighted(v), u, 5)) == "");
        CHECK_THROWS_AS(pv::iterate(weighted(v), there, 5), pv::DeviceError);
    });
}

TEST_CASE("loops on a device ask conditions, take rows, and choose") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto u = waves({12, 5});
        const auto there = gpu::to_device(u, d);
        const auto half = [](auto x) { return x * 0.5F; };
        const auto goes_on = [](auto x) { return pv::max(x) > 0.01F; };
        const auto [a, taken] = pv::iterate_while(half, there, goes_on);
        const auto [b, expected] = pv::iterate_while(half, u, goes_on);
        CHECK(taken == expected);
        CHECK(difference_of(a, b) == "");
        // A step of three steps: the condition is read, and waited for, after each three.
        const auto eighth = [&](auto x) { return pv::iterate(half, x, 3); };
        const auto [c, threes] = pv::iterate_while(eighth, there, goes_on);
        const auto [e, all_threes] = pv::iterate_while(eighth, u, goes_on);
        CHECK(threes == all_threes);
        CHECK(threes == (taken + 2) / 3);
        CHECK(difference_of(c, e) == "");
        const auto cell = [](auto sum, auto row) {
            auto next = 0.5F * sum + row;
            return std::pair(next, next * row);
        };
        const auto [last, rows] =
            pv::scan_over(cell, gpu::to_device(pv::zeros<float>({5}), d), there);
        const auto [end, all] = pv::scan_over(cell, pv::zeros<float>({5}), u);
        CHECK(difference_of(last, end) == "");
        CHECK(difference_of(rows, all) == "");
        const auto turned = [](auto x) { return -x; };
        CHECK(difference_of(pv::choose(true, half, turned, there),
                            pv::choose(true, half, turned, u)) == "");
        CHECK(difference_of(pv::choose(false, half, turned, there),
                            pv::choose(false, half, turned, u)) == "");
    });
}

TEST_CASE("gradients go through loops on a device") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto u = waves({40});
        const auto c = pv::gradient(pv::computation(
            [](auto x, auto y) {
                return pv::sum(
                    pv::iterate([&](auto v) { return v * y + 0.5F * pv::roll(v, 1, 0); }, x, 12));
            },
            pv::spec<float>({40}), pv::spec<float>({40})));
        const auto [dx, dy] = c(gpu::to_device(u, d), gpu::to_device(u, d));
        const auto [ex, ey] = c(u, u);
        CHECK(difference_of(dx, ex) == "");
        CHECK(difference_of(dy, ey) == "");
    });
}

} // namespace
