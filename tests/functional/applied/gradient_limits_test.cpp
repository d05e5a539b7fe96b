// Where a factor of a derivative has become 0 by itself and meets an infinite one: the limit or NaN, no 0.
#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/functional/along/scans.hpp>
#include <purview/functional/applied/gradient.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/functional/elementwise/composed.hpp>
#include <purview/functional/elementwise/floating_point.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/functional/reductions/logsumexp.hpp>
#include <purview/functional/reductions/product.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/named/softmax.hpp>
#include <purview/tensor/views.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

namespace gradient_limits_test {

namespace {

namespace pv = purview;
using Vector = std::vector<double>;
constexpr double kInf = std::numeric_limits<double>::infinity();

bool are_same(double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); }
bool is_nan_or(double found, double expected) {
    return std::isnan(found) || found == expected || std::abs(found - expected) < 1e-6;
}

/// The derivatives of the sum of f(x): backwards and, along each axis, forwards, which has to be the same.
template <typename F>
Vector slopes(const F& f, const Vector& x) {
    const auto c = pv::computation(
        [&](auto s, auto v) {
            const auto y = pv::sum(f(s));
            return std::pair(pv::gradient(y, s), pv::jacobian_vector_product(y, s, v));
        },
        pv::spec<double>({pv::any_size}), pv::spec<double>({pv::any_size}));
    Vector found;
    for (std::size_t i = 0; i < x.size(); ++i) {
        INFO(i);
        Vector unit(x.size(), 0);
        unit[i] = 1;
        const auto [backwards, along] = c(pv::tensor(x), pv::tensor(unit));
        found = pv::to_vector(backwards);
        CHECK(are_same(found[i], along));
    }
    return found;
}

/// Whether the derivative of `f` at x, of which the limit is known, is that or NaN, by either direction:
/// by itself, below choices, and times a weight; and 0 where a choice or a weight of 0 leaves it out.
template <typename T, typename F>
bool is_limit_of(const F& f, T x, double limit) {
    const auto c = pv::computation(
        [&](auto s, auto v) {
            using Symbol = decltype(s + s);
            const Symbol y = f(s);
            const Symbol square = s * s;
            const std::vector<Symbol> functions{
                y,
                pv::where(s == x, y, square),
                pv::where(s != x, square, y),
                pv::maximum(y, T{-9}),
                pv::clamp(y, T{-9}, T{9}),
                pv::cumsum(y, 0),
                v * y,
                v * pv::where(s == x, y, square),
                pv::where(s != x, y, T{2} * s),
                (T{1} - v) * y + T{2} * s,
                pv::stop_gradient(y) + T{2} * s,
            };
            std::vector<Symbol> slopes;
            for (const Symbol& each : functions) {
                slopes.push_back(pv::gradient(pv::sum(each), s));
                slopes.push_back(pv::jacobian_vector_product(each, s, v));
            }
            return slopes;
        },
        pv::spec<T>({1}), pv::spec<T>({1}));
    const auto found = c(pv::tensor({x}), pv::tensor({T{1}}));
    bool are_right = true;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double slope = found[i](0);
        const bool is_right = i < found.size() - 6 ? is_nan_or(slope, limit) : slope == 2;
        if (!is_right) WARN("function " << i / 2 << ": " << slope);
        are_right = are_right && is_right;
    }
    return are_right;
}
template <typename F>
bool is_limit(const F& f, double x, double limit) {
    return is_limit_of<double>(f, x, limit) && is_limit_of<float>(f, static_cast<float>(x), limit);
}

} // namespace

TEST_CASE("a function of its inverse has no derivative of 0 where one is flat and one is steep") {
    CHECK(is_limit([](auto s) { return pv::exp(pv::log(s)); }, 0, 1));
    CHECK(is_limit([](auto s) { return pv::exp2(pv::log2(s)); }, 0, 1));
    CHECK(is_limit([](auto s) { return pv::sq(pv::sqrt(s)); }, 0, 1));
    CHECK(is_limit([](auto s) { return pv::sqrt(s) * pv::sqrt(s); }, 0, 1));
    CHECK(is_limit([](auto s) { return pv::pow(pv::pow(s, 0.5F), 2.F); }, 0, 1));
    CHECK(is_limit([](auto s) { return pv::cbrt(s) * pv::cbrt(s) * pv::cbrt(s); }, 0, 1));
    CHECK(is_limit([](auto s) { return pv::logistic(pv::log(s)); }, 0, 1));   // s / (1 + s)
    CHECK(is_limit([](auto s) { return pv::logistic(-pv::log(s)); }, 0, -1)); // 1 / (1 + s)
    CHECK(is_limit([](auto s) { return 1 / (1 + 1 / s); }, 0, 1));            // s / (1 + s)
    CHECK(is_limit([](auto s) { return pv::atan(1 / s); }, 0, -1));           // π / 2 - atan(s)
    CHECK(is_limit([](auto s) { return pv::cos(pv::acos(s)); }, 1, 1));
    CHECK(is_limit([](auto s) { return pv::tanh(pv::atanh(s)); }, 1, 1));
    CHECK(is_limit([](auto s) { return pv::cosh(pv::acosh(s)); }, 1, 1));
    CHECK(is_limit([](auto s) { return pv::logaddexp(pv::log(s), 1); }, 0, std::exp(-1.)));
    CHECK(is_limit([](auto s) { return pv::logaddexp(1, pv::log(s)); }, 0, std::exp(-1.)));
    CHECK(is_limit([](auto s) { return pv::abs(pv::sqrt(s)); }, 0, kInf));
    // Where nothing is infinite, they are what they are.
    CHECK(slopes([](auto s) { return pv::where(s < 2., pv::logistic(pv::log(s)), s); }, {1, 3}) ==
          Vector{0.25, 1});
}

