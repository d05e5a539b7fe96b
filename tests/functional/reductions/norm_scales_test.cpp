// Norms whose squares or powers leave the range of the type: BLAS's `nrm2`, std::hypot, mathematics.

#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/functional/along/rolling_window.hpp>
#include <purview/functional/assembly/sparse.hpp>
#include <purview/functional/reductions/distance.hpp>
#include <purview/functional/reductions/norm.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/functional/statistics/descriptive.hpp>
#include <purview/named/dim_tensor.hpp>
#include <purview/named/order.hpp>
#include <purview/named/reduce_dims.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace norm_scales_test {

namespace {

namespace pv = purview;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool near(double x, double y, double rounding = 1e-14) {
    return x == y || std::abs(x - y) <= rounding * std::abs(y);
}

} // namespace

TEST_CASE("norms, magnitudes and distances at every scale: std::hypot") {
    for (const double s : {1e-310, 1e-300, 1e-200, 1e-160, 1e-80, 1., 1e100, 1e160, 1e200, 1e307}) {
        CAPTURE(s);
        const auto x = pv::tensor({3 * s, -4 * s});
        CHECK(near(pv::norm(x), std::hypot(3 * s, 4 * s)));
        CHECK(near(pv::norm(x, 2), std::hypot(3 * s, 4 * s)));
        CHECK(near(pv::magnitude(x), std::hypot(3 * s, 4 * s)));
        CHECK(near(pv::distance(x, pv::tensor({0., 0.})), std::hypot(3 * s, 4 * s)));
        CHECK(near(pv::norm(pv::tensor({3 * s, kNaN, 4 * s}), pv::skip_nan),
                   std::hypot(3 * s, 4 * s)));
        CHECK(near(pv::magnitude(pv::tensor({3 * s, kNaN, 4 * s}), pv::skip_nan),
                   std::hypot(3 * s, 4 * s)));
        const double third = std::cbrt(91.) * s;
        CHECK(near(pv::norm(x, 3), third, 1e-13));
        CHECK(near(pv::norm(x, -2), 2.4 * s, 1e-13));
        CHECK(near(pv::norm(x, 0.5), std::pow(std::sqrt(3.) + 2, 2) * s, 1e-13));
        CHECK(near(pv::norm(x, 1000), 4 * s, 1e-13));
        CHECK(pv::norm(x, 0) == 2);
        const auto unit = pv::to_vector(pv::clone(pv::normalize(x)));
        CHECK(near(unit[0], 0.6));
        CHECK(near(unit[1], -0.8));
    }
    for (const float s : {1e-42f, 1e-30f, 1e-20f, 1.f, 1e20f, 1e30f, 5e37f}) {
        CAPTURE(s);
        const auto x = pv::tensor<float>({3 * s, 4 * s});
        CHECK(near(pv::norm(x), 5 * double(s), 3e-7 + 1e-45 / double(s)));
        CHECK(near(pv::magnitude(x), 5 * double(s), 3e-7 + 1e-45 / double(s)));
        CHECK(near(pv::norm(x, 3), std::cbrt(91.) * double(s), 1e-6 + 1e-45 / double(s)));
    }
}

TEST_CASE("norms of rows of several scales, of axes and dims: numpy.linalg.norm") {
    const auto x = pv::tensor({{3., 4.}, {3e200, 4e200}, {3e-200, 4e-200}, {0., 0.}, {kInf, 1.}});
    const std::vector<double> expected{5, 5e200, 5e-200, 0, kInf};
    const auto [i, j] = pv::dims("i", "j");
    for (const auto& found : {pv::to_vector(pv::norm(x, 2, 1)), pv::to_vector(pv::magnitude(x, 1)),
                              pv::to_vector(pv::norm(pv::clone(pv::transpose(x)), 2, 0)),
                              pv::to_vector(pv::norm(x(i, j), 2, j) | pv::order(i)),
                              pv::to_vector(pv::distance(x, pv::zeros(5, 2), 1))})
        for (std::size_t g = 0; g < expected.size(); ++g) {
            CAPTURE(g);
            CHECK(near(found[g], expected[g]));
        }
    CHECK(std::isnan(pv::norm(pv::tensor({1e200, kNaN}))));
    CHECK(pv::norm(pv::tensor({0., 5.}), -2) == 0);
    CHECK(pv::norm(pv::zeros(0)) == 0);
    CHECK(pv::norm(pv::tensor({1e308, 1e308}), 1) == kInf);
    const auto large = pv::to_vector(pv::clone(pv::normalize(pv::full({4}, 1e308))));
    CHECK(near(large[0], 0.5));
    const auto least = pv::to_vector(pv::clone(pv::normalize(pv::full({4}, 5e-324))));
    CHECK(near(least[0], 0.5));
    CHECK(std::isnan(pv::to_vector(pv::clone(pv::normalize(pv::zeros(2))))[0]));
    const pv::Tensor<double> any(pv::normalize(pv::AnyTensor(pv::full({4}, 1e308))).operand());
    CHECK(near(any(3), 0.5));
    const pv::Tensor<float> narrow(pv::normalize(pv::AnyTensor(pv::full({4}, 1e-42f))).operand());
    CHECK(narrow(3) == 0.5f);
}

