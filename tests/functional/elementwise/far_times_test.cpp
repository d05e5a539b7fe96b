// Times at both ends of their types, which are farther apart than int64 tells in their unit.

#include <support/catch.hpp>

#include <purview/chrono.hpp>
#include <purview/purview.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace far_times_test {

namespace {

namespace pv = purview;
using namespace std::chrono;
using Point = sys_time<nanoseconds>;
using Limits = std::numeric_limits<std::int64_t>;
using Counts = std::vector<std::int64_t>;

constexpr Point kFirst{nanoseconds(-Limits::max())};
constexpr Point kLast{nanoseconds(Limits::max())};
constexpr Point kNat{nanoseconds(Limits::min())};

} // namespace

TEST_CASE("between of times that are farther apart than int64 tells in their unit") {
    // 2 (2^63 - 1) = 18446744073709551614 ns, computed by hand.
    const auto begin = pv::tensor(std::vector{kFirst, kLast, Point(nanoseconds(-1)), kNat, kFirst});
    const auto end = pv::tensor(std::vector{kLast, kFirst, kLast, kLast, kNat});
    CHECK(pv::to_vector(pv::between<seconds>(begin, end)) ==
          Counts{18446744073, -18446744073, 9223372036, Limits::min(), Limits::min()});
    CHECK(pv::to_vector(pv::between<days>(begin, end)) ==
          Counts{213503, -213503, 106751, Limits::min(), Limits::min()});
    CHECK(pv::to_vector(pv::between<microseconds>(begin, end))[0] == 18446744073709551);
    CHECK(pv::between<seconds>(kFirst, kLast) == 18446744073);
    CHECK(pv::to_vector(pv::between<seconds>(begin, kLast))[0] == 18446744073);
    CHECK(pv::between<seconds>(nanoseconds(Limits::max()), nanoseconds(-Limits::max())) ==
          -18446744073);
    CHECK(pv::between<nanoseconds>(kFirst, Point{}) == Limits::max());
    CHECK(pv::between<nanoseconds>(kLast, Point{}) == -Limits::max());
    CHECK_THROWS_AS(pv::between<nanoseconds>(kFirst, kLast), pv::CastError);
    CHECK_THROWS_AS(pv::between<nanoseconds>(Point(nanoseconds(-1)), kLast), pv::CastError);
    // -2^63 is the count of NaT.
    CHECK_THROWS_AS(pv::between<nanoseconds>(kLast, Point(nanoseconds(-1))), pv::CastError);
}

TEST_CASE("between of mixed and of finer units, and of counts of 32 bits") {
    const sys_days day(2300y / 1 / 1);
    CHECK_THROWS_AS(pv::between<days>(pv::tensor(std::vector{kFirst}), day).item(), pv::CastError);
    const sys_days near(2260y / 1 / 1);
    // 1677-09-21 to 2260-01-01, as Python's date counts.
    CHECK(pv::between<days>(kFirst, near) == 212671);
    using Days32 = duration<std::int32_t, days::period>;
    const auto a = pv::tensor(std::vector{Days32(-2147483647), Days32(2147483647)});
    const auto b = pv::tensor(std::vector{Days32(2147483647), Days32(-2147483647)});
    CHECK(pv::to_vector(pv::between<days>(a, b)) == Counts{4294967294, -4294967294});
    CHECK(pv::to_vector(pv::between<seconds>(a, b)) ==
          Counts{4294967294 * 86400, -4294967294 * 86400});
    CHECK_THROWS_AS(pv::clone(pv::between<nanoseconds>(a, b)), pv::CastError);
}

TEMPLATE_TEST_CASE("the first and the last time of weeks and days", "", weeks, days) {
    using T = sys_time<TestType>;
    constexpr auto kMost = std::numeric_limits<typename TestType::rep>::max();
    const auto t = pv::tensor(std::vector{T(TestType(-kMost)), T(TestType(kMost))});
    CHECK(pv::to_vector(pv::between<TestType>(T{}, t)) == Counts{-kMost, kMost});
    CHECK(pv::mean(t) == T{});
    CHECK(pv::median(t) == T{});
    CHECK(pv::equals(pv::floor_time<TestType>(t), t));
    CHECK(pv::equals(pv::ceil_time<TestType>(t), t));
    CHECK(pv::equals(pv::round_time<TestType>(t), t));
}

TEST_CASE("texts of the first and the last time of coarser units") {
    // By Python's integers, which have no end.
    constexpr std::int64_t kMost = Limits::max();
    CHECK(pv::time_point_text(-kMost, 86400, 1) == "-25252734927764585-06-08");
    CHECK(pv::time_point_text(kMost, 86400, 1) == "+25252734927768524-07-27");
    CHECK(pv::time_point_text(-kMost, 1, 1) == "-292277022657-01-27T08:29:53");
    CHECK(pv::time_point_text(kMost, 1, 1) == "+292277026596-12-04T15:30:07");
    CHECK(pv::time_point_text(-kMost, 1, 1000) == "-292275055-05-16T16:47:04.193");
    CHECK(pv::time_point_text(kMost, 1, 1000) == "+292278994-08-17T07:12:55.807");
}

TEST_CASE("the first and the last time of a type") {
    const auto t = pv::tensor(std::vector{kFirst, kLast});
    const auto texts = pv::to_vector(pv::format_times(t));
    CHECK(texts[0] == "1677-09-21T00:12:43.145224193");
    CHECK(texts[1] == "2262-04-11T23:47:16.854775807");
    CHECK(pv::equals(pv::parse_times<Point>(pv::tensor(std::vector<std::string>(texts))), t));
    CHECK(pv::mean(t) == Point{});
    CHECK(pv::to_vector(pv::floor_time<days>(t)) ==
          std::vector{sys_days(1677y / 9 / 21), sys_days(2262y / 4 / 11)});
    CHECK(pv::to_vector(pv::ceil_time<days>(t)) ==
          std::vector{sys_days(1677y / 9 / 22), sys_days(2262y / 4 / 12)});
    CHECK(pv::to_vector(pv::floor_time<weeks>(t))[0] == floor<weeks>(kFirst));
    CHECK(pv::to_vector(pv::ceil_time<weeks>(t))[1] == ceil<weeks>(kLast));
    CHECK(pv::to_vector(pv::floor_time<months>(t)) ==
          std::vector{sys_days(1677y / 9 / 1), sys_days(2262y / 4 / 1)});
    CHECK(pv::to_vector(pv::ceil_time<months>(t)) ==
          std::vector{sys_days(1677y / 10 / 1), sys_days(2262y / 5 / 1)});
}

} // namespace far_times_test
