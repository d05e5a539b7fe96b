#include <support/catch.hpp>

#include <purview/dims.hpp>
#include <purview/purview.hpp>

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace loops_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;

constexpr auto kHeat = [](const auto& u) {
    return u + 0.1 * (pv::roll(u, 1, 0) + pv::roll(u, -1, 0) - 2 * u);
};

/// Checks that a call throws an E whose message has this text.
template <typename E>
void check_throws(const auto& call, const std::string& text) {
    std::string message;
    try {
        static_cast<void>(call());
    } catch (const E& error) {
        message = error.what();
    }
    CHECK_THAT(message, ContainsSubstring(text));
}

/// The loop outside.
template <typename F, typename T>
pv::MutableTensor<T> looped(const F& step, const pv::Tensor<T>& first, pv::index_t steps) {
    pv::MutableTensor<T> now = pv::clone(first);
    for (pv::index_t i = 0; i < steps; ++i) now = pv::clone(step(now));
    return now;
}

} // namespace

TEST_CASE("iterate takes steps as the loop outside does", "[loops]") {
    const auto u = pv::tensor({0., 1., 5., 2., -1., 0.5, 3.});
    for (const pv::index_t steps : {0, 1, 2, 3, 10, 101}) {
        const pv::MutableTensor<double> after = pv::iterate(kHeat, u, steps);
        CHECK(pv::equals(after, looped(kHeat, pv::Tensor<double>(u), steps)));
    }
    CHECK(pv::iterate([](auto x) { return x * 2; }, 3, 4) == 48);
    CHECK(std::abs(pv::iterate([](auto x) { return pv::cos(x); }, 1., 100) - 0.7390851332151607) <
          1e-15);
    // New results: the state stays.
    CHECK(u(1) == 1.);
    auto same = pv::iterate(kHeat, u, 0);
    same(0) = 7;
    CHECK(u(0) == 0.);
}

TEST_CASE("iterate carries several states, and reads what it captures", "[loops]") {
    const auto position = pv::tensor({0.F, 1.F, 2.F});
    const auto speed = pv::tensor({1.F, 0.F, -1.F});
    const auto weight = pv::tensor({1.F, 2.F, 3.F});
    const auto [x, v] = pv::iterate(
        [&](auto at, auto now) {
            auto next = now - 0.1F * at / weight;
            return std::tuple(at + 0.1F * next, next);
        },
        std::tuple(position, speed), 20);
    auto p = pv::clone(position), q = pv::clone(speed);
    for (int i = 0; i < 20; ++i) {
        q = pv::clone(q - 0.1F * p / weight);
        p = pv::clone(p + 0.1F * q);
    }
    CHECK(pv::equals(x, p));
    CHECK(pv::equals(v, q));
    const auto [a, b] =
        pv::iterate([](auto p1, auto p2) { return std::pair(p2, p1 + p2); }, std::pair(0, 1), 10);
    CHECK(a == 55);
    CHECK(b == 89);
}

TEST_CASE("iterate takes numbers beside tensors, and steps with reductions", "[loops]") {
    const auto matrix = pv::tensor({{2., 1.}, {1., 3.}});
    const auto [vector, length] = pv::iterate(
        [&](auto x, auto) {
            auto y = pv::sum(matrix * x, {1});
            auto norm = pv::magnitude(y);
            return std::tuple(y / norm, norm);
        },
        std::tuple(pv::tensor({1., 0.}), 0.), 60);
    CHECK(std::abs(length - (2.5 + std::sqrt(1.25))) < 1e-12);
    CHECK(std::abs(pv::magnitude(vector) - 1) < 1e-14);
}

TEST_CASE("iterate_while ends where its condition does", "[loops]") {
    const auto step = [](const auto& x) { return (x + 2. / x) / 2; };
    const auto goes_on = [](const auto& now, const auto& before) {
        return pv::max(pv::abs(now - before)) > 1e-12;
    };
    const auto [root, steps] = pv::iterate_while(step, pv::tensor({1., 2., 100.}), goes_on);
    CHECK(pv::all_of(pv::abs(root - std::sqrt(2.)) < 1e-12));
    auto now = pv::tensor({1., 2., 100.});
    pv::index_t taken = 0;
    for (bool holds = true; holds; ++taken) {
        auto next = pv::clone(step(now));
        holds = pv::max(pv::abs(next - now)) > 1e-12;
        now = next;
    }
    CHECK(steps == taken);
    CHECK(pv::equals(root, now));
    // Of the state after the step alone.
    const auto [power, exponent] =
        pv::iterate_while([](auto x) { return x * 2; }, 1, [](auto x) { return x < 1000; });
    CHECK(power == 1024);
    CHECK(exponent == 10);
    // At least one step.
    CHECK(pv::iterate_while([](auto x) { return x + 1; }, 5, [](auto x) { return x < 0; }).second ==
          1);
}

