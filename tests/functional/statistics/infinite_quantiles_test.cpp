// Medians and quantiles beside infinities: NumPy's `median`, pandas' windows, and mathematics where NumPy's
// interpolation gives NaN.

#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/functional/along/rolling_window.hpp>
#include <purview/functional/along/window_ranges.hpp>
#include <purview/functional/statistics/descriptive.hpp>
#include <purview/functional/statistics/group_by.hpp>
#include <purview/functional/statistics/percentiles.hpp>
#include <purview/named/dim_tensor.hpp>
#include <purview/named/order.hpp>
#include <purview/named/reduce_dims.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace infinite_quantiles_test {

namespace {

namespace pv = purview;
using pv::QuantileMethod;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kMax = std::numeric_limits<double>::max();

} // namespace

TEST_CASE("medians between numbers and infinities, as numpy.median's") {
    CHECK(pv::median(pv::tensor({2., kInf})) == kInf);
    CHECK(pv::median(pv::tensor({1., 2., kInf, kInf})) == kInf);
    CHECK(pv::median(pv::tensor({-kInf, 2.})) == -kInf);
    CHECK(pv::median(pv::tensor({-kInf, -kInf, 2., 3.})) == -kInf);
    CHECK(pv::median(pv::tensor({kInf, kInf})) == kInf);
    CHECK(std::isnan(pv::median(pv::tensor({-kInf, kInf}))));
    CHECK(std::isnan(pv::median(pv::tensor({kNaN, kInf}))));
    CHECK(pv::median(pv::tensor({kNaN, 2., kInf}), pv::skip_nan) == kInf);
    CHECK(pv::median(pv::tensor<float>({2.f, float(kInf)})) == float(kInf));
    CHECK(pv::median(pv::tensor({-kMax, kMax})) == 0);
    CHECK(pv::median(pv::tensor({-kMax, -kMax / 2, kMax, kMax})) == kMax / 4);
}

TEST_CASE("quantiles between numbers and infinities, by every method that interpolates") {
    const auto x = pv::tensor({kInf, 5., 4.});
    CHECK(pv::percentile(x, 80) == kInf);
    CHECK(pv::quantile(pv::tensor({0., kInf}), 0.5) == kInf);
    for (const QuantileMethod method :
         {QuantileMethod::averaged_inverted_cdf, QuantileMethod::interpolated_inverted_cdf,
          QuantileMethod::hazen, QuantileMethod::weibull, QuantileMethod::linear,
          QuantileMethod::median_unbiased, QuantileMethod::normal_unbiased,
          QuantileMethod::midpoint})
        for (double q = 0; q <= 1; q += 1. / 64) {
            const double numbers = pv::quantile(pv::tensor({5., 4., 6.}), q, method);
            const double found = pv::quantile(x, q, method);
            CAPTURE(q, numbers);
            if (numbers > 5)
                CHECK(found == kInf);
            else
                CHECK(found == numbers);
            CHECK(pv::quantile(-x, 1 - q, method) ==
                  (pv::quantile(pv::tensor({-5., -4., -6.}), 1 - q, method) < -5
                       ? -kInf
                       : pv::quantile(pv::tensor({-5., -4., -6.}), 1 - q, method)));
        }
    CHECK(pv::to_vector(pv::quantile(x, {0, 0.25, 0.5, 0.75, 1})) ==
          std::vector<double>{4, 4.5, 5, kInf, kInf});
    CHECK(pv::to_vector(pv::quartiles(x)) == std::vector<double>{4, 4.5, 5, kInf, kInf});
    const auto rows = pv::tensor({{1., kInf}, {-kInf, 2.}, {kNaN, kInf}});
    CHECK(pv::to_vector(pv::median(rows(pv::range(0, 2), pv::all), 1)) ==
          std::vector<double>{kInf, -kInf});
    CHECK(pv::to_vector(pv::median(rows, 1, pv::skip_nan)) ==
          std::vector<double>{kInf, -kInf, kInf});
    const auto [i, j] = pv::dims("i", "j");
    CHECK(pv::to_vector(pv::median(rows(i, j), j, pv::skip_nan) | pv::order(i)) ==
          std::vector<double>{kInf, -kInf, kInf});
}

TEST_CASE("windows and groups beside infinities: pandas rolling and groupby median") {
    const auto x = pv::tensor({1., 2., kInf, kInf, 3.});
    const std::vector<double> expanding{1, 1.5, 2, kInf, 3};
    CHECK(pv::to_vector(pv::expanding_window(x, pv::median)) == expanding);
    CHECK(pv::to_vector(pv::fixed_rolling_window(x, 2, pv::median,
                                                 {.position = pv::WindowPosition::trailing})) ==
          std::vector<double>{1, 1.5, kInf, kInf, kInf});
    CHECK(pv::to_vector(pv::fixed_rolling_window(x, 2, pv::quantile(0.75),
                                                 {.position = pv::WindowPosition::trailing})) ==
          std::vector<double>{1, 1.75, kInf, kInf, kInf});
    const auto times = pv::tensor({0., 1., 2., 3., 4.});
    for (const double median : pv::to_vector(pv::variable_rolling_window(x, times, 2., pv::median)))
        CHECK_FALSE(std::isnan(median));
    const auto keys = pv::tensor({0, 0, 1, 1, 0});
    const auto [groups, medians] =
        pv::group_by_reduce(keys, pv::tensor({1., kInf, 2., kInf, 0.}), pv::median);
    CHECK(pv::to_vector(medians) == std::vector<double>{1, kInf});
    const auto described = pv::descriptive_statistics(
        pv::tensor({1., 2., kInf, kInf}),
        {pv::Statistic::lower_quartile, pv::Statistic::median, pv::Statistic::upper_quartile});
    CHECK(described[pv::Statistic::lower_quartile] == 1.75);
    CHECK(described[pv::Statistic::median] == kInf);
    CHECK(described[pv::Statistic::upper_quartile] == kInf);
}

TEST_CASE("fences beside infinities") {
    const pv::OutlierFences same = pv::outlier_fences(pv::tensor({kInf, kInf, kInf}));
    CHECK(same.lower == kInf);
    CHECK(same.upper == kInf);
    const pv::OutlierFences half = pv::outlier_fences(pv::tensor({1., 2., kInf, kInf}));
    CHECK(half.lower == -kInf);
    CHECK(half.upper == kInf);
    CHECK(pv::outlier_fences(pv::tensor({1., 2., kInf, kInf}), 0).lower == 1.75);
}

} // namespace infinite_quantiles_test
