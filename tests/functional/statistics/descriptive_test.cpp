#include <support/catch.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/statistics/descriptive.hpp>
#include <purview/named/dim_tensor.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/named/reduce_dims.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace descriptive_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::Coordinates;
using oracle::index_t;
using oracle::Random;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What SciPy computes, in long double and two passes.
struct Naive {
    explicit Naive(const std::vector<double>& x) : n(static_cast<long double>(x.size())) {
        // About the first element, as a mean of 10^9 would be off by 10^-10.
        const long double first = x.empty() ? 0 : x[0];
        long double shift = 0;
        for (const double value : x) shift += (value - first) / n;
        mean = first + shift;
        for (const double value : x) {
            const long double off = (value - first) - shift;
            m2 += off * off / n;
            m3 += off * off * off / n;
            m4 += off * off * off * off / n;
            m5 += off * off * off * off * off / n;
            squares += static_cast<long double>(value) * value / n;
            logarithms += std::log(static_cast<long double>(value)) / n;
            reciprocals += 1 / static_cast<long double>(value) / n;
        }
    }
    long double skewness() const { return m3 / std::pow(m2, 1.5L); }
    long double kurtosis() const { return m4 / (m2 * m2) - 3; }

    long double n;
    long double mean = 0;
    long double m2 = 0;
    long double m3 = 0;
    long double m4 = 0;
    long double m5 = 0;
    long double squares = 0;
    long double logarithms = 0;
    long double reciprocals = 0;
};

bool close(double found, long double expected, long double relative, long double absolute = 0) {
    if (std::isnan(expected)) return std::isnan(found);
    return std::abs(found - expected) <= relative * std::abs(expected) + absolute;
}

/// The elements of each part, in long double's stead: exact doubles.
template <typename T>
std::vector<std::vector<double>> parts_of(const oracle::Oracle<T>& x, const Coordinates& axes) {
    using Part = std::vector<double>;
    return oracle::fold<Part>(x, axes, false, Part{},
                              [](Part part, T value) {
                                  part.push_back(static_cast<double>(value));
                                  return part;
                              })
        .values;
}

} // namespace

