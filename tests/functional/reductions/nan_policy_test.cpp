#include <support/catch.hpp>
#include <support/lanes_oracle.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/along/rolling_window.hpp>
#include <purview/functional/along/scans.hpp>
#include <purview/functional/along/window_ranges.hpp>
#include <purview/functional/assembly/concat.hpp>
#include <purview/functional/elementwise/emap.hpp>
#include <purview/functional/statistics/correlation.hpp>
#include <purview/functional/statistics/descriptive.hpp>
#include <purview/functional/statistics/group_by.hpp>
#include <purview/functional/statistics/percentiles.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/named/reduce_dims.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace nan_policy_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using oracle::index_t;
using oracle::Random;
using Lane = std::vector<double>;
using S = pv::Statistic;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Lane numbers_of(const Lane& lane) {
    Lane numbers;
    for (const double x : lane)
        if (!std::isnan(x)) numbers.push_back(x);
    return numbers;
}

/// A tensor with holes, in some layout, and its twin.
oracle::Layout<double> with_holes(Random& random) {
    auto x = oracle::random_layout<double>(random);
    const index_t every = random.between(1, 4);
    const auto odd = [every](double v) {
        return std::fmod(std::abs(std::round(v * 7)), 4) < static_cast<double>(every - 1) ? v
                                                                                          : kNaN;
    };
    x.real = pv::emap(odd, x.real);
    for (double& v : x.naive.values) v = odd(v);
    return x;
}

/// What a reduction that keeps NaN makes of the numbers of each lane.
template <typename Reduce>
auto non_nan_only(const oracle::Layout<double>& x, std::size_t axis, Reduce reduce) {
    return oracle::along_lanes(x.naive, axis, [&](const Lane& lane) {
        return std::vector{reduce(pv::tensor(numbers_of(lane)))};
    });
}

} // namespace

TEST_CASE("skip_nan: reductions and order statistics of the numbers alone") {
    Random random(7);
    const auto keep = pv::keep_dims;
    const auto skip = pv::skip_nan;
    for (int round = 0; round < oracle::rounds(40); ++round) {
        const auto x = with_holes(random);
        if (x.naive.size() > 6000) continue;
        const auto axis = random.axis_of(x.naive.shape);
        const auto at = static_cast<index_t>(axis);
        INFO(x.name << " axis " << axis);
        const auto check = [&](const auto& found, auto reduce) {
            CHECK(oracle::agrees(found, non_nan_only(x, axis, reduce), 1e3));
        };
        check(pv::skewness(x.real, at, keep, skip), [](const auto& w) { return pv::skewness(w); });
        check(pv::geometric_mean(x.real, {at}, keep, skip),
              [](const auto& w) { return pv::geometric_mean(w); });
        check(pv::median(x.real, at, keep, skip), [](const auto& w) { return pv::median(w); });
        check(x.real | pv::percentile(30., at, keep, skip),
              [](const auto& w) { return pv::percentile(w, 30.); });
        check(pv::moment(x.real, 3, {at}, keep, skip),
              [](const auto& w) { return pv::moment(w, 3); });
        CHECK(oracle::agrees(pv::any_of(x.real, at, keep, skip),
                             non_nan_only(x, axis, [](auto w) { return bool(pv::any_of(w)); })));
        const auto described = pv::descriptive_statistics(
            x.real, {S::count, S::mean, S::upper_quartile}, {at}, keep, skip);
        check(described[S::count], [](const auto& w) { return double(w.size()); });
        check(described[S::mean], [](const auto& w) { return pv::mean(w); });
        check(described[S::upper_quartile], [](const auto& w) { return pv::percentile(w, 75.); });
        const auto both = pv::quartiles(x.real, at, skip);
        CHECK(both.extent(0) == 5);
        const auto low = non_nan_only(x, axis, [](const auto& w) { return pv::percentile(w, 0.); });
        CHECK(oracle::near(double(pv::reshape(both, {-1})(0)), low.values[0], 1));
        const Lane all = numbers_of(x.naive.values);
        CHECK(oracle::near(pv::median(x.real, skip), pv::median(pv::tensor(Lane(all))), 1));
        CHECK(pv::descriptive_statistics(x.real, skip)[S::count] == double(all.size()));
    }
}

