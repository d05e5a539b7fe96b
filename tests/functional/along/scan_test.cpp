#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/along/ewma.hpp>
#include <purview/functional/along/scan.hpp>
#include <purview/functional/along/scans.hpp>
#include <purview/functional/assembly/sparse.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/named/reduce_dims.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace scan_test {

namespace {

namespace pv = purview;
using Doubles = std::vector<double>;
using Strings = std::vector<std::string>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

void check_close(const pv::Tensor<double>& found, const Doubles& expected) {
    const Doubles values = pv::to_vector(found);
    REQUIRE(values.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double f = values[i];
        INFO(i << ": " << f << " and " << expected[i]);
        CHECK((std::isnan(expected[i]) ? std::isnan(f) : std::abs(f - expected[i]) < 1e-14));
    }
}

} // namespace

TEST_CASE("scan: itertools.accumulate and numpy.cumsum") {
    const auto x = pv::tensor({1., 2., 3., 4.});
    const auto halved = [](double sum, double each) { return sum / 2 + each; };
    CHECK(pv::to_vector(pv::scan(x, halved, 0.)) == Doubles{1, 2.5, 4.25, 6.125});
    CHECK(pv::to_vector(x | pv::scan(halved, 8.)) == Doubles{5, 4.5, 5.25, 6.625});
    // The type is what the function returns.
    CHECK(pv::to_vector(pv::scan(x, halved, 0)) == Doubles{1, 2.5, 4.25, 6.125});
    const auto m = pv::tensor({{1, 2, 3}, {4, 5, 6}});
    CHECK(pv::to_vector(pv::scan(m, std::plus<>(), 0)) == std::vector<int>{1, 3, 6, 4, 9, 15});
    CHECK(pv::to_vector(pv::scan(m, std::plus<>(), 0, 0)) == std::vector<int>{1, 2, 3, 5, 7, 9});
    CHECK(pv::to_vector(m | pv::scan(std::plus<>(), 0.5, 0)) ==
          Doubles{1.5, 2.5, 3.5, 5.5, 7.5, 9.5});
    CHECK(pv::to_vector(pv::scan(m + m, std::plus<>(), 0, 1)) ==
          std::vector<int>{2, 6, 12, 8, 18, 30});
    CHECK(pv::to_vector(pv::scan(Doubles{1, 2}, std::multiplies<>(), 3.)) == Doubles{3, 6});
    CHECK(pv::scan(pv::zeros({2, 0}), std::plus<>(), 0.).shape() == pv::Shape{2, 0});
}

TEST_CASE("scan of other elements, of other results, over dims") {
    const auto words = pv::tensor({"a", "b", "c"});
    CHECK(pv::to_vector(pv::scan(words, std::plus<>(), std::string("-"))) ==
          Strings{"-a", "-ab", "-abc"});
    const auto longest = [](std::size_t most, const std::string& word) {
        return std::max(most, word.size());
    };
    CHECK(pv::to_vector(pv::scan(pv::tensor({"a", "bcd", "ef"}), longest, std::size_t{0})) ==
          std::vector<std::uint64_t>{1, 3, 3});
    const auto any = [](bool so_far, int each) { return so_far || each > 2; };
    CHECK(pv::to_vector(pv::scan(pv::tensor({1, 3, 0}), any, false)) ==
          std::vector<bool>{false, true, true});
    const pv::Dim i("i");
    const pv::Dim j("j");
    const auto m = pv::tensor({{1, 2, 3}, {4, 5, 6}});
    CHECK(pv::to_vector(pv::scan(m(i, j), std::plus<>(), 0, i) | pv::order(i, j)) ==
          std::vector<int>{1, 2, 3, 5, 7, 9});
    CHECK_THROWS_AS(pv::scan(m, std::plus<>(), 0, 2), pv::IndexError);
    CHECK_THROWS_AS(pv::scan(pv::to_sparse(m), std::plus<>(), 0), pv::KindError);
}

