/// Derivatives of traced functions, as docs/gradients.md tells it.

#include "check.hpp"

#include <purview/purview.hpp>

#include <cmath>
#include <concepts>
#include <limits>
#include <tuple>
#include <vector>

namespace pv = purview;

bool near(double a, double b, double tolerance = 1e-9) {
    return std::abs(a - b) <= tolerance * (1 + std::abs(b));
}

void variables() {
    auto inputs = pv::tensor({{1., 2.}, {0., 1.}, {2., 0.}, {1., 1.}});
    auto targets = pv::tensor({1., 0., 4.5, 1.5}); // 2 x0 - x1 + 0.5, and some noise
    // [step]
    auto w = pv::variable(pv::zeros({2}), "w");
    auto b = pv::variable(0.0, "b");
    auto step = pv::computation(
        [=](auto x, auto t) {
            auto loss = pv::mean(pv::sq(pv::matmul(x, w) + b - t));
            auto [dw, db] = pv::gradient(loss, w, b);
            return std::tuple(loss, w - 0.1 * dw, b - 0.1 * db);
        },
        pv::spec<double>({4, 2}), pv::spec<double>({4}));
    double loss = 0;
    for (int i = 0; i < 400; ++i) {
        auto [now, next_w, next_b] = step(inputs, targets);
        loss = now;
        w.update(next_w); // the next call sees it
        b.update(next_b);
    }
    // [/step]
    check(loss < 0.1, "the loss is small");
    check(pv::max(pv::abs(w.value() - pv::tensor({2., -1.}))) < 0.3, "the weights are found");
}

void by_what() {
    // [by]
    auto f = pv::computation(
        [](auto x, auto y) {
            auto square = pv::sq(x);
            auto z = pv::sum(square * y);
            auto by_x = pv::gradient(z, x);              // one
            auto [dx, dy] = pv::gradient(z, x, y);       // several
            auto list = pv::gradient(z, std::vector{y}); // a list, of any length
            auto inner = pv::gradient(z, square);        // by what was computed on the way
            return std::tuple(by_x, dx * dy, list[0], inner);
        },
        pv::spec<double>({3}), pv::spec<double>({3}));
    // [/by]
    auto x = pv::tensor({1., 2., 3.}), y = pv::tensor({4., 5., 6.});
    auto [by_x, product, by_y, by_square] = f(x, y);
    check(pv::equals(by_x, 2 * x * y), "by x");
    check(pv::equals(product, 2 * x * y * x * x), "by both");
    check(pv::equals(by_y, x * x) && pv::equals(by_square, y), "by a list, and on the way");
}

void of_computations() {
    // [computations]
    auto energy = pv::computation([](auto x, auto k) { return pv::sum(pv::sq(x)) * k / 2; },
                                  pv::spec<double>({pv::any_size}), pv::spec<double>());
    auto slope = pv::gradient(energy); // a computation of the same arguments
    auto [by_x, by_k] = slope(pv::tensor({1., 2.}), 3.0);
    auto both = pv::value_and_gradient(energy); // the outputs, and then these
    auto [value, again_by_x, again_by_k] = both(pv::tensor({1., 2.}), 3.0);
    // [/computations]
    check(pv::equals(by_x, pv::tensor({3., 6.})) && by_k == 2.5, "the gradient");
    check(value == 7.5 && pv::equals(again_by_x, by_x) && again_by_k == by_k, "and the value");

    // [second]
    auto cube = pv::computation([](auto x) { return x * x * x; }, pv::spec<double>());
    auto second = pv::gradient(pv::gradient(cube));
    double twelve = second(2.0);
    // [/second]
    check(twelve == 12, "the second derivative");
}

void with_vectors() {
    // [products]
    auto f = [](auto x) { return pv::exp(pv::cumsum(x)); };
    auto products = pv::computation(
        [&](auto x, auto v) {
            auto y = f(x);
            return std::tuple(pv::vector_jacobian_product(y, v, x), // v J
                              pv::jacobian_vector_product(y, x, v), // J v
                              pv::jacobian(y, x));                  // J, [3, 3]
        },
        pv::spec<double>({3}), pv::spec<double>({3}));
    // [/products]
    auto weights = pv::tensor({1., 0., 2.});
    auto [back, forth, jacobian] = products(pv::tensor({0.1, 0.2, -0.3}), weights);
    check(pv::equals(back, pv::matmul(weights, jacobian), 1e-12), "v J");
    check(pv::equals(forth, pv::matmul(jacobian, weights), 1e-12), "J v");

    // [hessian]
    auto rosenbrock = [](auto x) { return pv::sq(1 - x(0)) + 100 * pv::sq(x(1) - pv::sq(x(0))); };
    auto curvature = pv::computation(
        [&](auto x, auto v) {
            auto y = rosenbrock(x);
            return std::tuple(pv::hessian(y, x),                    // [2, 2]
                              pv::hessian_vector_product(y, x, v)); // H v, without H
        },
        pv::spec<double>({2}), pv::spec<double>({2}));
    auto [hessian, product] = curvature(pv::tensor({1., 1.}), pv::tensor({1., 2.}));
    // [/hessian]
    check(pv::equals(hessian, pv::tensor({{802., -400.}, {-400., 200.}})), "the Hessian");
    check(pv::equals(product, pv::tensor({2., 0.})), "its product");
}