TEST_CASE("iterate_while takes no more steps than it may", "[loops]") {
    const auto step = [](auto x) { return x + 1; };
    const auto always = [](auto x) { return x > 0; };
    check_throws<pv::Error>([&] { return pv::iterate_while(step, 1, always, {.most = 7}); },
                            "the condition still holds after 7 steps");
    const auto [last, steps] =
        pv::iterate_while(step, 1, always, {.most = 7, .or_else = pv::Ended::last});
    CHECK(last == 8);
    CHECK(steps == 7);
}

TEST_CASE("scan_over carries a state along the first axis", "[loops]") {
    const auto x = pv::tensor({{1., 2.}, {3., 4.}, {5., 6.}});
    const auto [last, seen] = pv::scan_over(
        [](auto sum, auto row) {
            auto next = 0.5 * sum + row;
            return std::pair(next, next * next);
        },
        pv::tensor({0., 1.}), x);
    auto sum = pv::tensor({0., 1.});
    for (pv::index_t t = 0; t < 3; ++t) {
        sum = pv::clone(0.5 * sum + x(t, pv::all));
        CHECK(pv::equals(seen(t, pv::all), sum * sum));
    }
    CHECK(pv::equals(last, sum));
    // Several states, inputs and outputs; rows of a tensor of rank 1 are numbers.
    const auto [states, outputs] = pv::scan_over(
        [](auto state, auto input) {
            auto [a, b] = state;
            auto [p, q] = input;
            return std::pair(std::tuple(a + p, b * q), std::tuple(a, b, p * q));
        },
        std::tuple(0., 1.), std::tuple(pv::tensor({1., 2., 3.}), pv::tensor({2., 3., 4.})));
    CHECK(std::get<0>(states) == 6.);
    CHECK(std::get<1>(states) == 24.);
    CHECK(pv::equals(std::get<0>(outputs), pv::tensor({0., 1., 3.})));
    CHECK(pv::equals(std::get<1>(outputs), pv::tensor({1., 2., 6.})));
    CHECK(pv::equals(std::get<2>(outputs), pv::tensor({2., 6., 12.})));
    // No row: the state itself, and no outputs.
    const auto [same, none] = pv::scan_over([](auto s, auto row) { return std::pair(s + row, s); },
                                            4., pv::empty<double>({0}));
    CHECK(same == 4.);
    CHECK(none.size() == 0);
}

TEST_CASE("choose runs one of two functions", "[loops]") {
    const auto x = pv::tensor({1., 2., 3.});
    const auto f = [](auto y) { return y * 2; };
    const auto g = [](auto y) { return y + 100; };
    CHECK(pv::equals(pv::choose(true, f, g, x), x * 2));
    CHECK(pv::equals(pv::choose(pv::sum(x) > 100, f, g, x), x + 100));
    const auto c = pv::computation([&](auto y) { return pv::choose(pv::sum(y) > 5, f, g, y); },
                                   pv::spec<double>({3}));
    CHECK(pv::equals(c(x), x * 2));
    CHECK(pv::equals(c(x - 10), x + 90));
    const auto [a, b] = pv::choose(
        false, [](auto p, auto q) { return std::tuple(p, q); },
        [](auto p, auto q) { return std::tuple(q, p); }, 1., 2.);
    CHECK(a == 2.);
    CHECK(b == 1.);
}

