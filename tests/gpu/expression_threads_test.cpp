// Tests that threads may evaluate different expressions on a device at once: repeated results are the same.
#include "gpu/same_bits.hpp"

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

namespace {
using namespace gpu_tests;

/// Expressions of different structure, and of one structure with other numbers.
pv::Tensor<double> expression(int which, int number, const pv::Tensor<double>& x,
                              const pv::Tensor<double>& y) {
    switch (which) {
    case 0: return x * number + y;
    case 1: return pv::transpose(x) - y * number;
    case 2: return pv::where(x > number, x, pv::sqrt(pv::abs(y)));
    case 3: return pv::rotate(x, {number, -number}) + pv::flip(y, {0});
    case 4: return pv::floor(x / (number + 1)) * 3 + y;
    default:
        return pv::concat(pv::Tensor<double>(x(pv::range(0, 20), pv::all) * number),
                          y(pv::range(20, {}), pv::all), 0);
    }
}
constexpr int kExpressions = 6, kNumbers = 5;

TEST_CASE("threads evaluate different expressions at once") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto h = pv::clone(pv::reshape(pv::arange(1600.) % 37, {40, 40})),
                   g = pv::clone(pv::reshape(pv::arange(1600.) % 53 / 3, {40, 40}));
        const auto x = gpu::to_device(h, d), y = gpu::to_device(g, d);
        std::vector<pv::MutableTensor<double>> expected;
        std::vector<double> sums;
        for (int e = 0; e < kExpressions; ++e)
            for (int n = 0; n < kNumbers; ++n) {
                expected.push_back(pv::clone(expression(e, n, h, g)));
                sums.push_back(pv::sum(expression(e, n, h, g)));
            }
        const auto column = pv::clone(pv::sum(h * 2, {0}));
        const std::string said = error_text([&] { pv::clone(pv::cast<std::int8_t>(h * 5)); });
        REQUIRE(said != "");
        const std::size_t used = gpu::memory(d).used;
        std::atomic<int> wrong{0}, failed{0};
        {
            std::vector<std::jthread> threads;
            for (int t = 0; t < 4; ++t)
                threads.emplace_back([&, t] {
                    std::mt19937 random(static_cast<unsigned>(t));
                    const gpu::Stream own(d);
                    for (int round = 0; round < 100; ++round) try {
                            std::optional<gpu::OnStream> on;
                            if (random() % 2 != 0) on.emplace(own);
                            const int e = static_cast<int>(random() % kExpressions),
                                      n = static_cast<int>(random() % kNumbers);
                            const auto i = static_cast<std::size_t>(e * kNumbers + n);
                            const auto made = pv::clone(expression(e, n, x, y));
                            if (random() % 2 != 0) on.reset(); // read on another stream
                            wrong += difference(gpu::to_host(made), expected[i]) != "";
                            if (round % 3 == 0) wrong += pv::sum(expression(e, n, x, y)) != sums[i];
                            if (round % 5 == 0)
                                wrong +=
                                    difference(gpu::to_host(pv::sum(x * 2, {0})), column) != "";
                            if (round % 7 == 0) // errors are those of their own thread
                                wrong += error_text([&] {
                                             gpu::to_host(pv::cast<std::int8_t>(x * 5));
                                         }) != said;
                        } catch (const std::exception&) {
                            ++failed;
                        }
                });
        }
        CHECK(wrong == 0);
        CHECK(failed == 0);
        CHECK(gpu::memory(d).used == used);
    });
}

TEST_CASE("threads write parts of one tensor at once") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto x = gpu::to_device(pv::zeros(4, 5000), d);
        {
            std::vector<std::jthread> threads;
            for (int t = 0; t < 4; ++t)
                threads.emplace_back([&x, t] {
                    for (int round = 0; round < 50; ++round) x(t, pv::all) += t + 1;
                });
        }
        for (int t = 0; t < 4; ++t)
            CHECK(pv::equals(gpu::to_host(x)(t, pv::all), pv::full({5000}, 50. * (t + 1))));
    });
}

} // namespace
