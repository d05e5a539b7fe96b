#include <support/catch.hpp>

#include <purview/chrono.hpp>
#include <purview/purview.hpp>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <iomanip>
#include <iterator>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace texts_and_times_test {

namespace {

namespace pv = purview;
using pv::index_t;
using std::chrono::sys_days;
using std::chrono::sys_seconds;

template <typename... X>
std::string printed(const X&... x) {
    std::ostringstream out;
    (out << ... << x);
    return out.str();
}

/// Where the least of a row is, looked for by a loop.
template <typename T, typename Less>
index_t place_of_least(const std::vector<T>& row, bool last, Less less) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < row.size(); ++i)
        if (less(row[i], row[best]) || (last && !less(row[best], row[i]))) best = i;
    return static_cast<index_t>(best);
}

/// Of `x`, of rank 2: over everything, along both axes, over both in either order.
template <typename T, typename X>
void check_arg_extremes(const X& x) {
    const auto check = [&](const auto& arg, bool last, auto less) {
        const auto row_of = [&](const auto& part) {
            return std::vector<T>(part.begin(), part.end());
        };
        CHECK(arg(x) == place_of_least(row_of(x), last, less));
        for (const index_t axis : {0, 1}) {
            const auto found = arg(x, axis);
            REQUIRE(found.rank() == 1);
            REQUIRE(found.size() == x.extent(1 - axis));
            for (index_t i = 0; i < found.size(); ++i) {
                const auto lane = axis == 0 ? x(pv::all, i) : x(i, pv::all);
                CHECK(found(i) == place_of_least(row_of(lane), last, less));
            }
        }
        CHECK(arg(x, {1, 0}).item() == place_of_least(row_of(pv::transpose(x)), last, less));
        CHECK(arg(x, 0, pv::keep_dims).rank() == 2);
    };
    check(pv::argmin, false, [](const T& a, const T& b) { return a < b; });
    check(pv::argmax, false, [](const T& a, const T& b) { return b < a; });
    check(pv::argmin_last, true, [](const T& a, const T& b) { return a < b; });
    check(pv::argmax_last, true, [](const T& a, const T& b) { return b < a; });
}

} // namespace

TEST_CASE("Indexes of extremes of strings and times") {
    std::mt19937 random(7);
    for (const auto& [rows, columns] : {std::pair{1, 1}, {3, 5}, {2, 300}, {301, 2}}) {
        std::vector<std::string> names;
        std::vector<sys_days> days;
        for (int i = 0; i < rows * columns; ++i) {
            names.push_back(std::string(random() % 3, 'x') + std::to_string(random() % 4));
            days.push_back(sys_days(std::chrono::days(random() % 9)));
        }
        const auto x = pv::reshape(pv::tensor(names), {rows, columns});
        const auto t = pv::reshape(pv::tensor(days), {rows, columns});
        check_arg_extremes<std::string>(x);
        check_arg_extremes<std::string>(pv::flip(x, 1));
        check_arg_extremes<std::string>(x + "!");
        check_arg_extremes<sys_days>(t);
        check_arg_extremes<sys_days>(pv::transpose(t));
    }
    CHECK(pv::argmax(std::vector<std::string>{"a", "c", "b"}) == 1);
    CHECK((pv::tensor({"b", "a"}) | pv::argmin) == 1);
    const pv::Dim i("i");
    const auto x = pv::tensor({{"b", "a"}, {"c", "d"}});
    CHECK(pv::to_vector(pv::Tensor<std::int64_t>(pv::argmax(x(i, pv::all), i))) ==
          std::vector<std::int64_t>{1, 1});
    CHECK_THROWS_AS(pv::argmin(pv::tensor(std::vector<std::string>())), pv::ShapeError);
    CHECK_THROWS_AS(pv::argmin(pv::empty<std::string>({2, 0}), 1), pv::ShapeError);
    CHECK(pv::argmin(pv::empty<std::string>({0, 2}), 1).size() == 0);

    using Seconds = std::chrono::duration<double>;
    const Seconds nan(std::numeric_limits<double>::quiet_NaN());
    const auto waits = pv::tensor({Seconds(3), nan, Seconds(1), nan});
    CHECK(pv::argmin(waits) == 1);
    CHECK(pv::argmax(waits) == 1);
    CHECK(pv::argmin_last(waits) == 3);
    CHECK(pv::argmax_last(waits) == 3);
}