TEMPLATE_TEST_CASE("moments over any axes of any layout", "", std::uint8_t, std::int32_t,
                   std::int64_t, float, double) {
    using T = TestType;
    const long double relative = std::same_as<T, float> ? 2e-6L : 1e-12L;
    for (unsigned seed = 0; seed < oracle::rounds(60U); ++seed) {
        Random random(seed);
        const auto x = oracle::random_layout<T>(random);
        if (x.naive.size() > 3000) continue; // the twin is slow
        const Coordinates axes = oracle::random_axes(random, x.naive.rank());
        INFO("seed " << seed << " " << x.name << " over " << oracle::text(axes));
        const auto parts = parts_of(x.naive, axes);
        const std::vector<double> skewness = [&] {
            const auto found = pv::to_vector(pv::skewness(x.real, axes));
            return std::vector<double>(found.begin(), found.end());
        }();
        const auto kurtosis = pv::to_vector(pv::kurtosis(x.real, axes));
        const auto third = pv::to_vector(pv::moment(x.real, 3, axes));
        const auto fifth = pv::to_vector(pv::moment(x.real * T{1}, 5, axes));
        const auto quadratic = pv::to_vector(pv::quadratic_mean(x.real, axes));
        REQUIRE(skewness.size() == parts.size());
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (parts[i].empty()) continue;
            const Naive naive(parts[i]);
            const long double deviation = std::sqrt(naive.m2);
            if (naive.m2 > 1e-9L) {
                wrong += !close(skewness[i], naive.skewness(), relative, relative);
                wrong += !close(kurtosis[i], naive.kurtosis(), relative, 4 * relative);
            } else {
                wrong += !std::isnan(skewness[i]) || !std::isnan(kurtosis[i]);
            }
            wrong +=
                !close(third[i], naive.m3, relative, relative * std::pow(deviation, 3.0L) + 1e-30L);
            wrong += !close(fifth[i], naive.m5, relative,
                            10 * relative * std::pow(deviation + 1e-9L, 5.0L));
            wrong += !close(quadratic[i], std::sqrt(naive.squares), relative);
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("moments are what SciPy says") {
    const auto x = pv::tensor({3.5, -1.0, 7.0, 2.0, 2.0, 9.0, 0.25, 11.0});
    const auto is = [](double found, double expected) { return close(found, expected, 1e-13L); };
    CHECK(is(pv::skewness(x), 0.41211154294997543));
    CHECK(is(pv::sample_skewness(x), 0.5139933996178606));
    CHECK(is(pv::kurtosis(x), -1.2297175748055622));
    CHECK(is(pv::sample_kurtosis(x), -1.1824069070916807));
    CHECK(is(pv::standard_error(x), 1.5232114072155014));
    CHECK(is(pv::geometric_mean(pv::abs(x)), 2.6491110236932762));
    CHECK(is(pv::harmonic_mean(pv::abs(x)), 1.2065288356909682));
    CHECK(is(pv::quadratic_mean(x), 5.834300515057482));
    const double moments[] = {1.0,
                              0.0,
                              16.2412109375,
                              26.97381591796875,
                              466.95966815948486,
                              1505.2038663625717,
                              16750.159996869974};
    for (int k = 0; k < 7; ++k) CHECK(is(pv::moment(x, k), moments[k]));
    CHECK(is((x | pv::moment(2)), pv::variance(x)));
    STATIC_REQUIRE(std::same_as<decltype(pv::skewness(pv::zeros<float>({1}))), float>);
    STATIC_REQUIRE(std::same_as<decltype(pv::skewness(pv::zeros<int>({1}))), double>);
    CHECK_THROWS_WITH(pv::moment(x, -1), ContainsSubstring("-1"));
    CHECK_THROWS_AS(pv::moment(pv::AnyTensor(pv::tensor({"a"})), 2), pv::DtypeError);
    CHECK_THROWS_AS(pv::skewness(pv::AnyTensor(pv::tensor({"a"}))), pv::DtypeError);
}

TEST_CASE("moments of ill-conditioned data keep 12 digits") {
    // A mean of 10^9 and a deviation of 10^-3, far beyond chunks; the twin sees the same doubles.
    for (const index_t count : {7, 1000, 4096, 100'003}) {
        std::vector<double> values;
        for (index_t i = 0; i < count; ++i) {
            const double wave = std::sin(static_cast<double>(i));
            values.push_back(1e9 + 1e-3 * (wave + wave * wave));
        }
        const Naive naive(values);
        const auto x = pv::tensor(std::vector<double>(values));
        INFO(count);
        CHECK(close(pv::moment(x, 2), naive.m2, 1e-12L));
        CHECK(close(pv::moment(x, 3), naive.m3, 1e-12L));
        CHECK(close(pv::moment(x, 4), naive.m4, 1e-12L));
        CHECK(close(pv::skewness(x), naive.skewness(), 1e-12L));
        CHECK(close(pv::kurtosis(x), naive.kurtosis(), 1e-12L, 1e-12L));
        CHECK(
            close(pv::descriptive_statistics(x, {pv::Statistic::variance})[pv::Statistic::variance],
                  naive.m2, 1e-12L));
        const auto columns =
            pv::transpose(pv::reshape(pv::tensor(std::vector<double>(values)), {1, count}));
        CHECK(close(pv::moment(columns, 3, 0)(0), naive.m3, 1e-12L));
    }
    // Means that drift from chunk to chunk.
    const auto drift = pv::arange(1'000'000.0);
    CHECK(close(pv::moment(drift, 2), (1e12L - 1) / 12, 1e-14L));
    CHECK(close(pv::moment(drift, 4), (1e12L - 1) * (3e12L - 7) / 240, 1e-14L));
    CHECK(std::abs(pv::skewness(drift)) < 1e-13);
    // Many columns, reduced all at once.
    const auto table = pv::compute_tensor({50, 300}, [](index_t i, index_t j) {
        return 1e9 + static_cast<double>(j) + 1e-3 * std::sin(static_cast<double>(i * i));
    });
    const auto cubes = pv::moment(pv::clone(table), 3, 0);
    for (const index_t j : {0, 17, 299}) {
        const Naive naive(pv::to_vector(table(pv::all, j)));
        CHECK(close(cubes(j), naive.m3, 1e-12L));
    }
}

TEST_CASE("statistics of nothing, one, constants, NaN and infinities") {
    const auto none = pv::zeros({0});
    const auto one = pv::tensor({4.0});
    const auto same = pv::full({10'000}, 0.1);
    CHECK(std::isnan(pv::skewness(none)));
    CHECK(std::isnan(pv::moment(none, 2)));
    CHECK(std::isnan(pv::geometric_mean(none)));
    CHECK(std::isnan(pv::harmonic_mean(none)));
    CHECK(std::isnan(pv::standard_error(one)));
    CHECK(std::isnan(pv::skewness(one)));
    CHECK(std::isnan(pv::sample_skewness(pv::tensor({1.0, 2.0}))));
    CHECK(std::isnan(pv::sample_kurtosis(pv::tensor({1.0, 2.0, 4.0}))));
    CHECK(pv::moment(one, 4) == 0);
    CHECK(std::isnan(pv::skewness(same)));
    CHECK(std::isnan(pv::kurtosis(same)));
    CHECK(pv::moment(same, 2) < 1e-30);
    CHECK(std::isnan(pv::skewness(pv::tensor({1.0, kNaN, 3.0}))));
    CHECK(std::isnan(pv::moment(pv::tensor({1.0, kInfinity}), 2)));
    CHECK(std::isnan(pv::moment(pv::tensor({1.0, kInfinity}), 1)));
    CHECK(pv::geometric_mean(pv::tensor({0.0, 8.0})) == 0);
    CHECK(pv::harmonic_mean(pv::tensor({0.0, 8.0})) == 0);
    CHECK(std::isnan(pv::geometric_mean(pv::tensor({-1.0, 8.0}))));
    CHECK(std::isnan(pv::harmonic_mean(pv::tensor({-1.0, 8.0}))));
    CHECK(pv::harmonic_mean(pv::tensor({40, 60})) == Catch::Approx(48));
    CHECK(pv::harmonic_mean(pv::tensor({0.0, -0.0})) == 0);
    CHECK(pv::quadratic_mean(pv::tensor({kInfinity, 1.0})) == kInfinity);
    CHECK(pv::quadratic_mean(pv::tensor({kInfinity, -kInfinity})) == kInfinity);
    CHECK(std::isnan(pv::quadratic_mean(pv::tensor({kInfinity, kNaN}))));
    CHECK(pv::to_vector(pv::quadratic_mean(pv::tensor({{kInfinity, 3.0}, {1.0, 3.0}}), 0)) ==
          std::vector{kInfinity, 3.0});
    CHECK(pv::moment(pv::tensor({1.0, 3.0}), 1'000'000'000) == 1);
    CHECK(pv::moment(pv::tensor({1.0, 3.0}), 999'999'999) == 0);
    CHECK(pv::moment(pv::tensor({0.0, 4.0}), 22) == 4'194'304);
    CHECK(pv::skewness(pv::zeros({0, 3}), 1).shape() == pv::Shape{0});
    CHECK(std::isnan(pv::skewness(pv::zeros({0, 3}), 0)(2)));

    using S = pv::Statistic;
    auto holes = pv::arange(10'000.0);
    holes(9'000) = kNaN;
    const auto described =
        pv::descriptive_statistics(holes, {S::count, S::sum, S::mean, S::min, S::max, S::median});
    CHECK(described[S::count] == 10'000);
    for (const pv::Statistic statistic : {S::sum, S::mean, S::min, S::max, S::median})
        CHECK(std::isnan(described[statistic]));
    const auto wide = pv::descriptive_statistics(pv::tensor({-kInfinity, 1.0, kInfinity}),
                                                 {S::mean, S::min, S::max, S::median, S::variance});
    CHECK(std::isnan(wide[S::mean]));
    CHECK(wide[S::min] == -kInfinity);
    CHECK(wide[S::max] == kInfinity);
    CHECK(wide[S::median] == 1);
    CHECK(std::isnan(wide[S::variance]));
    const auto up = pv::descriptive_statistics(pv::tensor({1.0, kInfinity}), {S::mean, S::sum});
    CHECK(up[S::mean] == kInfinity);
    CHECK(up[S::sum] == kInfinity);
    const auto empty =
        pv::descriptive_statistics(none, {S::count, S::sum, S::mean, S::min, S::median});
    CHECK(empty[S::count] == 0);
    CHECK(empty[S::sum] == 0);
    for (const pv::Statistic statistic : {S::mean, S::min, S::median})
        CHECK(std::isnan(empty[statistic]));
}

TEST_CASE("any set of statistics at once is each of them") {
    using S = pv::Statistic;
    Random random(3);
    std::vector<double> values;
    for (int i = 0; i < 6000; ++i)
        values.push_back(static_cast<double>(random.between(1, 999)) / 7);
    const auto x = pv::reshape(pv::tensor(std::vector<double>(values)), {20, 300});
    const std::initializer_list<pv::Statistic> all = {S::count,
                                                      S::sum,
                                                      S::mean,
                                                      S::min,
                                                      S::max,
                                                      S::variance,
                                                      S::standard_deviation,
                                                      S::sample_variance,
                                                      S::sample_standard_deviation,
                                                      S::standard_error,
                                                      S::skewness,
                                                      S::sample_skewness,
                                                      S::kurtosis,
                                                      S::sample_kurtosis,
                                                      S::quadratic_mean,
                                                      S::geometric_mean,
                                                      S::harmonic_mean,
                                                      S::lower_quartile,
                                                      S::median,
                                                      S::upper_quartile};
    const auto same = [](double a, double b) { return close(a, b, 1e-13L); };
    const auto check = [&](const auto& rows, const auto& y, const auto&... axes) {
        const auto value = [&](const auto& v) {
            if constexpr (sizeof...(axes) == 0)
                return static_cast<double>(v);
            else
                return static_cast<double>(v(7));
        };
        CHECK(same(value(rows[S::sum]), value(pv::sum(y, axes...))));
        CHECK(same(value(rows[S::mean]), value(pv::mean(y, axes...))));
        CHECK(value(rows[S::min]) == value(pv::min(y, axes...)));
        CHECK(value(rows[S::max]) == value(pv::max(y, axes...)));
        CHECK(same(value(rows[S::variance]), value(pv::variance(y, axes...))));
        CHECK(same(value(rows[S::standard_deviation]), value(pv::standard_deviation(y, axes...))));
        CHECK(same(value(rows[S::sample_variance]), value(pv::sample_variance(y, axes...))));
        CHECK(same(value(rows[S::sample_standard_deviation]),
                   value(pv::sample_standard_deviation(y, axes...))));
        CHECK(same(value(rows[S::standard_error]), value(pv::standard_error(y, axes...))));
        CHECK(same(value(rows[S::skewness]), value(pv::skewness(y, axes...))));
        CHECK(same(value(rows[S::sample_skewness]), value(pv::sample_skewness(y, axes...))));
        CHECK(same(value(rows[S::kurtosis]), value(pv::kurtosis(y, axes...))));
        CHECK(same(value(rows[S::sample_kurtosis]), value(pv::sample_kurtosis(y, axes...))));
        CHECK(same(value(rows[S::quadratic_mean]), value(pv::quadratic_mean(y, axes...))));
        CHECK(same(value(rows[S::geometric_mean]), value(pv::geometric_mean(y, axes...))));
        CHECK(same(value(rows[S::harmonic_mean]), value(pv::harmonic_mean(y, axes...))));
    };
    const auto described = pv::descriptive_statistics(x, all);
    check(described, x);
    CHECK(described[S::count] == 6000);
    CHECK(described.size() == 20);
    check(pv::descriptive_statistics(x, all, 1), x, 1);
    check(pv::descriptive_statistics(x, all, 0), x, 0);
    check(pv::descriptive_statistics(x * 1.0, all, pv::Axes{0}), x, 0);
    CHECK(pv::descriptive_statistics(x, {S::mean}, 0, pv::keep_dims)[S::mean].shape() ==
          pv::Shape{1, 300});

    std::ostringstream printed;
    printed << pv::descriptive_statistics(pv::tensor({1.0, 2.0}), {S::count, S::mean});
    CHECK(printed.str() == "{count: 2, mean: 1.5}");
    const auto by_default = x | pv::descriptive_statistics;
    CHECK(by_default.size() == 8);
    CHECK_THROWS_WITH(by_default[S::kurtosis], ContainsSubstring("kurtosis"));
    const auto staged = x | pv::descriptive_statistics({S::mean, S::median}, 1);
    CHECK(same(staged[S::mean](3), pv::mean(x, 1)(3)));
    const auto any = pv::descriptive_statistics(pv::AnyTensor(x), {S::mean});
    CHECK(same(any[S::mean].item<double>(), pv::mean(x)));
    const auto [i] = pv::dims("i");
    const auto over_dim = pv::descriptive_statistics(x(i, pv::all), {S::skewness}, i)[S::skewness];
    CHECK(same(pv::Tensor<double>(over_dim)(5), pv::skewness(x, 0)(5)));
    const pv::Tensor<double> batched = pv::skewness(x(i, pv::all)) | pv::order(i);
    CHECK(same(batched(5), pv::skewness(x, 1)(5)));
    const pv::Tensor<double> third = pv::moment(x(i, pv::all), 3) | pv::order(i);
    CHECK(same(third(5), pv::moment(x, 3, 1)(5)));
}

TEST_CASE("most_frequent: the most frequent element, the least of several") {
    CHECK(pv::most_frequent(pv::tensor({3, 1, 3, 2, 1})) == 1);
    CHECK(pv::most_frequent(pv::tensor({2.5})) == 2.5);
    CHECK(pv::most_frequent(pv::tensor({true, false, true})));
    CHECK(std::isnan(pv::most_frequent(pv::tensor({1.0, 1.0, kNaN}))));
    CHECK(pv::most_frequent(pv::tensor({"b", "a", "b"})) == "b");
    CHECK(pv::to_vector(pv::most_frequent(pv::tensor({{1, 2, 2}, {3, 3, 1}}), 1)) ==
          std::vector<int>{2, 3});
    CHECK(pv::to_vector(pv::most_frequent(pv::tensor({{1, 2, 2}, {3, 3, 2}}), 0)) ==
          std::vector<int>{1, 2, 2});
    CHECK(pv::most_frequent(pv::AnyTensor(pv::tensor({7, 7, 1}))).item<int>() == 7);
    CHECK_THROWS_AS(pv::most_frequent(pv::zeros({0})), pv::ShapeError);
    CHECK_THROWS_AS(pv::most_frequent(pv::AnyTensor(pv::tensor({"a"}))), pv::DtypeError);
    for (unsigned seed = 0; seed < oracle::rounds(60U); ++seed) {
        Random random(seed);
        const auto x = oracle::random_layout<std::int32_t>(random);
        std::map<std::int32_t, index_t> counts;
        for (const std::int32_t value : x.naive.values) ++counts[value];
        std::int32_t expected = counts.begin()->first;
        for (const auto& [value, n] : counts)
            if (n > counts[expected]) expected = value;
        INFO(x.name);
        CHECK(pv::most_frequent(x.real) == expected);
    }
}

TEST_CASE("statistics do not depend on the number of threads") {
    const auto x = pv::clone(pv::sin(pv::arange(3'000'000.0)) + 1e6);
    const auto figures = [&] {
        return std::vector<double>{pv::skewness(x), pv::kurtosis(x), pv::moment(x, 2)};
    };
    pv::set_threads(1);
    const std::vector<double> alone = figures();
    pv::set_threads(3);
    CHECK(figures() == alone);
    pv::set_threads(0);
}

} // namespace descriptive_test
