#include <support/catch.hpp>
#include <support/sanitizers.hpp>
#include <support/tensors.hpp>

#include <purview/dtype/half.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/functional/applied/gradient.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/functional/elementwise/complex.hpp>
#include <purview/functional/elementwise/emap.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/elementwise/predicates.hpp>
#include <purview/functional/reductions/product.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/tensor/views.hpp>

#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace gradient_test {

namespace {

namespace pv = purview;
using pv::index_t;
using Vector = std::vector<double>;

template <typename X>
std::string text(const X& x) {
    std::ostringstream out;
    out << x;
    return out.str();
}
/// How many nodes the printed program has.
index_t nodes_of(const std::string& program) {
    index_t count = 0;
    std::istringstream lines(program);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("... "))
            count += std::stol(line.substr(4));
        else
            count += line.starts_with('%') ? 1 : 0;
    return count;
}
/// A sum of terms in which each derivative is another whole number.
const auto kWeighted = [](auto x) { return pv::sum(x * pv::arange(1.0, 1.0 + double(x.size()))); };

} // namespace

TEST_CASE("a step of a fit is traced with its gradients") {
    const auto w = pv::variable(pv::tensor({0.5, -1.0, 2.0}), "w");
    const auto b = pv::variable(0.25, "b");
    const auto step = pv::computation(
        [=](auto x, auto t) {
            auto loss = pv::mean(pv::sq(pv::matmul(x, w) + b - t));
            auto [dw, db] = pv::gradient(loss, w, b);
            STATIC_REQUIRE(std::same_as<decltype(dw), pv::Symbol<double>>);
            STATIC_REQUIRE(std::same_as<decltype(db), pv::ScalarSymbol<double>>);
            return std::tuple(loss, w - 0.1 * dw, b - 0.1 * db);
        },
        pv::spec<double>({4, 3}), pv::spec<double>({4}));
    const auto x = pv::tensor({{1., 2., 0.}, {0., 1., 1.}, {2., 0., 1.}, {1., 1., 1.}});
    const auto t = pv::tensor({1., 0., 2., -1.});
    double last = 1e300;
    for (int i = 0; i < 50; ++i) {
        const auto [loss, new_w, new_b] = step(x, t);
        CHECK(loss < last);
        last = loss;
        w.update(new_w);
        b.update(new_b);
    }
}

TEST_CASE("a gradient is by one symbol, several, a list, or what was computed on the way") {
    const auto x = pv::tensor({1., 2., 3.});
    const auto one = pv::computation([](auto s) { return pv::gradient(kWeighted(pv::sq(s)), s); },
                                     pv::spec<double>({3}));
    CHECK(pv::to_vector(one(x)) == Vector{2, 8, 18});
    const auto list = pv::computation(
        [](auto s, auto r) {
            const std::vector<pv::Symbol<double>> by{s, r};
            const auto derivatives = pv::gradient(kWeighted(s * r), by);
            return std::pair(derivatives[0], derivatives[1]);
        },
        pv::spec<double>({3}), pv::spec<double>({3}));
    const auto [by_s, by_r] = list(x, x + 1);
    CHECK(pv::to_vector(by_s) == Vector{2, 6, 12});
    CHECK(pv::to_vector(by_r) == Vector{1, 4, 9});
    const auto inner = pv::computation(
        [](auto s) {
            const auto square = pv::sq(s);
            const auto y = kWeighted(pv::exp(square) + s);
            return std::tuple(pv::gradient(y, square), pv::gradient(y, s));
        },
        pv::spec<double>({1}));
    const auto [by_square, by_x] = inner(pv::tensor({0.5}));
    CHECK(by_square(0) == Catch::Approx(std::exp(0.25)));
    CHECK(by_x(0) == Catch::Approx(std::exp(0.25) + 1));
    // Zeros for what y does not depend on, also where it does so by steps alone.
    const auto zeros = pv::computation(
        [](auto s, auto r) {
            const auto [zero_s, zero_r] = pv::gradient(pv::sum(pv::floor(s)), s, r);
            return std::pair(zero_s, zero_r);
        },
        pv::spec<double>({3}), pv::spec<float>({2, 2}));
    const auto [none, neither] = zeros(x, pv::ones<float>({2, 2}));
    CHECK(pv::to_vector(none) == Vector{0, 0, 0});
    CHECK(pv::to_vector(neither) == std::vector<float>{0, 0, 0, 0});
    STATIC_REQUIRE(std::same_as<decltype(neither)::value_type, float>);
}

