#include <support/catch.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>

#include <purview/functional/applied/computation.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/functional/elementwise/comparison.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/reader/make_reader.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/literal.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace statistics_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::Coordinates;
using oracle::index_t;
using oracle::Random;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The index of the first extreme of each group, by a loop over the row-major order.
template <typename T>
std::vector<std::int64_t> naive_arg(const oracle::Oracle<T>& x, const Coordinates& axes,
                                    bool greatest) {
    struct Best {
        T value{};
        std::int64_t index = -1;
        std::int64_t seen = 0;
    };
    const auto best = oracle::fold<Best>(x, axes, false, Best{}, [&](Best b, T value) {
        const bool better = b.index < 0 || (greatest ? b.value < value : value < b.value);
        if (better) b = {value, b.seen, b.seen};
        ++b.seen;
        return b;
    });
    std::vector<std::int64_t> indexes;
    for (const Best& b : best.values) indexes.push_back(b.index);
    return indexes;
}

} // namespace

TEMPLATE_TEST_CASE("argmin, argmax and count over any axes of any layout", "", std::uint8_t,
                   std::int32_t, std::int64_t, float, double) {
    using T = TestType;
    for (unsigned seed = 0; seed < oracle::rounds(200U); ++seed) {
        Random random(seed);
        const auto x = oracle::random_layout<T>(random);
        Coordinates axes = oracle::random_axes(random, x.naive.rank());
        std::ranges::sort(axes);
        INFO("seed " << seed << " " << x.name << " over " << oracle::text(axes));
        CHECK(pv::to_vector(pv::argmin(x.real, axes)) == naive_arg(x.naive, axes, false));
        CHECK(pv::to_vector(pv::argmax(x.real, axes)) == naive_arg(x.naive, axes, true));
        Coordinates all;
        for (std::size_t axis = 0; axis < x.naive.rank(); ++axis)
            all.push_back(static_cast<index_t>(axis));
        CHECK(pv::argmin(x.real) == naive_arg(x.naive, all, false)[0]);
        CHECK(pv::argmax(x.real * T{1}) == naive_arg(x.naive, all, true)[0]);
        const auto counts = oracle::fold<std::int64_t>(
            x.naive, axes, false, 0, [](std::int64_t n, T value) { return n + (value > T{3}); });
        CHECK(pv::to_vector(pv::count_true(x.real > T{3}, axes)) == counts.values);
        std::int64_t non_zero = 0;
        for (const T value : x.naive.values) non_zero += value != T{0};
        CHECK(pv::count_true(x.real) == non_zero);
    }
}

