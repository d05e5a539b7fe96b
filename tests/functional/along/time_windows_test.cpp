#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/along/window_ranges.hpp>
#include <purview/functional/reductions/reduce.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ratio>
#include <string>
#include <vector>

namespace time_windows_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using Longs = std::vector<std::int64_t>;

} // namespace

TEST_CASE("variable_rolling_window: keys that are times far apart, in other units, and NaT") {
    using namespace std::chrono;
    using std::chrono_literals::operator""ns;
    const auto x = pv::tensor({1, 2, 3, 4, 5});
    const auto sums = [&](const auto& keys, const auto& width, auto position) {
        return pv::to_vector(pv::variable_rolling_window(x, keys, width, pv::sum, position));
    };
    const auto left = pv::WindowPosition::left;
    const auto centre = pv::WindowPosition::centre;
    const auto points = []<typename D>(const std::vector<D>& counts) {
        std::vector<sys_time<D>> times;
        for (const D& count : counts) times.push_back(sys_time<D>(count));
        return times;
    };
    const std::int64_t far = 9'000'000'000'000'000'000;
    const std::vector keys{nanoseconds(-far), nanoseconds(far), nanoseconds(far + 1),
                           nanoseconds(far + 2), nanoseconds(far + 3)};
    CHECK(sums(keys, 2ns, left) == Longs{1, 2, 5, 7, 9});
    CHECK(sums(points(keys), 2ns, left) == Longs{1, 2, 5, 7, 9});
    CHECK(sums(points(keys), 2ns, centre) == Longs{1, 5, 9, 12, 9});
    CHECK(sums(points(keys), 2ns, pv::WindowPosition::right) == Longs{1, 5, 7, 9, 5});
    CHECK(sums(keys, duration<double, std::nano>(1.5), left) == Longs{1, 2, 5, 7, 9});
    // A width in a coarser or finer unit, which does not fit the other.
    CHECK(sums(keys, days(1), left) == Longs{1, 2, 5, 9, 14});
    CHECK(sums(keys, years(1000), left) == Longs{1, 3, 6, 10, 15});
    CHECK(sums(keys, years(500), left) == Longs{1, 2, 5, 9, 14});
    const std::vector late{seconds(-far), seconds(0), seconds(1), seconds(2), seconds(far)};
    CHECK(sums(late, 2'000'000'000ns, left) == Longs{1, 2, 5, 7, 5});
    CHECK(sums(late, 2'000'000'001ns, left) == Longs{1, 2, 5, 9, 5});
    CHECK(sums(late, 1'999'999'999ns, centre) == Longs{1, 2, 3, 4, 5});
    CHECK(sums(late, 2'000'000'000ns, centre) == Longs{1, 5, 9, 7, 5});
    using Short = duration<std::int32_t>;
    const std::int32_t most = std::numeric_limits<std::int32_t>::max();
    CHECK(sums(std::vector{Short(-most), Short(-1), Short(0), Short(1), Short(most)}, Short(2),
               left) == Longs{1, 2, 5, 7, 5});
    using Thirds = duration<std::int64_t, std::ratio<1, 3>>;
    using Sevenths = duration<std::int64_t, std::ratio<1, 7>>;
    const std::vector thirds{Thirds(0), Thirds(1), Thirds(2), Thirds(3), Thirds(4)};
    CHECK(sums(thirds, Sevenths(5), left) == Longs{1, 3, 6, 9, 12}); // 2 + 1/7 thirds
    CHECK(sums(thirds, Sevenths(4), left) == Longs{1, 3, 5, 7, 9});
    // NaT has no place among keys, as NaN has none.
    for (const std::size_t at : {0U, 2U, 4U}) {
        std::vector<nanoseconds> with_nat{0ns, 1ns, 2ns, 3ns, 4ns};
        with_nat[at] = nanoseconds::min();
        CHECK_THROWS_WITH(sums(with_nat, 2ns, left),
                          ContainsSubstring("index " + std::to_string(at)));
        CHECK_THROWS_AS(sums(points(with_nat), 2ns, left), pv::Error);
    }
    CHECK_THROWS_AS(sums(keys, nanoseconds::min(), left), pv::Error);
}

} // namespace time_windows_test
