#include <support/catch.hpp>

#include <purview/purview.hpp>

#include <cmath>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// What is computed before, behind or not at all, where steps would compute it: as the same steps outside.
namespace loop_rows_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using pv::index_t;

void check_close(const auto& a, const auto& b, double tolerance) {
    if constexpr (requires { a.shape(); }) {
        REQUIRE(a.shape() == b.shape());
        CHECK(pv::max(pv::abs(a - b)) <= tolerance * (1 + pv::max(pv::abs(b))));
    } else {
        CHECK(std::abs(a - b) <= tolerance * (1 + std::abs(b)));
    }
}

/// A recurrent cell with gates in one product each, of a vector or of a batch of them.
template <bool is_batch>
auto loss_of_cells(auto run) {
    return [=](auto inputs, auto of_input, auto of_seen, auto bias) {
        const auto cell = [=](auto state, auto x) {
            auto [seen, kept] = state;
            auto gates = [&] {
                if constexpr (is_batch)
                    return pv::matmul(x, of_input) + pv::matmul(seen, of_seen) + bias;
                else
                    return pv::matmul(pv::transpose(of_input), x) +
                           pv::matmul(pv::transpose(of_seen), seen) + bias;
            }();
            const auto gate = [&](index_t i) {
                if constexpr (is_batch)
                    return gates(pv::all, pv::range(4 * i, 4 * (i + 1)));
                else
                    return gates(pv::range(4 * i, 4 * (i + 1)));
            };
            auto next = pv::logistic(gate(0)) * kept + pv::logistic(gate(1)) * pv::tanh(gate(2));
            auto out = pv::logistic(gate(1)) * pv::tanh(next);
            return std::pair(std::tuple(out, next), out * pv::sum(x));
        };
        return pv::sum(pv::sq(run(cell, inputs) - 0.5));
    };
}

} // namespace

TEST_CASE("What a function makes of captured tensors is computed where it is called", "[loops]") {
    const auto x = pv::tensor({1., 2., 3.});
    int of_f = 0, of_g = 0;
    const auto counted = [](int& calls) { return [&calls](double v) { return ++calls, v + 1; }; };
    const auto c = pv::computation(
        [&](auto y, auto z) {
            const auto f = [&](auto v) { return v + pv::emap(counted(of_f), z); };
            const auto g = [&](auto v) { return v - pv::emap(counted(of_g), z); };
            return pv::choose(pv::sum(y) > 0, f, g, y);
        },
        pv::spec<double>({3}), pv::spec<double>({3}));
    CHECK(pv::equals(c(x, x), x + x + 1));
    CHECK(of_f > 0);
    CHECK(of_g == 0);
    of_f = 0;
    CHECK(pv::equals(c(-x, x), -x - x - 1));
    CHECK(of_f == 0);
    CHECK(of_g > 0);
    // No step computes nothing.
    const auto none = pv::computation(
        [&](auto y, auto z) {
            return pv::iterate([&](auto u) { return u + pv::emap(counted(of_f), z); }, y, 0);
        },
        pv::spec<double>({3}), pv::spec<double>({3}));
    CHECK(pv::equals(none(x, x), x));
    CHECK(of_f == 0);
    // What the condition is made of is computed once.
    const auto once = pv::computation(
        [&](auto y, auto z) {
            auto all = pv::emap(counted(of_f), z);
            return pv::choose(
                pv::sum(all) > 0, [&](auto v) { return v + all; }, [&](auto v) { return v - all; },
                y);
        },
        pv::spec<double>({3}), pv::spec<double>({3}));
    CHECK(pv::equals(once(x, x), x + x + 1));
    CHECK(of_f == 3);
}

TEST_CASE("Products of rows are those of the steps", "[loops]") {
    const auto xs = pv::clone(pv::random_normal({7, 3}, 1));
    const auto w = pv::clone(pv::random_normal({2, 3}, 2)), h = pv::tensor({0.5, -0.25});
    const auto more = pv::tensor({1, 2, 3, 4, 5, 6, 7});
    const auto cell = [&](auto s, auto inputs) {
        const auto [x, n] = inputs;
        auto next = pv::tanh(pv::matmul(w, pv::exp(x) - 1) + h + 0.5 * s);
        return std::pair(next, std::tuple(pv::sum(x) + next(0), n / 2, pv::cos(x(0))));
    };
    const auto [last, outputs] = pv::scan_over(cell, h, std::tuple(xs, more));
    auto now = pv::clone(h);
    for (pv::index_t t = 0; t < 7; ++t) {
        const auto x = xs(t, pv::all);
        now = pv::clone(pv::tanh(pv::matmul(w, pv::exp(x) - 1) + h + 0.5 * now));
        CHECK(std::abs(std::get<0>(outputs)(t) - (pv::sum(x) + now(0))) < 1e-12);
        CHECK(std::get<1>(outputs)(t) == more(t) / 2);
        CHECK(std::get<2>(outputs)(t) == std::cos(x(0)));
    }
    CHECK(pv::max(pv::abs(last - now)) < 1e-12);
    // What throws in a step names it, though it is made of rows alone.
    const auto share = [](auto sum, auto n) {
        return std::pair(sum + pv::exp(12 / (n - 3) * 1.), sum);
    };
    CHECK_THROWS_WITH(pv::scan_over(share, 0., more), ContainsSubstring("step 3: "));
}

