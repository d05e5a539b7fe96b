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
/// The derivatives by both operands.
template <typename F>
std::pair<double, double> both(const F& f, double x, double y) {
    const auto c = pv::computation([&](auto a, auto b) { return f(a, b); }, pv::spec<double>(),
                                   pv::spec<double>());
    const auto [by_x, by_y] = pv::gradient(c)(x, y);
    return {by_x, by_y};
}
using Pair = std::pair<double, double>;

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

} // namespace gradient_edges_test
