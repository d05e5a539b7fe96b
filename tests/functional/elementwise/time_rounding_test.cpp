#include <support/catch.hpp>

#include <purview/chrono.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/literal.hpp>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace time_rounding_test {

namespace {

namespace pv = purview;
using namespace std::chrono;

sys_days date_at(int y, unsigned m, unsigned d) {
    return sys_days(year(y) / month(m) / std::chrono::day(d));
}

template <typename D>
std::vector<sys_time<D>> random_points(unsigned seed, std::int64_t reach) {
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<std::int64_t> count(-reach, reach);
    std::vector<sys_time<D>> points;
    for (int i = 0; i < 400; ++i) points.push_back(sys_time<D>(D(count(random))));
    for (int i = -40; i < 40; ++i) points.push_back(sys_time<D>(D(i)));
    return points;
}

/// Beside the standard's own floor, ceil and round.
template <typename Unit, typename D>
void check_unit(std::int64_t reach) {
    const auto points = random_points<D>(7, reach);
    const auto t = pv::tensor(std::vector<sys_time<D>>(points));
    const auto down = pv::to_vector(t | pv::floor_time<Unit>);
    const auto up = pv::to_vector(pv::ceil_time<Unit>(t));
    const auto near = pv::to_vector(t | pv::round_time<Unit>);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        wrong += down[i] != floor<Unit>(points[i]);
        wrong += up[i] != ceil<Unit>(points[i]);
        wrong += near[i] != round<Unit>(points[i]);
        const D length = points[i].time_since_epoch();
        const auto one = pv::tensor({length});
        if (i % 50 != 0) continue;
        wrong += pv::ceil_time<Unit>(one).read(0) != ceil<Unit>(length);
        wrong += pv::round_time<Unit>(one).read(0) != round<Unit>(length);
    }
    CHECK(wrong == 0);
}

/// The first days of months, one after the other.
template <int months_each>
std::vector<sys_days> starts() {
    std::vector<sys_days> all;
    for (int m = -400 * 12; m <= 600 * 12; m += months_each)
        all.push_back(sys_days(year_month(year(1970), January) / 1 + months(m)));
    return all;
}

template <typename Unit, int months_each, typename D>
void check_months(std::int64_t reach) {
    const auto first_days = starts<months_each>();
    auto points = random_points<D>(8, reach);
    for (std::size_t i = 0; i + 1 < first_days.size(); i += 11) {
        points.push_back(first_days[i]); // on a start, and in the middle between two
        const auto half = (first_days[i + 1] - first_days[i]) * 12;
        if constexpr (std::is_convertible_v<decltype(first_days[i] + hours(1)), sys_time<D>>)
            points.push_back(first_days[i] + hours(half / days(1)));
    }
    const auto t = pv::tensor(std::vector<sys_time<D>>(points));
    const auto down = pv::to_vector(t | pv::floor_time<Unit>);
    const auto up = pv::to_vector(pv::ceil_time<Unit>(t));
    const auto near = pv::to_vector(t | pv::round_time<Unit>);
    const auto numbers = pv::to_vector(t | pv::epoch<Unit>);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto behind = std::ranges::upper_bound(first_days, points[i]);
        const sys_days lower = *(behind - 1);
        const sys_days upper = lower == points[i] ? lower : *behind;
        const std::int64_t number = behind - 1 - first_days.begin() - 400 * 12 / months_each;
        const auto below = points[i] - lower;
        const auto above = upper - points[i];
        const bool rounds_up = above < below || (above == below && number % 2 != 0);
        wrong += down[i] != lower;
        wrong += up[i] != upper;
        wrong += near[i] != (rounds_up ? upper : lower);
        wrong += numbers[i] != number;
    }
    CHECK(wrong == 0);
}

} // namespace

