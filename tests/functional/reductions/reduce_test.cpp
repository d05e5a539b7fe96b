#include <support/catch.hpp>
#include <support/expect_same.hpp>
#include <support/random_operation.hpp>
#include <support/random_view.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace reduce_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using S = pv::Shape;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

} // namespace

TEST_CASE("Without axes, keep_dims keeps all of them") {
    const auto x = pv::tensor({{1., 2., 3.}, {4., 5., 6.}});
    const auto total = pv::sum(x, pv::keep_dims);
    CHECK(total.shape() == pv::Shape{1, 1});
    CHECK(total(0, 0) == 21.);
    CHECK((x | pv::max(pv::keep_dims)).shape() == pv::Shape{1, 1});
    CHECK(pv::mean(pv::AnyTensor(x), pv::keep_dims).shape() == pv::Shape{1, 1});
    CHECK(pv::sum(x, pv::keep_dims, pv::skip_nan)(0, 0) == 21.);
}

TEST_CASE("reductions over axes agree with nested loops") {
    using namespace oracle;
    for (unsigned seed = 0; seed < oracle::rounds(3000U); ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        auto x = random_source<std::int32_t>(random, random.shape());
        for (index_t i = random.between(0, 3); i > 0; --i) {
            if (random.one_in(3))
                random_operation(random, x);
            else
                random_view(random, x.real, x.naive, x.name);
        }
        INFO(x.name);
        Coordinates axes;
        for (const index_t axis : random.permutation(x.naive.rank()))
            if (random.one_in(2)) axes.push_back(axis);
        INFO("over " << text(axes));
        Coordinates asked = axes;
        for (index_t& axis : asked)
            if (random.one_in(3)) axis -= static_cast<index_t>(x.naive.rank());
        const bool keep = random.one_in(2);
        const auto expected = fold<std::int64_t>(
            x.naive, axes, keep, 0, [](std::int64_t a, std::int32_t b) { return a + b; });
        expect_same(random, keep ? pv::sum(x.real, asked, pv::keep_dims) : pv::sum(x.real, asked),
                    expected);
        CHECK(pv::sum(x.real) ==
              std::accumulate(expected.values.begin(), expected.values.end(), std::int64_t{0}));
        const auto any =
            fold<std::int32_t>(x.naive, axes, keep, 0, [](std::int32_t a, std::int32_t b) {
                return a != 0 || b != 0 ? 1 : 0;
            });
        const auto found = pv::any_of(x.real, asked);
        CHECK(same_values(pv::to_vector(pv::cast<std::int32_t>(found)), any.values));
        if (x.naive.size() == 0) continue;
        const auto least =
            fold<std::int32_t>(x.naive, axes, keep, std::numeric_limits<std::int32_t>::max(),
                               [](std::int32_t a, std::int32_t b) { return std::min(a, b); });
        expect_same(random, keep ? pv::min(x.real, asked, pv::keep_dims) : pv::min(x.real, asked),
                    least);
        CHECK(pv::max(x.real) == *std::max_element(x.naive.values.begin(), x.naive.values.end()));
    }
}