TEMPLATE_TEST_CASE("variances over any axes of any layout", "", float, double) {
    using T = TestType;
    for (unsigned seed = 0; seed < oracle::rounds(200U); ++seed) {
        Random random(seed);
        auto x = oracle::random_layout<T>(random);
        const Coordinates axes = oracle::random_axes(random, x.naive.rank());
        INFO("seed " << seed << " " << x.name << " over " << oracle::text(axes));
        pv::Tensor<T> real = x.real;
        if (random.one_in(2)) {
            real = real * T{2} + T{100};
            for (T& value : x.naive.values) value = value * T{2} + T{100};
        }
        const auto add = [](long double a, T b) { return a + static_cast<long double>(b); };
        auto means = oracle::fold<long double>(x.naive, axes, false, 0.0L, add);
        const auto count = static_cast<long double>(x.naive.size()) /
                           static_cast<long double>(std::max<std::size_t>(means.values.size(), 1));
        const auto squares =
            oracle::fold<long double>(x.naive, axes, false, 0.0L, [](long double a, T b) {
                return a + static_cast<long double>(b) * b;
            });
        const std::vector<T> variances = pv::to_vector(pv::variance(real, axes));
        REQUIRE(variances.size() == means.values.size());
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < variances.size(); ++i) {
            const long double mean = means.values[i] / count;
            const long double expected = squares.values[i] / count - mean * mean;
            // The squares of what the mean is off by, and the rounding of the sum.
            const long double epsilon = std::numeric_limits<T>::epsilon();
            const long double bound = 200 * epsilon * (expected + 100 * epsilon * mean * mean);
            if (!(std::abs(static_cast<long double>(variances[i]) - expected) <=
                  bound + 1e-17L * mean * mean))
                ++wrong;
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("variances are as accurate as if the mean was known") {
    // 10^8 and more beside a variance of 1/4: the square of the mean would swallow it.
    const auto x = pv::tensor(
        pv::make_reader(1'000'003, [](index_t i) { return 1e9 + (i % 2 == 0 ? 0.5 : -0.5); }));
    CHECK(pv::variance(x) == Catch::Approx(0.25).epsilon(1e-9));
    CHECK(pv::variance(pv::clone(x)) == Catch::Approx(0.25).epsilon(1e-9));
    const auto drift = pv::arange(1'000'000.0);
    CHECK(pv::variance(drift) == Catch::Approx((1e12 - 1) / 12).epsilon(1e-13));
    CHECK(pv::standard_deviation(drift) ==
          Catch::Approx(std::sqrt((1e12 - 1) / 12)).epsilon(1e-13));
}

TEST_CASE("variances of a population and of a sample") {
    const auto x = pv::tensor<double>({{1, 2, 4}, {1, 1, 1}});
    CHECK(pv::variance(x, 1)(0) == Catch::Approx(14.0 / 9));
    CHECK(pv::variance(x, 1)(1) == 0);
    CHECK(pv::sample_variance(x, 1)(0) == Catch::Approx(7.0 / 3));
    // tech.datatype's golden case
    CHECK(pv::sample_variance(pv::tensor({15, 14, 13, 12, 11, 10, 9, 8, 7, 6})) == 55.0 / 6);
    CHECK(pv::standard_deviation(pv::tensor<int>({2, 4})) == 1.0);
    CHECK(pv::sample_standard_deviation(pv::tensor<int>({2, 4})) == Catch::Approx(std::sqrt(2.0)));
    CHECK(std::isnan(pv::sample_variance(pv::tensor({1.0}))));
    CHECK(pv::variance(pv::tensor({1.0})) == 0);
    CHECK(std::isnan(pv::variance(pv::zeros({0}))));
    CHECK(std::isnan(pv::variance(pv::zeros({0, 2}), 0)(1)));
    CHECK(std::isnan(pv::variance(pv::tensor({1.0, kNaN}))));
    CHECK(std::isnan(pv::variance(pv::tensor({1.0, std::numeric_limits<double>::infinity()}))));
    STATIC_REQUIRE(std::same_as<decltype(pv::variance(pv::zeros<std::uint8_t>({1}))), double>);
    STATIC_REQUIRE(std::same_as<decltype(pv::variance(pv::zeros<float>({1}))), float>);
    CHECK((x | pv::variance({1}, pv::keep_dims)).shape() == pv::Shape{2, 1});
    CHECK(pv::variance(pv::AnyTensor(x), {1}).dtype() == pv::float64);
}

TEST_CASE("the first extreme, and the first NaN, are found") {
    CHECK(pv::argmin(pv::tensor({3, 1, 2, 1})) == 1);
    CHECK(pv::argmax(pv::tensor({3, 1, 3})) == 0);
    CHECK(pv::argmax(pv::tensor({1.0, kNaN, 7.0, kNaN})) == 1);
    CHECK(pv::argmin(pv::tensor({-0.0, 0.0})) == 0);
    CHECK(pv::argmin(pv::tensor({0.0, -0.0})) == 0);
    CHECK(pv::argmax(pv::tensor({false, true, true})) == 1);
    CHECK(pv::argmin(pv::full<int>({}, 3)) == 0);
    CHECK(pv::argmax(pv::full<int>({10'000}, 3)) == 0);
    CHECK(pv::argmax(pv::full<int>({100, 100}, 3) | pv::transpose) == 0);
    const auto t = pv::tensor({{1.0, kNaN, 3.0}, {1.0, kNaN, 9.0}});
    CHECK(pv::to_vector(pv::argmax(t, 0)) == std::vector<std::int64_t>{0, 0, 1});
    CHECK(pv::to_vector(pv::argmax(t, 1)) == std::vector<std::int64_t>{1, 1});
    auto x = pv::arange(20'000.0);
    x(15'000) = kNaN;
    x(17'000) = kNaN;
    CHECK(pv::argmin(x) == 15'000);
    CHECK(pv::argmax(pv::reshape(x, {100, 200}) | pv::transpose) == 75);
    CHECK((pv::reshape(x, {2, 10'000}) | pv::argmax({1}, pv::keep_dims)).shape() ==
          pv::Shape{2, 1});
    CHECK_THROWS_AS(pv::argmin(pv::zeros({0})), pv::ShapeError);
    CHECK_THROWS_WITH(pv::argmax(pv::zeros({0, 3}), 0), ContainsSubstring("argmax"));
    CHECK(pv::argmax(pv::zeros({0, 3}), 1).shape() == pv::Shape{0});
    CHECK_THROWS_AS(pv::argmax(pv::AnyTensor(pv::tensor({std::complex(1., 2.)}))), pv::DtypeError);
    CHECK(pv::argmin(pv::AnyTensor(t), {0}).dtype() == pv::int64);
}

TEST_CASE("what is true is counted") {
    CHECK(pv::count_true(pv::tensor({true, false, true})) == 2);
    CHECK(pv::count_true(pv::arange(100'003) % 2 == 1) == 50'001);
    CHECK(pv::count_true(pv::arange(1003.0F) < 2.5F) == 3);
    CHECK(pv::count_true(pv::zeros({0, 2})) == 0);
    CHECK(pv::to_vector(pv::count_true(pv::zeros({0, 2}), 0)) == std::vector<std::int64_t>{0, 0});
    CHECK(pv::count_true(pv::tensor({0.0, -0.0, kNaN, 2.0})) == 2);
    CHECK(pv::to_vector(pv::tensor({{1, 0}, {1, 2}}) | pv::count_true(0)) ==
          std::vector<std::int64_t>{2, 1});
    CHECK(pv::count_true(pv::AnyTensor(pv::tensor({1, 0, 3}))).item<std::int64_t>() == 2);
}

TEST_CASE("sums keep the sign of zero in every layout") {
    CHECK(std::signbit(pv::sum(pv::full({5}, -0.0))));
    CHECK(std::signbit(pv::sum(pv::full({5000}, -0.0))));
    CHECK_FALSE(std::signbit(pv::sum(pv::zeros({0}))));
    CHECK(std::signbit(pv::sum(pv::full({300, 100}, -0.0), 0)(7)));
    CHECK(std::signbit(pv::sum(pv::full({300, 3}, -0.0), 1)(7)));
    CHECK(std::signbit(pv::sum(pv::full({30'000, 3}, -0.0), 0)(1)));
    CHECK_FALSE(std::signbit(pv::sum(pv::tensor({-0.0, 0.0}))));
}

TEST_CASE("variances and counts of symbols") {
    const auto x = pv::reshape(pv::arange(600.0), {20, 30});
    const auto over_everything =
        pv::computation([](auto s) { return pv::variance(s); }, pv::spec<double>({20, 30}));
    CHECK(over_everything(x) == Catch::Approx(pv::variance(x)));
    const auto over_rows =
        pv::computation([](auto s) { return pv::sample_standard_deviation(s, {1}, pv::keep_dims); },
                        pv::spec<double>({20, 30}));
    const auto rows = over_rows(x);
    CHECK(rows.shape() == pv::Shape{20, 1});
    CHECK(rows(3, 0) == Catch::Approx(pv::sample_standard_deviation(x, 1)(3)));
    const auto counts = pv::computation([](auto s) { return pv::count_true(s > 100.5, 0); },
                                        pv::spec<double>({20, 30}));
    CHECK(pv::to_vector(counts(x)) == pv::to_vector(pv::count_true(x > 100.5, 0)));
}

} // namespace statistics_test