TEST_CASE("An element that is a time prints in ISO 8601") {
    using namespace std::chrono_literals;
    const auto days = pv::tensor({sys_days(2020y / 2 / 29), sys_days(2021y / 1 / 1)});
    CHECK(printed(days(0), ' ', days(1)) == "2020-02-29 2021-01-01");
    std::string all;
    for (const auto& day : days) all += printed(day, ';');
    CHECK(all == "2020-02-29;2021-01-01;");
    const auto moments = pv::tensor({sys_seconds(sys_days(2020y / 2 / 29)) + 90s});
    CHECK(printed(moments(0)) == "2020-02-29T00:01:30");
    const auto waits = pv::tensor({90s});
    CHECK(printed(std::setw(5), waits(0)) == "  90s");
}

TEST_CASE("Elements that are times or strings are values where one is expected") {
    using namespace std::chrono_literals;
    using std::chrono::minutes;
    const auto times = pv::tensor({sys_seconds{0s}, sys_seconds{100min}});
    const pv::Tensor<sys_seconds> read_only = times;
    const auto expected = pv::time_range(sys_seconds{0s}, sys_seconds{100min}, 10min);
    CHECK(pv::equals(pv::time_range(times(0), times(-1), 10min), expected));
    CHECK(pv::equals(pv::time_range(read_only(0), times(-1), 10min), expected));
    CHECK(pv::between<minutes>(times(0), times(1)) == 100);
    CHECK(pv::between<minutes>(read_only(1), sys_seconds{0s}) == -100);
    CHECK(pv::between<minutes>(1h, 3h) == 120);
    CHECK(pv::between<std::chrono::months>(sys_days{sys_days::duration{0}}, read_only(1)) == 0);

    const auto names = pv::tensor({"a", "b"});
    auto name = +names(0);
    auto time = +times(0);
    static_assert(std::same_as<decltype(name), std::string>);
    static_assert(std::same_as<decltype(time), sys_seconds>);
    names(0) = "c";
    times(0) = times(1);
    CHECK(name == "a");
    CHECK(time == sys_seconds{0s});
}

TEST_CASE("Elements of a read-only tensor are not written") {
    const pv::Tensor<std::string> names = pv::tensor({"a", "b"});
    static_assert(std::same_as<decltype(names(0)), const std::string>);
    static_assert(std::same_as<decltype(*names.begin()), const std::string>);
    static_assert(std::random_access_iterator<decltype(names.begin())>);
    auto copy = names(0); // is no reference, and may be changed
    copy += "x";
    CHECK(copy == "ax");
    CHECK(std::string(names(0)) == "a");
    std::vector<std::string> list(names.begin(), names.end());
    std::ranges::copy(names, list.begin());
    CHECK(list == std::vector<std::string>{"a", "b"});
    CHECK(names(1) + "y" == "by");
}