TEST_CASE("Loops are nodes of a traced function", "[loops]") {
    const auto x = pv::tensor({1., 2., 3., 4.});
    const auto c = pv::computation(
        [](auto given, auto rate) {
            auto after = pv::iterate([&](auto u) { return u + rate * (pv::roll(u, 1, 0) - u); },
                                     given * 1, 5);
            return std::tuple(pv::sum(after), after, after * 2);
        },
        pv::spec<double>({4}), pv::spec<double>());
    const auto [sum, after, twice] = c(x, 0.25);
    const auto outside = looped([](const auto& u) { return u + 0.25 * (pv::roll(u, 1, 0) - u); },
                                pv::Tensor<double>(x), 5);
    CHECK(pv::equals(after, outside));
    CHECK(pv::equals(twice, outside * 2));
    CHECK(std::abs(sum - pv::sum(outside)) < 1e-12);
    std::ostringstream text;
    text << c;
    CHECK(text.str().find("loop of 5 steps over") != std::string::npos);
    const std::string told = pv::explain(c, x, 0.25);
    CHECK(told.find("the states stay in the cache") != std::string::npos);

    const auto w = pv::computation(
        [](auto given) {
            return pv::iterate_while([](auto y) { return y / 2; }, given,
                                     [](auto now) { return pv::max(now) > 1; });
        },
        pv::spec<double>({4}));
    const auto [small, steps] = w(x);
    CHECK(steps == 2);
    CHECK(pv::equals(small, x / 4));
}

TEST_CASE("Loops and choices of tensors alone are put off where that is asked for", "[loops]") {
    auto w = pv::tensor({1., 2.});
    const auto twice = [](auto u) { return u * 2; };
    const auto minus = [](auto u) { return -u; };
    using Function = pv::TypedFunctionOfSymbols<const decltype(twice)&, pv::Symbol<double>>;
    using Other = pv::TypedFunctionOfSymbols<const decltype(minus)&, pv::Symbol<double>>;
    const auto c = pv::computation(
        [&](auto y) {
            const Function step(twice);
            const pv::LoopRequest request{.what = "iterate",
                                          .step = step,
                                          .states = {w.operand()},
                                          .most = 3,
                                          .is_put_off = true};
            const std::vector<pv::Operand> arguments{w.operand()};
            const auto chosen = pv::choice_operands(pv::constant_operand(false), step, Other(minus),
                                                    arguments, true);
            return std::tuple(y + pv::Symbol<double>(pv::loop_operands(request)[1]),
                              y + pv::Symbol<double>(chosen[0]));
        },
        pv::spec<double>({2}));
    for (const double first : {1., 5.}) {
        w(0) = first;
        const auto [after, negative] = c(pv::tensor({0., 1.}));
        CHECK(pv::equals(after, pv::tensor({8 * first, 17.})));
        CHECK(pv::equals(negative, pv::tensor({-first, -1.})));
    }
}

TEST_CASE("A loop of which the count alone is asked for", "[loops]") {
    const auto c = pv::computation(
        [](auto x) {
            return pv::iterate_while([](auto y) { return y * 2; }, x,
                                     [](auto y) { return pv::max(y) < 50; })
                .second;
        },
        pv::spec<double>({3}));
    CHECK(c(pv::tensor({1., 2., 3.})) == 5);
}

TEST_CASE("Loops nest", "[loops]") {
    const auto c = pv::computation(
        [](auto x, auto y) {
            return pv::iterate(
                [&](auto u) {
                    auto inner = pv::iterate([&](auto v) { return v * 0.5 + u + y; }, u, 3);
                    return pv::choose(
                        pv::sum(inner) > 10, [](auto v) { return v * 0.25; },
                        [&](auto v) { return v + y; }, inner);
                },
                x, 4);
        },
        pv::spec<double>({3}), pv::spec<double>({3}));
    auto u = pv::tensor({1., 2., 3.});
    const auto y = pv::tensor({0.5, 0.25, -1.});
    const auto result = c(u, y);
    for (int i = 0; i < 4; ++i) {
        auto v = pv::clone(u);
        for (int j = 0; j < 3; ++j) v = pv::clone(v * 0.5 + u + y);
        u = pv::sum(v) > 10 ? pv::clone(v * 0.25) : pv::clone(v + y);
    }
    CHECK(pv::equals(result, u));
}