TEST_CASE("mixtures of which a weight is 0") {
    const auto l = pv::tensor({1., 0., -1.});
    const auto mixture = [&](auto w) { return pv::logsumexp(pv::log(w) + l, 0); };
    // exp(l) / sum(w exp(l))
    const Vector w{0, 0.5, 0.5};
    const double sum = 0.5 + 0.5 * std::exp(-1.);
    const Vector found = slopes(mixture, w);
    CHECK(is_nan_or(found[0], std::exp(1.) / sum));
    CHECK(std::abs(found[1] - 1 / sum) < 1e-12);
    CHECK(std::abs(found[2] - std::exp(-1.) / sum) < 1e-12);
    // Of several rows, each of which has a weight or is chosen.
    const auto rows = pv::tensor({{1., 0., -1.}, {0., 0., 0.}});
    const auto some = pv::tensor({3., 0.});
    const auto weighted = [&](auto v) { return some * pv::logsumexp(pv::log(v) + rows, 1); };
    const auto chosen = [&](auto v) {
        return pv::where(some > 0, pv::logsumexp(pv::log(v) + rows, 1), 0.);
    };
    CHECK(is_nan_or(slopes(weighted, w)[0], 3 * std::exp(1.) / sum));
    CHECK(std::abs(slopes(weighted, w)[1] - 3 / sum) < 1e-12);
    CHECK(is_nan_or(slopes(chosen, w)[0], std::exp(1.) / sum));
    // None of which has one.
    CHECK(
        slopes([&](auto v) { return pv::zeros<double>({2}) * pv::logsumexp(pv::log(v) + rows, 1); },
               w) == Vector{0, 0, 0});
    CHECK(
        slopes([&](auto v) { return pv::where(some > 9, pv::logsumexp(pv::log(v) + rows, 1), 0.); },
               w) == Vector{0, 0, 0});
    const Vector soft = slopes([&](auto v) { return pv::softmax(pv::log(v), 0)(0); }, w);
    CHECK(is_nan_or(soft[0], 1));
    // What all are -∞, and what is NaN.
    CHECK(slopes([](auto s) { return pv::logsumexp(s, 0); }, {-kInf, -kInf}) == Vector{0, 0});
    const auto value =
        pv::computation([](auto s) { return pv::logsumexp(s, 0); }, pv::spec<double>({2}));
    CHECK(value(pv::tensor({-kInf, -kInf})).item() == -kInf);
    CHECK(value(pv::tensor({-kInf, kInf})).item() == kInf);
    CHECK(value(pv::tensor({-kInf, 3.})).item() == 3);
}

TEST_CASE("what a view leaves out stays 0, and what it shows does not") {
    const auto f = [](auto s) { return pv::exp(pv::log(s)); };
    CHECK(slopes([&](auto s) { return f(s)(pv::range(1, 3)); }, {0, 1, 2}) == Vector{0, 1, 1});
    CHECK(slopes([&](auto s) { return f(s)(1) * s; }, {0, 1, 2}) == Vector{1, 4, 1});
    CHECK(slopes([&](auto s) { return f(s)(pv::range(1, 1)); }, {0, 1}) == Vector{0, 0});
    const auto ids = pv::tensor({0, 1, 1});
    const Vector taken =
        slopes([&](auto s) { return pv::exp(pv::take(pv::log(s), ids, 0)); }, {0, 1, 0});
    CHECK(std::isnan(taken[0]));
    CHECK(taken[1] == 2);
    CHECK(taken[2] == 0);
    const Vector first = slopes([&](auto s) { return f(s)(0) + s; }, {0, 1});
    CHECK(std::isnan(first[0]));
    CHECK(first[1] == 1);
    CHECK(std::isnan(slopes([&](auto s) { return f(s)(pv::range(0, 2)); }, {0, 1, 2})[0]));
    CHECK(slopes([](auto s) { return pv::product(pv::sqrt(s)(pv::range(1, 3))); }, {0, 4, 9})[0] ==
          0);
}

TEST_CASE("derivatives by weights that are 0 pass what their zeros end") {
    // By x, and of that by the weights: exp(log(x)) and its square have 1 and 2 x.
    const auto mixed = pv::computation(
        [](auto x, auto v, auto u) {
            const auto l = pv::log(x);
            const auto y = pv::sum(v * pv::exp(l) + u * pv::exp(2. * l));
            const auto by_x = pv::sum(pv::gradient(y, x));
            const auto [by_v, by_u] = pv::gradient(by_x, v, u);
            return std::tuple(by_x, by_v, by_u);
        },
        pv::spec<double>({2}), pv::spec<double>({2}), pv::spec<double>({2}));
    const auto none = pv::zeros<double>({2});
    const auto [by_x, by_v, by_u] = mixed(pv::tensor({1., 4.}), none, none);
    CHECK(by_x == 0);
    CHECK(pv::to_vector(by_v) == Vector{1, 1});
    CHECK(std::abs(by_u(0) - 2) < 1e-14);
    CHECK(std::abs(by_u(1) - 8) < 1e-14);
    const auto of_rows = pv::computation(
        [](auto x, auto v) {
            const auto y = pv::sum(v * pv::exp(pv::log(x) + pv::tensor({{0.}, {0.}})));
            return pv::gradient(pv::sum(pv::gradient(y, x)), v);
        },
        pv::spec<double>({3}), pv::spec<double>({2, 1}));
    CHECK(pv::to_vector(of_rows(pv::tensor({1., 1., 1.}), pv::zeros<double>({2, 1}))) ==
          Vector{3, 3});
}

} // namespace gradient_limits_test
