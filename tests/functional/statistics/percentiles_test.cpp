#include <support/catch.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/functional/along/rolling_window.hpp>
#include <purview/functional/elementwise/emap.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/functional/statistics/percentiles.hpp>
#include <purview/named/dim_tensor.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/named/reduce_dims.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

namespace percentiles_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::Coordinates;
using oracle::index_t;
using oracle::Random;
using pv::QuantileMethod;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// By sorting.
template <typename T>
double naive_quantile(const std::vector<T>& values, double q) {
    std::vector<double> part(values.begin(), values.end());
    std::ranges::sort(part);
    const double place = static_cast<double>(part.size() - 1) * q;
    const auto low = static_cast<std::size_t>(place);
    const std::size_t high = std::min(low + 1, part.size() - 1);
    const double share = place - std::floor(place);
    return part[low] * (1 - share) + part[high] * share;
}

/// The elements to reduce for each result.
oracle::Oracle<std::vector<double>> parts_of(const oracle::Oracle<double>& x,
                                             const Coordinates& axes) {
    using Part = std::vector<double>;
    return oracle::fold<Part>(x, axes, false, Part{}, [](Part part, double value) {
        part.push_back(value);
        return part;
    });
}

std::vector<double> elements_of(const pv::AnyTensor& x) {
    return pv::to_vector(pv::cast<double>(x));
}

} // namespace

TEST_CASE("percentiles by each of NumPy's methods") {
    using enum QuantileMethod;
    const auto x = pv::tensor({3.5, -1.0, 7.0, 2.0, 2.0, 9.0, 0.25, 11.0});
    struct Row {
        QuantileMethod method;
        std::vector<double>
            expected; // numpy.percentile(x, [0, 10, 25, 37.5, 50, 62.5, 90, 100], method=…)
    };
    const Row rows[] = {
        {inverted_cdf, {-1, -1, 0.25, 2, 2, 3.5, 11, 11}},
        {averaged_inverted_cdf, {-1, -1, 1.125, 2, 2.75, 5.25, 11, 11}},
        {closest_observation, {-1, -1, 0.25, 2, 2, 3.5, 9, 11}},
        {interpolated_inverted_cdf, {-1, -1, 0.25, 2, 2, 3.5, 9.4, 11}},
        {hazen, {-1, -0.625, 1.125, 2, 2.75, 5.25, 10.4, 11}},
        {weibull, {-1, -1, 0.6875, 2, 2.75, 5.6875, 11, 11}},
        {linear, {-1, -0.125, 1.5625, 2, 2.75, 4.8125, 9.6, 11}},
        {median_unbiased,
         {-1, -0.7916666666666665, 0.9791666666666664, 2, 2.75, 5.395833333333334,
          10.666666666666668, 11}},
        {normal_unbiased, {-1, -0.75, 1.015625, 2, 2.75, 5.359375, 10.6, 11}},
        {lower, {-1, -1, 0.25, 2, 2, 3.5, 9, 11}},
        {higher, {-1, 0.25, 2, 2, 3.5, 7, 11, 11}},
        {midpoint, {-1, -0.375, 1.125, 2, 2.75, 5.25, 10, 11}},
        {nearest, {-1, 0.25, 2, 2, 3.5, 3.5, 9, 11}},
    };
    for (const Row& row : rows) {
        const auto found =
            pv::to_vector(pv::percentile(x, {0, 10, 25, 37.5, 50, 62.5, 90, 100}, row.method));
        for (std::size_t i = 0; i < found.size(); ++i) {
            INFO(static_cast<int>(row.method) << " " << i);
            CHECK(found[i] == Catch::Approx(row.expected[i]).epsilon(1e-14).margin(1e-15));
        }
        CHECK(pv::percentile(x, 90, row.method) == found[6]);
    }
    CHECK(pv::quantile(x, 0.9) == pv::percentile(x, 90));
    CHECK(pv::to_vector(pv::quartiles(x)) == std::vector<double>{-1, 1.5625, 2.75, 7.5, 11});
    // Of two elements as close, Hyndman and Fan take that of even rank.
    const auto four = pv::tensor({10.0, 20.0, 30.0, 40.0});
    CHECK(pv::quantile(four, 0.375, closest_observation) == 20); // 4 * 0.375 = 1.5
    CHECK(pv::quantile(four, 0.625, closest_observation) == 20); // 2.5
    CHECK(pv::quantile(four, 0.875, closest_observation) == 40); // 3.5
}

