// Statistics whose squares leave the range of the type: the same at every scale, as SciPy's `pearsonr` is.

#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/functional/assembly/concat.hpp>
#include <purview/functional/reductions/distance.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/functional/statistics/correlation.hpp>
#include <purview/functional/statistics/descriptive.hpp>
#include <purview/named/dim_tensor.hpp>
#include <purview/named/order.hpp>
#include <purview/named/reduce_dims.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace moment_scales_test {

namespace {

namespace pv = purview;
using pv::Statistic;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Powers of two from the least normal numbers to the greatest.
const std::vector<int> kExponents{-1060, -1000, -700, -540, -510, -300, -200,
                                  0,     200,   300,  540,  1000, 1020};

bool near(double x, double y) { return x == y || std::abs(x - y) <= 1e-14 * std::abs(y); }

} // namespace

TEST_CASE("pearson and regressions at every scale: scipy.stats.pearsonr, linregress") {
    const auto x = pv::tensor({1., 2., 4.});
    const auto y = pv::tensor({1., 3., 4.});
    const double r = pv::pearson(x, y);
    const pv::LinearRegression line = pv::linear_regression(x, y);
    for (const int i : kExponents)
        for (const int j : kExponents) {
            CAPTURE(i, j);
            const auto a = pv::clone(x * std::ldexp(1., i));
            const auto b = pv::clone(y * std::ldexp(1., j));
            CHECK(pv::pearson(a, b) == r);
            CHECK(pv::spearman(a, b) == pv::spearman(x, y));
            const double covariance = std::ldexp(pv::covariance(x, y), i + j);
            CHECK(pv::covariance(a, b) == covariance);
            CHECK(pv::sample_covariance(a, b) == std::ldexp(pv::sample_covariance(x, y), i + j));
            const pv::LinearRegression found = pv::linear_regression(a, b);
            CHECK(found.correlation == r);
            CHECK(found.slope == std::ldexp(line.slope, j - i));
            CHECK(found.intercept == std::ldexp(line.intercept, j));
            CHECK(found.slope_error == std::ldexp(line.slope_error, j - i));
            CHECK(found.intercept_error == std::ldexp(line.intercept_error, j));
        }
    CHECK(std::isnan(pv::pearson(pv::tensor({1e200, 1e200}), pv::tensor({1., 2.}))));
    CHECK(std::isnan(pv::pearson(pv::tensor({0., 0.}), pv::tensor({1., 2.}))));
    CHECK(std::isnan(pv::pearson(pv::tensor({1., kInf}), pv::tensor({1., 2.}))));
    CHECK(near(pv::pearson(pv::tensor({1e-160, kNaN, 2e-160, 4e-160}), pv::tensor({1., 5., 3., 4.}),
                           pv::skip_nan),
               r));
    CHECK_THROWS_AS(pv::linear_regression(pv::tensor({1e-200, 1e-200}), pv::tensor({1., 2.})),
                    pv::Error);
}

TEST_CASE("rows of different scales: numpy.corrcoef, over axes and dims too") {
    const auto x = pv::tensor({{1., 2., 4.}, {1e-170, 2e-170, 4e-170}, {1e300, 2e300, 4e300}});
    const auto y = pv::tensor({{1., 3., 4.}, {1e200, 3e200, 4e200}, {1e-310, 3e-310, 4e-310}});
    const double r = pv::pearson(pv::tensor({1., 2., 4.}), pv::tensor({1., 3., 4.}));
    for (const double each : pv::to_vector(pv::pearson(x, y, 1))) CHECK(near(each, r));
    const auto [i, j] = pv::dims("i", "j");
    for (const double each : pv::to_vector(pv::pearson(x(i, j), y(i, j), j) | pv::order(i)))
        CHECK(near(each, r));
    const auto rows = pv::tensor({{1., 2., 4.}, {1e200, 3e200, 4e200}, {1e-310, 3e-310, 4e-310}});
    const auto matrix = pv::correlation_matrix(rows);
    CHECK(matrix(0, 0) == 1);
    CHECK(matrix(1, 1) == 1);
    CHECK(near(matrix(0, 1), r));
    CHECK(near(matrix(2, 0), r));
    CHECK(near(matrix(2, 1), 1));
    const auto covariances = pv::sample_covariance_matrix(rows);
    CHECK(near(covariances(0, 0), 7. / 3));
    CHECK(covariances(1, 1) == kInf);
    CHECK(near(covariances(0, 1),
               pv::sample_covariance(pv::tensor({1., 2., 4.}), pv::tensor({1e200, 3e200, 4e200}))));
    const auto skipped = pv::correlation_matrix(rows, pv::skip_nan);
    CHECK(near(skipped(2, 0), r));
}

