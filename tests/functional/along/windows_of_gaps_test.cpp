#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/functional/along/rolling_window.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/tensor/create.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

namespace windows_of_gaps_test {

namespace pv = purview;
using pv::index_t;

TEMPLATE_TEST_CASE("windows with gaps agree with each window by itself: mean, sum, max", "", float,
                   double) {
    constexpr index_t kLength = 2600; // more than two pieces
    constexpr auto kNaN = std::numeric_limits<TestType>::quiet_NaN();
    for (const unsigned apart : {2U, 40U, 3000U}) {
        // Whole numbers, so that sums are exact; some windows have none.
        std::vector<TestType> x;
        unsigned bits = 7;
        for (index_t i = 0; i < kLength; ++i) {
            bits = bits * 1664525U + 1013904223U;
            const bool gap = (bits >> 16) % apart == 0 || (i > 700 && i < 790);
            x.push_back(gap ? kNaN : static_cast<TestType>((bits >> 8) % 50));
        }
        for (const index_t width :
             {1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 100, 127, 128, 300, 1000, 1024, 1025}) {
            INFO("gaps " << apart << " width " << width);
            const pv::RollingOptions options{.position = pv::WindowPosition::left};
            const auto rolled = [&](auto reducer) {
                return pv::to_vector(pv::clone(pv::cast<TestType>(
                    pv::fixed_rolling_window(pv::tensor(x), width, reducer, options))));
            };
            const auto means = rolled(pv::mean(pv::skip_nan));
            const auto sums = rolled(pv::sum(pv::skip_nan));
            const auto greatest = rolled(pv::max(pv::skip_nan));
            index_t wrong = 0;
            for (index_t i = width - 1; i < kLength; ++i) {
                TestType sum = 0;
                TestType most = kNaN;
                index_t count = 0;
                for (index_t k = i - width + 1; k <= i; ++k) {
                    const TestType value = x[static_cast<std::size_t>(k)];
                    if (std::isnan(value)) continue;
                    sum += value;
                    most = count == 0 ? value : std::max(most, value);
                    ++count;
                }
                const auto at = static_cast<std::size_t>(i);
                const TestType mean = count == 0 ? kNaN : sum / static_cast<TestType>(count);
                const auto differs = [](TestType a, TestType b) {
                    return a != b && !(std::isnan(a) && std::isnan(b));
                };
                wrong += differs(sums[at], sum) || differs(means[at], mean) ||
                         differs(greatest[at], most);
            }
            CHECK(wrong == 0);
        }
    }
}

} // namespace windows_of_gaps_test
