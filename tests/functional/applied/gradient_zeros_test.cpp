// Zeros of derivatives, which stay zeros; and where norms, quotients and rests have theirs.
#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/functional/applied/gradient.hpp>
#include <purview/functional/assembly/concat.hpp>
#include <purview/functional/elementwise/composed.hpp>
#include <purview/functional/elementwise/floating_point.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/functional/reductions/logsumexp.hpp>
#include <purview/functional/reductions/norm.hpp>
#include <purview/functional/reductions/product.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/tensor/views.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <tuple>
#include <vector>

namespace gradient_zeros_test {

namespace {

namespace pv = purview;
using Vector = std::vector<double>;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const auto kAny = pv::spec<double>({pv::any_size});

/// The gradient of `f`, a number, at x.
template <typename F>
Vector slopes(const F& f, const Vector& x) {
    const auto c = pv::computation([&](auto s) { return f(s); }, kAny);
    return pv::to_vector(pv::gradient(c)(pv::tensor(x)));
}
/// The Jacobian of `f` at x, forwards where the results are more than the arguments; and row by row
/// backwards, which has to be the same.
template <typename F>
Vector jacobian(const F& f, const Vector& x) {
    const auto c = pv::computation(
        [&](auto s) {
            const auto y = f(s);
            return std::pair(pv::jacobian(y, s), pv::jacobian(pv::concat(y, y, 0), s));
        },
        kAny);
    const auto [once, twice] = c(pv::tensor(x));
    Vector rows = pv::to_vector(once);
    Vector doubled = rows;
    doubled.insert(doubled.end(), rows.begin(), rows.end());
    CHECK(pv::to_vector(twice) == doubled);
    return rows;
}
/// The second derivatives: forwards over backwards, and backwards twice, which have to be the same.
template <typename F>
Vector hessian(const F& f, const Vector& x) {
    const auto forwards =
        pv::computation([&](auto s) { return pv::hessian(f(s), s); }, kAny)(pv::tensor(x));
    Vector backwards;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto row = pv::computation(
            [&](auto s) {
                return pv::gradient(pv::gradient(f(s), s)(static_cast<pv::index_t>(i)), s);
            },
            kAny);
        for (const double d : pv::to_vector(row(pv::tensor(x)))) backwards.push_back(d);
    }
    CHECK(pv::to_vector(forwards) == backwards);
    return backwards;
}
/// The sum of f(x) where x > 0, and of x³ elsewhere.
template <typename F>
auto for_positive(const F& f) {
    return [f](auto s) { return pv::sum(pv::where(s > 0, f(s), s * s * s)); };
}

} // namespace

TEST_CASE("what a choice leaves out has no part in second derivatives") {
    const Vector x{-1, 0, 4};
    CHECK(hessian(for_positive([](auto s) { return pv::sqrt(s); }), x) ==
          Vector{-6, 0, 0, 0, 0, 0, 0, 0, -0.03125});
    CHECK(hessian(for_positive([](auto s) { return pv::log(s); }), x) ==
          Vector{-6, 0, 0, 0, 0, 0, 0, 0, -0.0625});
    CHECK(hessian(for_positive([](auto s) { return 1 / s; }), x) ==
          Vector{-6, 0, 0, 0, 0, 0, 0, 0, 0.03125});
    CHECK(hessian(for_positive([](auto s) { return pv::pow(s, s); }), {-1, 0, 1}) ==
          Vector{-6, 0, 0, 0, 0, 0, 0, 0, 2});
    CHECK(hessian(for_positive([](auto s) { return pv::cbrt(s) * s; }), {-1, 0}) ==
          Vector{-6, 0, 0, 0});
    CHECK(hessian(for_positive([](auto s) { return pv::product(pv::sqrt(s)) * s; }), {-1, 0}) ==
          Vector{-6, 0, 0, 0});
    CHECK(hessian([](auto s) { return pv::sum(pv::where(s < 9, s * s, pv::exp(s))); }, {1e6, 1}) ==
          Vector{kInf, 0, 0, 2});
    CHECK(hessian([](auto s) { return pv::sum(pv::where(s < 9, pv::sq(s * s * s) * s, s * s)); },
                  {1e200, 0}) == Vector{2, 0, 0, 0});
    CHECK(hessian([](auto s) { return pv::sum(pv::where(s < 9, pv::exp(s), s * s)); }, {1e6, 0}) ==
          Vector{2, 0, 0, 1});
}