TEST_CASE("What several operands of a loop or a choice are made of is computed once", "[loops]") {
    int calls = 0;
    const auto c = pv::computation(
        [&](auto x, auto is_first) {
            auto y = pv::emap([&](double e) { return ++calls, std::cos(e); }, x);
            auto a = pv::sin(y), b = y * 2.0;
            auto last = pv::iterate([=](auto s) { return s * 0.5 + a * b; }, y + 1., 5);
            return last + pv::choose(
                              is_first, [](auto p, auto) { return p; },
                              [](auto, auto q) { return q; }, y - 1., y * y);
        },
        pv::spec<double>({6}), pv::spec<bool>());
    for (const bool is_first : {true, false, true}) {
        calls = 0;
        const auto x = pv::clone(pv::random_normal({6}, is_first));
        const auto found = c(x, is_first);
        CHECK(calls == 6);
        for (index_t i = 0; i < 6; ++i) {
            const double y = std::cos(x(i));
            double s = y + 1;
            for (int t = 0; t < 5; ++t) s = s * 0.5 + std::sin(y) * (y * 2.0);
            CHECK(std::abs(found(i) - (s + (is_first ? y - 1 : y * y))) < 1e-12);
        }
    }
}

TEST_CASE("Gradients by weights of cells are those of the steps", "[loops]") {
    const auto check = [](auto is_batch, index_t steps) {
        constexpr bool kIsBatch = decltype(is_batch)::value;
        const pv::Shape start = kIsBatch ? pv::Shape{2, 4} : pv::Shape{4};
        pv::Shape rows = kIsBatch ? pv::Shape{steps, 2, 5} : pv::Shape{steps, 5};
        const auto xs = pv::clone(pv::random_normal(rows, 1));
        const auto wi = pv::clone(pv::random_normal({5, 12}, 2, 0, 0.4));
        const auto ws = pv::clone(pv::random_normal({4, 12}, 3, 0, 0.4));
        const auto b = pv::clone(pv::random_normal({12}, 4, 0, 0.4));
        const auto zeros = pv::zeros(start);
        const auto both = [&](auto run) {
            return pv::computation(
                [=](auto x, auto u, auto v, auto bias) {
                    auto loss = loss_of_cells<kIsBatch>(run)(x, u, v, bias);
                    auto [by_x, by_u, by_v, by_bias] = pv::gradient(loss, x, u, v, bias);
                    auto second = pv::sum(pv::sq(by_v)) + pv::sum(pv::sin(by_u));
                    return std::tuple(loss, by_x, by_u, by_v, by_bias, pv::gradient(second, v),
                                      pv::gradient(second, u));
                },
                pv::spec<double>(rows), pv::spec<double>({5, 12}), pv::spec<double>({4, 12}),
                pv::spec<double>({12}));
        };
        const auto unrolled = both([=](auto cell, auto inputs) {
            auto state = std::tuple(pv::constant(zeros) * 1., pv::constant(zeros) * 1.);
            std::vector<pv::Symbol<double>> outputs;
            for (index_t t = 0; t < steps; ++t) {
                const auto row = [&] {
                    if constexpr (kIsBatch)
                        return inputs(t, pv::all, pv::all);
                    else
                        return inputs(t, pv::all);
                }();
                auto [next, out] = cell(state, row);
                state = std::tuple(std::get<0>(next) * 1., std::get<1>(next) * 1.);
                outputs.push_back(out);
            }
            return pv::stack(outputs);
        });
        const auto expected = unrolled(xs, wi, ws, b);
        for (const index_t keep : {0, 1, 2, 100}) {
            CAPTURE(kIsBatch, steps, keep);
            const auto looped = both([=](auto cell, auto inputs) {
                return pv::scan_over(cell, std::tuple(zeros, zeros), inputs, {.keep = keep}).second;
            });
            const auto found = looped(xs, wi, ws, b);
            [&]<std::size_t... I>(std::index_sequence<I...>) {
                (check_close(std::get<I>(found), std::get<I>(expected), 1e-9), ...);
            }
            (std::make_index_sequence<7>());
        }
    };
    for (const index_t steps : {1, 2, 6, 7}) {
        check(std::false_type(), steps);
        check(std::true_type(), steps);
    }
}

} // namespace loop_rows_test