/// y = a exp(-b x), by Levenberg's and Marquardt's method.
void fitted() {
    const auto times = pv::clone(pv::linspace(0., 4., 41));
    const auto values = pv::clone(3 * pv::exp(-0.7 * times) + 0.01 * pv::cos(40 * times));
    // [fit]
    auto model = pv::computation(
        [](auto p, auto x, auto y) {
            auto residual = p(0) * pv::exp(-p(1) * x) - y;
            return std::tuple(residual, pv::jacobian(residual, p)); // [41] and [41, 2]
        },
        pv::spec<double>({2}), pv::spec<double>({41}), pv::spec<double>({41}));

    auto p = pv::tensor({1., 0.1});
    auto [r, j] = model(p, times, values);
    double damping = 1e-3;
    for (int i = 0; i < 20; ++i) {
        auto normal = pv::matmul(pv::transpose(j), j);
        auto slope = pv::matmul(pv::transpose(j), r);
        double a = normal(0, 0) * (1 + damping), b = normal(0, 1), c = normal(1, 1) * (1 + damping);
        double determinant = a * c - b * b;
        auto next = pv::tensor({p(0) - (c * slope(0) - b * slope(1)) / determinant,
                                p(1) - (a * slope(1) - b * slope(0)) / determinant});
        auto [next_r, next_j] = model(next, times, values);
        const bool better = pv::magnitude_squared(next_r) < pv::magnitude_squared(r);
        if (better) p = next, r = next_r, j = next_j;
        damping *= better ? 0.1 : 10;
    }
    // [/fit]
    check(near(p(0), 3, 1e-2) && near(p(1), 0.7, 1e-2), "the decay is found");
}

void stopped() {
    // [stop]
    auto f = pv::computation(
        [](auto x) {
            auto scale = pv::stop_gradient(pv::max(pv::abs(x))); // for the range alone
            return scale * pv::sum(pv::sq(x / scale));
        },
        pv::spec<double>({2}));
    auto slope = pv::gradient(f)(pv::tensor({3., 4.})); // 2 x / 4
    // [/stop]
    check(pv::equals(slope, pv::tensor({1.5, 2.})), "a gradient that stops");
}

void functions_of_ones_own() {
    // [own]
    auto area = pv::with_derivative([](double a, double b) { return a * b; }, // the function
                                    [](double, double b) { return b; },       // by a
                                    [](double a, double) { return a; });      // by b
    auto total = pv::computation([&](auto a, auto b) { return pv::sum(pv::emap(area, a, b)); },
                                 pv::spec<double>({2}), pv::spec<double>({2}));
    auto [by_a, by_b] = pv::gradient(total)(pv::tensor({1., 2.}), pv::tensor({3., 4.}));
    // [/own]
    check(pv::equals(by_a, pv::tensor({3., 4.})) && pv::equals(by_b, pv::tensor({1., 2.})),
          "derivatives of one's own");
    // [own_twice]
    auto cosine = [](double v) { return std::cos(v); };
    auto sine =
        pv::with_derivative([](double v) { return std::sin(v); },
                            pv::with_derivative(cosine, [](double v) { return -std::sin(v); }));
    // [/own_twice]
    auto twice = pv::computation([&](auto x) { return pv::hessian(pv::sum(pv::emap(sine, x)), x); },
                                 pv::spec<double>({1}));
    check(near(twice(pv::tensor({0.5}))(0, 0), -std::sin(0.5)), "and of those");

    // [checked]
    pv::check_gradient(total, pv::tensor({1., 2.}),
                       pv::tensor({3., 4.})); // says nothing: it is right
    // [/checked]
    auto wrong =
        pv::with_derivative([](double v) { return v * v; }, [](double v) { return 3 * v; });
    auto squares =
        pv::computation([&](auto x) { return pv::sum(pv::emap(wrong, x)); }, pv::spec<double>({2}));
    check_throws<pv::ArithmeticError>(
        [&] {
            pv::check_gradient(squares, pv::tensor({0., 1.}));
        },
        "the derivative by element [1] of argument 0 is 3, and by "
        "central differences 1.99");
}