TEST_CASE("forwards, too, a derivative that is 0 stays 0") {
    CHECK(jacobian([](auto s) { return 0. * pv::exp(s); }, {1e6}) == Vector{0});
    // What the results do not depend on has derivatives that are 0, however steep they are.
    CHECK(jacobian([](auto s) { return pv::sqrt(s); }, {0, 1}) == Vector{kInf, 0, 0, 0.5});
    const auto z = pv::zeros<double>({3});
    CHECK(jacobian([&](auto s) { return z * pv::sqrt(s(0)); }, {0, 1}) == Vector(6, 0));
    const auto rows = pv::computation(
        [&](auto s) {
            return pv::jacobian(pv::zeros<double>({2, 3}) * pv::sqrt(s), s);
        },
        pv::spec<double>({3}));
    CHECK(pv::to_vector(rows(z)) == Vector(18, 0));
    const auto along = pv::computation(
        [](auto s, auto v) { return pv::jacobian_vector_product(0. * pv::exp(s), s, v); },
        pv::spec<double>({3}), pv::spec<double>({3}));
    CHECK(pv::to_vector(along(pv::full({3}, 1e6), pv::ones({3}))) == Vector(3, 0));
}

TEST_CASE("products of matrices are such products forwards") {
    const auto a = pv::tensor({{1., 2.}, {3., 4.}, {5., 6.}});
    CHECK(jacobian([&](auto s) { return pv::matmul(a, pv::sq(s)); }, {1, 2}) ==
          Vector{2, 8, 6, 16, 10, 24});
}

