#include <support/catch.hpp>
#include <support/temporary.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/csv/load_csv.hpp>
#include <purview/csv/save_csv.hpp>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

/// Fields that a type of their column would change: times with and without a zone, integers beyond 64 bits, times that are none.
namespace exact_fields_test {

namespace {

namespace pv = purview;
using namespace std::chrono;
using Catch::Matchers::ContainsSubstring;
using Strings = std::vector<std::string>;
using Nanoseconds = sys_time<nanoseconds>;

pv::CsvColumns load(const std::string& text, const pv::CsvOptions& options = {}) {
    const temporary::File file(text);
    return pv::load_csv(file.path(), options);
}
std::string bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}
Strings texts(const std::string& text) {
    const auto x = load(text);
    const pv::CsvColumn& column = *x.begin();
    REQUIRE(column.dtype() == pv::kDType<std::string>);
    return pv::to_vector(column.as<std::string>());
}

} // namespace

TEST_CASE("load_csv: times with an offset beside some without are text (pandas: mixed)") {
    const std::string zoned = "2024-03-28T09:00:00+01:00";
    for (const std::string other :
         {"2024-03-28T09:00:00", "2024-03-28", "2024-03-28T09:00:00.5", "2024-03-28 09:00"}) {
        CHECK(texts("t\n" + zoned + "\n" + other + "\n") == Strings{zoned, other});
        CHECK(texts("t\n" + other + "\n" + zoned + "\n") == Strings{other, zoned});
        const temporary::File file("t\n" + zoned + "\n" + other + "\n");
        CHECK_THROWS_WITH(pv::load_csv(file.path(), {.types = {{"t", pv::kDType<Nanoseconds>}}}),
                          ContainsSubstring("'t'") && ContainsSubstring("offset"));
    }
    // One row far behind the sample.
    std::string text = "t\n";
    for (int i = 0; i < 70'000; ++i) text += "2024-03-28T09:00:00\n";
    CHECK(load(text)["t"].dtype() == pv::kDType<sys_seconds>);
    CHECK(load(text + "2024-03-28T09:00:00Z\n")["t"].dtype() == pv::kDType<std::string>);
    // All of one kind are times.
    const sys_seconds eight = sys_days(2024y / March / 28) + 8h;
    const auto x = load("t\n" + zoned + "\n2024-03-28T08:00:00Z\n2024-03-28 08:00:00+00\n");
    CHECK(pv::to_vector(x.get<sys_seconds>("t")) == std::vector{eight, eight, eight});
    CHECK(load("t\n" + zoned + "\n2024-03-28T08:00:00.5Z\n")["t"].dtype() ==
          pv::kDType<Nanoseconds>);
    CHECK(load("t\n" + zoned + "\n\n2024-03-28T08:00:00Z\n", {.fills = {{"t", "1970-01-01"}}})
              .get<sys_seconds>("t")(1) == sys_seconds());
}

TEST_CASE("load_csv: what only NaT is counted by is text, local times have no offset") {
    const std::string least = "1677-09-21T00:12:43.145224192";
    CHECK(texts("t\n" + least + "\n") == Strings{least});
    CHECK(load("t\n1677-09-21T00:12:43.145224193\n").get<Nanoseconds>("t")(0) ==
          Nanoseconds::min() + nanoseconds(1));
    const auto typed = [](const std::string& text, pv::DType type) {
        const temporary::File file("t\n" + text + "\n");
        return pv::load_csv(file.path(), {.types = {{"t", type}}});
    };
    CHECK_THROWS_AS(typed(least, pv::kDType<Nanoseconds>), pv::Error);
    const std::string nine = "2025-02-02T09:00:00";
    CHECK(typed(nine, pv::kDType<local_seconds>).get<local_seconds>("t")(0) ==
          local_days(2025y / February / 2) + hours(9));
    CHECK_THROWS_AS(typed(nine + "+01:00", pv::kDType<local_seconds>), pv::Error);
    CHECK_THROWS_AS(typed(nine + "Z", pv::kDType<local_seconds>), pv::Error);
}

TEST_CASE("load_csv: offsets of PostgreSQL and full hours are times") {
    const auto x = load("a,b,c,d\n2025-02-02 00:00:00+00,2025-02-02 01:00:00 +01:00,"
                        "2025-02-02 00:00:00z,2025-02-02T00\n");
    for (const pv::CsvColumn& column : x)
        CHECK(column.as<sys_seconds>()(0) == sys_days(2025y / February / 2));
}

TEST_CASE("load_csv: integers beyond 64 bits are text, not rounded (pandas)") {
    const Strings ids{"118985087625060832870", "118985087625060832871"};
    CHECK(texts("id\n" + ids[0] + "\n" + ids[1] + "\n") == ids);
    CHECK(texts("id\n1\n" + ids[1] + "\n-5\n") == Strings{"1", ids[1], "-5"});
    CHECK(texts("id\n-1\n18446744073709551615\n") == Strings{"-1", "18446744073709551615"});
    CHECK(texts("id\n18446744073709551615\n-1\n") == Strings{"18446744073709551615", "-1"});
    CHECK(texts("id\n-9223372036854775809\n") == Strings{"-9223372036854775809"});
    CHECK(texts("id\n" + ids[0] + "\nx\n") == Strings{ids[0], "x"});
    // What fits, and floats, are numbers as ever.
    CHECK(load("id\n18446744073709551615\n1\n")["id"].dtype() == pv::uint64);
    CHECK(load("x\n1e300\n118985087625060832870\n")["x"].dtype() == pv::float64);
    CHECK(load("x\n118985087625060832870\n0.5\n")["x"].dtype() == pv::float64);
    CHECK(load("x\n118985087625060832870\n", {.types = {{"x", pv::float64}}})["x"].dtype() ==
          pv::float64);
    // One row far behind the sample.
    std::string text = "id\n";
    for (int i = 0; i < 70'000; ++i) text += "7\n";
    CHECK(load(text + ids[0] + "\n")["id"].dtype() == pv::kDType<std::string>);
    CHECK(load(text + ids[0] + "\n0.5\n")["id"].dtype() == pv::float64);
}

TEST_CASE("load_csv, save_csv: a time that is missing is NaT, and is written as a gap") {
    const auto x = load("t,i\n2024-03-28T09:00:00.5Z,1\nNA,2\n2024-03-29T10:00:00Z,3\n");
    const auto t = x.get<Nanoseconds>("t");
    CHECK(t(1) == Nanoseconds::min());
    const temporary::Folder folder;
    const std::string path = folder / "x.csv";
    // The values alone, without the mask; durations and shorter counts too.
    using Short = duration<std::int32_t>;
    pv::save_csv(path, {{"t", t},
                        {"d", pv::tensor(std::vector{seconds(1), seconds::min(), seconds(3)})},
                        {"s", pv::tensor(std::vector{Short(1), Short::min(), Short(3)})}});
    const std::string text = bytes_of(path);
    CHECK(text.find("1677") == std::string::npos);
    CHECK(text.find("\n,,\n") != std::string::npos);
    const auto again = pv::load_csv(path);
    CHECK(pv::to_vector(again["t"].missing) == std::vector<bool>{false, true, false});
}

} // namespace exact_fields_test
