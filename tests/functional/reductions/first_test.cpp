#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/along/rolling_window.hpp>
#include <purview/functional/along/window_ranges.hpp>
#include <purview/functional/assembly/sparse.hpp>
#include <purview/functional/elementwise/not_a_time.hpp>
#include <purview/functional/reductions/distance.hpp>
#include <purview/functional/reductions/first.hpp>
#include <purview/functional/statistics/group_by.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/named/reduce_dims.hpp>

#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

namespace first_test {

namespace {

namespace pv = purview;
using Doubles = std::vector<double>;
using Strings = std::vector<std::string>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Equal, NaN to NaN.
void check_same(const pv::Tensor<double>& found, const Doubles& expected) {
    REQUIRE(found.size() == std::ssize(expected));
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double f = found(static_cast<pv::index_t>(i));
        INFO(i << ": " << f << " and " << expected[i]);
        CHECK((f == expected[i] || (std::isnan(f) && std::isnan(expected[i]))));
    }
}

} // namespace

TEST_CASE("first and last over axes, dims and everything") {
    const auto m = pv::tensor({{1, 2, 3}, {4, 5, 6}});
    CHECK(pv::first(m) == 1);
    CHECK(pv::last(m) == 6);
    CHECK(pv::to_vector(pv::first(m, 0)) == std::vector<int>{1, 2, 3});
    CHECK(pv::to_vector(m | pv::last(1)) == std::vector<int>{3, 6});
    CHECK(pv::first(m, {0, 1}, pv::keep_dims).shape() == pv::Shape{1, 1});
    CHECK(pv::to_vector(pv::last(pv::transpose(m), 0)) == std::vector<int>{3, 6});
    const pv::Dim i("i");
    const pv::Dim j("j");
    CHECK(pv::to_vector(m(i, j) | pv::last(i) | pv::order(j)) == std::vector<int>{4, 5, 6});
    CHECK(pv::first(pv::AnyTensor(m)).item<int>() == 1);
    CHECK(pv::first(pv::tensor({"b", "a"})) == "b");
    CHECK(pv::to_vector(pv::last(pv::tensor({{"b", "a"}, {"c", "d"}}), 1)) == Strings{"a", "d"});
    const pv::AnyTensor words(pv::tensor({{"b", "a"}, {"c", "d"}}));
    CHECK(pv::to_vector(pv::last(words, 0).as<std::string>()) == Strings{"c", "d"});
    CHECK(pv::last(std::vector<bool>{true, false}) == false);
    CHECK_THROWS_AS(pv::first(pv::zeros({0})), pv::ShapeError);
    CHECK_THROWS_AS(pv::last(pv::zeros({2, 0}), 1), pv::ShapeError);
    CHECK_THROWS_AS(pv::first(pv::to_sparse(m)), pv::KindError);
}

TEST_CASE("first and last leave NaN out: pandas Series.groupby(…).first()") {
    const auto m = pv::tensor({{kNaN, 2., 3.}, {4., 5., kNaN}, {kNaN, kNaN, kNaN}});
    check_same(pv::first(m, 1), {kNaN, 4, kNaN});
    check_same(pv::first(m, 1, pv::skip_nan), {2, 4, kNaN});
    check_same(pv::last(m, 1, pv::skip_nan), {3, 5, kNaN});
    check_same(pv::last(m, 0, pv::skip_nan), {4, 5, 3});
    CHECK(pv::first(m, pv::skip_nan) == 2);
    CHECK_THROWS_AS(pv::first(m, pv::throw_nan), pv::ArithmeticError);
    check_same(pv::first(pv::zeros({2, 0}), 1, pv::skip_nan), {kNaN, kNaN});
    using namespace std::chrono;
    const sys_seconds nat = pv::nat_value<sys_seconds>();
    const auto t = pv::tensor(std::vector{nat, sys_seconds(5s), sys_seconds(7s), nat});
    CHECK(pv::first(t) == nat);
    CHECK(pv::first(t, pv::skip_nan) == sys_seconds(5s));
    CHECK(pv::last(t, pv::skip_nan) == sys_seconds(7s));
    CHECK(pv::last(pv::AnyTensor(t), pv::skip_nan).item<sys_seconds>() == sys_seconds(7s));
}