TEST_CASE("A loop calls what watches it", "[loops]") {
    std::vector<pv::index_t> steps;
    std::vector<pv::MutableTensor<double>> kept;
    const auto last = pv::iterate([](auto x) { return x + 1; }, pv::tensor({0., 1.}), 10,
                                  {.every = 3, .call = [&](pv::index_t step, const auto& x) {
                                       steps.push_back(step);
                                       kept.push_back(x);
                                   }});
    CHECK(steps == std::vector<pv::index_t>{3, 6, 9});
    CHECK(pv::equals(kept[0], pv::tensor({3., 4.})));
    CHECK(pv::equals(kept[2], pv::tensor({9., 10.})));
    CHECK(pv::equals(last, pv::tensor({10., 11.})));
    double sum = 0;
    pv::iterate([](auto x, auto n) { return std::tuple(x * 2, n + 1); }, std::tuple(1., 0), 3,
                {.call = [&](pv::index_t, double x, int n) { sum += x * n; }});
    CHECK(sum == 2 + 4 * 2 + 8 * 3);
}

TEST_CASE("Steps read dims, and states with borders", "[loops]") {
    const auto x = pv::tensor({{1., 2., 3.}, {4., 5., 6.}, {7., 8., 10.}});
    const auto step = [](const auto& u) {
        pv::Dim i, j;
        return (u(i, j) * 0.5 + u(i - 1, j) * 0.25 + u(i, j - 1) * 0.25) | pv::order(i, j);
    };
    const auto rolled = [](const auto& u) {
        return u * 0.5 + pv::roll(u, 1, 0) * 0.25 + pv::roll(u, 1, 1) * 0.25;
    };
    const auto after = pv::iterate([&](auto u) { return pv::Symbol<double>(step(u)); }, x, 7);
    CHECK(pv::equals(after, looped(rolled, pv::Tensor<double>(x), 7)));
    const auto bordered = [](const auto& u) {
        auto inside = u(pv::range(1, 5)) +
                      0.25 * (u(pv::range(0, 4)) + u(pv::range(2, 6)) - 2 * u(pv::range(1, 5)));
        return pv::pad(inside, 1);
    };
    const auto line = pv::tensor({0., 1., 2., 4., 2., 0.});
    CHECK(
        pv::equals(pv::iterate(bordered, line, 9), looped(bordered, pv::Tensor<double>(line), 9)));
}

TEST_CASE("What a loop cannot carry is refused before a step", "[loops]") {
    const auto x = pv::tensor({1., 2., 3.});
    check_throws<pv::ShapeError>(
        [&] { return pv::iterate([](auto u) { return u(pv::range(0, 2)); }, x, 2); },
        "state 0 as float64[3], and returns float64[2]");
    check_throws<pv::DtypeError>([&] { return pv::iterate([](auto u) { return u > 0; }, x, 2); },
                                 "state 0 as float64[3], and returns bool[3]");
    check_throws<pv::ShapeError>(
        [&] {
            return pv::iterate([](auto u, auto v) { return std::tuple(u, v, u); }, std::tuple(x, x),
                               2);
        },
        "takes 2 states, and returns 3");
    CHECK_THROWS_AS(pv::iterate([](auto u) { return u; }, x, -1), pv::ShapeError);
    check_throws<pv::ShapeError>(
        [&] { return pv::scan_over([](auto s, auto r) { return std::pair(s + r, r); }, 0., 1.5); },
        "input 0 is a number");
    check_throws<pv::ShapeError>(
        [&] {
            return pv::choose(
                true, [](auto v) { return v; }, [](auto v) { return v(pv::range(0, 2)); }, x);
        },
        "float64[3], and of the other float64[2]");
    const auto c = [&](auto y) { return pv::iterate([&](auto u) { return u + y; }, x, 2); };
    check_throws<pv::SymbolError>(
        [&] { return pv::computation([&](auto y) { return c(y), y; }, pv::spec<double>({3})); },
        "iterate: what it calls reads a symbol");
}

TEST_CASE("What a step throws names the step", "[loops]") {
    const auto divide = [](auto a, auto b) { return std::tuple(a / b, b - 1); };
    check_throws<pv::ArithmeticError>([&] { return pv::iterate(divide, std::tuple(10, 3), 5); },
                                      "step 4: ");
    CHECK_THROWS_AS(pv::iterate(
                        [](auto x) {
                            return pv::emap(
                                [](double) -> double { throw std::runtime_error("own"); }, x);
                        },
                        pv::tensor({1., 2.}), 3),
                    std::runtime_error);
}

} // namespace loops_test