TEST_CASE("A text that is refused is named with its index") {
    const auto texts = pv::tensor({"1", "2", "x3"});
    CHECK_THROWS_WITH(pv::to_vector(pv::parse<double>(texts)),
                      "parse: 'x3' is no float64, at index 2");
    CHECK_THROWS_WITH(pv::to_vector(texts | pv::trim | pv::parse<int>),
                      "parse: 'x3' is no int32, at index 2");
    CHECK_THROWS_WITH(pv::to_vector(pv::parse<int>(pv::flip(texts, 0))),
                      "parse: 'x3' is no int32, at index 0");
    CHECK_THROWS_WITH(pv::to_vector(pv::parse<bool>(pv::tensor({{"1", "0"}, {"true", "y"}}))),
                      "parse: 'y' is no bool, at index [1 1]");
    CHECK_THROWS_WITH(pv::parse<bool>(pv::tensor({{"1", "0"}, {"true", "y"}}))(1, 1),
                      "parse: 'y' is no bool, at index [1 1]");
    CHECK_THROWS_WITH(pv::to_vector(pv::parse<int>(std::vector<std::string>(1000, "7.0"))),
                      "parse: '7.0' is no int32, at index 0");
    std::vector<std::string> many(1000, "7");
    many[901] = "";
    CHECK_THROWS_WITH(pv::to_vector(pv::parse<int>(many)), "parse: '' is no int32, at index 901");
    CHECK(pv::to_vector(pv::parse<int>(many)(pv::range(0, 2))) == std::vector<int>{7, 7});

    const auto times = pv::tensor({"2020-02-29", "2020-02-30"});
    CHECK_THROWS_AS(pv::to_vector(pv::parse_times<sys_days>(times)), pv::FormatError);
    CHECK_THROWS_WITH(pv::to_vector(pv::parse_times<sys_days>(times)),
                      Catch::Matchers::ContainsSubstring("2020-02-30") &&
                          Catch::Matchers::EndsWith(", at index 1"));
}

TEST_CASE("A text that is refused under dims is named with them") {
    const pv::Dim i("i");
    const pv::Dim j("j");
    const auto table = pv::tensor({{"1", "2", "3"}, {"4", "x5", "6"}});
    CHECK_THROWS_WITH(pv::to_vector(pv::parse<int>(table(i, j)) | pv::order(i, j)),
                      "parse: 'x5' is no int32, at i = 1, j = 1");
    CHECK_THROWS_WITH(pv::to_vector(pv::parse<int>(table(pv::all, j)) | pv::order(j)),
                      "parse: 'x5' is no int32, at j = 1, index 1");
    CHECK_THROWS_WITH(pv::sum(pv::parse<double>(table(i) | pv::trim), i),
                      "parse: 'x5' is no float64, at i = 1, index 1");
    CHECK(pv::sum(pv::parse<int>(table(0, j)), j).item() == 6);
    // Of an index that has no size yet, it is told when there is one.
    const pv::Dim k("k");
    const auto waits = pv::parse<int>(table(1, k + 1));
    k.set_size(2);
    CHECK_THROWS_WITH(pv::to_vector(waits | pv::order(k)), "parse: 'x5' is no int32, at k = 0");

    const auto times = pv::tensor({"2020-02-29", "2020-02-30"});
    CHECK_THROWS_WITH(pv::to_vector(pv::parse_times<sys_days>(times(i)) | pv::order(i)),
                      Catch::Matchers::ContainsSubstring("2020-02-30") &&
                          Catch::Matchers::EndsWith(", at i = 1"));
}