TEST_CASE("skip_nan: scans and ranks") {
    Random random(8);
    for (int round = 0; round < oracle::rounds(40); ++round) {
        const auto x = with_holes(random);
        const auto axis = random.axis_of(x.naive.shape);
        const auto at = static_cast<index_t>(axis);
        INFO(x.name << " axis " << axis);
        const auto scanned = [&](double none, auto join) {
            return oracle::along_lanes(x.naive, axis, [&](const Lane& lane) {
                Lane out;
                double now = none;
                for (const double v : lane) {
                    if (!std::isnan(v)) now = std::isnan(now) ? v : join(now, v);
                    out.push_back(now);
                }
                return out;
            });
        };
        const auto plus = [](double a, double b) { return a + b; };
        CHECK(oracle::agrees(pv::cumsum(x.real, at, pv::skip_nan), scanned(0, plus), 1e4));
        CHECK(oracle::agrees(pv::cummin(x.real, at, pv::skip_nan),
                             scanned(kNaN, [](double a, double b) { return std::min(a, b); })));
        CHECK(oracle::agrees(x.real | pv::cummax(at, pv::skip_nan),
                             scanned(kNaN, [](double a, double b) { return std::max(a, b); })));
        CHECK(oracle::agrees(pv::expanding_window(x.real, pv::sum(pv::skip_nan), at),
                             scanned(0, plus), 1e4));
        CHECK(oracle::agrees(pv::expanding_window(x.real, pv::mean(pv::skip_nan), at),
                             oracle::along_lanes(x.naive, axis,
                                                 [&](const Lane& lane) {
                                                     Lane out;
                                                     double sum = 0;
                                                     double count = 0;
                                                     for (const double v : lane) {
                                                         if (!std::isnan(v)) sum += v, ++count;
                                                         out.push_back(count > 0 ? sum / count
                                                                                 : kNaN);
                                                     }
                                                     return out;
                                                 }),
                             1e2));
        if (x.naive.size() > 6000) continue;
        CHECK(oracle::agrees(pv::ranks(x.real, at, pv::skip_nan),
                             oracle::along_lanes(x.naive, axis, [](const Lane& lane) {
                                 Lane out;
                                 for (const double v : lane) {
                                     double rank = 0.5;
                                     for (const double other : lane)
                                         rank += (other < v) + 0.5 * (other == v);
                                     out.push_back(std::isnan(v) ? kNaN : rank);
                                 }
                                 return out;
                             })));
    }
    CHECK(pv::to_vector(pv::cumsum(pv::tensor({1, 2}), pv::skip_nan)) ==
          std::vector<std::int64_t>{1, 3});
    CHECK(pv::AnyTensor(pv::cumprod(pv::AnyTensor(pv::tensor({2., kNaN, 4.})), pv::skip_nan))
              .as<double>()(2) == 8);
}

TEST_CASE("expanding means along an axis with long rows behind it") {
    const auto m = pv::reshape(pv::arange(400.), {4, 100});
    const auto means = pv::expanding_window(m, pv::mean, 0);
    CHECK(means(3, 7) == 157);
    CHECK(means(0, 99) == 99);
}