TEST_CASE("times are rounded down, up and to the nearest as std::chrono does") {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    check_unit<days, seconds>(kMost / 4);
    check_unit<hours, seconds>(100'000);
    check_unit<weeks, days>(1'000'000);
    check_unit<minutes, nanoseconds>(kMost / 2);
    check_unit<seconds, milliseconds>(5000);
    check_unit<milliseconds, milliseconds>(kMost / 2);
    check_unit<duration<std::int64_t, std::ratio<900>>, seconds>(100'000);
    check_unit<duration<std::int32_t, std::ratio<3>>, duration<std::int32_t>>(1'000'000);
    check_unit<microseconds, milliseconds>(1'000'000);
    // The ends of the counts.
    const auto ends = pv::tensor({sys_seconds::min() + 1s, sys_seconds::max()});
    CHECK(pv::to_vector(pv::ceil_time<minutes>(ends))[0] == ceil<minutes>(sys_seconds::min() + 1s));
    CHECK(pv::to_vector(pv::floor_time<minutes>(ends))[1] == floor<minutes>(sys_seconds::max()));
    CHECK(pv::to_vector(pv::ticks(pv::round_time<minutes>(ends))) ==
          std::vector<std::int64_t>{-153722867280912930, 153722867280912930});
}

TEST_CASE("months and years are those of the calendar") {
    check_months<months, 1, seconds>(300LL * 365 * 86'400);
    check_months<months, 1, days>(300 * 365);
    check_months<years, 12, milliseconds>(300LL * 365 * 86'400'000);
    check_months<duration<int, std::ratio_multiply<std::ratio<3>, months::period>>, 3, hours>(
        300 * 365 * 24);
    const auto t = pv::tensor({sys_seconds(date_at(2024, 2, 29) + 12h)});
    CHECK(pv::floor_time<months>(t).read(0) == date_at(2024, 2, 1));
    CHECK(pv::ceil_time<months>(t).read(0) == date_at(2024, 3, 1));
    CHECK(pv::round_time<years>(t).read(0) == date_at(2024, 1, 1));
    CHECK(pv::epoch<months>(t).read(0) == 54 * 12 + 1);
    CHECK(pv::epoch<years>(t).read(0) == 54);
    STATIC_REQUIRE(std::same_as<decltype(pv::floor_time<months>(t))::value_type, sys_days>);
    // Years that std::chrono's year does not hold.
    const auto far =
        pv::tensor({sys_days(days(100'000'000'000)), sys_days(days(-100'000'000'000))});
    CHECK(pv::to_vector(pv::year_of(pv::floor_time<years>(far))) ==
          pv::to_vector(pv::year_of(far)));
    CHECK(pv::to_vector(pv::day_of_year(pv::year_start(far))) == std::vector{1, 1});
    CHECK(pv::to_vector(pv::month_of(pv::plus_months(far, 1)) - pv::month_of(far)) ==
          pv::to_vector(pv::month_of(pv::month_start(far) + days(31)) - pv::month_of(far)));
    const auto farther = pv::tensor({sys_days(days(std::int64_t{1} << 39))});
    CHECK_THROWS_AS(pv::floor_time<months>(farther).read(0), pv::CastError);
    CHECK_THROWS_AS(pv::epoch<months>(farther).read(0), pv::CastError);
    CHECK_THROWS_AS(pv::month_start(farther).read(0), pv::CastError);
}

TEST_CASE("months near the ends of what nanoseconds can hold") {
    using Fine = sys_time<nanoseconds>;
    using Coarse = sys_time<microseconds>; // holds them all
    const Fine least = Fine::min() + 1ns;  // above NaT
    const std::vector ends{least, Fine::max()};
    const auto t = pv::tensor(std::vector(ends));
    CHECK(pv::to_vector(pv::floor_time<months>(t)) ==
          std::vector{date_at(1677, 9, 1), date_at(2262, 4, 1)});
    const auto reversed = pv::tensor({Fine::max(), least});
    CHECK(pv::to_vector(pv::between<months>(t, reversed)) ==
          std::vector<std::int64_t>{7014, -7014});
    for (const std::int64_t n : {-7014, -1, 1, 7014})
        for (const Fine from : ends) {
            CAPTURE(n, from.time_since_epoch().count());
            const Coarse coarse = pv::months_later(floor<microseconds>(from), n);
            if (coarse > floor<microseconds>(Fine::min()) &&
                coarse < floor<microseconds>(Fine::max())) {
                const auto below = (from.time_since_epoch().count() % 1000 + 1000) % 1000;
                CHECK(pv::months_later(from, n) ==
                      Fine(nanoseconds(coarse.time_since_epoch()) + nanoseconds(below)));
            } else {
                CHECK_THROWS_AS(pv::months_later(from, n), pv::CastError);
            }
            CHECK(pv::months_later(from, 0) == from);
        }
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    CHECK_THROWS_WITH(pv::plus_months(pv::tensor({date_at(2020, 1, 31)}), kMost).read(0),
                      Catch::Matchers::ContainsSubstring(
                          "plus_months: 9223372036854775807 months after day 18292"));
    CHECK_THROWS_AS(pv::plus_months(pv::tensor({date_at(1960, 1, 31)}), -kMost).read(0),
                    pv::CastError);
}

TEST_CASE("between months: as many as can be added") {
    std::mt19937 random(5);
    std::uniform_int_distribution<int> count(-40'000, 40'000);
    std::vector<sys_time<hours>> from, to;
    for (int i = 0; i < 1000; ++i) {
        from.push_back(date_at(2020, 1, 31) + hours(count(random)));
        to.push_back(date_at(2020, 1, 31) + hours(count(random)));
    }
    const auto a = pv::tensor(std::vector(from));
    const auto b = pv::tensor(std::vector(to));
    const auto whole = pv::to_vector(pv::between<months>(a, b));
    const auto whole_years = pv::to_vector(pv::between<years>(a, b));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
        std::int64_t n = 0; // one after the other
        if (from[i] <= to[i])
            while (pv::months_later(from[i], n + 1) <= to[i]) ++n;
        else
            while (pv::months_later(from[i], n - 1) >= to[i]) --n;
        wrong += whole[i] != n;
        wrong += whole_years[i] != n / 12;
    }
    CHECK(wrong == 0);
    CHECK(pv::between<months>(pv::tensor({date_at(2020, 1, 31)}), date_at(2020, 2, 29)).read(0) ==
          1);
    CHECK(pv::between<months>(pv::tensor({date_at(2020, 1, 31)}), date_at(2020, 2, 28)).read(0) ==
          0);
    CHECK(pv::between<years>(pv::tensor({date_at(2020, 2, 29)}), sys_seconds(date_at(2021, 2, 28)))
              .read(0) == 1);
}

} // namespace time_rounding_test