TEST_CASE("computations have gradients, which are computations of the same arguments") {
    const auto cube = pv::computation([](auto x) { return x * x * x; }, pv::spec<double>());
    const auto slope = pv::gradient(cube);
    STATIC_REQUIRE(std::same_as<decltype(slope(2.0)), double>);
    CHECK(slope(2.0) == 12);
    CHECK(pv::gradient(slope)(2.0) == 12);
    CHECK(pv::gradient(pv::gradient(slope))(2.0) == 6);

    const auto c = pv::computation(
        [](auto x, auto count, auto factor) {
            const auto y = pv::sum(x * pv::cast<double>(count)) * factor;
            return std::pair(y, x * factor);
        },
        pv::spec<double>({2}), pv::spec<std::int32_t>({2}), pv::spec<double>());
    const auto x = pv::tensor({3., 4.});
    const auto n = pv::tensor({1, 2});
    const auto [by_x, by_factor] = pv::gradient(c)(x, n, 0.5);
    CHECK(pv::to_vector(by_x) == Vector{0.5, 1});
    STATIC_REQUIRE(std::same_as<std::remove_const_t<decltype(by_factor)>, double>);
    CHECK(by_factor == 11);
    const auto [y, scaled, again_by_x, again_by_factor] = pv::value_and_gradient(c)(x, n, 0.5);
    CHECK(y == 5.5);
    CHECK(pv::to_vector(scaled) == Vector{1.5, 2});
    CHECK(pv::to_vector(again_by_x) == Vector{0.5, 1});
    CHECK(again_by_factor == 11);

    // Of any size.
    int traced = 0;
    const auto any = pv::computation(
        [&traced](auto s) {
            ++traced;
            return kWeighted(s);
        },
        pv::spec<double>({pv::any_size}));
    const auto gradient = pv::gradient(any);
    CHECK(pv::to_vector(gradient(pv::ones({2}))) == Vector{1, 2});
    CHECK(pv::to_vector(gradient(pv::ones({4}))) == Vector{1, 2, 3, 4});
    CHECK(pv::to_vector(gradient(pv::ones({2}))) == Vector{1, 2});
    CHECK(traced == 2);
    // A call with symbols, inside of another trace, and its gradient there.
    const auto outer = pv::computation([&](auto s) { return pv::gradient(any(s * s) * 2.0, s); },
                                       pv::spec<double>({2}));
    CHECK(pv::to_vector(outer(pv::tensor({1., 3.}))) == Vector{4, 24});
}

TEST_CASE("products with vectors, Jacobians and Hessians") {
    const auto x = pv::tensor({1., 2.});
    const auto f = [](auto s) {
        return pv::matmul(pv::tensor({{1., 2.}, {3., 4.}, {5., 6.}}), pv::sq(s));
    };
    const auto back =
        pv::computation([&](auto s, auto v) { return pv::vector_jacobian_product(f(s), v, s); },
                        pv::spec<double>({2}), pv::spec<double>({3}));
    CHECK(pv::to_vector(back(x, pv::tensor({1., 0., 2.}))) == Vector{22, 56});
    const auto forth =
        pv::computation([&](auto s, auto v) { return pv::jacobian_vector_product(f(s), s, v); },
                        pv::spec<double>({2}), pv::spec<double>({2}));
    CHECK(pv::to_vector(forth(x, pv::tensor({1., -1.}))) == Vector{-6, -10, -14});
    const auto all = pv::computation(
        [&](auto s) {
            return std::tuple(pv::jacobian(f(s), s), pv::jacobian(pv::sum(f(s)), s),
                              pv::hessian(pv::sum(f(s)) * s(0), s),
                              pv::hessian_vector_product(pv::sum(f(s)), s, pv::tensor({1., 1.})));
        },
        pv::spec<double>({2}));
    const auto [jacobian, row, hessian, product] = all(x);
    CHECK(pv::to_vector(jacobian) == Vector{2, 8, 6, 16, 10, 24});
    CHECK(jacobian.rank() == 2);
    CHECK(pv::to_vector(row) == Vector{18, 48});
    CHECK(row.rank() == 1);
    CHECK(pv::to_vector(hessian) == Vector{54, 48, 48, 24});
    CHECK(pv::to_vector(product) == Vector{18, 24});
}

