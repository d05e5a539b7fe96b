// Times that numbers stand for by `units`, as the CF conventions have them (chapter 4.4).

#include <support/catch.hpp>

#include <purview/chrono.hpp>
#include <purview/purview.hpp>
#include <purview/zarr.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace cf_times_test {
namespace {

namespace pv = purview;
using namespace std::chrono;
using Catch::Matchers::ContainsSubstring;
using Micro = sys_time<microseconds>;
using Nano = sys_time<nanoseconds>;
using Texts = std::vector<std::string>;

pv::StoredArray stored(const pv::AnyTensor& values, const pv::Attributes& attributes) {
    pv::StoredArray array;
    array.values = values;
    array.attributes = attributes;
    return array;
}

template <typename T>
Texts times(const std::vector<T>& numbers, const std::string& units,
            const std::string& calendar = "standard") {
    const auto decoded =
        pv::cf_decoded(stored(pv::tensor(numbers), {{"units", units}, {"calendar", calendar}}));
    return pv::to_vector(pv::format_times(decoded.template as<Micro>()));
}

TEST_CASE("cf_decoded: units that say since when are times") {
    CHECK(times<int>({0, 1, -1}, "days since 2000-02-28") == Texts{"2000-02-28T00:00:00.000000",
                                                                   "2000-02-29T00:00:00.000000",
                                                                   "2000-02-27T00:00:00.000000"});
    CHECK(times<double>({0.5, 1. / 3}, "days since 1850-01-01 00:00:00") ==
          Texts{"1850-01-01T12:00:00.000000", "1850-01-01T08:00:00.000000"});
    CHECK(times<float>({1.5F}, "hours since 1900-01-01 00:00:0.0") ==
          Texts{"1900-01-01T01:30:00.000000"});
    CHECK(times<std::int64_t>({90}, "Minutes since 1970-1-1") ==
          Texts{"1970-01-01T01:30:00.000000"});
    CHECK(times<std::uint8_t>({255}, "s since 1970-01-01T12:00:00Z") ==
          Texts{"1970-01-01T12:04:15.000000"});
    CHECK(times<int>({1}, "milliseconds since 1970-01-01 00:00:00.25 +01:30") ==
          Texts{"1969-12-31T22:30:00.251000"});
    CHECK(times<int>({7}, "microseconds since 1970-01-01 00:00 -6") ==
          Texts{"1970-01-01T06:00:00.000007"});
    CHECK(times<int>({0}, "days since 1992") == Texts{"1992-01-01T00:00:00.000000"});
    const auto nanoseconds = pv::cf_decoded(stored(
        pv::tensor({1, 2}), {{"units", "nanoseconds since 2020-01-01 00:00:00.000000001 UTC"}}));
    CHECK(nanoseconds.as<Nano>()(1) == sys_days(2020y / 1 / 1) + std::chrono::nanoseconds(3));
}

TEST_CASE("cf_decoded: the standard calendar is the Julian one before 1582-10-15") {
    // cftime 1.6: num2date(0, "days since 0001-01-01", "standard") is 0000-12-30 in the proleptic Gregorian calendar.
    CHECK(times<int>({0, 738000}, "days since 0001-01-01") ==
          Texts{"0000-12-30T00:00:00.000000", "2021-07-28T00:00:00.000000"});
    CHECK(times<int>({0, 738000}, "days since 0001-01-01", "proleptic_gregorian") ==
          Texts{"0001-01-01T00:00:00.000000", "2021-07-30T00:00:00.000000"});
    CHECK(times<int>({0}, "days since 1582-10-04", "gregorian") ==
          Texts{"1582-10-14T00:00:00.000000"});
    CHECK(times<int>({0}, "days since 1582-10-15") == Texts{"1582-10-15T00:00:00.000000"});
    CHECK(times<int>({0, 1}, "days since 1500-02-29") ==
          Texts{"1500-03-10T00:00:00.000000", "1500-03-11T00:00:00.000000"});
    CHECK(times<int>({0}, "days since 200-03-01") == Texts{"0200-03-01T00:00:00.000000"});
    CHECK(times<int>({0}, "days since 0000-02-29", "proleptic_gregorian") ==
          Texts{"0000-02-29T00:00:00.000000"});
}

TEST_CASE("cf_decoded: times that are missing are NaT") {
    constexpr std::int64_t kFill = std::numeric_limits<std::int64_t>::max();
    const auto is_nat = [](const pv::AnyTensor& x) {
        return pv::to_vector(pv::is_nat(x.as<Micro>()));
    };
    const std::vector<bool> last{false, true};
    const std::string units = "days since 1970-01-01";
    CHECK(is_nat(pv::cf_decoded(stored(pv::tensor(std::vector<std::int64_t>{1, kFill}),
                                       {{"units", units}, {"_FillValue", kFill}}))) == last);
    CHECK(is_nat(pv::cf_decoded(stored(pv::tensor({1., -999.}),
                                       {{"units", units}, {"missing_value", -999}}))) == last);
    CHECK(is_nat(pv::cf_decoded(stored(pv::tensor({1., std::nan("")}), {{"units", units}}))) ==
          last);
    // Packed, as any other number: 10 * 0.5 + 1 days.
    const auto packed = pv::cf_decoded(
        stored(pv::tensor(std::vector<std::int16_t>{10, -1}),
               {{"units", units}, {"scale_factor", .5}, {"add_offset", 1}, {"_FillValue", -1}}));
    CHECK(packed.as<Micro>()(0) == sys_days(1970y / 1 / 7));
    CHECK(is_nat(packed) == last);
}

TEST_CASE("cf_decoded: what is no time") {
    const auto plain = pv::cf_decoded(stored(pv::tensor({1}), {{"units", "days"}}));
    CHECK(plain.dtype() == pv::int32);
    CHECK(pv::cf_decoded(stored(pv::tensor({1}), {{"units", "kg since-less"}})).dtype() ==
          pv::int32);
    const auto refused = [](const std::string& units, const std::string& calendar,
                            const std::string& text) {
        CHECK_THROWS_AS(times<int>({0}, units, calendar), pv::FormatError);
        CHECK_THROWS_WITH(times<int>({0}, units, calendar), ContainsSubstring(text));
    };
    for (const std::string calendar : {"noleap", "360_day", "365_day", "all_leap", "julian"})
        refused("days since 1850-01-01", calendar, calendar);
    refused("months since 1850-01-01", "standard", "'months since 1850-01-01'");
    refused("years since 1850-01-01", "standard", "no unit of a fixed length");
    for (const std::string date :
         {"2001-02-29", "1900-02-29", "2001-13-01", "2001-00-01", "2001-04-31", "1582-10-10",
          "0000-01-01", "2001-01-01 24:00", "2001-01-01 00:60"})
        refused("days since " + date, "standard", "day or time that there is not");
    for (const std::string date :
         {"yesterday", "", "2001-01-01 noon", "2001-01-01 00:00:00 +1:2:3"})
        refused("days since " + date, "standard", "name no date");
    CHECK_THROWS_AS(
        times<std::int64_t>({std::numeric_limits<std::int64_t>::max()}, "days since 1970-01-01"),
        pv::CastError);
    CHECK_THROWS_WITH(times<double>({1e300}, "days since 1970-01-01"),
                      ContainsSubstring("1e+300 days since 1970-01-01"));
    CHECK_THROWS_AS(times<double>({std::numeric_limits<double>::infinity()}, "s since 1970-01-01"),
                    pv::CastError);
}

TEST_CASE("cf_decoded: what is missing of uint64 need not fit int64") {
    constexpr std::uint64_t kMost =
        std::numeric_limits<std::uint64_t>::max(); // netCDF's own fill is kMost - 1
    const pv::AnyTensor numbers = pv::tensor<std::uint64_t>({7, kMost});
    const auto decoded =
        pv::cf_decoded(stored(numbers, {{"units", "s since 1970-01-01"}, {"_FillValue", kMost}}));
    CHECK(pv::to_vector(pv::format_times(decoded.as<Micro>())) ==
          Texts{"1970-01-01T00:00:07.000000", "NaT"});
    const auto beyond = pv::cf_decoded(stored(numbers, {{"units", "s since 1970-01-01"}}));
    CHECK_THROWS_AS(pv::to_vector(beyond.as<Micro>()), pv::CastError);
}

TEST_CASE("cf_decoded: calendars in any letters, as to xarray") {
    for (const std::string calendar : {"Standard", "GREGORIAN", "Proleptic_Gregorian"})
        CHECK(times<int>({1}, "days since 2000-01-01", calendar) ==
              Texts{"2000-01-02T00:00:00.000000"});
}

} // namespace
} // namespace cf_times_test