TEMPLATE_TEST_CASE("medians and percentiles over any axes of any layout", "", bool, std::int8_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint64_t, float, double) {
    using T = TestType;
    // The entry points of two types are tested, and all others at run time.
    using X = std::conditional_t<std::same_as<T, double> || std::same_as<T, std::int32_t>,
                                 pv::Tensor<T>, pv::AnyTensor>;
    for (unsigned seed = 0; seed < oracle::rounds(80U); ++seed) {
        Random random(seed);
        const auto x = oracle::random_layout<T>(random);
        const Coordinates axes = oracle::random_axes(random, x.naive.rank());
        INFO("seed " << seed << " " << x.name << " over " << oracle::text(axes));
        const auto parts = parts_of(
            oracle::map(x.naive, [](T value) { return static_cast<double>(value); }), axes);
        const X real(x.real.operand());
        const double p = static_cast<double>(random.between(0, 100));
        const auto medians = elements_of(pv::median(real, axes));
        const pv::AnyTensor lists = pv::percentile(real, {p, 25.0}, axes);
        const auto found = elements_of(lists(0, pv::ellipsis));
        REQUIRE(lists.extent(0) == 2);
        REQUIRE(medians.size() == parts.values.size());
        std::size_t wrong = 0;
        const double margin = std::same_as<T, float> ? 2e-6 : 1e-12;
        for (std::size_t i = 0; i < medians.size(); ++i) {
            const auto off = [&](double value, double q) {
                return !(std::abs(value - naive_quantile(parts.values[i], q)) <= margin * 100);
            };
            wrong += off(medians[i], 0.5) + off(found[i], p / 100);
        }
        CHECK(wrong == 0);
    }
}

