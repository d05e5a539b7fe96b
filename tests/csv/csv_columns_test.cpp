#include <support/catch.hpp>
#include <support/temporary.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/csv/load_csv.hpp>
#include <purview/purview.hpp>

#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace csv_columns_test {

namespace {

namespace pv = purview;
using namespace std::chrono;
using Catch::Matchers::ContainsSubstring;

constexpr std::int64_t kHuge = (std::int64_t{1} << 53) + 1; // the first that no double is equal to

template <typename X, typename Y>
concept can_multiply = requires(const X& x, const Y& y) {
    x* y;
};
template <typename X, typename Y>
concept can_compare = requires(const X& x, const Y& y) {
    x < y;
};
template <typename X, typename Y>
concept can_multiply_in_place = requires(X& x, const Y& y) {
    x *= y;
};
template <typename X>
concept can_negate = requires(const X& x) {
    -x;
};
using Floats = pv::Tensor<double>;
static_assert(can_multiply<Floats, double> && can_compare<Floats, double>);
static_assert(!can_multiply<pv::CsvColumn, double> && !can_multiply<double, pv::CsvColumn>);
static_assert(!can_multiply<pv::CsvColumn, pv::CsvColumn>);
static_assert(!can_multiply<Floats, pv::CsvColumn> && !can_multiply<pv::CsvColumns, int>);
static_assert(!can_multiply_in_place<pv::CsvColumn, double> && !can_negate<pv::CsvColumn>);
static_assert(!can_compare<pv::CsvColumn, double> && !std::equality_comparable<pv::CsvColumn>);

template <typename T>
pv::CsvColumns one_column(const std::vector<T>& values) {
    return {{"n", values}};
}

} // namespace

TEST_CASE("CsvColumns: a table is printed in aligned columns") {
    const std::vector<std::string> cities{"Graz", "Wien,\nWest", "Zürich"};
    const std::vector<int> counts{3, -12, 7};
    const auto prices = pv::tensor({1.5, 2.25, 1e300});
    const std::vector<bool> gaps{false, true, false};
    const auto days = pv::tensor(std::vector<sys_days>{sys_days(2020y / 2 / 29), {}, {}});
    const pv::CsvColumns table{{"city", cities},
                               {"count", counts, gaps},
                               {"price", prices},
                               {"is open", gaps},
                               {"day", days, gaps}};
    const std::string expected = "   city         count    price  is open  day\n"
                                 "   string       int32  float64  bool     datetime64[D]\n"
                                 "0  Graz             3      1.5  false    2020-02-29\n"
                                 "1  Wien,\\nWest      -     2.25  true     -\n"
                                 "2  Zürich           7   1e+300  false    1970-01-01\n"
                                 "[3 rows, 5 columns]";
    CHECK(pv::to_string(table) == expected);
    std::ostringstream out;
    out << table;
    CHECK(out.str() == expected);
    CHECK(pv::to_string(table["count"]) == "   count\n   int32\n0      3\n1      -\n2      7\n"
                                           "[3 rows, 1 column]");
    out.str("");
    out.precision(3);
    out << pv::CsvColumns{{"x", pv::tensor({1. / 3})}};
    CHECK(out.str() == "         x\n   float64\n0    0.333\n[1 row, 1 column]");
    CHECK(pv::to_string(pv::CsvColumns()) == "[0 rows, 0 columns]");
    CHECK(pv::to_string(pv::CsvColumns{{"x", std::vector<double>{}}}) ==
          "        x\n  float64\n[0 rows, 1 column]");
    CHECK_THAT(pv::to_string(pv::CsvColumns{{"x", std::vector{std::string(50, 'x')}}}),
               ContainsSubstring("0  " + std::string(40, 'x') + "…\n"));
}