TEST_CASE("deviations and moments at every scale: numpy.std, scipy.stats.skew, kurtosis") {
    const auto x = pv::tensor({1., 2., 4., 9., -3.});
    const pv::StatisticList list{
        Statistic::standard_deviation, Statistic::sample_standard_deviation,
        Statistic::standard_error,     Statistic::quadratic_mean,
        Statistic::variance,           Statistic::skewness,
        Statistic::kurtosis,           Statistic::sample_skewness,
        Statistic::sample_kurtosis,    Statistic::mean};
    const auto expected = pv::descriptive_statistics(x, list);
    for (const int i : kExponents) {
        CAPTURE(i);
        const double s = std::ldexp(1., i);
        const auto a = pv::clone(x * s);
        CHECK(pv::standard_deviation(a) == pv::standard_deviation(x) * s);
        CHECK(pv::sample_standard_deviation(a) == pv::sample_standard_deviation(x) * s);
        CHECK(pv::variance(a) == std::ldexp(pv::variance(x), 2 * i));
        CHECK(pv::standard_deviation(pv::concat(a, pv::tensor({kNaN})), pv::skip_nan) ==
              pv::standard_deviation(x) * s);
        CHECK(pv::skewness(a) == pv::skewness(x));
        CHECK(pv::kurtosis(a) == pv::kurtosis(x));
        const auto found = pv::descriptive_statistics(a, list);
        for (const Statistic each :
             {Statistic::standard_deviation, Statistic::standard_error,
              Statistic::sample_standard_deviation, Statistic::quadratic_mean, Statistic::mean})
            CHECK(found[each] == expected[each] * s);
        for (const Statistic each : {Statistic::skewness, Statistic::kurtosis,
                                     Statistic::sample_skewness, Statistic::sample_kurtosis})
            CHECK(found[each] == expected[each]);
        for (int order = 2; order < 7; ++order)
            CHECK(near(pv::moment(a, order), std::ldexp(pv::moment(x, order), i * order)));
    }
    CHECK(pv::quadratic_mean(pv::tensor({1e200, 1e200})) == 1e200);
    CHECK(near(pv::quadratic_mean(pv::tensor({3e-200})), 3e-200));
    CHECK(std::isnan(pv::skewness(pv::tensor({1e200, 1e200, 1e200}))));
    CHECK(pv::standard_deviation(pv::tensor({1e200, 1e200})) == 0);
    CHECK(std::isnan(pv::standard_deviation(pv::tensor({1e200, kInf}))));
}

TEST_CASE("means far beyond the deviations: numpy.sqrt(numpy.mean(x**2)) by long double") {
    const auto x = pv::tensor({1e160, 1.0000000001e160});
    CHECK(near(pv::quadratic_mean(x), 1.00000000005e160));
    const auto rows =
        pv::tensor({{1e160, 1.0000000001e160}, {3., 3.}, {-1e300, -1.0000000001e300}});
    const auto means = pv::to_vector(pv::quadratic_mean(rows, 1));
    CHECK(near(means[0], 1.00000000005e160));
    CHECK(means[1] == 3);
    CHECK(near(means[2], 1.00000000005e300));
    CHECK(
        near(pv::descriptive_statistics(x, {Statistic::quadratic_mean})[Statistic::quadratic_mean],
             1.00000000005e160));
    CHECK(near(pv::quadratic_mean(pv::tensor({1e160, kNaN, 1.0000000001e160}), pv::skip_nan),
               1.00000000005e160));

    // The same line of x divided by 2^400.
    const auto far = pv::tensor({1e160, 1.0000000001e160, 1.0000000003e160});
    const auto y = pv::tensor({1., 2., 4.});
    const auto expected = pv::linear_regression(pv::clone(far * std::ldexp(1., -400)), y);
    const auto line = pv::linear_regression(far, y);
    CHECK(line.intercept == expected.intercept);
    CHECK(near(line.intercept_error, expected.intercept_error));
    CHECK(std::isfinite(line.intercept_error));
    // And where the quotient of both sums of squares leaves the range, though neither does.
    const auto t = pv::tensor({1., 2., 4., 5.});
    const auto u = pv::tensor({1., 3., 4., 7.});
    const auto steep = pv::linear_regression(pv::clone(t * std::ldexp(1., -220)),
                                             pv::clone(u * std::ldexp(1., 400)));
    const auto plain = pv::linear_regression(t, u);
    CHECK(near(steep.slope_error, std::ldexp(plain.slope_error, 620)));
    CHECK(near(steep.intercept_error, std::ldexp(plain.intercept_error, 400)));
}

