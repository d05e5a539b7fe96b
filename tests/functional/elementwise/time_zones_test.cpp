#include <support/catch.hpp>

#include <purview/base/errors.hpp>
#include <purview/chrono.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/literal.hpp>

#include <vector>

namespace time_zones_test {

namespace pv = purview;
using namespace std::chrono;

#if PURVIEW_HAS_TIME_ZONES

TEST_CASE("times are put to a zone and back") {
    using Catch::Matchers::ContainsSubstring;
    // Summer time began in Berlin on 2020-03-29 at 01:00 UTC, and ended on 2020-10-25 at 01:00 UTC.
    const auto times = pv::tensor({sys_seconds(sys_days(2020y / 3 / 29) + 59min),
                                   sys_seconds(sys_days(2020y / 3 / 29) + 60min),
                                   sys_seconds(sys_days(2020y / 7 / 1) + 23h)});
    const auto shown = pv::to_zone(times, "Europe/Berlin");
    CHECK(pv::to_vector(shown) == std::vector<local_seconds>{local_days(2020y / 3 / 29) + 119min,
                                                             local_days(2020y / 3 / 29) + 180min,
                                                             local_days(2020y / 7 / 2) + 1h});
    CHECK(pv::to_vector(pv::day_of(shown)) == std::vector{29, 29, 2});
    CHECK(pv::to_vector(pv::from_zone(shown, "Europe/Berlin")) == pv::to_vector(times));
    const auto twice = pv::tensor({local_seconds(local_days(2020y / 10 / 25) + 150min)});
    CHECK_THROWS_AS(pv::from_zone(twice, "Europe/Berlin").read(0), pv::Error);
    CHECK(pv::from_zone(twice, "Europe/Berlin", choose::earliest).read(0) ==
          sys_days(2020y / 10 / 25) + 30min);
    CHECK(pv::from_zone(twice, "Europe/Berlin", choose::latest).read(0) ==
          sys_days(2020y / 10 / 25) + 90min);
    const auto never = pv::tensor({local_seconds(local_days(2020y / 3 / 29) + 150min)});
    CHECK_THROWS_AS(pv::from_zone(never, "Europe/Berlin").read(0), pv::Error);
    CHECK_THROWS_WITH(pv::to_zone(times, "Europe/Atlantis"), ContainsSubstring("Europe/Atlantis"));
}

#else

TEST_CASE("without time zones in the standard library there are none") {
    // What is refused, tests/must_not_compile/time_zones_without_a_library.cpp holds.
    STATIC_REQUIRE_FALSE(pv::kHasTimeZones);
}

#endif

} // namespace time_zones_test
