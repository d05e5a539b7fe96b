// What check_gradient finds, and what it lets pass.
#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/dtype/half.hpp>
#include <purview/functional/applied/gradient.hpp>
#include <purview/functional/elementwise/emap.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/functional/reductions/reduce.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace gradient_check_test {

namespace {

namespace pv = purview;
using Vector = std::vector<double>;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Checks the gradient of the sum of `f` at x, of type T.
template <typename T, typename F>
void check(const F& f, const Vector& x) {
    const auto c =
        pv::computation([&](auto s) { return pv::sum(f(s)); }, pv::spec<T>({pv::any_size}));
    pv::check_gradient(c, pv::cast<T>(pv::tensor(x)));
}
/// The sum of f with df for its derivative.
template <typename F, typename D>
bool is_found_wrong(const F& f, const D& df, const Vector& x) {
    const auto mapped = pv::with_derivative(f, df);
    try {
        check<double>([&](auto s) { return pv::emap(mapped, s); }, x);
    } catch (const pv::ArithmeticError&) {
        return true;
    }
    return false;
}

} // namespace

TEST_CASE("derivatives that are not finite are wrong where differences are") {
    const auto square = [](double v) { return v * v; };
    CHECK(is_found_wrong(square, [](double) { return kInf; }, {1, 2}));
    CHECK(is_found_wrong(square, [](double) { return -kInf; }, {1, 2}));
    CHECK(is_found_wrong(square, [](double) { return kNan; }, {1, 2}));
    CHECK(is_found_wrong(square, [](double v) { return v > 1.5 ? kInf : 2 * v; }, {1, 2}));
    CHECK_FALSE(is_found_wrong(square, [](double v) { return 2 * v; }, {1, 2}));
    CHECK_FALSE(is_found_wrong([](double) { return kNan; }, [](double) { return kNan; }, {1}));
}

TEST_CASE("near poles and ends the error of differences is allowed for") {
    for (const double x : {1e-1, 1e-2, 1e-3, 1e-5, 1e-7, 1e-9}) {
        INFO(x);
        CHECK_NOTHROW(check<double>([](auto s) { return pv::log(s); }, {x, 1}));
        CHECK_NOTHROW(check<double>([](auto s) { return 1 / s; }, {x}));
        CHECK_NOTHROW(check<double>([](auto s) { return 1 / s; }, {-x}));
        CHECK_NOTHROW(check<double>([](auto s) { return pv::sqrt(s); }, {x, 4}));
        CHECK_NOTHROW(check<double>([](auto s) { return pv::log1p(s - 1); }, {x, 1}));
        CHECK_NOTHROW(check<double>([](auto s) { return pv::pow(s, -1.5); }, {x}));
        CHECK_NOTHROW(check<double>([](auto s) { return pv::sin(1 / (s + 0.01)); }, {x}));
    }
    for (const double x : {1e-1, 1e-2, 1e-3, 1e-4}) {
        INFO(x);
        CHECK_NOTHROW(check<float>([](auto s) { return pv::log(s); }, {x, 1}));
        CHECK_NOTHROW(check<float>([](auto s) { return 1 / s; }, {x, -x}));
        CHECK_NOTHROW(check<float>([](auto s) { return pv::sqrt(s); }, {x, 1}));
    }
    CHECK_NOTHROW(check<double>([](auto s) { return pv::exp(s); }, {-700, 0, 1, 30}));
    CHECK_NOTHROW(check<double>([](auto s) { return pv::sin(s) * s; }, {1e6, -1e3, 0}));
    CHECK_NOTHROW(check<double>([](auto s) { return pv::sq(s); }, {1e100, 0}));
    CHECK_NOTHROW(check<pv::Half>([](auto s) { return pv::sq(pv::cast<float>(s)); }, {1, 2, 3}));
    CHECK_NOTHROW(check<double>([](auto s) { return pv::exp(pv::cast<float>(s)); }, {0.1, 1.7}));
    CHECK_NOTHROW(check<pv::BFloat16>([](auto s) { return pv::sq(pv::cast<float>(s)); }, {1, 2}));
    CHECK_NOTHROW(check<double>([](auto s) { return pv::abs(s); }, {0, 1, -1e-9}));
}

TEST_CASE("wrong derivatives are found near poles, too") {
    const auto inverse = [](double v) { return 1 / v; };
    const auto log = [](double v) { return std::log(v); };
    for (const double x : {1., 1e-2, 1e-3, 1e-5}) {
        INFO(x);
        CHECK(is_found_wrong(inverse, [](double v) { return 1 / (v * v); }, {x}));
        CHECK(is_found_wrong(inverse, [](double v) { return -1.001 / (v * v); }, {x}));
        CHECK(is_found_wrong(log, [](double v) { return 1.001 / v; }, {x}));
        CHECK(is_found_wrong(log, [](double v) { return 1 / v + 1e-3 / v; }, {1, x}));
        CHECK_FALSE(is_found_wrong(log, [](double v) { return 1 / v; }, {1, x}));
    }
    CHECK(is_found_wrong([](double v) { return std::sin(v); },
                         [](double v) { return std::cos(v) + 1e-6; }, {0.3, 2}));
}

TEST_CASE("wrong derivatives of small values are found") {
    for (const double scale : {1., 1e-6, 1e-12, 1e-100}) {
        INFO(scale);
        const auto square = [=](double v) { return scale * v * v; };
        CHECK(is_found_wrong(square, [=](double v) { return 2.001 * scale * v; }, {1, 2}));
        CHECK(is_found_wrong(square, [](double) { return 0.; }, {1, 2}));
        CHECK_FALSE(is_found_wrong(square, [=](double v) { return 2 * scale * v; }, {0, 1, 2}));
        CHECK_FALSE(is_found_wrong([=](double v) { return scale * std::log(v); },
                                   [=](double v) { return scale / v; }, {1, 1e-3}));
    }
}

} // namespace gradient_check_test
