#include "support/source_path.hpp"
#include <support/catch.hpp>

#include <purview/dtype/half.hpp>
#include <purview/parquet.hpp>
#include <purview/purview.hpp>

#include <support/temporary.hpp>

#include <chrono>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace pv = purview;

namespace open_parquet_test {
namespace {

using pv::index_t;
using namespace std::chrono;

const std::string kFolder = source_path("tests/parquet/data/");

std::string message_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const pv::Error& error) {
        return error.what();
    }
    return "no error";
}

bool gap(index_t i) { return i % 7 == 3; }

/// What data/make.py puts into column `i` of row `i`, and so on.
void check_rows(const pv::Columns& table, index_t first, index_t count) {
    REQUIRE(table.rows() == count);
    const pv::Tensor<std::int64_t> squares = table["i"].values.as<std::int64_t>();
    for (index_t r = 0; r < count; ++r) {
        const index_t i = first + r;
        if (squares(r) != i * i - 500) FAIL("row " << r << ": " << squares(r));
    }
    if (!table.contains("x")) return;
    const pv::Column& x = table["x"];
    const pv::Tensor<double> numbers = x.values.as<double>();
    for (index_t r = 0; r < count; ++r) {
        const index_t i = first + r;
        if (x.missing(r) != gap(i)) FAIL("row " << r << " of x");
        const double number = numbers(r);
        if (gap(i) ? !std::isnan(number) : number != static_cast<double>(i) / 4)
            FAIL("row " << r << ": " << number);
    }
}

void check_texts(const pv::Columns& table, index_t count) {
    const pv::Tensor<std::string> texts = table["text"].values.as<std::string>();
    const pv::Tensor<std::string> kinds = table["kind"].values.as<std::string>();
    const pv::Tensor<sys_days> days = table["day"].values.as<sys_days>();
    for (index_t i = 0; i < count; ++i) {
        CHECK(bool(table["text"].missing(i)) == gap(i));
        CHECK(std::string(texts(i)) == (gap(i) ? "" : "row " + std::to_string(i)));
        CHECK(std::string(kinds(i)) == "kind " + std::to_string(i % 5));
        CHECK(sys_days(days(i)) == sys_days(2020y / 1 / 1) + std::chrono::days(i));
    }
}