namespace {

/// What is known of elements at run time gives what it gives where the compiler knows their type.
template <typename T>
void check_known_at_run_time(const pv::Tensor<T>& x, const pv::Tensor<T>& y, const T& value) {
    const pv::AnyTensor a = x;
    const pv::AnyTensor b = y;
    const auto same = [](const pv::AnyTensor& found, const auto& expected) {
        using R = typename std::remove_cvref_t<decltype(expected)>::value_type;
        REQUIRE(found.shape() == expected.shape());
        CHECK(pv::to_vector(found.as<R>()) == pv::to_vector(expected));
    };
    same(a == b, x == y);
    same(a != y, x != y);
    same(x < b, x < y);
    same(a <= b, x <= y);
    same(a > b, x > y);
    same(a >= b, x >= y);
    same(a == value, x == value);
    same(a < value, x < value);
    same(value <= a, value <= x);
    same(value != a, value != x);

    same(pv::sort(a), pv::sort(x));
    same(a | pv::sort(0, pv::descending), x | pv::sort(0, pv::descending));
    same(pv::argsort(a, 0), pv::argsort(x, 0));
    same(pv::unique(a), pv::unique(x));
    const auto all = pv::unique_all(a);
    const auto expected = pv::unique_all(x);
    same(all.values, expected.values);
    CHECK(pv::to_vector(all.inverse) == pv::to_vector(expected.inverse));
    CHECK(pv::to_vector(all.counts) == pv::to_vector(expected.counts));
    same(pv::isin(a, y), pv::isin(x, y));
    for (const index_t axis : {0, 1}) {
        same(pv::min(a, axis), pv::min(x, axis));
        same(pv::max(a, axis), pv::max(x, axis));
        same(pv::argmin(a, axis), pv::argmin(x, axis));
        same(pv::argmax(a, axis), pv::argmax(x, axis));
    }
    CHECK(pv::min(a).template as<T>().item() == pv::min(x));
    CHECK(pv::sort(a).dtype() == a.dtype());
    CHECK(std::ranges::equal(pv::sort(a | pv::reshape({-1})).template as<T>(),
                             pv::sort(x | pv::reshape({-1}))));
}

} // namespace

TEST_CASE("Strings and times known at run time are compared, ordered and looked for") {
    std::mt19937_64 engine(11);
    const auto number = [&] { return static_cast<int>(engine() % 5) - 2; };
    for (int round = 0; round < 20; ++round) {
        const pv::Shape shape{number() + 3, number() + 3};
        const auto check = [&]<typename Make>(Make element) {
            using T = std::invoke_result_t<Make>;
            const auto made = [&] {
                std::vector<T> values(static_cast<std::size_t>(shape[0] * shape[1]));
                for (T& value : values) value = element();
                return pv::Tensor<T>(pv::reshape(pv::tensor(values), shape));
            };
            check_known_at_run_time<T>(made(), made(), element());
        };
        check([&] { return std::string(static_cast<std::size_t>(number() + 2), 'x'); });
        check([&] { return sys_days(std::chrono::days(number())); });
        check([&] { return std::chrono::nanoseconds(number()); });
        check([&] { return std::chrono::duration<std::int32_t>(number()); });
    }
    const pv::AnyTensor cities = pv::tensor({"Rome", "Bonn", "Rome"});
    const pv::AnyTensor sales = pv::tensor({1., 2., 4.});
    CHECK(double(pv::sum(sales(cities == "Rome"))) == 5);
    CHECK(double(pv::sum(sales(std::string_view("Bonn") != cities))) == 5);
    CHECK(pv::to_vector(pv::isin(cities, {"Bonn", "Oslo"})) == std::vector{false, true, false});
    const pv::AnyTensor dates = pv::tensor(std::vector{sys_days(std::chrono::days(1))});
    const auto in_memory = pv::sort(dates).as<sys_days>();
    CHECK(pv::as_span(in_memory)[0] == sys_days(std::chrono::days(1)));
    CHECK(pv::to_vector(pv::clone(dates).as<sys_days>()) == pv::to_vector(dates.as<sys_days>()));
    CHECK(pv::to_vector(pv::clone(cities(pv::range(1, 3))).as<std::string>()) ==
          std::vector<std::string>{"Bonn", "Rome"});
    CHECK_THROWS_AS(cities == 1, pv::DtypeError);
    CHECK_THROWS_AS(cities == dates, pv::DtypeError);
    CHECK_THROWS_AS(sales == "1", pv::DtypeError);
    CHECK_THROWS_AS(sales + "1", pv::DtypeError);
    CHECK_THROWS_AS(cities + cities, pv::DtypeError);
    CHECK_THROWS_AS(dates < std::chrono::days(1), pv::DtypeError);
}

} // namespace texts_and_times_test
