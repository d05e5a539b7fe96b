#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/functional/applied/computation.hpp>

#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace computation_roles_test {

namespace {

namespace pv = purview;
using Vector = std::vector<double>;

std::string text(const auto& printed) {
    std::ostringstream out;
    out << printed;
    return out.str();
}

} // namespace

TEST_CASE("what is updated is seen by the next call") {
    const auto weights = pv::variable(pv::tensor({1., 2.}), "weights");
    const auto offset = pv::persistent(1.0, "offset");
    const auto c = pv::computation([=](auto x) { return pv::sum(x * weights) + offset; },
                                   pv::spec<double>({2}));
    const auto x = pv::tensor({10., 100.});
    CHECK(c(x) == 211.0);
    weights.update(pv::tensor({3., 4.}));
    CHECK(c(x) == 431.0);
    offset.update(2.0);
    CHECK(c(x) == 432.0);
    pv::fill(weights.value()(pv::range(0, 1)), 0.0);
    CHECK(c(x) == 402.0);
    // Two computations over one variable.
    const auto other = pv::computation([=](auto y) { return weights - y; }, pv::spec<double>());
    weights.update(other(1.0));
    CHECK(pv::to_vector(weights.value()) == Vector{-1, 3});
    CHECK(c(x) == 292.0);
}

TEST_CASE("gradient descent") {
    const auto a = pv::variable(0.0, "a");
    const auto b = pv::variable(0.0, "b");
    const auto step = pv::computation(
        [=](auto x, auto y) {
            const auto error = a * x + b - y;
            return std::tuple(pv::mean(pv::sq(error)), a - 0.1 * pv::mean(error * x),
                              b - 0.1 * pv::mean(error));
        },
        pv::spec<double>({5}), pv::spec<double>({5}));
    const auto x = pv::linspace(-2, 2, 5);
    const auto y = pv::clone(x * 3 + 1);
    double loss = 0;
    for (int i = 0; i < 200; ++i) {
        const auto [now, next_a, next_b] = step(x, y);
        loss = now;
        a.update(next_a);
        b.update(next_b);
    }
    CHECK(loss < 1e-12);
    CHECK(a.value().item() == Catch::Approx(3));
    CHECK(b.value().item() == Catch::Approx(1));
}

TEST_CASE("variables are listed in the order of their first use, once each") {
    const auto w = pv::variable(pv::ones({2}), "w");
    const auto b = pv::variable(1.0F, "b");
    const auto unused = pv::variable(1.0, "unused");
    const auto p = pv::persistent(pv::ones({2}), "p");
    const auto c = pv::computation(
        [=](auto x) {
            const auto dead = unused + 1;
            const auto y = pv::sum(w * x) + b * p * pv::constant(2.0);
            return std::pair(y * w, b);
        },
        pv::spec<double>({2}));
    const std::vector<pv::AnySymbol> found = pv::variables(c);
    REQUIRE(found.size() == 2);
    CHECK(found[0].name() == "w");
    CHECK(found[1].name() == "b");
    CHECK(found[1].is_trainable());
    CHECK(found[1].dtype() == pv::kDType<float>);
    found[0].as<double>().update(pv::zeros({2}));
    CHECK(pv::to_vector(w.value()) == Vector{0, 0});
    CHECK_THROWS_AS(found[0].as<float>(), pv::DtypeError);
    found[1].update(pv::full({}, 4.0F));
    CHECK(std::get<1>(c(pv::ones({2}))) == 4.0F);
    CHECK(pv::variables(pv::computation([](auto x) { return x; }, pv::spec<int>({1}))).empty());

    const auto flexible =
        pv::computation([=](auto x) { return pv::sum(x) * w; }, pv::spec<double>({pv::any_size}));
    CHECK(pv::variables(flexible).empty());
    flexible(pv::ones({3}));
    flexible(pv::ones({4}));
    REQUIRE(pv::variables(flexible).size() == 1);
    CHECK(pv::variables(flexible)[0].name() == "w");
}

TEST_CASE("constants are folded when the computation is built") {
    int calls = 0;
    const auto table = pv::constant(pv::arange(4.0));
    const auto c = pv::computation(
        [&](auto x) {
            const auto squares = pv::emap([&calls](double v) { return ++calls, v * v; }, table);
            const auto scale = pv::sum(squares) / pv::constant(2.0);
            return x * squares + scale;
        },
        pv::spec<double>({4}));
    const int built = calls;
    CHECK(built > 0);
    CHECK(pv::to_vector(c(pv::ones({4}))) == Vector{7, 8, 11, 16});
    CHECK(calls == built);

    // Not when that would take more room than the constants, or throws.
    const auto huge = pv::computation(
        [](auto x) {
            return pv::broadcast(pv::constant(2.0) + 1, {1 << 20, 1 << 20})(0, 0) * x;
        },
        pv::spec<double>());
    CHECK(huge(2) == 6.0);
    const auto failing = pv::computation(
        [](auto x) {
            return pv::constant(pv::tensor({1, 2})) / pv::constant(0) + x;
        },
        pv::spec<int>({2}));
    CHECK_THROWS_AS(failing(pv::tensor({1, 2})), pv::ArithmeticError);
    const auto all_constant = pv::computation(
        [](auto) {
            const auto t = pv::constant(pv::arange(2000.0));
            return std::tuple(pv::sum(t, 0, pv::keep_dims), t + 1, pv::sum(t / 2), 3);
        },
        pv::spec<double>());
    const auto [total, next, half, three] = all_constant(0);
    CHECK(total(0) == 1999000.0);
    CHECK(next(1999) == 2000.0);
    CHECK(half == 999500.0);
    CHECK(three == 3);
}