TEST_CASE("a root is a norm where it is one of squares, whatever they are made of") {
    const Vector zeros{0, 0};
    const auto w = pv::tensor({1., 2.});
    const auto named = pv::variable(w, "w");
    CHECK(slopes([&](auto s) { return pv::sqrt(pv::sum(w * pv::sq(s))); }, zeros) == zeros);
    CHECK(slopes([&](auto s) { return pv::sqrt(pv::mean(pv::sq(s) * named)); }, zeros) == zeros);
    CHECK(slopes([&](auto s) { return pv::sqrt(pv::sum(pv::sq(s) / w)); }, zeros) == zeros);
    CHECK(slopes([](auto s) { return pv::sqrt(pv::sum(pv::sq(s) * pv::exp(s))); }, zeros) == zeros);
    CHECK(slopes([](auto s) { return pv::sqrt(pv::max(pv::sq(s))); }, zeros) == zeros);
    CHECK(slopes([](auto s) { return pv::sqrt((s(0) - s(1)) * (s(0) - s(1))); }, {3, 3}) == zeros);
    CHECK(slopes([](auto s) { return pv::sqrt(s(0) * s(0) + pv::pow(s(1), 4.)); }, zeros) == zeros);
    CHECK(slopes([](auto s) { return pv::sqrt(pv::sum(pv::where(s > 1, s * s, 0.))); }, zeros) ==
          zeros);
    CHECK(slopes([](auto s) { return pv::sqrt(pv::sum(pv::sq(pv::concat(s, s, 0)))); }, zeros) ==
          zeros);
    CHECK(slopes(
              [](auto s) {
                  auto sum = pv::sq(s(0));
                  for (int i = 1; i < 2000; ++i) sum = sum + pv::sq(s(i % 8));
                  return pv::sqrt(sum);
              },
              Vector(8, 0)) == Vector(8, 0));
    for (const double p : {1., 1.5, 2., 3., 7., 49.})
        CHECK(slopes([p](auto s) { return pv::norm(s, p, 0); }, zeros) == zeros);
    CHECK(slopes([](auto s) { return pv::pow(s(0) * s(0), 0.75) + s(1); }, zeros) == Vector{0, 1});
    CHECK(hessian([&](auto s) { return pv::sqrt(pv::sum(w * pv::sq(s))); }, zeros) == Vector(4, 0));

    // Not of the product of two numbers, nor of what is no square: there the root is infinitely steep.
    CHECK(slopes([](auto s) { return pv::sqrt(s(0) * s(1)); }, {0, 4})[0] == kInf);
    CHECK(slopes([](auto s) { return pv::sqrt(s(0) * (s(1) + 0)) + pv::sqrt(s(1) * s(1)); },
                 {0, 4})[0] == kInf);
    CHECK(slopes([](auto s) { return pv::pow(s(0) * s(1), 0.5); }, {0, 4})[0] == kInf);
    CHECK(slopes(
              [](auto s) {
                  return pv::sqrt(pv::sum(s * pv::tensor({1., 2.})));
              },
              zeros) == Vector{kInf, kInf});
    CHECK(std::isnan(slopes([](auto s) { return pv::pow(s(0) * s(0), 0.25); }, zeros)[0]));
    const auto by_square = pv::computation(
        [](auto s) {
            const auto square = s * s;
            return pv::gradient(pv::sum(pv::pow(square, 0.25)), square);
        },
        pv::spec<double>({1}));
    CHECK(by_square(pv::zeros<double>({1}))(0) == kInf);
    CHECK(slopes([](auto s) { return pv::sqrt(pv::sq(s(0)) + -1. * pv::sq(s(1))); }, {1, 1})[0] ==
          kInf);
}

TEST_CASE("quotients by zeros that are not chosen") {
    const Vector x{0, 1, 3};
    const auto chosen = [&](auto f) {
        return slopes([f](auto s) { return pv::sum(pv::where(s > 2., f(s), s)); }, x);
    };
    CHECK(chosen([](auto s) { return s / 0.; }) == Vector{1, 1, kInf});
    CHECK(chosen([](auto s) { return s / -0.; }) == Vector{1, 1, -kInf});
    CHECK(chosen([](auto s) { return s / pv::zeros<double>({3}); }) == Vector{1, 1, kInf});
    CHECK(chosen([](auto s) { return s * kInf; }) == Vector{1, 1, kInf});
    CHECK(chosen([](auto s) { return s / kInf; }) == Vector{1, 1, 0});
    const Vector by_nan = chosen([](auto s) { return s / kNan; });
    CHECK(by_nan[0] == 1);
    CHECK(std::isnan(by_nan[2]));
    CHECK(chosen([](auto s) { return pv::cast<double>(pv::cast<float>(s) / 0.F); }) ==
          Vector{1, 1, kInf});
}