TEST_CASE("what a gradient stops at, and functions that bring their derivatives") {
    const auto stopped = pv::computation(
        [](auto x) { return pv::sum(x * pv::stop_gradient(x) + pv::stop_gradient(pv::exp(x))); },
        pv::spec<double>({2}));
    CHECK(pv::to_vector(pv::gradient(stopped)(pv::tensor({3., 4.}))) == Vector{3, 4});
    CHECK(stopped(pv::tensor({3., 4.})) == 25 + std::exp(3.) + std::exp(4.));

    const auto opaque = [](double v) { return v * v; };
    CHECK_THROWS_WITH(
        pv::gradient(pv::computation([&](auto x) { return pv::sum(pv::emap(opaque, x)); },
                                     pv::spec<double>({2}))),
        "gradient: the function of 'emap' has no derivative: make it by with_derivative(f, df…), "
        "or take stop_gradient of its result");
    const auto above =
        pv::computation([&](auto x) { return pv::sum(pv::stop_gradient(pv::emap(opaque, x)) + x); },
                        pv::spec<double>({2}));
    CHECK(pv::to_vector(pv::gradient(above)(pv::ones({2}))) == Vector{1, 1});

    const auto area =
        pv::with_derivative([](double a, double b) { return a * b; },
                            [](double, double b) { return b; }, [](double a, double) { return a; });
    CHECK(area(3.0, 4.0) == 12);
    const auto areas =
        pv::computation([&](auto x, auto y) { return pv::sum(pv::emap(area, x, y)); },
                        pv::spec<double>({2}), pv::spec<double>());
    const auto [by_x, by_y] = pv::gradient(areas)(pv::tensor({1., 2.}), 3.0);
    CHECK(pv::to_vector(by_x) == Vector{3, 3});
    CHECK(by_y == 3);
    pv::check_gradient(areas, pv::tensor({1., 2.}), 3.0);
}

TEST_CASE("gradients are checked with differences") {
    const auto right =
        pv::computation([](auto x, auto s) { return pv::sum(pv::exp(pv::sin(x)) * s); },
                        pv::spec<double>({3}), pv::spec<float>());
    pv::check_gradient(right, pv::tensor({0.1, 2., -3.}), 1.5F);
    const auto wrong = pv::computation(
        [](auto x) {
            return pv::sum(pv::emap(
                pv::with_derivative([](double v) { return v * v; }, [](double v) { return 3 * v; }),
                x));
        },
        pv::spec<double>({2, 2}));
    CHECK_THROWS_AS(pv::check_gradient(wrong, pv::ones({2, 2})), pv::ArithmeticError);
    CHECK_THROWS_WITH(
        pv::check_gradient(wrong, pv::tensor({{0., 0.}, {1., 0.}})),
        Catch::StartsWith("check_gradient: the derivative by element [1 0] of argument 0 is 3, and "
                          "by central differences 1.99"));
}

TEST_CASE("floats of 16 bits have derivatives of 32") {
    const auto c = pv::computation(
        [](auto x) {
            const auto by = pv::gradient(pv::sum(pv::sq(x)), x);
            STATIC_REQUIRE(std::same_as<std::remove_const_t<decltype(by)>, pv::Symbol<float>>);
            return by;
        },
        pv::spec<pv::Half>({2}));
    CHECK(pv::to_vector(c(pv::cast<pv::Half>(pv::tensor({1.5, -2.})))) ==
          std::vector<float>{3, -4});
}