TEST_CASE("a column of each kind, of pyarrow's file") {
    const pv::Columns table = pv::open_parquet(kFolder + "arrow.parquet");
    std::string names;
    for (const pv::Column& column : table) names += column.name + ' ';
    CHECK(names == "i byte u x f n b text kind day utc local wait price at.lat at.lon pair none ");
    check_rows(table, 0, 1000);
    check_texts(table, 1000);

    const auto byte = table["byte"].values.as<std::int8_t>();
    const auto u = table["u"].values.as<std::uint32_t>();
    const auto f = table["f"].values.as<float>();
    const auto n = table["n"].values.as<std::int32_t>();
    const auto b = table["b"].values.as<bool>();
    const auto utc = table["utc"].values.as<sys_time<microseconds>>();
    const auto local = table["local"].values.as<local_time<milliseconds>>();
    const auto wait = table["wait"].values.as<nanoseconds>();
    const auto price = table["price"].values.as<double>();
    const auto lat = table["at.lat"].values.as<double>();
    const auto lon = table["at.lon"].values.as<std::int32_t>();
    const auto pair = table["pair"].values.as<float>();
    CHECK(table["utc"].time_zone == "Europe/Vienna");
    CHECK(pv::to_string(pair.shape()) == "[1000 2]");
    for (index_t i = 0; i < 1000; ++i) {
        CHECK(byte(i) == i % 200 - 100);
        CHECK(u(i) == 4'000'000'000 + i);
        CHECK(f(i) == static_cast<float>(i) / 8);
        CHECK(n(i) == (gap(i) ? 0 : 3 * i));
        CHECK(bool(b(i)) == (i % 3 == 0));
        CHECK(sys_time<microseconds>(utc(i)) == sys_days(2020y / 1 / 1) + minutes(i));
        CHECK(local_time<milliseconds>(local(i)) == local_days(2020y / 1 / 1) + seconds(i));
        CHECK(nanoseconds(wait(i)) == milliseconds(i));
        CHECK(price(i) == static_cast<double>(i) / 4);
        CHECK(lat(i) == static_cast<double>(i) / 2);
        CHECK(lon(i) == (gap(i) ? 0 : -i));
        CHECK(pair(i, 1) == static_cast<float>(-i));
        CHECK(bool(table["at.lon"].missing(i)) == gap(i));
        CHECK(bool(table["none"].missing(i)));
    }
    CHECK(table["none"].dtype() == pv::float64);
}

/// Whether of three rows the second is missing, and the third if that is said.
void check_gaps(const pv::Column& column, bool third = false) {
    INFO(column.name);
    REQUIRE(column.rows() == 3);
    CHECK(!bool(column.missing(0)));
    CHECK(bool(column.missing(1)));
    CHECK(bool(column.missing(2)) == third);
}

TEST_CASE("gaps in structs and lists, and types that are seldom") {
    const pv::Columns table = pv::open_parquet(kFolder + "gaps.parquet");
    check_gaps(table["s.a"], true);
    check_gaps(table["s.b.c"], true);
    for (const char* const name : {"list", "decimal32", "decimal256", "decimals.d", "view", "bytes",
                                   "half", "clock", "second", "number"})
        check_gaps(table[name]);
    CHECK(table.get<double>("s.a")(0) == 1);
    CHECK(table["s.b.c"].values.as<std::string>()(0) == std::string("x"));
    const auto list = table["list"].values.as<double>();
    CHECK(list(0, 1) == 2);
    CHECK(std::isnan(list(1, 0)));
    CHECK(std::isnan(list(2, 0)));
    CHECK(list(2, 1) == 4);
    CHECK(table.get<double>("decimal32")(2) == -3.5);
    CHECK(table.get<double>("decimal256")(2) == -3.5);
    CHECK(pv::to_string(table["decimals.d"].values.shape()) == "[3 1]");
    CHECK(table["decimals.d"].values.as<double>()(2, 0) == -3.5);
    CHECK(table["view"].values.as<std::string>()(2) == std::string("longer than twelve bytes"));
    CHECK(table["bytes"].values.as<std::uint8_t>()(2, 1) == 'y');
    CHECK(float(pv::Half(table["half"].values.as<pv::Half>()(2))) == -2);
    CHECK(milliseconds(table["clock"].values.as<milliseconds>()(0)) == seconds(3723));
    CHECK(local_time<milliseconds>(table["second"].values.as<local_time<milliseconds>>()(2)) ==
          local_days(1960y / 1 / 1));
    CHECK(table["number"].values.as<std::int64_t>()(2) == 10);
    CHECK(table["matrix"].values.as<std::int32_t>()(2, 3) == 4);
}

TEST_CASE("files of Polars and of DuckDB") {
    for (const char* const name : {"polars.parquet", "duckdb.parquet"}) {
        const pv::Columns table = pv::open_parquet(kFolder + name);
        check_rows(table, 0, 1000);
        check_texts(table, 1000);
    }
    const auto prices =
        pv::open_parquet(kFolder + "duckdb.parquet", {.columns = {"price"}}).get<double>("price");
    CHECK(prices(999) == 249.75);
}

TEST_CASE("row groups of unequal lengths, and some rows of them") {
    const std::string path = kFolder + "unequal.parquet";
    check_rows(pv::open_parquet(path), 0, 1000);
    for (const auto& [begin, end] : std::vector<std::pair<index_t, index_t>>{{0, 1000},
                                                                             {0, 100},
                                                                             {100, 101},
                                                                             {99, 102},
                                                                             {101, 351},
                                                                             {350, 999},
                                                                             {1000, 1000},
                                                                             {0, 0},
                                                                             {500, 500},
                                                                             {601, 1000}})
        check_rows(pv::open_parquet(path, {.rows = {{begin, end}}}), begin, end - begin);
    CHECK(message_of([&] {
              pv::open_parquet(path, {.rows = {{3, 1001}}});
          }) == "open_parquet: '" + path + "': rows 3 to 1001, and there are 1000");
    CHECK_THROWS_AS(pv::open_parquet(path, {.rows = {{3, 2}}}), pv::IndexError);
    CHECK_THROWS_AS(pv::open_parquet(path, {.rows = {{-1, 2}}}), pv::IndexError);
}

TEST_CASE("columns are chosen by name, those of a struct together") {
    const std::string path = kFolder + "arrow.parquet";
    const pv::Columns some = pv::open_parquet(path, {.columns = {"x", "i"}});
    CHECK(some.size() == 2);
    CHECK(some.begin()->name == "x");
    check_rows(some, 0, 1000);
    CHECK(pv::open_parquet(path, {.columns = {"at"}}).size() == 2);
    CHECK(pv::open_parquet(path, {.columns = {"at.lon"}}).begin()->name == "at.lon");
    const std::string unknown =
        message_of([&] { pv::open_parquet(kFolder + "unequal.parquet", {.columns = {"y"}}); });
    CHECK(unknown ==
          "open_parquet: '" + kFolder + "unequal.parquet' has no column 'y'; it has 'i', 'x'");
    CHECK_THROWS_AS(pv::open_parquet(path, {.columns = {"i", "i"}}), pv::FormatError);
}

TEST_CASE("lists and maps are refused if they are asked for") {
    const std::string path = kFolder + "lists.parquet";
    CHECK(pv::open_parquet(path, {.columns = {"i"}}).get<double>("i")(1) == 2);
    for (const char* const name : {"many", "m"}) {
        CHECK_THROWS_AS(pv::open_parquet(path, {.columns = {name}}), pv::DtypeError);
        const std::string text = message_of([&] { pv::open_parquet(path, {.columns = {name}}); });
        CHECK_THAT(text, Catch::Matchers::ContainsSubstring("'" + std::string(name) + "'"));
        CHECK_THAT(text, Catch::Matchers::ContainsSubstring("lists.parquet"));
    }
    CHECK_THROWS_AS(pv::open_parquet(path), pv::DtypeError);
}

TEST_CASE("what is missing is filled, or nothing is") {
    const std::string path = kFolder + "arrow.parquet";
    const pv::Columns filled =
        pv::open_parquet(path, {.columns = {"x", "n", "i", "at.lon"}, .fill = -1});
    CHECK(filled["x"].is_filled);
    CHECK(filled.get<double>("x")(3) == -1);
    CHECK(filled.get<double>("n")(10) == -1);
    CHECK(filled.get<double>("at.lon")(3) == -1);
    CHECK(bool(filled["n"].missing(10)));
    CHECK_THROWS_AS(pv::open_parquet(path, {.columns = {"n"}, .fill = 0.5}), pv::CastError);
    // Integers with gaps as floats.
    CHECK(std::isnan(pv::open_parquet(path).get<double>("n")(3)));
    // Nothing is read to know that nothing is missing.
    const pv::Columns table = pv::open_parquet(path);
    pv::reset_chunk_statistics();
    CHECK(!pv::any_of(table["i"].missing));
    CHECK(pv::chunk_statistics().chunks_read == 0);
}

TEST_CASE("tables without rows, row groups or columns") {
    const pv::Columns no_rows = pv::open_parquet(kFolder + "no_rows.parquet");
    CHECK(no_rows.rows() == 0);
    CHECK(no_rows.size() == 18);
    CHECK(pv::to_string(no_rows["pair"].values.shape()) == "[0 2]");
    CHECK(no_rows["kind"].dtype() == pv::kDType<std::string>);
    const pv::Columns no_groups = pv::open_parquet(kFolder + "no_groups.parquet");
    CHECK(no_groups.rows() == 0);
    CHECK(no_groups["i"].dtype() == pv::int64);
    CHECK(pv::open_parquet(kFolder + "no_columns.parquet").size() == 0);
}

TEST_CASE("opening reads no row group, and an operation each of them once") {
    const pv::Columns table = pv::open_parquet(kFolder + "arrow.parquet");
    pv::drop_cached_chunks();
    pv::reset_chunk_statistics();
    CHECK(table.rows() == 1000);
    CHECK(pv::chunk_statistics().chunks_read == 0);
    CHECK(pv::sum(table["i"].values.as<std::int64_t>()) == 332'833'500 - 500'000);
    CHECK(pv::chunk_statistics().chunks_read == 4);
    CHECK(table["i"].values(pv::range(310, 320)).as<std::int64_t>()(0) == 310 * 310 - 500);
}

TEST_CASE("masks leave out row groups by the extremes in the footer, gaps included") {
    constexpr index_t kRows = 8000;
    const temporary::Folder folder;
    const std::string path = folder / "ascending.parquet";
    const pv::Shape shape{kRows};
    const auto day = pv::compute_tensor(shape, [](index_t r) { return r; });
    const auto unsigned_day = pv::compute_tensor(
        shape, [](index_t r) { return static_cast<std::uint32_t>(r) * 500'000U; });
    const auto price =
        pv::compute_tensor(shape, [](index_t r) { return static_cast<double>(r) / 8; });
    const auto is_gap =
        pv::compute_tensor(shape, [](index_t r) { return r / 1000 == 3 && r % 2 == 0; });
    pv::save_parquet(
        path, {{"day", day}, {"u", unsigned_day}, {"price", price, is_gap}, {"gappy", day, is_gap}},
        {.rows_per_group = 1000});
    const pv::Columns table = pv::open_parquet(path);
    const auto d = table.get<std::int64_t>("day");
    const auto reads_of = [](auto work) {
        pv::drop_cached_chunks();
        pv::reset_chunk_statistics();
        work();
        return pv::chunk_statistics().chunks_read;
    };
    CHECK(reads_of([&] { CHECK(pv::argfilter(d < 0).size() == 0); }) == 0);
    CHECK(reads_of([&] { CHECK(pv::sum(table.get<double>("price")(d >= 7990)) == 9993.125); }) ==
          2);
    CHECK(reads_of([&] {
              CHECK(pv::argfilter(table.get<std::uint32_t>("u") > 3'900'000'000U).size() == 199);
          }) == 1);
    // NaN is where gaps are, and 0 of integers, in the fourth row group.
    CHECK(reads_of([&] { CHECK(pv::argfilter(table.get<double>("price") < 1).size() == 8); }) == 1);
    const auto gappy = table["gappy"].values.as<std::int64_t>();
    CHECK(reads_of([&] { CHECK(pv::argfilter(gappy == 0).size() == 501); }) == 2);
    CHECK(reads_of([&] {
              CHECK(pv::argfilter(gappy == 0 && !table["gappy"].missing).size() == 1);
          }) == 4);
    // Of other rows than whole row groups all are read.
    const auto some = pv::open_parquet(path, {.rows = {{500, 2500}}}).get<std::int64_t>("day");
    CHECK(pv::argfilter(some < 510).size() == 10);
}

} // namespace
} // namespace open_parquet_test