TEST_CASE("skip_nan: windows") {
    Random random(9);
    for (int round = 0; round < oracle::rounds(30); ++round) {
        const auto x = with_holes(random);
        if (x.naive.size() > 9000) continue;
        const auto axis = random.axis_of(x.naive.shape);
        const auto at = static_cast<index_t>(axis);
        const index_t n = x.naive.shape[axis];
        const index_t width = random.between(1, random.one_in(4) ? 1500 : 9);
        INFO(x.name << " axis " << axis << " width " << width);
        const auto windows = [&](auto reduce) {
            return oracle::along_lanes(x.naive, axis, [&](const Lane& lane) {
                Lane out;
                for (index_t i = 0; i < n; ++i) {
                    Lane window;
                    for (index_t k = i - width + 1; k <= i; ++k)
                        window.push_back(lane[static_cast<std::size_t>(std::max<index_t>(k, 0))]);
                    out.push_back(reduce(numbers_of(window)));
                }
                return out;
            });
        };
        const auto mean = [](const Lane& w) {
            double total = 0;
            for (const double v : w) total += v;
            return w.empty() ? kNaN : total / static_cast<double>(w.size());
        };
        const auto least = [](const Lane& w) {
            return w.empty() ? kNaN : *std::min_element(w.begin(), w.end());
        };
        const pv::RollingOptions left{pv::WindowPosition::left};
        const auto rolled = [&](const auto& reducer) {
            return pv::fixed_rolling_window(x.real, width, reducer, at, left);
        };
        CHECK(oracle::agrees(rolled(pv::mean(pv::skip_nan)), windows(mean), 1e2));
        CHECK(oracle::agrees(rolled(pv::min(pv::skip_nan)), windows(least)));
        CHECK(oracle::agrees(rolled(pv::sum(pv::skip_nan)), windows([&](const Lane& w) {
                                 return w.empty() ? 0 : mean(w) * static_cast<double>(w.size());
                             }),
                             1e4));
        if (width > 9) continue;
        CHECK(oracle::agrees(rolled(pv::median(pv::skip_nan)), windows([](const Lane& w) {
                                 return pv::median(pv::tensor(Lane(w)));
                             })));
        CHECK(oracle::agrees(
            rolled(pv::sample_variance(pv::skip_nan)),
            windows([](const Lane& w) { return pv::sample_variance(pv::tensor(Lane(w))); }), 1e3));
        const auto keys = pv::arange(n);
        const auto reducer = pv::mean(pv::skip_nan);
        const auto inside = [&](auto reduce) {
            return oracle::along_lanes(x.naive, axis, [&](const Lane& lane) {
                Lane out;
                for (index_t i = 0; i < n; ++i) {
                    const auto first = lane.begin() + std::max<index_t>(i - width + 1, 0);
                    out.push_back(reduce(numbers_of(Lane(first, lane.begin() + i + 1))));
                }
                return out;
            });
        };
        CHECK(oracle::agrees(pv::variable_rolling_window(x.real, keys, width, reducer, at),
                             inside(mean), 1e2));
        CHECK(oracle::agrees(
            pv::variable_rolling_window(x.real, keys, width, pv::min(pv::skip_nan), at),
            inside(least)));
    }
    const auto ints = pv::tensor({1, 2, 3});
    CHECK(pv::to_vector(pv::fixed_rolling_window(ints, 2, pv::mean(pv::skip_nan))) ==
          pv::to_vector(pv::fixed_rolling_window(ints, 2, pv::mean)));
}

TEST_CASE("skip_nan: groups, correlations, outliers, types known at run time, dims") {
    const auto keys = pv::tensor({1, 2, 1, 2, 3});
    const auto values = pv::tensor({4.f, float(kNaN), 6.f, 5.f, float(kNaN)});
    const auto [names, means, totals, least, middle] =
        pv::group_by_reduce(keys, values, pv::mean(pv::skip_nan), pv::sum(pv::skip_nan),
                            pv::min(pv::skip_nan), pv::median(pv::skip_nan));
    CHECK(pv::to_vector(names) == std::vector{1, 2, 3});
    CHECK(means(0) == 5.f);
    CHECK(means(1) == 5.f);
    CHECK(std::isnan(float(means(2))));
    CHECK(pv::to_vector(totals) == std::vector{10.f, 5.f, 0.f});
    CHECK(least(0) == 4.f);
    CHECK(std::isnan(float(least(2))));
    CHECK(middle(0) == 5.f);

    const auto x = pv::tensor({1., 2., kNaN, 4., 7., 8.});
    const auto y = pv::tensor({2., kNaN, 1., 3., 9., 1.});
    const auto a = pv::tensor({1., 4., 7., 8.});
    const auto b = pv::tensor({2., 3., 9., 1.});
    CHECK(pv::pearson(x, y, pv::skip_nan) == pv::pearson(a, b));
    CHECK(pv::spearman(x, y, pv::skip_nan) == pv::spearman(a, b));
    CHECK((x | pv::kendall(y, pv::skip_nan)) == pv::kendall(a, b));
    CHECK(std::isnan(pv::pearson(x, y)));
    const auto line = pv::linear_regression(x, y, pv::skip_nan);
    CHECK(line.slope == pv::linear_regression(a, b).slope);
    CHECK(line.intercept_error == pv::linear_regression(a, b).intercept_error);
    const auto rows = pv::stack(x, y);
    const auto matrix = pv::correlation_matrix(rows, pv::skip_nan);
    CHECK(matrix(0, 1) == pv::pearson(a, b));
    CHECK(matrix(1, 1) == 1);
    const auto of_rows = pv::covariance(rows, y, 1, pv::skip_nan);
    CHECK(of_rows(0) == pv::covariance(a, b));
    CHECK(of_rows(1) ==
          pv::covariance(pv::tensor({2., 1., 3., 9., 1.}), pv::tensor({2., 1., 3., 9., 1.})));
    CHECK_THROWS_WITH(pv::pearson(x, y, pv::throw_nan),
                      ContainsSubstring("pearson") && ContainsSubstring("[2]"));

    const auto fences = pv::outlier_fences(x, pv::skip_nan);
    CHECK(fences.lower == pv::outlier_fences(pv::tensor({1., 2., 4., 7., 8.})).lower);
    CHECK(std::isnan(pv::outlier_fences(x).lower));
    CHECK(pv::count_true(pv::is_outlier(x, 0.1, pv::skip_nan)) == 2);

    const pv::AnyTensor any(x);
    CHECK(pv::median(any, pv::skip_nan).item<double>() == 4);
    CHECK(pv::kurtosis(any, pv::skip_nan).item<double>() ==
          Catch::Approx(pv::kurtosis(pv::tensor({1., 2., 4., 7., 8.}))));
    CHECK(pv::most_frequent(pv::tensor({3., kNaN, 3., kNaN, kNaN}), pv::skip_nan) == 3);
    const auto [i] = pv::dims("i");
    const pv::Tensor<double> medians = pv::median(rows(i), 0, pv::skip_nan) | pv::order(i);
    CHECK(pv::to_vector(medians) == std::vector{4., 2.});
    CHECK(pv::skewness(pv::tensor({1, 2, 4}), pv::skip_nan) == pv::skewness(pv::tensor({1, 2, 4})));
}