TEST_CASE("second derivatives of logaddexp and its like at equal numbers") {
    const Vector quarters{0.25, -0.25, -0.25, 0.25};
    for (const double x : {0., 2., -700.}) {
        CHECK(hessian([](auto s) { return pv::logaddexp(s(0), s(1)); }, {x, x}) == quarters);
        CHECK(hessian([](auto s) { return pv::logsumexp(s, 0); }, {x, x}) == quarters);
        CHECK(slopes([](auto s) { return pv::logaddexp(s(0), s(1)); }, {x, x}) == Vector{0.5, 0.5});
    }
    CHECK(hessian([](auto s) { return pv::sum(pv::logaddexp(0., s)); }, {0}) == Vector{0.25});
    CHECK(hessian([](auto s) { return pv::sum(pv::logaddexp(s, 0.)); }, {0}) == Vector{0.25});
    CHECK(hessian([](auto s) { return pv::sum(pv::logaddexp(s, 2 * s)); }, {0}) == Vector{0.25});
    CHECK(hessian([](auto s) { return pv::sum(pv::logistic(s)); }, {0}) == Vector{0});
    const auto infinite = [](auto s) { return pv::logaddexp(s(0), s(1)); };
    CHECK(slopes(infinite, {kInf, kInf}) == Vector{0.5, 0.5});
    CHECK(slopes(infinite, {-kInf, -kInf}) == Vector{0, 0});
    CHECK(slopes(infinite, {kInf, -kInf}) == Vector{1, 0});
    CHECK(std::isnan(slopes(infinite, {kNan, 1})[0]));
    // Its values are those of tensors, to the last bit.
    const auto x = pv::tensor({0., 1., -kInf, kInf, kInf, kNan, -0., 700.});
    const auto y = pv::tensor({0., -3., -kInf, kInf, 2., 1., 0., -700.});
    const auto traced = pv::computation([](auto a, auto b) { return pv::logaddexp(a, b); },
                                        pv::spec<double>({8}), pv::spec<double>({8}));
    const Vector values = pv::to_vector(traced(x, y));
    const Vector eager = pv::to_vector(pv::logaddexp(x, y));
    for (std::size_t i = 0; i < values.size(); ++i)
        CHECK((values[i] == eager[i] || (std::isnan(values[i]) && std::isnan(eager[i]))));
    // A logistic regression has a Hessian where the weights are 0: Xᵀ X / 4.
    const auto points = pv::tensor({{1., 2.}, {0., 2.}});
    CHECK(hessian([&](auto w) { return pv::sum(pv::logaddexp(0., pv::matmul(points, w))); },
                  {0, 0}) == Vector{0.25, 0.5, 0.5, 2});
}

TEST_CASE("rests of multiples, and of quotients that are rounded to whole numbers") {
    const Vector x{-4, -1, 0, 1, 2, 3};
    const Vector ones(6, 1);
    CHECK(slopes([](auto s) { return pv::sum(pv::mod(s, 2.)); }, x) == ones);
    CHECK(slopes([](auto s) { return pv::sum(pv::mod(s, -2.)); }, x) == ones);
    CHECK(slopes([](auto s) { return pv::sum(s % 2.); }, x) == ones);
    CHECK(slopes([](auto s) { return pv::sum(pv::ieee_remainder(s, 2.)); }, x) == ones);
    CHECK(slopes([](auto s) { return pv::sum(pv::mod(6., s)); }, {-4, -2, 1, 2, 3, 4}) ==
          Vector{2, 3, -6, -3, -2, -1});
    CHECK(slopes([](auto s) { return pv::sum(1. % s); }, {0.1, 0.3, -0.1}) == Vector{-9, -3, 9});
    CHECK(slopes([](auto s) { return pv::sum(pv::mod(1., s)); }, {0.1, 0.3}) == Vector{-9, -3});
    CHECK(slopes([](auto s) { return pv::sum(pv::ieee_remainder(1., s)); }, {0.1, 0.4}) ==
          Vector{-10, -2});
    CHECK(slopes([](auto s) { return pv::sum(1. % s); }, {kInf, 4}) == Vector{0, 0});
    CHECK(slopes([](auto s) { return pv::sum(pv::floor_divide(s, 2.)); }, {0, 1, 2}) ==
          Vector{0, 0, 0});
    // The zeros of multiples keep their signs.
    const auto rests =
        pv::computation([](auto s) { return std::pair(pv::mod(s, 2.), pv::mod(s, -2.)); }, kAny);
    const auto [up, down] = rests(pv::tensor({4., -4., 0., -0.}));
    for (const double rest : pv::to_vector(up)) CHECK((rest == 0 && !std::signbit(rest)));
    for (const double rest : pv::to_vector(down)) CHECK((rest == 0 && std::signbit(rest)));
}

} // namespace gradient_zeros_test
