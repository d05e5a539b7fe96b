#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/csv/csv_columns.hpp>
#include <purview/purview.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace csv_columns_test {

namespace {

namespace pv = purview;
using namespace std::chrono;
using Catch::Matchers::Contains;

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
               Contains("0  " + std::string(40, 'x') + "…\n"));
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
    CHECK_THAT(pv::to_string(one_column(std::vector<int>(10))), !Contains("…"));
    std::vector<pv::CsvColumn> columns;
    for (int c = 0; c < 17; ++c)
        columns.emplace_back("c" + std::to_string(c), std::vector<std::int8_t>{1});
    const std::string wide = pv::to_string(pv::CsvColumns(columns));
    CHECK_THAT(wide,
               Contains("  c7  …    c9  ") && !Contains("c8") && Contains("[1 row, 17 columns]"));
    columns.pop_back();
    CHECK_THAT(pv::to_string(pv::CsvColumns(columns)), Contains("c8") && !Contains("…"));
}

} // namespace csv_columns_test
