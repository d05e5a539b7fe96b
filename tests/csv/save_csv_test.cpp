#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/temporary.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/chrono.hpp>
#include <purview/csv/load_csv.hpp>
#include <purview/csv/save_csv.hpp>
#include <purview/evaluation/threads.hpp>

#include <bit>
#include <chrono>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <ratio>
#include <string>
#include <vector>

namespace save_csv_test {

namespace {

namespace pv = purview;
using namespace std::chrono;
using Catch::Matchers::ContainsSubstring;
using oracle::index_t;
using oracle::Random;

std::string written(const pv::CsvColumns& table, const pv::CsvSaveOptions& options = {}) {
    const temporary::File file("before");
    pv::save_csv(file.path(), table, options);
    return file.content();
}

template <typename T>
T some(Random& random) {
    if constexpr (std::is_same_v<T, std::string>) {
        const std::string letters = "a ,\"\n\r;':1\t\xC3\xA4\xEF";
        std::string text;
        for (auto size = random.one_in(3) ? 0 : random.between(0, 40); size > 0; --size)
            text += letters[static_cast<std::size_t>(random.between(0, std::ssize(letters) - 1))];
        return random.one_in(20) ? "NA" : text;
    } else if constexpr (std::is_same_v<T, double>) {
        return std::bit_cast<double>(random.between(std::numeric_limits<index_t>::min(),
                                                    std::numeric_limits<index_t>::max()));
    } else if constexpr (std::is_same_v<T, float>) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(random.between(0, 0xffffffff)));
    } else if constexpr (std::is_arithmetic_v<T>) {
        return static_cast<T>(random.between(std::numeric_limits<index_t>::min(),
                                             std::numeric_limits<index_t>::max()));
    } else if constexpr (pv::DurationElement<T>) {
        return T(random.between(-1'000'000'000, 1'000'000'000));
    } else {
        const index_t century = duration_cast<typename T::duration>(weeks(5200)).count();
        return T(typename T::duration(random.between(-century, century)));
    }
}

template <typename T>
pv::CsvColumn random_column(Random& random, index_t rows) {
    std::vector<T> values;
    std::vector<bool> gaps;
    for (index_t i = 0; i < rows; ++i) {
        values.push_back(some<T>(random));
        gaps.push_back(random.one_in(5));
    }
    return {std::string(pv::kElementName<T>), pv::tensor(std::move(values)), gaps};
}

template <typename T>
void check_same(const pv::CsvColumn& found, const pv::CsvColumn& expected) {
    REQUIRE(found.dtype() == pv::kDType<T>);
    REQUIRE(found.rows() == expected.rows());
    const auto values = pv::to_vector(found.as<T>());
    const auto wanted = pv::to_vector(expected.as<T>());
    const auto gaps = pv::to_vector(found.missing);
    CHECK(gaps == pv::to_vector(expected.missing));
    bool same = true;
    for (std::size_t i = 0; i < values.size(); ++i)
        same = same && (gaps[i] || pv::same_element<T>(values[i], wanted[i]));
    CHECK(same);
}

template <typename... T>
void check_round_trip(Random& random, index_t rows, const pv::CsvSaveOptions& options) {
    const pv::CsvColumns table{random_column<T>(random, rows)...};
    const temporary::Folder folder;
    pv::save_csv(folder / "x.csv", table, options);
    CHECK(folder.file_count() == 1);
    pv::CsvOptions how{
        .delimiter = options.delimiter, .quote = options.quote, .header = options.header};
    for (const pv::CsvColumn& column : table) {
        how.types.emplace(column.name, column.dtype());
        if (column.dtype().is_integer()) how.fills.emplace(column.name, "0");
        if (column.dtype() == pv::boolean) how.fills.emplace(column.name, "false");
        if (!options.header) how.names.push_back(column.name);
    }
    const pv::CsvColumns again = pv::load_csv(folder / "x.csv", how);
    REQUIRE(again.size() == table.size());
    auto at = table.begin();
    ((check_same<T>(again[at->name], *at), ++at), ...);
    // What was read is written as it was.
    pv::save_csv(folder / "y.csv", again, options);
    CHECK(temporary::content(folder / "y.csv") == temporary::content(folder / "x.csv"));
}

} // namespace

TEST_CASE("save_csv: what is written") {
    const std::vector<int> ids{1, 2, 3};
    const auto x = pv::tensor({0.1, 1e300, -3.});
    const std::vector<std::string> names{"a,b", "", "say \"hi\"\n"};
    CHECK(written({{"id", ids}, {"twice", x * 2}, {"na\nme", names}}) ==
          "id,twice,\"na\nme\"\n1,0.2,\"a,b\"\n2,2e+300,\"\"\n3,-6,\"say \"\"hi\"\"\n\"\n");
    const auto flags = pv::tensor({true, false, true});
    const auto day = pv::tensor(std::vector{sys_days(2020y / 2 / 29), sys_days(), sys_days()});
    const std::vector<bool> gaps{false, false, true};
    CHECK(written({{"flag", flags, gaps}, {"day", day, flags}},
                  {.delimiter = ';', .header = false}) == "true;\nfalse;1970-01-01\n;\n");
    CHECK(written({{"", std::vector<double>{}}}) == "\"\"\n");
    const auto times = pv::tensor(std::vector{sys_seconds(90min)});
    CHECK(written({{"t", times}}, {.delimiter = ':'}) == "t\n\"1970-01-01T01:30:00\"\n");
}

