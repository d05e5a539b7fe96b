#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/functional/assembly/concat.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/functional/statistics/correlation.hpp>
#include <purview/functional/statistics/descriptive.hpp>
#include <purview/functional/statistics/percentiles.hpp>
#include <purview/tensor/views.hpp>

#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace scipy_test {

// Figures of small samples, as SciPy and NumPy have them: scipy_figures.py.

namespace {

namespace pv = purview;
using Numbers = std::vector<double>;

struct Sample {
    const char* name;
    Numbers x;
    Numbers y;
    std::map<std::string, double> figures;
    std::vector<Numbers> percentiles; ///< by method
};

const std::vector<Sample> kSamples{
#include "functional/statistics/scipy_figures.inc"
};
const Numbers kShares{0, 3, 25, 50, 62.5, 90, 100};

bool close(double found, double expected) {
    return std::abs(found - expected) <= 1e-12 * std::abs(expected);
}

/// The same, with what was side by side apart.
pv::Tensor<double> laid(const pv::Tensor<double>& rows, bool turned) {
    return turned ? pv::transpose(pv::clone(pv::transpose(rows))) : rows;
}

} // namespace

TEST_CASE("Statistics agree with SciPy's and NumPy's to 12 digits") {
    for (const Sample& sample : kSamples) {
        const auto x = pv::tensor(Numbers(sample.x));
        const auto y = pv::tensor(Numbers(sample.y));
        const auto size = pv::clone(pv::abs(x));
        const pv::LinearRegression line = pv::linear_regression(x, y);
        const std::map<std::string, double> found{
            {"mean", pv::mean(x)},
            {"variance", pv::variance(x)},
            {"sample_variance", pv::sample_variance(x)},
            {"standard_deviation", pv::standard_deviation(x)},
            {"sample_standard_deviation", pv::sample_standard_deviation(x)},
            {"standard_error", pv::standard_error(x)},
            {"skewness", pv::skewness(x)},
            {"sample_skewness", pv::sample_skewness(x)},
            {"kurtosis", pv::kurtosis(x)},
            {"sample_kurtosis", pv::sample_kurtosis(x)},
            {"moment 3", pv::moment(x, 3)},
            {"moment 4", pv::moment(x, 4)},
            {"quadratic_mean", pv::quadratic_mean(x)},
            {"geometric_mean", pv::geometric_mean(size)},
            {"harmonic_mean", pv::harmonic_mean(size)},
            {"most_frequent", pv::most_frequent(x)},
            {"covariance", pv::covariance(x, y)},
            {"sample_covariance", pv::sample_covariance(x, y)},
            {"pearson", pv::pearson(x, y)},
            {"spearman", pv::spearman(x, y)},
            {"kendall", pv::kendall(x, y)},
            {"slope", line.slope},
            {"intercept", line.intercept},
            {"slope_error", line.slope_error},
            {"intercept_error", line.intercept_error},
        };
        REQUIRE(found.size() == sample.figures.size());
        for (const auto& [name, expected] : sample.figures) {
            INFO(sample.name << ": " << name << " " << found.at(name) << ", not " << expected);
            CHECK(close(found.at(name), expected));
        }
    }
}

TEST_CASE("The same over an axis of any layout") {
    for (const Sample& sample : kSamples) {
        const auto x = pv::tensor(Numbers(sample.x));
        const auto y = pv::tensor(Numbers(sample.y));
        const auto expected = [&](const char* name) { return sample.figures.at(name); };
        // Short parts, that lie side by side, and that do not.
        const auto rows_x = pv::clone(pv::stack(x, -x, x));
        const auto rows_y = pv::clone(pv::stack(y, -y, y));
        for (const bool turned : {false, true}) {
            const auto a = laid(rows_x, turned);
            const auto b = laid(rows_y, turned);
            INFO(sample.name << (turned ? ", columns" : ", rows"));
            CHECK(close(pv::variance(a, 1)(1), expected("variance")));
            CHECK(close(pv::sample_standard_deviation(a, 1)(0),
                        expected("sample_standard_deviation")));
            CHECK(close(pv::skewness(a, 1)(2), expected("skewness")));
            CHECK(close(pv::kurtosis(a, 1)(1), expected("kurtosis")));
            CHECK(close(pv::moment(a, 4, 1)(1), expected("moment 4")));
            CHECK(close(pv::covariance(a, b, 1)(1), expected("covariance")));
            CHECK(close(pv::sample_covariance(a, b, 1)(0), expected("sample_covariance")));
            CHECK(close(pv::pearson(a, b, 1)(2), expected("pearson")));
            CHECK(close(pv::kendall(a, b, 1)(1), expected("kendall")));
            CHECK(close(pv::spearman(a, b, 1)(1), expected("spearman")));
            CHECK(close(pv::linear_regression(a, b, 1).slope(1), expected("slope")));
        }
    }
}

TEST_CASE("Percentiles agree with NumPy's by all of its methods") {
    for (const Sample& sample : kSamples) {
        const auto x = pv::tensor(Numbers(sample.x));
        for (std::size_t m = 0; m < sample.percentiles.size(); ++m) {
            const auto found = pv::percentile(x, kShares, static_cast<pv::QuantileMethod>(m));
            for (std::size_t k = 0; k < kShares.size(); ++k) {
                INFO(sample.name << ": method " << m << ", " << kShares[k] << " %");
                CHECK(close(found(static_cast<pv::index_t>(k)), sample.percentiles[m][k]));
            }
        }
        CHECK(close(pv::median(x), sample.percentiles[6][3]));
    }
}

} // namespace scipy_test