TEST_CASE("sums and products of integers have 64 bits") {
    CHECK(pv::sum(pv::full<std::uint8_t>({1000}, std::uint8_t{255})) == 255'000U);
    STATIC_REQUIRE(std::same_as<decltype(pv::sum(pv::zeros<std::uint8_t>({1}))), std::uint64_t>);
    STATIC_REQUIRE(std::same_as<decltype(pv::sum(pv::zeros<std::int8_t>({1}))), std::int64_t>);
    STATIC_REQUIRE(std::same_as<decltype(pv::sum(pv::zeros<bool>({1}))), std::int64_t>);
    STATIC_REQUIRE(std::same_as<decltype(pv::product(pv::zeros<std::int16_t>({1}))), std::int64_t>);
    STATIC_REQUIRE(std::same_as<decltype(pv::sum(pv::zeros<float>({1}))), float>);
    STATIC_REQUIRE(std::same_as<decltype(pv::min(pv::zeros<std::int8_t>({1}))), std::int8_t>);
    CHECK(pv::sum(pv::full<std::int32_t>({3}, std::numeric_limits<std::int32_t>::max())) ==
          3 * std::int64_t{std::numeric_limits<std::int32_t>::max()});
    CHECK(pv::product(pv::full<std::int32_t>({2}, 1 << 20)) == std::int64_t{1} << 40);
    CHECK(pv::sum(pv::full<std::int64_t>({2}, std::numeric_limits<std::int64_t>::max())) == -2);
    CHECK(pv::sum(pv::tensor({true, false, true})) == 2);
    CHECK(pv::sum(pv::arange(100) > 49) == 50);
}

TEST_CASE("means of integers are float64") {
    STATIC_REQUIRE(std::same_as<decltype(pv::mean(pv::zeros<std::uint8_t>({1}))), double>);
    STATIC_REQUIRE(std::same_as<decltype(pv::mean(pv::zeros<bool>({1}))), double>);
    STATIC_REQUIRE(std::same_as<decltype(pv::mean(pv::zeros<float>({1}))), float>);
    CHECK(pv::mean(pv::tensor<std::uint8_t>({255, 254})) == 254.5);
    CHECK(pv::mean(pv::tensor({true, false})) == 0.5);
    CHECK(pv::to_vector(pv::mean(pv::tensor({{1, 2}, {3, 5}}), {0})) ==
          std::vector<double>{2, 3.5});
    CHECK(pv::mean(pv::full<std::int64_t>({4}, std::numeric_limits<std::int64_t>::max())) ==
          Catch::Approx(0x1p63));
}

TEST_CASE("float sums are pairwise") {
    const auto tenths = pv::full<float>({10'000'000}, 0.1F);
    CHECK(std::abs(pv::mean(tenths) - 0.1F) < 1e-6F);
    CHECK(std::abs(pv::sum(tenths) / 1e6F - 1.0F) < 1e-6F);
    // The same over a stage of laziness and over views.
    CHECK(pv::sum(tenths * 1.0F) == pv::sum(tenths));
    CHECK(pv::sum(pv::const_tensor(0.1F, {10'000'000})) == pv::sum(tenths));
    CHECK(pv::sum(pv::reshape(tenths, {1000, 10'000})) == pv::sum(tenths));
}

TEST_CASE("reductions of nothing") {
    const auto none = pv::zeros({0, 3});
    CHECK(pv::sum(none) == 0.0);
    CHECK(pv::product(none) == 1.0);
    CHECK(std::isnan(pv::mean(none)));
    CHECK(pv::any_of(none) == false);
    CHECK(pv::all_of(none) == true);
    CHECK_THROWS_AS(pv::min(none), pv::ShapeError);
    CHECK_THROWS_AS(pv::max(none), pv::ShapeError);
    CHECK_THROWS_WITH(pv::max(none), ContainsSubstring("max") && ContainsSubstring("[0 3]"));
    CHECK_THROWS_AS(pv::max(none, {0}), pv::ShapeError);
    CHECK(pv::max(none, {1}).shape() == S{0});
    CHECK(pv::to_vector(pv::sum(none, {0})) == std::vector<double>{0, 0, 0});
    CHECK(pv::sum(none, {1}).shape() == S{0});
    CHECK(pv::sum(none, {1}, pv::keep_dims).shape() == S{0, 1});
    CHECK(pv::to_vector(pv::product(none, {0})) == std::vector<double>{1, 1, 1});
    CHECK(pv::sum(pv::tensor(std::vector<std::string>{})).empty());
    CHECK_THROWS_AS(pv::max(pv::tensor(std::vector<std::string>{})), pv::ShapeError);
    CHECK_THROWS_AS(pv::max(pv::AnyTensor(none)), pv::ShapeError);
}

TEST_CASE("NaN wins in min and max, wherever it stands") {
    for (pv::index_t n : {1, 7, 33, 1025, 5000})
        for (pv::index_t at : {pv::index_t{0}, n / 2, n - 1}) {
            auto x = pv::arange(static_cast<double>(n));
            x(at) = kNaN;
            CHECK(std::isnan(pv::min(x)));
            CHECK(std::isnan(pv::max(x)));
            CHECK(std::isnan(pv::max(pv::cast<float>(x))));
        }
    const double inf = std::numeric_limits<double>::infinity();
    CHECK(pv::max(pv::tensor({-inf, -inf})) == -inf);
    CHECK(pv::min(pv::tensor({inf})) == inf);
    CHECK(pv::max(pv::tensor<std::int8_t>({-128})) == -128);
}

TEST_CASE("rank 0 reduces to itself, and no axes reduce nothing") {
    const auto seven = pv::full<int>({}, 7);
    CHECK(pv::sum(seven) == 7);
    CHECK(pv::sum(seven, pv::AxisValues{}).rank() == 0);
    CHECK(pv::max(seven) == 7);
    const auto t = pv::tensor({{1, 2}, {3, 4}});
    CHECK(pv::to_vector(pv::sum(t, pv::AxisValues{})) == std::vector<std::int64_t>{1, 2, 3, 4});
}

TEST_CASE("axes out of range or named twice are errors") {
    const auto t = pv::zeros({2, 3});
    CHECK_THROWS_AS(pv::sum(t, {2}), pv::IndexError);
    CHECK_THROWS_AS(pv::sum(t, {-3}), pv::IndexError);
    CHECK_THROWS_AS(pv::sum(t, {0, 0}), pv::IndexError);
    CHECK_THROWS_AS(pv::sum(t, {1, -1}), pv::IndexError);
    CHECK_THROWS_WITH(pv::sum(t, {5}), ContainsSubstring("sum") && ContainsSubstring("5"));
}

TEST_CASE("reductions over axes are l-tensors in memory, and stages") {
    const auto t = pv::tensor({{1, 2}, {3, 4}});
    const pv::MutableTensor<std::int64_t> sums = pv::sum(t, {0});
    sums(0) = 100;
    CHECK(pv::to_vector(sums) == std::vector<std::int64_t>{100, 6});
    CHECK(pv::to_vector(t | pv::sum(0)) == std::vector<std::int64_t>{4, 6});
    CHECK(pv::to_vector(t | pv::sum({1})) == std::vector<std::int64_t>{3, 7});
    CHECK((t | pv::sum(-1, pv::keep_dims)).shape() == S{2, 1});
    CHECK((t | pv::sum) == 10);
    CHECK(pv::to_vector(pv::sum(t, 1)) == std::vector<std::int64_t>{3, 7});
    CHECK((t | pv::transpose | pv::max(0) | pv::sum) == 6);
    CHECK((t | pv::product) == 24);
    CHECK(((t > 1) | pv::all_of) == false);
    CHECK(pv::all_of(t));
}

TEST_CASE("reductions of a type known at run time") {
    const pv::AnyTensor any = pv::tensor<std::uint8_t>({{1, 2}, {3, 250}});
    CHECK(pv::sum(any).rank() == 0);
    CHECK(pv::sum(any).dtype() == pv::uint64);
    CHECK(pv::sum(any).item<std::uint64_t>() == 256);
    CHECK(pv::mean(any).item<double>() == 64.0);
    CHECK(pv::max(any, {0}).dtype() == pv::uint8);
    CHECK(pv::to_vector(pv::max(any, {0}).as<std::uint8_t>()) == std::vector<std::uint8_t>{3, 250});
    CHECK(pv::sum(any, {1}, pv::keep_dims).shape() == S{2, 1});
    CHECK(pv::any_of(any).item<bool>());
    CHECK((any | pv::sum(0)).shape() == S{2});
    CHECK_THROWS_AS(pv::sum(pv::AnyTensor(pv::tensor({"a"}))), pv::DtypeError);
    CHECK_THROWS_AS(pv::mean(pv::AnyTensor(pv::tensor({"a"}))), pv::DtypeError);
}

TEST_CASE("sums of computed tensors read each element once") {
    auto calls = std::make_shared<std::atomic<pv::index_t>>(0);
    const auto x = pv::tensor(pv::make_reader(100'000, [calls](pv::index_t i) {
        ++*calls;
        return static_cast<double>(i);
    }));
    CHECK(pv::sum(pv::sq(x - 1.0)) > 0);
    CHECK(*calls == 100'000);
}

} // namespace reduce_test