TEST_CASE("first and last of groups: pandas DataFrame.groupby(…).agg(['first', 'last'])") {
    const auto keys = pv::tensor({2, 1, 2, 1, 3});
    const auto x = pv::tensor({kNaN, 1., 5., 3., kNaN});
    const auto [k, plain, known, end] =
        pv::group_by_reduce(keys, x, pv::first, pv::first(pv::skip_nan), pv::last);
    CHECK(pv::to_vector(k) == std::vector<int>{1, 2, 3});
    check_same(plain, {1, kNaN, kNaN});
    check_same(known, {1, 5, kNaN});
    check_same(end, {3, 5, kNaN});
    const auto words = pv::tensor({"a", "b", "c", "d", "e"});
    CHECK(pv::to_vector(std::get<1>(pv::group_by_reduce(keys, words, pv::last))) ==
          Strings{"d", "c", "e"});
    const auto any = std::get<1>(pv::group_by_reduce(keys, pv::AnyTensor(words), pv::first));
    CHECK(pv::to_vector(pv::AnyTensor(any).as<std::string>()) == Strings{"b", "a", "e"});
    using namespace std::chrono;
    const auto t = pv::tensor(std::vector{sys_days(1d / 1 / 2024), sys_days(2d / 1 / 2024),
                                          sys_days(3d / 1 / 2024), sys_days(4d / 1 / 2024),
                                          sys_days(5d / 1 / 2024)});
    CHECK(std::get<1>(pv::group_by_reduce(keys, t, pv::last))(0) == sys_days(4d / 1 / 2024));
    const auto times = std::get<1>(pv::group_by_reduce(keys, pv::AnyTensor(t), pv::first));
    CHECK(pv::AnyTensor(times).as<sys_days>()(1) == sys_days(1d / 1 / 2024));
}

TEST_CASE("first and last of windows: pandas rolling(…).first()") {
    const auto x = pv::tensor({kNaN, 1., 2., kNaN, kNaN, kNaN, 5.});
    const pv::RollingOptions trailing{.position = pv::WindowPosition::trailing};
    check_same(pv::fixed_rolling_window(x, 3, pv::first, trailing),
               {kNaN, kNaN, kNaN, 1, 2, kNaN, kNaN});
    check_same(pv::fixed_rolling_window(x, 3, pv::first(pv::skip_nan), trailing),
               {kNaN, 1, 1, 1, 2, kNaN, 5});
    check_same(pv::fixed_rolling_window(x, 3, pv::last(pv::skip_nan), trailing),
               {kNaN, 1, 2, 2, 2, kNaN, 5});
    check_same(pv::expanding_window(x, pv::last(pv::skip_nan)), {kNaN, 1, 2, 2, 2, 2, 5});
    check_same(pv::expanding_window(x, pv::first(pv::skip_nan)), {kNaN, 1, 1, 1, 1, 1, 1});
    check_same(pv::variable_rolling_window(x, pv::arange(7), 3, pv::first(pv::skip_nan)),
               {kNaN, 1, 1, 1, 2, kNaN, 5});
    check_same(
        pv::range_windows(x, pv::tensor({4, 0, 2}), pv::tensor({7, 2, 2}), pv::last(pv::skip_nan)),
        {5, 1, kNaN});
    CHECK(pv::to_vector(pv::range_windows(pv::tensor({1, 2, 3}), pv::tensor({1, 0}),
                                          pv::tensor({3, 2}), pv::first)) ==
          std::vector<int>{2, 1});
    CHECK_THROWS_AS(pv::range_windows(x, pv::tensor({1}), pv::tensor({1}), pv::first),
                    pv::ShapeError);
}

TEST_CASE("first and last of many groups, of every layout: NumPy's x[0], x[:, -1]") {
    const auto x = pv::clone(pv::reshape(pv::arange(pv::index_t{210}), {2, 3, 5, 7}));
    const auto views = std::vector<pv::Tensor<pv::index_t>>{
        x, pv::flip(x, 1), pv::clone(pv::transpose(x)), pv::transpose(x),
        pv::broadcast(pv::clone(x(0, pv::ellipsis)), {4, 3, 5, 7})};
    for (const auto& view : views) {
        CHECK(pv::equals(pv::first(view, 0), view(0, pv::ellipsis)));
        CHECK(pv::equals(pv::last(view, 1), view(pv::all, -1, pv::ellipsis)));
        CHECK(pv::equals(pv::last(view, -1), view(pv::ellipsis, -1)));
        CHECK(pv::equals(pv::first(view, {1, 3}), view(pv::all, 0, pv::all, 0)));
        CHECK(pv::equals(pv::last(view, {3, 1}), view(pv::all, -1, pv::all, -1)));
        CHECK(pv::equals(pv::last(view + 1, 2), view(pv::all, pv::all, -1, pv::ellipsis) + 1));
        CHECK(pv::last(view) == view(-1, -1, -1, -1));
    }
    const auto times = pv::tensor({{std::chrono::seconds(3), std::chrono::seconds(1)},
                                   {std::chrono::seconds(2), std::chrono::seconds(9)}});
    CHECK(pv::to_vector(pv::last(times, 0)) ==
          std::vector<std::chrono::seconds>{std::chrono::seconds(2), std::chrono::seconds(9)});
    CHECK(pv::to_vector(pv::first(pv::zeros({0, 3}), 1)).empty());
    check_same(pv::last(pv::tensor({{kNaN, 2.}, {3., kNaN}, {kNaN, kNaN}}), 1, pv::skip_nan),
               {2, 3, kNaN});
    check_same(pv::first(pv::tensor({{kNaN, 2.}, {3., kNaN}, {4., 5.}}), 0, pv::skip_nan), {3, 2});
}

} // namespace first_test