TEST_CASE("throw_nan: names the function and the place of the first NaN") {
    const auto x = pv::tensor({{1., 2., 3.}, {4., kNaN, kNaN}});
    const auto refusal = [](const std::string& name) {
        return ContainsSubstring(name + ": the element at [1 1] is NaN");
    };
    const auto refuse = pv::throw_nan;
    CHECK_THROWS_AS(pv::sum(x, refuse), pv::ArithmeticError);
    CHECK_THROWS_WITH(pv::mean(x, 0, refuse), refusal("mean"));
    CHECK_THROWS_WITH(x | pv::max({0}, refuse), refusal("max"));
    CHECK_THROWS_WITH(pv::sample_variance(x, 1, refuse), StartsWith("sample_variance: the"));
    CHECK_THROWS_WITH(pv::sample_standard_deviation(pv::AnyTensor(x), refuse),
                      StartsWith("sample_standard_deviation: the"));
    CHECK_THROWS_WITH(pv::median(pv::AnyTensor(x), refuse), refusal("median"));
    CHECK_THROWS_WITH(pv::percentile(x, {25, 75}, 1, refuse), refusal("percentile"));
    CHECK_THROWS_WITH(pv::cumsum(x, 0, refuse), refusal("cumsum"));
    CHECK_THROWS_WITH(pv::ranks(x, refuse), refusal("ranks"));
    CHECK_THROWS_WITH(pv::fixed_rolling_window(x, 2, pv::mean(refuse)),
                      refusal("fixed_rolling_window"));
    CHECK_THROWS_WITH(pv::expanding_window(x, pv::max(refuse)), refusal("expanding_window"));
    CHECK_THROWS_WITH(pv::descriptive_statistics(x, refuse), refusal("descriptive_statistics"));
    CHECK_THROWS_WITH(pv::group_by_reduce(pv::tensor({{1, 1, 1}, {2, 2, 2}}), x, pv::sum(refuse)),
                      refusal("group_by_reduce"));
    CHECK_THROWS_WITH(pv::covariance_matrix(x, refuse), refusal("covariance_matrix"));
    CHECK_THROWS_WITH(pv::outlier_fences(x, refuse), refusal("percentile"));
    const auto [i] = pv::dims("i");
    CHECK_THROWS_WITH(pv::sum(x(i), refuse),
                      ContainsSubstring("[1]") && ContainsSubstring("i = 1"));
    const auto numbers = x(0, pv::all);
    CHECK(pv::sum(numbers, refuse) == 6);
    CHECK(pv::to_vector(pv::cumsum(numbers, refuse)) == std::vector{1., 3., 6.});
    CHECK(pv::fixed_rolling_window(numbers, 2, pv::mean(refuse))(1) == 1.5);
    CHECK(pv::mean(pv::tensor({1, 2}), refuse) == 1.5);
    CHECK(pv::sum(pv::zeros({0}), refuse) == 0);
    CHECK_THROWS_WITH(pv::sum(pv::full({}, kNaN), refuse), ContainsSubstring("sum"));
}

} // namespace nan_policy_test