TEST_CASE("equal expressions are computed once") {
    int calls = 0;
    const auto count = [&calls](double v) { return ++calls, v; };
    const auto c = pv::computation(
        [&](auto x) {
            const auto dear = pv::emap(count, x);
            return std::tuple(pv::sum(dear), dear * 2, pv::max(pv::transpose(dear)), dear);
        },
        pv::spec<double>({3, 4}));
    const auto [sum, twice, max, dear] = c(pv::ones({3, 4}));
    CHECK(calls == 12);
    CHECK(sum == 12.0);
    CHECK(twice(2, 3) == 2.0);
    CHECK(max == 1.0);
    CHECK(dear(0, 0) == 1.0);

    const auto text_of = text(pv::computation(
        [](auto x) { return pv::sum(pv::sq(x - pv::mean(x))) / pv::sum(pv::sq(x - pv::mean(x))); },
        pv::spec<double>({3})));
    CHECK(text_of == "#purview.computation(float64[3])\n"
                     "%0 = placeholder 0 float64[3]\n"
                     "%1 = sum %0 in 1 part float64\n"
                     "%2 = constant 3 float64\n"
                     "%3 = divide %1, %2 float64[]\n"
                     "%4 = subtract %0, %3 viewed as [3] float64[3]\n"
                     "%5 = sq %4 float64[3]\n"
                     "%6 = sum %5 in 1 part float64\n"
                     "%7 = divide %6, %6 float64[]\n"
                     "output 0 = %7 float64[]\n"
                     "stage 0: %1 to a temporary of 8 bytes\n"
                     "stage 1: %6 to a temporary of 8 bytes\n"
                     "stage 2: %7 to output 0\n");
}

TEST_CASE("a computation prints roles, operations, shapes and stages") {
    const auto w = pv::variable(pv::ones({2}), "w");
    const auto t = pv::ones({2});
    const auto c = pv::computation(
        [=](auto x, auto k) {
            const auto rows = pv::sum(x * w + t, {1});
            return std::pair(rows * k, pv::transpose(x));
        },
        pv::spec<double>({3, 2}), pv::spec<double>());
    CHECK(text(c) == "#purview.computation(float64[3 2], float64[])\n"
                     "%0 = placeholder 0 float64[3 2]\n"
                     "%1 = placeholder 1 float64[]\n"
                     "%2 = variable 'w' float64[2]\n"
                     "%3 = multiply %0, %2 viewed as [3 2] float64[3 2]\n"
                     "%4 = tensor float64[2]\n"
                     "%5 = add %3, %4 viewed as [3 2] float64[3 2]\n"
                     "%6 = sum %5 in 3 parts float64\n"
                     "%7 = multiply %6, %1 viewed as [3] float64[3]\n"
                     "output 0 = %7 float64[3]\n"
                     "output 1 = %0 viewed as [2 3] float64[2 3]\n"
                     "stage 0: %6 to a temporary of 24 bytes\n"
                     "stage 1: %7 to output 0\n"
                     "stage 2: %0 viewed as [2 3] to output 1\n");
    const auto flexible =
        pv::computation([](auto x) { return pv::sum(x); }, pv::spec<float>({pv::any_size}));
    CHECK(text(flexible) == "#purview.computation(float32[any])\n");
    flexible(pv::ones<float>({2}));
    CHECK(text(flexible) == "#purview.computation(float32[any])\n"
                            "for [2]:\n"
                            "%0 = placeholder 0 float32[2]\n"
                            "%1 = sum %0 in 1 part float32\n"
                            "output 0 = %1 float32[]\n"
                            "stage 0: %1 to output 0\n");
}

TEST_CASE("what a computation captures lives as long as it does") {
    std::weak_ptr<int> watched;
    std::optional<pv::Computation<double(double)>> c;
    {
        const auto owner = std::make_shared<int>(0);
        watched = owner;
        const auto captured = pv::tensor({1., 2., 3.});
        const auto counted = pv::emap([owner](double v) { return v + *owner; }, captured);
        const auto w = pv::variable(captured);
        c.emplace(pv::computation([=](auto x) { return pv::sum(x * counted * w); },
                                  pv::spec<double>({3})));
    }
    CHECK_FALSE(watched.expired());
    CHECK((*c)(pv::ones({3})) == 14.0);
    auto result =
        pv::computation([](auto x) { return x + 1; }, pv::spec<double>({2}))(pv::ones({2}));
    CHECK(result(0) == 2.0); // outlives its computation
    c.reset();
    CHECK(watched.expired());
}

} // namespace computation_roles_test