TEST_CASE("save_csv and load_csv: every type comes back as it was, missing or not") {
    Random random(3);
    for (const index_t rows : {0, 1, 7, 300, 70'000}) {
        pv::set_threads(rows == 300 ? 1 : 4);
        const bool other = random.one_in(2);
        const pv::CsvSaveOptions options =
            other ? pv::CsvSaveOptions{.delimiter = ';', .quote = '\'', .header = false}
                  : pv::CsvSaveOptions{};
        check_round_trip<std::int64_t, double, std::string, sys_days>(random, rows, options);
        if (rows > 1000) continue;
        check_round_trip<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                         std::uint32_t, std::uint64_t, float>(random, rows, options);
        check_round_trip<sys_seconds, sys_time<milliseconds>, sys_time<microseconds>,
                         sys_time<nanoseconds>>(random, rows, options);
        check_round_trip<sys_time<weeks>, sys_time<hours>, sys_time<minutes>>(random, rows,
                                                                              options);
        check_round_trip<local_time<weeks>, local_days, local_time<hours>, local_time<minutes>,
                         local_seconds, local_time<milliseconds>, local_time<microseconds>,
                         local_time<nanoseconds>>(random, rows, options);
        check_round_trip<weeks, days, hours, minutes, seconds, milliseconds, microseconds,
                         nanoseconds>(random, rows, options);
        // In one column, an empty line is a gap.
        check_round_trip<double>(random, rows, options);
        check_round_trip<std::string>(random, rows, options);
    }
    pv::set_threads(0);
}

TEST_CASE("save_csv: whatever has a text is written as it") {
    const auto times = pv::tensor(std::vector{sys_days(2020y / 2 / 29) + 13h + 30min + 5s});
    CHECK(written({{"hour", pv::floor_time<hours>(times)},
                   {"quarter", pv::floor_time<duration<std::int64_t, std::ratio<900>>>(times)},
                   {"week", pv::floor_time<weeks>(times)},
                   {"month", pv::floor_time<months>(times)},
                   {"wait", times - pv::floor_time<minutes>(times)}}) ==
          "hour,quarter,week,month,wait\n"
          "2020-02-29T13:00,2020-02-29T13:30,2020-02-27,2020-02-01,5s\n");
    const std::vector<duration<double>> fractions{duration<double>(1. / 3)};
    const std::vector<duration<std::int64_t, std::ratio<2, 3>>> thirds{
        duration<std::int64_t, std::ratio<2, 3>>(5)};
    const std::vector<duration<std::int32_t>> narrow{duration<std::int32_t>(7)};
    CHECK(
        written({{"f", fractions}, {"t", thirds}, {"n", narrow}, {"m", std::vector{months(2)}}}) ==
        "f,t,n,m\n0.3333333333333333s,5[2/3]s,7s,2[2629746]s\n");
    CHECK(written({{"date", std::vector{2020y / 2 / 29}},
                   {"year", std::vector{2020y}},
                   {"month", std::vector{February}},
                   {"weekday", std::vector{Monday}},
                   {"ym", std::vector{2020y / 2}}}) ==
          "date,year,month,weekday,ym\n2020-02-29,2020,02,Mon,2020-02\n");
    CHECK(written({{"z", std::vector{std::complex<double>(1. / 3, -1)}}}) ==
          "z\n\"(0.33333333333333331,-1)\"\n");
    CHECK(written({{"day", std::vector{sys_days(2020y / 2 / 29), sys_days::min()},
                    std::vector<bool>{false, true}}}) == "day\n2020-02-29\n\n");
}

TEST_CASE("save_csv: a file takes the place of another one in one step, or the other one stays") {
    const temporary::Folder folder;
    const std::string path = folder / "x.csv";
    pv::save_csv(path, {{"a", std::vector<int>{1, 2}}});
    // Over the very file that was loaded.
    auto table = pv::load_csv(path);
    pv::save_csv(path, {{"a", table.get<std::int64_t>("a") + 1}});
    CHECK(temporary::content(path) == "a\n2\n3\n");
    const auto failing = pv::compute_tensor({3}, [](index_t i) -> double {
        if (i == 2) throw std::runtime_error("no such element");
        return 1;
    });
    CHECK_THROWS_AS(pv::save_csv(path, {{"a", failing}}), std::runtime_error);
    CHECK(temporary::content(path) == "a\n2\n3\n");
    CHECK(folder.file_count() == 1);
    CHECK_THROWS_AS(pv::save_csv(folder / "none" + "/x", {{"a", table.get<std::int64_t>("a")}}),
                    pv::FormatError);
}

TEST_CASE("CsvColumns: rows of one number, names of their own") {
    const std::vector<int> two{1, 2};
    const std::vector<int> three{1, 2, 3};
    CHECK_THROWS_WITH((pv::CsvColumns{{"a", two}, {"b", three}}),
                      ContainsSubstring("'b' has 3 rows, and column 'a' has 2"));
    CHECK_THROWS_WITH(pv::save_csv("x", {{"a", pv::zeros({2, 3})}}),
                      ContainsSubstring("column 'a' has the shape [2 3]"));
    CHECK_THROWS_AS((pv::CsvColumns{{"a", two, std::vector<bool>{true}}}), pv::ShapeError);
    CHECK_THROWS_AS((pv::CsvColumns{{"a", two}, {"a", two}}), pv::FormatError);
    CHECK_THROWS_AS(pv::save_csv("x", {}), pv::ShapeError);
    CHECK_THROWS_AS(pv::save_csv("x", {{"a", two}}, {.delimiter = '\n'}), pv::Error);
    struct Point {
        double x, y;
        bool operator==(const Point&) const = default;
    };
    CHECK_THROWS_AS(pv::save_csv("x", {{"a", pv::tensor(std::vector<Point>{{1, 2}})}}),
                    pv::DtypeError);
    CHECK(pv::CsvColumns().rows() == 0);
}

} // namespace save_csv_test