void narrow_floats() {
    // [half]
    auto f = pv::computation([](auto x) { return pv::sum(pv::sq(x)); }, pv::spec<pv::Half>({2}));
    pv::MutableTensor<float> slope = pv::gradient(f)(pv::cast<pv::Half>(pv::tensor({1.5, -2.})));
    // [/half]
    check(pv::equals(slope, pv::tensor({3.F, -4.F})), "float32 of float16");
}

void edges() {
    // [where]
    auto f = pv::computation([](auto x) { return pv::sum(pv::where(x > 0, pv::sqrt(x), x)); },
                             pv::spec<double>({3}));
    auto slope = pv::gradient(f)(pv::tensor({-1., 0., 4.})); // 1, 1 and 0.25
    // [/where]
    check(pv::equals(slope, pv::tensor({1., 1., 0.25})), "what is not chosen has no part in it");
    const auto exception = pv::computation(
        [](auto a, auto b) {
            return pv::gradient(pv::sum(pv::where(pv::matmul(a, b) > 0, 0.0, pv::matmul(a, b))), a);
        },
        pv::spec<double>({1, 2}), pv::spec<double>({2, 2}));
    const double infinity = std::numeric_limits<double>::infinity();
    auto by = exception(pv::tensor({{1., 1.}}), pv::tensor({{infinity, 1.}, {1., 1.}}));
    check(std::isnan(by(0, 0)), "0 times infinity in a product of matrices");
}

void printed(Printed& out) {
    // [print]
    auto f = pv::computation([](auto x) { return pv::sum(pv::exp(x) * (x - 1)); },
                             pv::spec<double>({1000}));
    std::cout << pv::value_and_gradient(f);
    // [/print]
    out.equals(R"(
#purview.computation(float64[1000])
%0 = placeholder 0 float64[1000]
%1 = exp %0 float64[1000]
%2 = constant 1 float64
%3 = subtract %0, %2 float64[1000]
%4 = multiply %1, %3 float64[1000]
%5 = sum %4 in 1 part float64
%6 = multiply %3, %1 float64[1000]
%7 = add %1, %6 float64[1000]
output 0 = %5 float64[]
output 1 = %7 float64[1000]
stage 0: %1 to a temporary of 8000 bytes
stage 1: %5 to output 0
stage 2: %7 to output 1
)");
}

void not_traced() {
    auto prices = pv::tensor({3., 1., 4., 1.5, 5.}), signal = pv::tensor({1., 2., 4., 8., 16.});
    // [sorted]
    auto gaps = pv::computation(
        [](auto x, auto order) {
            auto sorted = pv::take(x, order, 0);
            auto gap = sorted(pv::range(1, {})) - sorted(pv::range(0, -1));
            return pv::sum(pv::sq(gap));
        },
        pv::spec<double>({5}), pv::spec<pv::index_t>({5}));
    auto slope = pv::gradient(gaps)(prices, pv::argsort(prices));
    // [/sorted]
    check(pv::equals(slope, pv::tensor({1., -1., 0., -2., 2.})), "by what is sorted");
    // [windows]
    auto roughness = pv::computation(
        [](auto x) {
            auto means = pv::mean(pv::sliding_window(x, 0, 3), {-1}); // [3] windows of 3
            return pv::sum(pv::sq(means));
        },
        pv::spec<double>({5}));
    // [/windows]
    pv::check_gradient(roughness, signal);
}

void refused() {
    const auto trace = [](auto f) { return pv::computation(f, pv::spec<double>({2, 3})); };
    check_throws<pv::ShapeError>([&] { trace([](auto x) { return pv::gradient(x * 2, x); }); },
                                 "gradient: y has shape [2 3], and is no number");
    check_throws<pv::SymbolError>(
        [&] {
            trace([](auto x) {
                auto row = x(0, pv::all);
                return pv::gradient(pv::sum(x), row);
            });
        },
        "gradient: x is a view, [3], of a symbol");
    check_throws<pv::DtypeError>(
        [&] { trace([](auto x) { return pv::gradient(pv::sum(pv::cast<int>(x)), x); }); },
        "gradient: y is of type int64, and not of floats");
    check_throws<pv::SymbolError>(
        [&] {
            pv::gradient(
                trace([](auto x) { return pv::sum(pv::emap([](double v) { return v + 1; }, x)); }));
        },
        "gradient: the function of 'emap' has no derivative");
}

int main() {
    Printed out;
    variables();
    by_what();
    of_computations();
    with_vectors();
    fitted();
    stopped();
    functions_of_ones_own();
    narrow_floats();
    edges();
    printed(out);
    not_traced();
    refused();
    return exit_status();
}