TEST_CASE(
    "CsvColumns: of a long or wide table, the edges are printed, and nothing else evaluated") {
    const auto lazy = pv::compute_tensor({1'000'000'000'000}, [](pv::index_t i) -> double {
        if (i >= 5 && i < 999'999'999'995) throw std::runtime_error("this row is not shown");
        return static_cast<double>(i % 10);
    });
    CHECK(pv::to_string(pv::CsvColumns{{"x", lazy}}) == "                    x\n"
                                                        "              float64\n"
                                                        "           0        0\n"
                                                        "           1        1\n"
                                                        "           2        2\n"
                                                        "           3        3\n"
                                                        "           4        4\n"
                                                        "           …        …\n"
                                                        "999999999995        5\n"
                                                        "999999999996        6\n"
                                                        "999999999997        7\n"
                                                        "999999999998        8\n"
                                                        "999999999999        9\n"
                                                        "[1000000000000 rows, 1 column]");
    CHECK_THAT(pv::to_string(one_column(std::vector<int>(10))), !ContainsSubstring("…"));
    std::vector<pv::CsvColumn> columns;
    for (int c = 0; c < 17; ++c)
        columns.emplace_back("c" + std::to_string(c), std::vector<std::int8_t>{1});
    const std::string wide = pv::to_string(pv::CsvColumns(columns));
    CHECK_THAT(wide, ContainsSubstring("  c7  …    c9  ") && !ContainsSubstring("c8") &&
                         ContainsSubstring("[1 row, 17 columns]"));
    columns.pop_back();
    CHECK_THAT(pv::to_string(pv::CsvColumns(columns)),
               ContainsSubstring("c8") && !ContainsSubstring("…"));
}

TEST_CASE("CsvColumns::get: numbers convert where the type holds them exactly") {
    const auto small = one_column<std::int64_t>({1, -2, 300});
    CHECK(pv::to_vector(small.get<double>("n")) == std::vector<double>{1, -2, 300});
    CHECK(pv::to_vector(small.get<float>("n")) == std::vector<float>{1, -2, 300});
    CHECK(pv::to_vector(small.get<std::int32_t>("n")) == std::vector<std::int32_t>{1, -2, 300});
    CHECK_THROWS_WITH(small.get<std::int8_t>("n"), "Column: column 'n', row 2: 300 does not fit "
                                                   "int8 exactly");
    CHECK_THROWS_AS(small.get<std::int8_t>("n"), pv::CastError);
    CHECK_THROWS_WITH(small.get<std::uint64_t>("n"),
                      ContainsSubstring("row 1: -2 does not fit uint64"));
    CHECK_THROWS_WITH(small.get<bool>("n"), ContainsSubstring("row 1: -2 does not fit bool"));

    CHECK(one_column<std::int64_t>({kHuge - 1}).get<double>("n")(0) == 0x1p53);
    CHECK_THROWS_WITH(one_column<std::int64_t>({0, kHuge}).get<double>("n"),
                      ContainsSubstring("row 1: 9007199254740993 does not fit float64 exactly"));
    const auto largest = one_column<std::int64_t>({std::numeric_limits<std::int64_t>::max()});
    CHECK_THROWS_AS(largest.get<double>("n"), pv::CastError);
    CHECK_THROWS_AS(largest.get<float>("n"), pv::CastError);
    const auto natural = one_column<std::uint64_t>({~std::uint64_t{0}});
    CHECK_THROWS_AS(natural.get<double>("n"), pv::CastError);
    CHECK_THROWS_AS(natural.get<std::int64_t>("n"), pv::CastError);

    const auto fractions = one_column<double>({2, -0.0, 1.5});
    CHECK_THROWS_WITH(fractions.get<int>("n"),
                      ContainsSubstring("row 2: 1.5 does not fit int32 exactly"));
    CHECK(pv::to_vector(fractions.get<float>("n")) == std::vector<float>{2, -0.f, 1.5});
    CHECK(one_column<double>({0.1}).get<float>("n")(0) == 0.1f); // rounded
    CHECK_THROWS_AS(one_column<double>({1e300}).get<float>("n"), pv::CastError);
    CHECK(one_column<double>({-3}).get<std::int8_t>("n")(0) == -3);
    CHECK_THROWS_WITH(one_column<double>({NAN}).get<std::int64_t>("n"),
                      ContainsSubstring("row 0: nan"));
    CHECK(one_column<bool>({true}).get<int>("n")(0) == 1);
    CHECK(one_column<int>({1}).get<bool>("n")(0));

    // Lazy values, in more than one block.
    const pv::CsvColumns lazy{{"n", pv::arange(10'000) * 2}};
    CHECK(pv::equals(lazy.get<double>("n"), pv::arange(10'000.) * 2));
    CHECK(lazy["n"].as<std::uint16_t>()(9'999) == 19'998);

    const auto texts = one_column<std::string>({"1"});
    CHECK_THROWS_WITH(texts.get<double>("n"),
                      "Column: column 'n' is string, and float64 was asked for");
    CHECK_THROWS_AS(texts.get<double>("n"), pv::DtypeError);
    CHECK_THROWS_AS(small.get<std::string>("n"), pv::DtypeError);
    CHECK_THROWS_AS(one_column<sys_days>({sys_days()}).get<std::int64_t>("n"), pv::DtypeError);
}

TEST_CASE("CsvColumns::get: gaps are NaN in floats, unless they are filled") {
    const std::vector<bool> gaps{false, true};
    const pv::CsvColumns made{{"n", std::vector<std::int64_t>{5, kHuge}, gaps}};
    const auto numbers = pv::to_vector(made.get<double>("n"));
    CHECK((numbers[0] == 5 && std::isnan(numbers[1])));
    CHECK(std::isnan(made.get<float>("n")(1)));
    CHECK(made.get<std::int64_t>("n")(1) == kHuge);

    const temporary::File file("n,m\n5,1\n,2\n");
    const auto filled = pv::load_csv(file.path(), {.fills = {{"n", "-7"}}});
    CHECK(filled["n"].is_filled);
    CHECK_FALSE(filled["m"].is_filled);
    CHECK(pv::to_vector(filled.get<double>("n")) == std::vector<double>{5, -7});
    const auto inferred = pv::load_csv(file.path());
    CHECK_THROWS_WITH(inferred.get<std::int64_t>("n"),
                      ContainsSubstring("column 'n', row 1: nothing is there") &&
                          ContainsSubstring("fills"));
    CHECK(pv::to_vector(inferred.get<std::int64_t>("m")) == std::vector<std::int64_t>{1, 2});
}

} // namespace csv_columns_test
