#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/chrono.hpp>
#include <purview/functional/elementwise/not_a_time.hpp>
#include <purview/purview.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

/// Texts of times with an offset from UTC beside others (pandas.to_datetime), and the ends of what int64 holds.
namespace parsed_offsets_test {

namespace {

namespace pv = purview;
using namespace std::chrono;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using Texts = std::vector<std::string>;

template <typename T>
std::vector<T> parsed(const Texts& texts) {
    return pv::to_vector(pv::parse_times<T>(pv::tensor(Texts(texts))));
}

} // namespace

TEST_CASE("parse_times: offsets are not mixed with times that have none (pandas.to_datetime)") {
    const std::string zoned = "2025-02-02T09:00:00+01:00";
    const std::string plain = "2025-02-02T09:00:00";
    const sys_seconds nine = sys_days(2025y / February / 2) + 9h;
    CHECK(parsed<sys_seconds>({zoned, "NaT", "2025-02-02 09:00:00Z"}) ==
          std::vector{nine - 1h, sys_seconds::min(), nine});
    CHECK(parsed<sys_seconds>({plain, "NaT", "2025-02-02"}) ==
          std::vector{nine, sys_seconds::min(), nine - 9h});
    for (const Texts& mixed : {Texts{zoned, plain}, Texts{plain, zoned},
                               Texts{"NaT", plain, "2025-02-02T09Z"}, Texts{"2025-02-02", zoned}})
        CHECK_THROWS_AS(parsed<sys_seconds>(mixed), pv::FormatError);
    CHECK_THROWS_WITH(parsed<sys_seconds>({zoned, plain}),
                      ContainsSubstring(plain + "'") && ContainsSubstring("at index 1"));
    // Two tensors have nothing to do with each other.
    CHECK(parsed<sys_seconds>({zoned})[0] + 1h == parsed<sys_seconds>({plain})[0]);
    // Many texts, which threads may read.
    Texts many(20'000, plain);
    CHECK(parsed<sys_seconds>(many).size() == many.size());
    many.back() = zoned;
    CHECK_THROWS_AS(parsed<sys_seconds>(many), pv::FormatError);
}

TEST_CASE("parse_times: local times have no offset") {
    const local_seconds nine = local_days(2025y / February / 2) + 9h;
    CHECK(parsed<local_seconds>({"2025-02-02T09:00:00", "NaT"}) ==
          std::vector{nine, local_seconds::min()});
    for (const char* const text :
         {"2025-02-02T09:00:00+01:00", "2025-02-02T09:00:00Z", "2025-02-02 09:00 -05"})
        CHECK_THROWS_WITH(parsed<local_seconds>({text}),
                          ContainsSubstring(text) && ContainsSubstring("local"));
}

TEST_CASE("parse_times: what only NaT is counted by is beyond the type (numpy.datetime64)") {
    using Nanoseconds = sys_time<nanoseconds>;
    CHECK_THROWS_AS(parsed<Nanoseconds>({"1677-09-21T00:12:43.145224192"}), pv::CastError);
    CHECK(parsed<Nanoseconds>({"1677-09-21T00:12:43.145224193"})[0] == Nanoseconds::min() + 1ns);
    CHECK(parsed<Nanoseconds>({"2262-04-11T23:47:16.854775807"})[0] == Nanoseconds::max());
    CHECK_THROWS_AS(parsed<Nanoseconds>({"2262-04-11T23:47:16.854775808"}), pv::CastError);
    CHECK(pv::is_nat(parsed<Nanoseconds>({"NaT"})[0]));
    // Counts of 32 bits have a NaT of their own.
    using ShortSeconds = sys_time<duration<std::int32_t>>;
    CHECK_THROWS_AS(parsed<ShortSeconds>({"1901-12-13T20:45:52"}), pv::CastError);
    CHECK(parsed<ShortSeconds>({"1901-12-13T20:45:53"})[0] == ShortSeconds::min() + seconds(1));
}

} // namespace parsed_offsets_test