TEST_CASE("ewma: pandas Series.ewm(…).mean()") {
    // pandas 3: s = Series([1, nan, 3, 2, nan, nan, 5]), s.ewm(…).mean()
    const auto x = pv::tensor({1., kNaN, 3., 2., kNaN, kNaN, 5.});
    check_close(pv::ewma(x, {.alpha = 0.5}), {1.0, 1.0, 2.6, 2.230769230769231, 2.230769230769231,
                                              2.230769230769231, 4.532467532467533});
    check_close(pv::ewma(x, {.span = 4, .adjust = false}),
                {1.0, 1.0, 2.0526315789473686, 2.031578947368421, 2.031578947368421,
                 2.031578947368421, 3.959125085440875});
    check_close(pv::ewma(x, {.halflife = 2, .ignore_na = true}),
                {1.0, 1.0, 2.17157287525381, 2.0938363213560547, 2.0938363213560547,
                 2.0938363213560547, 3.2287638336717466});
    check_close(pv::ewma(x, {.com = 1.5, .adjust = false, .ignore_na = true}),
                {1.0, 1.0, 1.8000000000000003, 1.8800000000000001, 1.8800000000000001,
                 1.8800000000000001, 3.128});
    check_close(x | pv::ewma({.span = 1}), {1, 1, 3, 2, 2, 2, 5});
    check_close(pv::ewma(pv::tensor({kNaN, kNaN, 7., 9.}), {.alpha = 0.25}),
                {kNaN, kNaN, 7.0, 8.142857142857142});
    check_close(pv::ewma(pv::tensor({0.1, 0.1, 0.1}), {.span = 3}), {0.1, 0.1, 0.1});
    const double inf = std::numeric_limits<double>::infinity();
    check_close(pv::ewma(pv::tensor({-inf, 1., inf}), {.alpha = 1.}), {kNaN, 1., 1.});
}

TEST_CASE("ewma along axes and dims, of integers, float32, at run time, and what it refuses") {
    const auto m = pv::tensor({{1, 2, 3}, {5, 6, 7}});
    check_close(pv::ewma(m, {.alpha = 0.5, .adjust = false}, 0), {1, 2, 3, 3, 4, 5});
    check_close(m | pv::ewma({.alpha = 0.5, .adjust = false}), {1, 1.5, 2.25, 5, 5.5, 6.25});
    const pv::Dim i("i");
    const pv::Dim j("j");
    check_close(pv::ewma(m(i, j), {.alpha = 0.5, .adjust = false}, i) | pv::order(i, j),
                {1, 2, 3, 3, 4, 5});
    check_close(pv::ewma(pv::AnyTensor(m), {.alpha = 0.5, .adjust = false}).as<double>(),
                {1, 1.5, 2.25, 5, 5.5, 6.25});
    CHECK(pv::to_vector(pv::ewma(pv::tensor({1.f, 2.f}), {.alpha = 0.5, .adjust = false})) ==
          std::vector<float>{1, 1.5});
    CHECK(pv::ewma(pv::zeros({0}), {.span = 3}).size() == 0);
    for (const pv::EwmaOptions& wrong :
         {pv::EwmaOptions{}, pv::EwmaOptions{.alpha = 0.5, .span = 2}, pv::EwmaOptions{.alpha = 0},
          pv::EwmaOptions{.alpha = 1.5}, pv::EwmaOptions{.span = 0.5},
          pv::EwmaOptions{.halflife = 0}, pv::EwmaOptions{.com = -1},
          pv::EwmaOptions{.alpha = kNaN}})
        CHECK_THROWS_AS(pv::ewma(m, wrong), pv::Error);
    CHECK_THROWS_AS(pv::ewma(pv::AnyTensor(pv::tensor({"a"})), {.span = 3}), pv::DtypeError);
}

} // namespace scan_test