TEST_CASE("what has no gradient is refused by name") {
    const auto trace = [](auto f) { return pv::computation(f, pv::spec<double>({2, 3})); };
    CHECK_THROWS_WITH(trace([](auto x) { return pv::gradient(x * 2, x); }),
                      "gradient: y has shape [2 3], and is no number: give a sum or mean of it, or "
                      "ask for the jacobian");
    CHECK_THROWS_AS(trace([](auto x) { return pv::gradient(x * 2, x); }), pv::ShapeError);
    CHECK_THROWS_WITH(
        trace([](auto x) {
            const auto part = x(0, pv::all);
            return pv::gradient(pv::sum(x), part);
        }),
        "gradient: x is a view, [3], of a symbol, argument 0 of shape [2 3]: take the "
        "derivative by the symbol, and the view of that");
    CHECK_THROWS_AS(trace([](auto x) { return pv::gradient(pv::sum(x), pv::transpose(x)); }),
                    pv::SymbolError);
    CHECK_THROWS_WITH(pv::computation(
                          [](auto x, auto i) {
                              return pv::cast<double>(pv::gradient(pv::sum(x) * pv::sum(i), i));
                          },
                          pv::spec<double>({2}), pv::spec<std::int64_t>({2})),
                      "gradient: x, argument 1, is of type int64 and shape [2], and not of floats");
    CHECK_THROWS_WITH(trace([](auto x) { return pv::gradient(pv::sum(pv::cast<int>(x)), x); }),
                      "gradient: y is of type int64, and not of floats");
    CHECK_THROWS_WITH(trace([](auto x) {
                          return pv::vector_jacobian_product(x, pv::ones({3, 2}), x);
                      }),
                      "vector_jacobian_product: v has shape [3 2], and y [2 3]");
    CHECK_THROWS_WITH(trace([](auto x) {
                          return pv::jacobian_vector_product(x, x, pv::ones<float>({2, 3}));
                      }),
                      "jacobian_vector_product: v is of type float32, and x float64");
    CHECK_THROWS_AS(trace([](auto x) {
                        const auto z = pv::sin(x * std::complex(1., 2.));
                        return pv::gradient(pv::sum(pv::real(z)), x);
                    }),
                    pv::DtypeError);
    const auto of_integers =
        pv::computation([](auto i) { return pv::sum(i) * 0.5; }, pv::spec<std::int64_t>({2}));
    CHECK_THROWS_AS(pv::value_and_gradient(of_integers), pv::DtypeError);
}

TEST_CASE("repeated indexes add up in one order, whatever the number of threads") {
    const index_t n = 200'000;
    std::vector<std::int32_t> order;
    for (index_t i = 0; i < n; ++i)
        order.push_back(static_cast<std::int32_t>((i * i + 7 * i) % 1013));
    const auto ids = pv::tensor(order);
    const auto c = pv::computation(
        [&](auto table, auto weights) {
            return pv::gradient(pv::sum(pv::take(table, ids, 0) * weights), table);
        },
        pv::spec<double>({1013, 2}), pv::spec<double>({n, 2}));
    const auto table = pv::ones({1013, 2});
    const auto weights = pv::clone(pv::reshape(pv::sin(pv::arange(2.0 * double(n))), {n, 2}));
    Vector expected(2026, 0);
    const Vector each = pv::to_vector(weights);
    for (std::size_t i = 0; i < order.size(); ++i)
        for (std::size_t k = 0; k < 2; ++k)
            expected[static_cast<std::size_t>(order[i]) * 2 + k] += each[2 * i + k];
    for (const int threads : {1, 2, 3}) {
        pv::set_threads(threads);
        CHECK(pv::to_vector(c(table, weights)) == expected);
    }
    pv::set_threads(0);
}

TEST_CASE("gradients take a number of nodes that is linear in those of the function") {
    // Thirty doublings, of 2^30 paths.
    const auto doubled = pv::computation(
        [](auto x) {
            pv::Symbol<double> y = x;
            for (int i = 0; i < 30; ++i) y = 0.5 * (pv::sin(y) + pv::flip(y));
            return pv::gradient(pv::sum(y), x);
        },
        pv::spec<double>({10}));
    CHECK(nodes_of(text(doubled)) < 300);
    CHECK(pv::all_of(pv::is_finite(doubled(pv::linspace(0., 1., 10)))));

    constexpr int kSteps = UNDER_A_SANITIZER ? 5'000 : 50'000;
    const auto deep = [](auto x) {
        pv::Symbol<double> y = x;
        for (int i = 0; i < kSteps; ++i) y = y * x + 1e-9;
        return pv::sum(y);
    };
    const auto c = pv::computation(deep, pv::spec<double>({3}));
    const auto by = pv::gradient(c);
    CHECK(nodes_of(text(by)) < 5 * nodes_of(text(c)));
    CHECK(pv::to_vector(by(pv::full({3}, 1.0)))[0] == Catch::Approx(kSteps + 1).epsilon(1e-2));
}

TEST_CASE("several threads call one gradient") {
    const auto c = pv::gradient(pv::computation([](auto x) { return pv::sum(pv::exp(x) * x); },
                                                pv::spec<double>({pv::any_size})));
    std::vector<std::thread> threads;
    std::vector<Vector> results(4);
    for (std::size_t t = 0; t < results.size(); ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 20; ++i)
                results[t] = pv::to_vector(c(pv::ones({static_cast<index_t>(t % 2) + 3})));
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(results[0] == results[2]);
    CHECK(results[1] == results[3]);
    CHECK(results[0][0] == Catch::Approx(2 * std::exp(1.0)));
}

} // namespace gradient_test