TEST_CASE(
    "both infinities among elements of which NaN is skipped: numpy.nanmin, nanmax, nanmean(x**2)") {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    const auto rows = pv::tensor({{kInf, kNan, -kInf, 1.}, {kNan, 3., 4., kNan}});
    const auto check = [&](const auto& x) {
        const auto squares = pv::quadratic_mean(x, 1, pv::skip_nan);
        CHECK(squares(0) == kInf);
        CHECK(squares(1) == Catch::Approx(std::sqrt(12.5)));
        const auto all = pv::descriptive_statistics(
            x, {pv::Statistic::min, pv::Statistic::max, pv::Statistic::count}, 1, pv::skip_nan);
        CHECK(pv::equals(all[pv::Statistic::min], pv::tensor({-kInf, 3.})));
        CHECK(pv::equals(all[pv::Statistic::max], pv::tensor({kInf, 4.})));
        CHECK(pv::equals(all[pv::Statistic::count], pv::tensor({3., 2.})));
        CHECK(std::isnan(pv::variance(x, 1, pv::skip_nan)(0)));
        CHECK(pv::variance(x, 1, pv::skip_nan)(1) == Catch::Approx(.25));
    };
    check(rows);
    check(pv::transpose(pv::clone(pv::transpose(rows))));
    // Sums that leave the range on both sides, where the mean of the others is 0.
    const auto wide =
        pv::tensor({1e308, 1e308, 1e308, 1e308, kNan, -1e308, -1e308, -1e308, -1e308});
    CHECK(pv::quadratic_mean(wide, pv::skip_nan) == Catch::Approx(1e308));
}

TEST_CASE("harmonic means of the smallest numbers: scipy.stats.hmean of scaled ones") {
    CHECK(near(pv::harmonic_mean(pv::tensor({1e-320, 1e-320})), 1e-320));
    CHECK(pv::harmonic_mean(pv::tensor({5e-324})) == 5e-324);
    CHECK(near(pv::harmonic_mean(pv::tensor({1e-308, 3e-308, 1e-308, 3e-308, 1e300})), 1.875e-308));
    CHECK(pv::harmonic_mean(pv::tensor({1e-320, 0.})) == 0);
    CHECK(std::isnan(pv::harmonic_mean(pv::tensor({1e-320, -1.}))));
    CHECK(std::isnan(pv::harmonic_mean(pv::tensor({1e-320, kNaN}))));
    const auto rows =
        pv::to_vector(pv::harmonic_mean(pv::tensor({{1e-320, 1e-320}, {1., 3.}, {0., 1.}}), 1));
    CHECK(near(rows[0], 1e-320));
    CHECK(near(rows[1], 1.5));
    CHECK(rows[2] == 0);
}

TEST_CASE("deviations of float32, of rows and columns, at every scale: numpy.std") {
    const auto x = pv::tensor<float>({{1, 2, 4}, {1, 5, 2}, {3, 3, 3}});
    for (const int i : {-140, -120, -70, -40, 0, 40, 70, 120}) {
        CAPTURE(i);
        const auto s = std::ldexp(1.f, i);
        const auto a = pv::clone(x * s);
        for (const int axis : {0, 1})
            CHECK(pv::to_vector(pv::standard_deviation(a, axis)) ==
                  pv::to_vector(pv::clone(pv::standard_deviation(x, axis) * s)));
        CHECK(pv::standard_deviation(a) == pv::standard_deviation(x) * s);
    }
    const auto mixed = pv::tensor({{1., 2.}, {1e200, 3e200}, {1e-200, 3e-200}, {5., 5.}});
    CHECK(pv::to_vector(pv::standard_deviation(mixed, 1)) ==
          std::vector<double>{0.5, 1e200, 1e-200, 0});
}

} // namespace moment_scales_test
