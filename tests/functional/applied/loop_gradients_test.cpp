#include <support/catch.hpp>

#include <purview/purview.hpp>

#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// What is expected is what the same steps give that are traced one by one.
namespace loop_gradients_test {

namespace {

namespace pv = purview;
using pv::index_t;

void check_close(const auto& a, const auto& b, double tolerance = 1e-12) {
    if constexpr (requires { a.shape(); }) {
        REQUIRE(a.shape() == b.shape());
        CHECK(pv::max(pv::abs(a - b)) <= tolerance * (1 + pv::max(pv::abs(b))));
    } else {
        CHECK(std::abs(a - b) <= tolerance * (1 + std::abs(b)));
    }
}

/// A step of one state with a coefficient and a weight that is captured.
constexpr auto kStep = [](const auto& u, const auto& rate, const auto& weight) {
    return u + rate * (pv::roll(u, 1, 0) - u) * weight + 0.1 * pv::sin(u);
};
auto loss_of_loop(index_t steps, index_t keep) {
    return [=](auto u, auto rate, auto weight) {
        auto last = pv::iterate([&](auto now) { return kStep(now, rate, weight); }, u, steps,
                                {.keep = keep});
        return pv::sum(pv::sq(last) * weight);
    };
}
auto loss_unrolled(index_t steps) {
    return [=](auto u, auto rate, auto weight) {
        auto now = u;
        for (index_t i = 0; i < steps; ++i) now = kStep(now, rate, weight);
        return pv::sum(pv::sq(now) * weight);
    };
}
const auto kU = pv::tensor({0.5, -1., 2., 0.25, 1.5});
const auto kWeight = pv::tensor({1., 0.5, -0.25, 2., 0.75});

} // namespace

TEST_CASE("A gradient through a loop is that through its steps", "[loops]") {
    for (const index_t steps : {0, 1, 2, 3, 7, 12, 25, 37})
        for (const index_t keep : {0, 1, 2, 3, 5, 100}) {
            CAPTURE(steps, keep);
            const auto specs = [](auto f) {
                return pv::gradient(pv::computation(f, pv::spec<double>({5}), pv::spec<double>(),
                                                    pv::spec<double>({5})));
            };
            const auto [du, drate, dweight] = specs(loss_of_loop(steps, keep))(kU, 0.3, kWeight);
            const auto [eu, erate, eweight] = specs(loss_unrolled(steps))(kU, 0.3, kWeight);
            check_close(du, eu);
            check_close(drate, erate);
            check_close(dweight, eweight);
        }
}

TEST_CASE("Second derivatives through a loop are those through its steps", "[loops]") {
    for (const index_t steps : {1, 4, 7, 9})
        for (const index_t keep : {0, 2, 100}) {
            CAPTURE(steps, keep);
            const auto curvature = [](auto f) {
                return pv::computation(
                    [=](auto u, auto weight) {
                        auto loss = f(u, 0.3 * pv::sum(weight), weight);
                        auto v = pv::cos(u);
                        return std::tuple(
                            pv::hessian_vector_product(loss, u, v), pv::hessian(loss, u),
                            pv::gradient(pv::sum(pv::sq(pv::gradient(loss, weight))), u));
                    },
                    pv::spec<double>({5}), pv::spec<double>({5}));
            };
            const auto [hv, h, gg] = curvature(loss_of_loop(steps, keep))(kU, kWeight);
            const auto [ev, e, eg] = curvature(loss_unrolled(steps))(kU, kWeight);
            check_close(hv, ev, 1e-10);
            check_close(h, e, 1e-10);
            check_close(gg, eg, 1e-10);
        }
}

TEST_CASE("Derivatives forwards and jacobians go through loops", "[loops]") {
    const auto both = [](auto make) {
        return pv::computation(
            [=](auto u, auto rate, auto weight) {
                auto last = make(u, rate, weight);
                return std::tuple(pv::jacobian_vector_product(last, u, pv::cos(u)),
                                  pv::jacobian_vector_product(last, weight, weight),
                                  pv::jacobian(last, u), pv::jacobian(last, rate),
                                  pv::jacobian(pv::sum(last, {0}), weight));
            },
            pv::spec<double>({5}), pv::spec<double>(), pv::spec<double>({5}));
    };
    const auto looped = [](auto u, auto rate, auto weight) {
        return pv::iterate([&](auto now) { return kStep(now, rate, weight); }, u, 11);
    };
    const auto unrolled = [](auto u, auto rate, auto weight) {
        auto now = u;
        for (int i = 0; i < 11; ++i) now = kStep(now, rate, weight);
        return now;
    };
    const auto a = both(looped)(kU, 0.3, kWeight);
    const auto e = both(unrolled)(kU, 0.3, kWeight);
    check_close(std::get<0>(a), std::get<0>(e));
    check_close(std::get<1>(a), std::get<1>(e));
    check_close(std::get<2>(a), std::get<2>(e));
    check_close(std::get<3>(a), std::get<3>(e));
    check_close(std::get<4>(a), std::get<4>(e));
}

TEST_CASE("States that derivatives do not go through stay out of them", "[loops]") {
    const auto c = pv::computation(
        [](auto u, auto rate) {
            auto [last, count, other] = pv::iterate(
                [&](auto now, auto n, auto rest) {
                    return std::tuple(now * rate + rest, n + 1, rest * 0.5);
                },
                std::tuple(u, 0, pv::constant(pv::tensor({1., 2.}))), 10);
            return pv::sum(last) + 0 * count;
        },
        pv::spec<double>({2}), pv::spec<double>());
    const auto [du, drate] = pv::gradient(c)(pv::tensor({1., 3.}), 0.9);
    check_close(du, pv::tensor({std::pow(0.9, 10), std::pow(0.9, 10)}));
    pv::check_gradient(c, pv::tensor({1., 3.}), 0.9);
}

TEST_CASE("Gradients go through scan_over", "[loops]") {
    const auto cell = [](auto state, auto row, auto w) {
        auto next = pv::tanh(0.5 * state + row * w);
        return std::pair(next, next * row + w);
    };
    const auto xs = pv::tensor({{1., 2.}, {3., -4.}, {0.5, 6.}, {1.5, 1.}, {-2., 0.25}});
    const auto w = pv::tensor({0.3, -0.7});
    const auto s = pv::tensor({0.1, 0.2});
    const auto losses = [&](auto run) {
        return pv::gradient(pv::computation(
            [=](auto state, auto inputs, auto weights) {
                auto [last, seen] = run(state, inputs, weights);
                return pv::sum(pv::sq(seen)) + pv::sum(last * weights);
            },
            pv::spec<double>({2}), pv::spec<double>({5, 2}), pv::spec<double>({2})));
    };
    const auto unrolled = losses([&](auto state, auto inputs, auto weights) {
        std::vector<pv::Symbol<double>> rows;
        auto now = state * 1.;
        for (index_t t = 0; t < 5; ++t) {
            auto [next, row] = cell(now, inputs(t, pv::all), weights);
            rows.push_back(row);
            now = next;
        }
        return std::pair(now, pv::stack(rows));
    });
    const auto [es, ex, ew] = unrolled(s, xs, w);
    for (const index_t keep : {0, 1, 2, 5}) {
        CAPTURE(keep);
        const auto looped = losses([&](auto state, auto inputs, auto weights) {
            return pv::scan_over([&](auto now, auto row) { return cell(now, row, weights); }, state,
                                 inputs, {.keep = keep});
        });
        const auto [ds, dx, dw] = looped(s, xs, w);
        check_close(ds, es);
        check_close(dx, ex);
        check_close(dw, ew);
    }
}

TEST_CASE("Gradients go through iterate_while by the steps that were taken", "[loops]") {
    const auto newton = [](auto x, auto a) { return (x + a / x) / 2; };
    for (const double a : {2., 1e-6, 1e10}) {
        const auto c = pv::computation(
            [&](auto start, auto of) {
                return pv::sum(pv::iterate_while([&](auto x) { return newton(x, of); }, start,
                                                 [](auto now, auto before) {
                                                     return pv::max(pv::abs(now - before)) >
                                                            1e-9 * pv::max(now);
                                                 },
                                                 {.most = 1000})
                                   .first);
            },
            pv::spec<double>({3}), pv::spec<double>());
        const auto start = pv::tensor({1., 2., 3.});
        const auto [dstart, da] = pv::gradient(c)(start, a);
        check_close(da, 3 / (2 * std::sqrt(a)), 1e-6);
        CHECK(pv::max(pv::abs(dstart)) < 1e-3);
        CHECK(std::isfinite(da));
    }
    // The same as so many steps.
    const auto c = pv::computation(
        [](auto x, auto y) {
            auto [last, steps] =
                pv::iterate_while([&](auto now) { return pv::sin(now) + y * now; }, x,
                                  [](auto now) { return pv::max(now) > 0.6; }, {.most = 50});
            return std::tuple(pv::sum(pv::sq(last)), steps);
        },
        pv::spec<double>({2}), pv::spec<double>());
    const auto x = pv::tensor({1., 2.});
    const auto [loss, steps, dx, dy] = pv::value_and_gradient(c)(x, 0.05);
    CHECK(steps > 3);
    const auto counted = pv::computation(
        [n = steps](auto given, auto y) {
            auto now = given * 1.;
            for (index_t i = 0; i < n; ++i) now = pv::sin(now) + y * now;
            return pv::sum(pv::sq(now));
        },
        pv::spec<double>({2}), pv::spec<double>());
    const auto [ex, ey] = pv::gradient(counted)(x, 0.05);
    check_close(dx, ex);
    check_close(dy, ey);
}

TEST_CASE("Second derivatives go through iterate_while", "[loops]") {
    const auto curvature = [](auto last_of) {
        return pv::computation(
            [=](auto x, auto y) {
                auto loss = pv::sum(pv::sq(last_of(x, y)) * x);
                return std::tuple(pv::hessian(loss, x), pv::gradient(pv::gradient(loss, y), x));
            },
            pv::spec<double>({2}), pv::spec<double>());
    };
    const auto x = pv::tensor({1., 2.});
    const auto step = [](auto now, auto y) { return pv::sin(now) + y * now; };
    index_t steps = 0;
    for (auto now = pv::clone(x); steps == 0 || pv::max(now) > 0.6; ++steps)
        now = pv::clone(step(now, 0.05));
    const auto [eh, em] = curvature([&](auto given, auto y) {
        auto now = given * 1.;
        for (index_t i = 0; i < steps; ++i) now = step(now, y);
        return now;
    })(x, 0.05);
    for (const index_t most : {steps, steps + 1, 3 * steps}) {
        CAPTURE(steps, most);
        const auto [h, m] = curvature([&](auto given, auto y) {
            return pv::iterate_while([&](auto now) { return step(now, y); }, given,
                                     [](auto now) { return pv::max(now) > 0.6; }, {.most = most})
                .first;
        })(x, 0.05);
        check_close(h, eh, 1e-10);
        check_close(m, em, 1e-10);
    }
}

TEST_CASE("Gradients go through the function that is chosen", "[loops]") {
    const auto c = pv::computation(
        [](auto x, auto y) {
            return pv::sum(pv::choose(
                pv::sum(x) > 0, [&](auto v) { return pv::sq(v) * y; },
                [&](auto v) { return v / y; }, x));
        },
        pv::spec<double>({2}), pv::spec<double>());
    pv::check_gradient(c, pv::tensor({1., 2.}), 3.);
    pv::check_gradient(c, pv::tensor({-1., 0.5}), 3.);
    const auto [dx, dy] = pv::gradient(c)(pv::tensor({1., 2.}), 3.);
    check_close(dx, pv::tensor({6., 12.}));
    check_close(dy, 5.);
    // What is not chosen has no part in it, though it is infinite there.
    const auto safe = pv::computation(
        [](auto x) {
            return pv::choose(
                x > 0, [](auto v) { return pv::sqrt(v); }, [](auto v) { return v * 2; }, x);
        },
        pv::spec<double>());
    CHECK(pv::gradient(safe)(-1.) == 2.);
    CHECK(pv::gradient(safe)(4.) == 0.25);
    const auto along = pv::computation(
        [](auto x) {
            auto y = pv::choose(
                pv::sum(x) > 0, [](auto v) { return v * v; }, [](auto v) { return v + 1; }, x);
            return pv::jacobian_vector_product(y, x, pv::cos(x));
        },
        pv::spec<double>({2}));
    const auto x = pv::tensor({1., 2.});
    check_close(along(x), 2 * x * pv::cos(x));
}

TEST_CASE("Loops in loops have gradients", "[loops]") {
    const auto run = [](auto inner_loop, auto outer_loop) {
        return pv::value_and_gradient(pv::computation(
            [=](auto x, auto y) {
                auto last = outer_loop(
                    [&](auto u) {
                        return inner_loop([&](auto v) { return v * 0.5 + pv::sin(u) * y; }, u, 5);
                    },
                    x, 6);
                return pv::sum(pv::sq(last));
            },
            pv::spec<double>({3}), pv::spec<double>({3})));
    };
    const auto loop = [](auto step, auto x, index_t steps) { return pv::iterate(step, x, steps); };
    const auto unrolled = [](auto step, auto x, index_t steps) {
        auto now = x * 1.;
        for (index_t i = 0; i < steps; ++i) now = step(now);
        return now;
    };
    const auto x = pv::tensor({1., 2., 3.});
    const auto y = pv::tensor({0.5, 0.25, -1.});
    const auto [e, ex, ey] = run(unrolled, unrolled)(x, y);
    const auto check = [&, &value = e, &by_x = ex, &by_y = ey](const auto& c) {
        const auto [v, dx, dy] = c(x, y);
        check_close(v, value);
        check_close(dx, by_x);
        check_close(dy, by_y);
    };
    check(run(loop, loop));
    check(run(unrolled, loop));
    check(run(loop, unrolled));
}

TEST_CASE("Derivatives of a loop may be sums of rows alone", "[loops]") {
    // By a weight that no state is made of: the loop backwards has outputs, and no states.
    const auto rows = pv::clone(pv::sin(pv::reshape(pv::arange(24.), {8, 3})));
    const auto cell = [](const auto& weight) {
        return [=](const auto& x, const auto& row) {
            return std::pair(x * 0.5 + pv::sum(row), pv::tanh(pv::matmul(weight, row) + x));
        };
    };
    const auto c = [](auto loss) {
        return pv::computation(
            [=](auto weight) {
                auto slope = pv::gradient(loss(weight), weight);
                return std::tuple(slope, pv::gradient(pv::sum(pv::sq(slope)), weight));
            },
            pv::spec<double>({3, 3}));
    };
    const auto unrolled = c([=](auto weight) {
        auto x = pv::constant(pv::ones({3})) * 1.;
        auto loss = pv::sum(x) * 0.;
        for (index_t t = 0; t < 8; ++t) {
            auto [next, seen] = cell(weight)(x, pv::constant(rows)(t, pv::all));
            loss = loss + pv::sum(pv::sq(seen));
            x = next * 1.;
        }
        return loss;
    });
    const auto weight = pv::clone(pv::cos(pv::reshape(pv::arange(9.), {3, 3})));
    const auto [by_unrolled, second_unrolled] = unrolled(weight);
    for (const index_t keep : {0, 1, 3, 8}) {
        const auto looped = c([=](auto w) {
            auto [last, seen] =
                pv::scan_over(cell(w), pv::constant(pv::ones({3})), rows, {.keep = keep});
            return pv::sum(pv::sq(seen));
        });
        const auto [by, second] = looped(weight);
        CAPTURE(keep);
        check_close(by, by_unrolled);
        check_close(second, second_unrolled);
    }
}

} // namespace loop_gradients_test
