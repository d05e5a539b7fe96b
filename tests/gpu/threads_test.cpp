// Tests that any number of threads may use a device.
#include "devices.hpp"

#include <memory/copies.hpp>

#include <atomic>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

using namespace gpu_tests;

TEST_CASE("threads use one kernel, one pool and one device") {
    on_every_device([](const gpu::Device& d) {
        detail::Driver& driver = *d.state().driver;
        const auto kernel = driver.load(driver.compile(twice_and_more(d)), "twice");
        const std::size_t used = gpu::memory(d).used;
        std::atomic<int> wrong{0};
        {
            std::vector<std::jthread> threads;
            for (int t = 0; t < 4; ++t)
                threads.emplace_back([&, t] {
                    std::mt19937 random(static_cast<unsigned>(t));
                    const gpu::Stream own(d);
                    for (int round = 0; round < 300; ++round) {
                        std::optional<gpu::OnStream> on;
                        if (random() % 2) on.emplace(own);
                        const std::size_t n = 1 + random() % 5000;
                        const int by = static_cast<int>(random() % 1000);
                        std::vector<int> x(n), y(n);
                        std::iota(x.begin(), x.end(), t);
                        const auto in = new_buffer(d.state(), 4 * n),
                                   out = new_buffer(d.state(), 4 * n);
                        copy_in(*in, 0, x.data(), 4 * n);
                        {
                            detail::DeviceTurn turn(d.state());
                            turn.use(*in);
                            turn.use(*out);
                            const detail::Argument arguments[] = {
                                {out->handle(), 8, true},
                                {in->handle(), 8, true},
                                {static_cast<std::uint64_t>(by), 4},
                                {n, 8}};
                            driver.launch(turn.stream(), *kernel, (n + 63) / 64, 64, arguments);
                        }
                        if (random() % 2) on.reset();
                        copy_out(y.data(), *out, 0, 4 * n);
                        for (std::size_t i = 0; i < n; ++i) wrong += y[i] != 2 * x[i] + by;
                    }
                });
        }
        CHECK(wrong == 0);
        CHECK(gpu::memory(d).used == used);
        gpu::synchronize(d);
        gpu::trim(d);
        CHECK(gpu::memory(d).kept == 0);
    });
}