TEST_CASE("windows of any scale: numpy.linalg.norm, numpy.std of each") {
    const auto x = pv::tensor({1e200, 1e200, 3e200, 1., 2., 1e-200, 3e-200, 0., 0.});
    for (const pv::index_t width : {1, 2, 3}) {
        CAPTURE(width);
        const auto windows = pv::fixed_rolling_window(x, width, pv::magnitude);
        const auto deviations = pv::fixed_rolling_window(x, width, pv::standard_deviation);
        const auto means = pv::fixed_rolling_window(x, width, pv::quadratic_mean);
        const auto parts = pv::fixed_rolling_window(x, width, pv::magnitude_squared);
        for (pv::index_t i = 0; i < x.size(); ++i) {
            std::vector<double> window;
            for (pv::index_t k = i - width / 2; k < i - width / 2 + width; ++k)
                window.push_back(x(std::clamp<pv::index_t>(k, 0, x.size() - 1)));
            CHECK(windows(i) == Approx(pv::magnitude(window)));
            CHECK(means(i) == Approx(pv::quadratic_mean(window)));
            CHECK(std::abs(deviations(i) - pv::standard_deviation(window)) <=
                  1e-12 * pv::standard_deviation(window));
            CHECK(parts(i) == Approx(pv::magnitude_squared(window)));
        }
    }
    const auto narrow = pv::tensor<float>({1e30F, 1e30F, 1e-30F, 1e-30F});
    const auto norms = pv::fixed_rolling_window(narrow, 2, pv::magnitude, {.step = 2});
    CHECK(norms(0) == Approx(1.4142135e30F));
    CHECK(pv::fixed_rolling_window(narrow, 2, pv::magnitude)(3) == Approx(1.4142135e-30F));
}

TEST_CASE("p-norms of sparse tensors at every scale: those of dense ones") {
    const auto check = []<typename T>(const pv::Tensor<T>& dense, double rounding) {
        const auto stored = pv::to_sparse(dense);
        for (const double p : {0.5, 1., 1.5, 2., 3., 4., 7., 1000., -1., -3., 0., kInf, -kInf})
            for (const pv::index_t axis : {0, 1}) {
                CAPTURE(p, axis);
                const auto found = pv::to_vector(pv::clone(pv::norm(stored, p, axis)));
                const auto expected = pv::to_vector(pv::norm(dense, p, axis));
                REQUIRE(found.size() == expected.size());
                for (std::size_t i = 0; i < found.size(); ++i)
                    CHECK(near(double(found[i]), double(expected[i]), rounding));
            }
    };
    check(pv::tensor({{1e200, 0., 1e200}, {0., 1e-200, 1e-200}}), 1e-12);
    check(pv::tensor({{3., 0., -4.}, {0., 1e-310, 1e-320}, {0., 0., 0.}, {kInf, 0., 1e200}}),
          1e-12);
    check(pv::tensor({{1e110, 2e110}, {3e-110, -1e-110}}), 1e-12);
    check(pv::tensor<float>({{1e30f, 0.f, 2e30f}, {0.f, 1e-30f, 1e-30f}}), 1e-5);
    const auto thirds = pv::to_vector(pv::clone(
        pv::norm(pv::to_sparse(pv::tensor({{1e200, 0., 1e200}, {0., 1e-200, 1e-200}})), 3., 1)));
    CHECK(near(thirds[0], std::cbrt(2.) * 1e200));
    CHECK(near(thirds[1], std::cbrt(2.) * 1e-200));
}

} // namespace norm_scales_test
