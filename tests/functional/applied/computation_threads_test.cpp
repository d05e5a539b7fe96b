#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/functional/applied/computation.hpp>

#include <atomic>
#include <thread>
#include <vector>

namespace computation_threads_test {

namespace pv = purview;

TEST_CASE("several threads call one computation") {
    const auto w = pv::variable(pv::ones({64}));
    const auto fixed = pv::computation(
        [=](auto x) {
            const auto centred = (x - pv::mean(x)) * w;
            return std::pair(pv::sum(pv::sq(centred)), centred + pv::max(centred));
        },
        pv::spec<double>({64}));
    const auto flexible = pv::computation([](auto x) { return pv::sum(x) - pv::min(x); },
                                          pv::spec<double>({pv::any_size}));
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 100; ++i) {
                const double k = t + i;
                const auto [sum, all] = fixed(pv::linspace(0, 63, 64) * k);
                wrong += sum != 21840.0 * k * k;
                wrong += all(63) != 63.0 * k || all(0) != 0.0;
                const pv::index_t n = 1 + (t * 7 + i) % 20;
                wrong += flexible(pv::full({n}, k)) != k * static_cast<double>(n - 1);
                wrong += pv::variables(fixed).size() != 1;
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
}

} // namespace computation_threads_test
