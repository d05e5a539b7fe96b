// The derivatives at kinks, ends and infinities: the table of docs/gradients.md.
#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/functional/applied/gradient.hpp>
#include <purview/functional/elementwise/floating_point.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/functional/reductions/distance.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/named/softmax.hpp>

#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

namespace gradient_edges_test {

namespace {

namespace pv = purview;
using Vector = std::vector<double>;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// The derivative at x of the sum of `f` of one operand.
template <typename F>
Vector slopes(const F& f, const Vector& x) {
    const auto c =
        pv::computation([&](auto s) { return pv::sum(f(s)); }, pv::spec<double>({pv::any_size}));
    return pv::to_vector(pv::gradient(c)(pv::tensor(x)));
}
template <typename F>
double slope(const F& f, double x) {
    return slopes(f, {x})[0];
}
template <typename F>
double second(const F& f, double x) {
    const auto c = pv::computation([&](auto s) { return f(s); }, pv::spec<double>());
    return pv::gradient(pv::gradient(c))(x);
}
/// The second derivative by the Hessian, which goes forwards over backwards.
template <typename F>
double curvature(const F& f, double x) {
    const auto c = pv::computation([&](auto s) { return pv::hessian(pv::sum(f(s)), s); },
                                   pv::spec<double>({1}));
    return pv::to_vector(c(pv::tensor({x})))[0];
}
/// The derivatives by both operands.
template <typename F>
std::pair<double, double> both(const F& f, double x, double y) {
    const auto c = pv::computation([&](auto a, auto b) { return f(a, b); }, pv::spec<double>(),
                                   pv::spec<double>());
    const auto [by_x, by_y] = pv::gradient(c)(x, y);
    return {by_x, by_y};
}
using Pair = std::pair<double, double>;

/// Whether two numbers are the same but for rounding.
bool are_close(double x, double y) { return std::abs(x - y) <= 1e-14 * std::abs(y); }

/// Whether the derivative of `f` at x, where it is left out by a choice, is 0.
template <typename F>
bool is_left_out(const F& f, double x) {
    return slope([&](auto s) { return pv::where(s != x, f(s), 2.0); }, x) == 0 &&
           slope([&](auto s) { return pv::where(s == x, 2.0, pv::sq(f(s)) * s); }, x) == 0;
}

} // namespace

TEST_CASE("what a choice leaves out has no part in the derivative, whatever its value is") {
    CHECK(is_left_out([](auto s) { return pv::log(s); }, 0));
    CHECK(is_left_out([](auto s) { return pv::log(s); }, -1));
    CHECK(is_left_out([](auto s) { return pv::sqrt(s); }, 0));
    CHECK(is_left_out([](auto s) { return pv::sqrt(s); }, -1));
    CHECK(is_left_out([](auto s) { return pv::cbrt(s); }, 0));
    CHECK(is_left_out([](auto s) { return 1 / s; }, 0));
    CHECK(is_left_out([](auto s) { return s / s; }, 0));
    CHECK(is_left_out([](auto s) { return pv::exp(s); }, 1e6));
    CHECK(is_left_out([](auto s) { return pv::exp(s); }, kInf));
    CHECK(is_left_out([](auto s) { return pv::exp2(s) + pv::expm1(s); }, 1e6));
    CHECK(is_left_out([](auto s) { return pv::sinh(s) * pv::cosh(s); }, 1e6));
    CHECK(is_left_out([](auto s) { return pv::asin(s) + pv::acos(s); }, 1));
    CHECK(is_left_out([](auto s) { return pv::asin(s) + pv::acos(s); }, 3));
    CHECK(is_left_out([](auto s) { return pv::atanh(s); }, 1));
    CHECK(is_left_out([](auto s) { return pv::acosh(s); }, 1));
    CHECK(is_left_out([](auto s) { return pv::log1p(s); }, -1));
    CHECK(is_left_out([](auto s) { return pv::log2(s) + pv::log10(s); }, 0));
    CHECK(is_left_out([](auto s) { return pv::pow(s, -1.5); }, 0));
    CHECK(is_left_out([](auto s) { return pv::pow(s, s); }, -2));
    CHECK(is_left_out([](auto s) { return pv::pow(2.0, s); }, 1e6));
    CHECK(is_left_out([](auto s) { return pv::hypot(s, s); }, kInf));
    CHECK(is_left_out([](auto s) { return pv::atan2(s, s); }, kInf));
    CHECK(is_left_out([](auto s) { return s % 0.0; }, 2));
    CHECK(is_left_out([](auto s) { return pv::sin(s) + pv::cos(s) + pv::tan(s); }, kInf));
    CHECK(is_left_out([](auto s) { return pv::sq(s) * s; }, kInf));
    CHECK(slope([](auto s) { return pv::where(s != s, 0.0, s * s * pv::log(s)); }, kNan) == 0);
    // The double where of other libraries is not needed.
    CHECK(slopes([](auto s) { return pv::where(s > 0, pv::sqrt(s), s); }, {-1, 0, 4}) ==
          Vector{1, 1, 0.25});
    // An adjoint that is 0 for another reason, too.
    CHECK(slope([](auto s) { return 0.0 * pv::exp(pv::sqrt(s)); }, 0) == 0);
    CHECK(slope([](auto s) { return pv::clamp(pv::log(s), -1.0, 1.0); }, 0) == 0);
}

TEST_CASE("lengths and deviations have derivative 0 where they are 0") {
    const auto length = [](auto s) { return pv::sqrt(pv::sum(pv::sq(s))); };
    CHECK(slopes(length, {0, 0, 0}) == Vector{0, 0, 0});
    CHECK(slopes(length, {-2, 0, 0}) == Vector{-1, 0, 0});
    CHECK(slopes([](auto s) { return pv::magnitude(s); }, {0, 0}) == Vector{0, 0});
    CHECK(slopes([](auto s) { return pv::standard_deviation(s); }, {5, 5, 5}) == Vector{0, 0, 0});
    CHECK(both([](auto x, auto y) { return pv::hypot(x, y); }, 0, 0) == Pair(0, 0));
    CHECK(both([](auto x, auto y) { return pv::hypot(x, y); }, 0, 4) == Pair(0, 1));
    CHECK(both([](auto x, auto y) { return pv::sqrt(x * x + y * y); }, 0, 0) == Pair(0, 0));
    const auto apart = pv::computation([](auto x, auto y) { return pv::distance(x, y); },
                                       pv::spec<double>({2}), pv::spec<double>({2}));
    const auto [by_x, by_y] = pv::gradient(apart)(pv::ones({2}), pv::ones({2}));
    CHECK(pv::to_vector(by_x) == Vector{0, 0});
    CHECK(pv::to_vector(by_y) == Vector{0, 0});
    CHECK(both([](auto y, auto x) { return pv::atan2(y, x); }, 0, 0) == Pair(0, 0));
    // Second derivatives of kinks are 0.
    CHECK(second([](auto x) { return pv::hypot(x, 0.0); }, 0) == 0);
    CHECK(second([](auto x) { return pv::sqrt(x * x); }, 0) == 0);
}

TEST_CASE("derivatives at the ends of domains are infinite as the limit says") {
    CHECK(slope([](auto s) { return pv::sqrt(s); }, 0) == kInf);
    CHECK(slope([](auto s) { return pv::cbrt(s); }, 0) == kInf);
    CHECK(slope([](auto s) { return pv::cbrt(s); }, -0.0) == kInf);
    CHECK(slope([](auto s) { return pv::log(s); }, 0) == kInf);
    CHECK(slope([](auto s) { return pv::log1p(s); }, -1) == kInf);
    CHECK(slope([](auto s) { return pv::asin(s); }, 1) == kInf);
    CHECK(slope([](auto s) { return pv::asin(s); }, -1) == kInf);
    CHECK(slope([](auto s) { return pv::acos(s); }, 1) == -kInf);
    CHECK(slope([](auto s) { return 1 / s; }, 0) == -kInf);
    CHECK(slope([](auto s) { return pv::atanh(s); }, 1) == kInf);
    CHECK(slope([](auto s) { return pv::acosh(s); }, 1) == kInf);
}

TEST_CASE("powers have their derivatives at 0, and of negative numbers") {
    const auto power = [](auto x, auto y) { return pv::pow(x, y); };
    CHECK(both(power, 0, 2) == Pair(0, 0));
    CHECK(both(power, 0, 1.5) == Pair(0, 0));
    CHECK(both(power, 0, 1) == Pair(1, 0));
    CHECK(both(power, 0, 0.5) == Pair(kInf, 0));
    CHECK(both(power, 0, 0) == Pair(0, 0));
    const auto [by_x, by_y] = both(power, -2, 3);
    CHECK(by_x == 12);
    CHECK(std::isnan(by_y));
    CHECK(slope([](auto s) { return pv::pow(s, 3.0); }, -2) == 12);
    CHECK(slope([](auto s) { return pv::pow(s, 0.5); }, 0) == kInf);
    CHECK(slope([](auto s) { return pv::pow(s, 0.0); }, 0) == 0);
    CHECK(second([](auto s) { return pv::pow(s, 2.0); }, 0) == 2);
    CHECK(second([](auto s) { return pv::pow(s, 2); }, 0) == 2);
    CHECK(second([](auto s) { return pv::sq(s); }, 0) == 2);
    CHECK(second([](auto s) { return s * s; }, 0) == 2);
    CHECK(second([](auto s) { return pv::pow(s, 3.0); }, 0) == 0);
    CHECK(second([](auto s) { return pv::pow(s, 1.0); }, 0) == 0);
}

TEST_CASE("ties share the derivative equally") {
    CHECK(both([](auto x, auto y) { return pv::maximum(x, y); }, 2, 2) == Pair(0.5, 0.5));
    CHECK(both([](auto x, auto y) { return pv::minimum(x, y); }, 2, 2) == Pair(0.5, 0.5));
    CHECK(both([](auto x, auto y) { return pv::maximum(x, y); }, 3, 2) == Pair(1, 0));
    CHECK(both([](auto x, auto y) { return pv::minimum(x, y); }, 3, 2) == Pair(0, 1));
    CHECK(slope([](auto s) { return pv::maximum(s, 0.0); }, 0) == 0.5);
    CHECK(slopes([](auto s) { return pv::max(s); }, {4, 1, 4, 4, 4}) ==
          Vector{0.25, 0, 0.25, 0.25, 0.25});
    CHECK(slopes([](auto s) { return pv::min(s); }, {4, 1, 1, 4}) == Vector{0, 0.5, 0.5, 0});
    CHECK(second([](auto s) { return pv::maximum(s, 0.0) * s; }, 0) == 1);
}

TEST_CASE("kinks of one number, and steps") {
    CHECK(slope([](auto s) { return pv::relu(s); }, 0) == 0);
    CHECK(slopes([](auto s) { return pv::relu(s); }, {-1, 2}) == Vector{0, 1});
    CHECK(slopes([](auto s) { return pv::clamp(s, -1.0, 1.0); }, {-2, -1, 0, 1, 2}) ==
          Vector{0, 1, 1, 1, 0});
    CHECK(slope([](auto s) { return pv::abs(s); }, 0) == 0);
    CHECK(slopes([](auto s) { return pv::abs(s); }, {-3, 3}) == Vector{-1, 1});
    CHECK(slope([](auto s) { return pv::signum(s); }, 0) == 0);
    CHECK(slopes(
              [](auto s) {
                  return pv::floor(s) + pv::ceil(s) + pv::round(s) + pv::rint(s) + pv::trunc(s);
              },
              {0.5, 1, 2.25}) == Vector{0, 0, 0});
    CHECK(
        slope([](auto s) { return pv::cast<double>(s > 0.5) + pv::cast<double>(pv::cast<int>(s)); },
              1) == 0);
    CHECK(second([](auto s) { return pv::relu(s); }, 0) == 0);
    CHECK(second([](auto s) { return pv::abs(s); }, 0) == 0);
    CHECK(second([](auto s) { return pv::clamp(s, 0.0, 1.0); }, 1) == 0);
    // x % y
    CHECK(both([](auto x, auto y) { return x % y; }, 7, 2) == Pair(1, -3));
    CHECK(both([](auto x, auto y) { return x % y; }, -7, 2) == Pair(1, 3));
}

TEST_CASE("products with zeros are differentiated exactly") {
    const auto product = [](auto s) { return pv::product(s); };
    CHECK(slopes(product, {2, 3, 4}) == Vector{12, 8, 6});
    CHECK(slopes(product, {2, 0, 4}) == Vector{0, 8, 0});
    CHECK(slopes(product, {0, 3, 0}) == Vector{0, 0, 0});
    CHECK(slopes(product, {5}) == Vector{1});
    CHECK(slopes(product, {kInf, 2}) == Vector{2, kInf});
    const auto c = pv::computation([](auto s) { return pv::hessian(pv::product(s), s); },
                                   pv::spec<double>({3}));
    CHECK(pv::to_vector(c(pv::tensor({0., 0., 4.}))) == Vector{0, 4, 0, 4, 0, 0, 0, 0, 0});
}

TEST_CASE("logarithms of sums of exponentials of very large and infinite numbers") {
    const auto f = [](auto x, auto y) { return pv::logaddexp(x, y); };
    CHECK(both(f, 1e3, -1e3) == Pair(1, 0));
    CHECK(both(f, -1e3, -1e3) == Pair(0.5, 0.5));
    CHECK(both(f, 1e20, 1) == Pair(1, 0));
    CHECK(both(f, -kInf, 1) == Pair(0, 1));
    CHECK(both(f, 1, -kInf) == Pair(1, 0));
    CHECK(both(f, -kInf, -kInf) == Pair(0, 0));
    CHECK(slope([](auto s) { return pv::logistic(s); }, 1e3) == 0);
    CHECK(slope([](auto s) { return pv::logistic(s); }, -1e3) == 0);
    CHECK(slope([](auto s) { return pv::logistic(s); }, 0) == 0.25);
}

TEST_CASE("far out, derivatives of tanh and logistic are those of 1 / cosh² and of σ(x) σ(-x)") {
    const auto tanh = [](auto s) { return pv::tanh(s); };
    const auto logistic = [](auto s) { return pv::logistic(s); };
    for (const double x : {0.3, 0.999, 1., 1.5, 8., 19., 20., 40., 100., 300.}) {
        INFO(x);
        const double cosh = std::cosh(x);
        const double e = std::exp(-x);
        const double s = 1 / (1 + e);
        for (const double sign : {1., -1.}) {
            CHECK(are_close(slope(tanh, sign * x), 1 / cosh / cosh));
            CHECK(are_close(slope(logistic, sign * x), s * s * e));
            const double bend = -2 * sign * std::tanh(x) / cosh / cosh;
            CHECK(are_close(second(tanh, sign * x), bend));
            CHECK(are_close(curvature(tanh, sign * x), bend));
            const double turn = -sign * s * s * s * e * (1 - e);
            CHECK(std::abs(second(logistic, sign * x) - turn) <= 1e-15 * s * s * e);
            CHECK(std::abs(curvature(logistic, sign * x) - turn) <= 1e-15 * s * s * e);
        }
    }
    CHECK(are_close(second(tanh, 1e-9), -2e-9));
    for (const double x : {800., 1e300, kInf}) {
        CHECK(slopes(tanh, {x, -x}) == Vector{0, 0});
        CHECK(slopes(logistic, {x, -x}) == Vector{0, 0});
        CHECK(second(tanh, x) == 0);
        CHECK(second(logistic, -x) == 0);
    }
    const auto of_float = pv::computation(
        [](auto s) { return pv::gradient(pv::sum(pv::tanh(s) + pv::logistic(s)), s); },
        pv::spec<float>({3}));
    const auto found = pv::to_vector(of_float(pv::tensor({12.F, -20.F, 30.F})));
    const Vector exact{6.1442876621e-6, 2.0611536181902e-9, 9.35762296884e-14};
    for (std::size_t i = 0; i < 3; ++i) CHECK(std::abs(found[i] / exact[i] - 1) < 1e-6);
}

TEST_CASE("where a value is NaN, its derivative is no 0") {
    const auto is_nan_at = [](const auto& f, double x) { return std::isnan(slope(f, x)); };
    CHECK(is_nan_at([](auto s) { return pv::logistic(s); }, kNan)); // as JAX gives
    CHECK(is_nan_at([](auto s) { return pv::tanh(s); }, kNan));
    CHECK(is_nan_at([](auto s) { return pv::maximum(s, 0.0); }, kNan));
    CHECK(is_nan_at([](auto s) { return pv::minimum(0.0, s); }, kNan));
    CHECK(is_nan_at([](auto s) { return pv::clamp(s, 0.0, 1.0); }, kNan));
    CHECK(slope([](auto s) { return pv::where(s > 0, pv::maximum(s, 0.0), 1.0); }, kNan) == 0);
    const auto weighted = pv::computation(
        [](auto s) {
            return pv::sum(pv::softmax(s, 0) * pv::tensor({1., 2., 3.}));
        },
        pv::spec<double>({3}));
    for (const Vector& x : {Vector{kNan, 1, 2}, Vector{kInf, 1, 2}, Vector(3, -kInf)})
        for (const double by : pv::to_vector(pv::gradient(weighted)(pv::tensor(x))))
            CHECK(std::isnan(by));
}

TEST_CASE("second derivatives at the ends of domains are infinite, in either direction") {
    const auto both_are = [](const auto& f, double x, double expected) {
        return second(f, x) == expected && curvature(f, x) == expected;
    };
    for (const double x : {1., -1.}) {
        CHECK(both_are([](auto s) { return pv::asin(s); }, x, x * kInf));
        CHECK(both_are([](auto s) { return pv::acos(s); }, x, -x * kInf));
        CHECK(both_are([](auto s) { return pv::atanh(s); }, x, x * kInf));
    }
    CHECK(both_are([](auto s) { return pv::acosh(s); }, 1, -kInf));
    CHECK(both_are([](auto s) { return pv::cbrt(s); }, 0, -kInf));
    CHECK(both_are([](auto s) { return pv::cbrt(s); }, -0.0, kInf));
    CHECK(both_are([](auto s) { return pv::sqrt(s); }, 0, -kInf));
    CHECK(both_are([](auto s) { return pv::log(s); }, 0, -kInf));
    // x / (1 - x²)^1.5, 2 x / (1 - x²)², -x / (x² - 1)^1.5, of 1 - x² without what cancels.
    for (const double x : {0.1, -0.75, 1 - 0x1p-30, 1 - 0x1p-53}) {
        INFO(x);
        const double rest = (1 - x) * (1 + x);
        CHECK(are_close(slope([](auto s) { return pv::asin(s); }, x), 1 / std::sqrt(rest)));
        CHECK(are_close(second([](auto s) { return pv::asin(s); }, x), x / std::pow(rest, 1.5)));
        CHECK(are_close(slope([](auto s) { return pv::atanh(s); }, x), 1 / rest));
        CHECK(are_close(second([](auto s) { return pv::atanh(s); }, x), 2 * x / rest / rest));
    }
    for (const double x : {1 + 0x1p-52, 1 + 0x1p-20, 3., 1e8, 1e12, 1e100}) {
        INFO(x);
        const double root = std::sqrt(x - 1) * std::sqrt(x + 1);
        CHECK(are_close(slope([](auto s) { return pv::acosh(s); }, x), 1 / root));
        CHECK(are_close(second([](auto s) { return pv::acosh(s); }, x), -x / root / root / root));
    }
    CHECK(slope([](auto s) { return pv::acosh(s); }, 1e300) == 1e-300);
}

} // namespace gradient_edges_test