TEMPLATE_TEST_CASE("ranks in large memory, whatever it holds", "", std::int16_t, std::uint64_t,
                   float, double) {
    using T = TestType;
    constexpr index_t kCount = UNDER_A_SANITIZER ? 70'003 : 200'003;
    Random random(11);
    const auto check = [&](const char* name, auto make) {
        std::vector<T> values;
        for (index_t i = 0; i < kCount; ++i) values.push_back(static_cast<T>(make(i)));
        const auto x = pv::tensor(std::vector<T>(values));
        std::ranges::sort(values);
        const auto at = [&](double q) {
            return static_cast<double>(values[static_cast<std::size_t>(q * (kCount - 1) + 0.5)]);
        };
        INFO(name);
        const double shares[] = {0, 0.00001, 0.1, 0.25, 0.5, 0.9, 0.99999, 1};
        for (const double q : shares) CHECK(pv::quantile(x, q, QuantileMethod::nearest) == at(q));
        const auto all = pv::quantile(x, {0, 0.1, 0.25, 0.5, 0.9, 1}, QuantileMethod::nearest);
        CHECK(all(1) == at(0.1));
        CHECK(all(3) == at(0.5));
        CHECK(all(5) == at(1));
        std::vector<double> many;
        for (int i = 0; i <= 100; ++i) many.push_back(i);
        const auto hundred = pv::percentile(x, many, QuantileMethod::nearest);
        CHECK(hundred(37) == at(0.37));
        CHECK(pv::median(x) == at(0.5));
        CHECK(pv::median(x + T{0}) == at(0.5));
    };
    check("random", [&](index_t) { return random.between(0, 30'000); });
    check("constant", [](index_t) { return 7; });
    check("ascending", [](index_t i) { return i / 8; });
    check("two values", [](index_t i) { return i % 3 == 0 ? 1 : 2; });
    check("mostly one", [&](index_t i) { return i % 100 == 0 ? random.between(0, 9000) : 50; });
    check("period", [](index_t i) { return i % 4096; });
}

TEST_CASE("percentiles of nothing, one, NaN and infinities") {
    CHECK(std::isnan(pv::median(pv::zeros({0}))));
    CHECK(std::isnan(pv::percentile(pv::zeros({0, 2}), 50, 0)(1)));
    CHECK(pv::median(pv::zeros({0, 2}), 1).shape() == pv::Shape{0});
    CHECK(pv::median(pv::full<double>({}, 3.0)) == 3);
    CHECK(pv::percentile(pv::tensor({3}), 17) == 3);
    CHECK(std::isnan(pv::median(pv::tensor({1.0, kNaN, 2.0}))));
    auto x = pv::clone(pv::arange(100'000.0));
    CHECK(pv::median(x) == 49'999.5);
    x(99'999) = kNaN;
    CHECK(std::isnan(pv::median(x)));
    const auto rows = pv::tensor({{1.0, kNaN, 2.0}, {5.0, 3.0, 4.0}});
    CHECK(std::isnan(pv::median(rows, 1)(0)));
    CHECK(pv::median(rows, 1)(1) == 4);
    const auto wide = pv::tensor({-kInfinity, 1.0, 2.0, kInfinity, kInfinity});
    CHECK(pv::percentile(wide, 50) == 2);
    CHECK(pv::percentile(wide, 0) == -kInfinity);
    CHECK(pv::percentile(wide, 90) == kInfinity);
    CHECK(pv::percentile(wide, 60) == kInfinity);
    auto far = pv::clone(pv::where(pv::arange(90'001.0) < 45'000.0, -kInfinity, kInfinity));
    CHECK(pv::median(far) == kInfinity);
    CHECK(pv::quantile(far, 0.2) == -kInfinity);
    CHECK(pv::median(pv::tensor({-0.0, 0.0})) == 0);
    CHECK(pv::median(pv::tensor<std::int64_t>({INT64_MIN, INT64_MAX})) == 0);
    CHECK(pv::median(pv::tensor<std::int64_t>({INT64_MIN, INT64_MIN, INT64_MAX})) ==
          static_cast<double>(INT64_MIN));
}

TEST_CASE("percentiles: shapes, types, stages, dims, errors") {
    const auto x = pv::reshape(pv::arange(24.0), {2, 3, 4});
    CHECK(pv::percentile(x, {25, 50}, 1).shape() == pv::Shape{2, 2, 4});
    CHECK(pv::percentile(x, {25, 50}, 0, 2).shape() == pv::Shape{2, 3});
    CHECK(pv::percentile(x, {25, 50}, 1, pv::keep_dims).shape() == pv::Shape{2, 2, 1, 4});
    CHECK(pv::percentile(x, 50, pv::Axes{0, 2})(1) == pv::median(x(pv::all, 1, pv::all)));
    CHECK(pv::median(x, {0, 1}, pv::keep_dims).shape() == pv::Shape{1, 1, 4});
    CHECK(pv::percentile(x, {25, 50}, 1)(1, 1, 2) == 18);
    CHECK((x | pv::median) == 11.5);
    CHECK((x | pv::median(2))(1, 1) == 17.5);
    CHECK((x | pv::percentile(50)) == 11.5);
    CHECK((x | pv::percentile(50, 2))(1, 1) == 17.5);
    CHECK((x | pv::percentile({50, 100}))(1) == 23);
    CHECK((x | pv::quartiles)(2) == 11.5);
    CHECK(pv::quartiles(x, 0).shape() == pv::Shape{5, 3, 4});
    STATIC_REQUIRE(std::same_as<decltype(pv::median(pv::zeros<float>({1}))), float>);
    STATIC_REQUIRE(std::same_as<decltype(pv::median(pv::zeros<int>({1}))), double>);
    CHECK(pv::median(pv::AnyTensor(x)).item<double>() == 11.5);
    CHECK(pv::median(pv::AnyTensor(pv::zeros<float>({3}))).dtype() == pv::float32);
    CHECK(pv::percentile(pv::AnyTensor(x), {0, 50}, 0).shape() == pv::Shape{2, 3, 4});
    const auto [i, j] = pv::dims("i", "j");
    const pv::Tensor<double> by_row = pv::median(x(i, j, pv::all)) | pv::order(i, j);
    CHECK(pv::to_vector(by_row) == pv::to_vector(pv::median(x, 2)));
    const pv::Tensor<double> over_i = pv::median(x(i, pv::ellipsis), i);
    CHECK(pv::to_vector(over_i) == pv::to_vector(pv::median(x, 0)));
    const pv::Tensor<double> listed =
        pv::percentile(x(i, pv::ellipsis), {10, 20}, -1) | pv::order(i);
    CHECK(listed.shape() == pv::Shape{2, 2, 3});
    CHECK(listed(1, 0, 2) == pv::percentile(x, 10, -1)(1, 2));
    CHECK_THROWS_WITH(pv::percentile(x, 101),
                      ContainsSubstring("percentile") && ContainsSubstring("101"));
    CHECK_THROWS_WITH(pv::quantile(x, -0.5),
                      ContainsSubstring("quantile") && ContainsSubstring("-0.5"));
    CHECK_THROWS_AS(pv::quantile(x, kNaN), pv::Error);
    CHECK_THROWS_AS(pv::median(x, 3), pv::IndexError);
    CHECK_THROWS_AS(pv::median(x, 1, 1), pv::IndexError);
    CHECK_THROWS_AS(pv::median(pv::AnyTensor(pv::tensor({"a"}))), pv::DtypeError);
}

TEST_CASE("outliers lie beyond the fences") {
    const auto x = pv::tensor({1.0, 2.0, 3.0, 4.0, 5.0, 100.0, -70.0});
    const pv::OutlierFences fences = pv::outlier_fences(x);
    CHECK(fences.lower == 1.5 - 1.5 * 3);
    CHECK(fences.upper == 4.5 + 1.5 * 3);
    CHECK(fences(100));
    CHECK_FALSE(fences(9));
    CHECK_FALSE(fences(kNaN));
    CHECK(pv::to_vector(pv::is_outlier(x)) ==
          std::vector<bool>{false, false, false, false, false, true, true});
    CHECK(pv::count_true(pv::is_outlier(x, 40.0)) == 0);
    CHECK(pv::count_true(pv::is_outlier(pv::tensor<float>({1, 2, 1, 2, 90}))) == 1);
    CHECK(pv::count_true(pv::is_outlier(pv::tensor({1, 2, 1, 2, 90}))) == 1);
    // Of float32 too, a fence lies between neighbours.
    const auto narrow = pv::tensor<float>({0.1f, 0.2f, 0.3f, 0.7f, 0.9f, 5.3f, 7.7f});
    for (const double element : {5.3f, 7.7f}) {
        const auto ends = pv::percentile(narrow, {25, 75});
        const auto upper = double(ends(1));
        const double factor = (element * (1 - 1e-12) - upper) / (upper - double(ends(0)));
        const pv::OutlierFences between = pv::outlier_fences(narrow, factor);
        const auto outside = pv::is_outlier(narrow, factor);
        for (index_t i = 0; i < 7; ++i) CHECK(bool(outside(i)) == between(double(narrow(i))));
        CHECK(pv::count_true(outside) >= (element > 7 ? 1 : 2));
    }
    CHECK(pv::count_true(pv::is_outlier(pv::tensor({1.0, kNaN, 90.0}))) == 0);
    CHECK(pv::is_outlier(pv::zeros({0})).size() == 0);
}

TEST_CASE("percentiles do not depend on the number of threads") {
    const auto x = pv::clone(pv::sin(pv::arange(2'000'000.0)));
    pv::set_threads(1);
    const auto alone = pv::to_vector(pv::percentile(x, {1, 50, 99}));
    pv::set_threads(3);
    CHECK(pv::to_vector(pv::percentile(x, {1, 50, 99})) == alone);
    pv::set_threads(0);
}

TEMPLATE_TEST_CASE("A quantile that is zero is +0, with one thread and several", "", float,
                   double) {
    using T = TestType;
    // Which of equal elements a selection meets first depends on threads and moments.
    std::vector<T> numbers;
    std::uint32_t state = 7;
    for (int i = 0; i < 120'007; ++i) {
        state = state * 1664525 + 1013904223;
        const auto part = state >> 28;
        numbers.push_back(part < 4    ? T(-0.0)
                          : part < 8  ? T(0)
                          : part == 8 ? std::numeric_limits<T>::quiet_NaN()
                                      : static_cast<T>(state >> 16) * (part % 2 == 0 ? -1 : 1));
    }
    const pv::Tensor<T> x = pv::tensor(numbers);
    const auto is_positive_zero = [](auto value) { return value == 0 && !std::signbit(value); };
    for (const int threads : {1, 2, 0}) {
        pv::set_threads(threads);
        for (int round = 0; round < oracle::rounds(24); ++round) {
            REQUIRE(is_positive_zero(pv::median(x, pv::skip_nan)));
            REQUIRE(is_positive_zero(pv::quantile(x, {.1, .5}, pv::skip_nan)(1)));
        }
    }
    pv::set_threads(0);
    // Few elements, and windows of few and of many.
    CHECK(is_positive_zero(pv::median(pv::tensor({T(-0.0)}))));
    CHECK(is_positive_zero(pv::median(pv::tensor({T(-1), T(-0.0), T(0)}))));
    CHECK(is_positive_zero(pv::percentile(pv::tensor({T(0), T(-0.0)}), 100)));
    const auto zeros = pv::full({300}, T(-0.0));
    for (const pv::index_t width : {3, 200}) {
        const auto medians = pv::fixed_rolling_window(zeros, width, pv::median);
        CHECK(pv::all_of(pv::emap([](T m) { return m == 0 && !std::signbit(m); }, medians)));
    }
}

} // namespace percentiles_test
