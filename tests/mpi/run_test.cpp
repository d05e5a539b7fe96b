// Computations and their gradients over ranks, against the same in one memory.

#include "mpi/random_distribution.hpp"
#include "support/catch.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>

namespace pm = purview::mpi;
namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::Random;
using oracle::thrown;
using oracle::world;
using pv::index_t;

namespace {

bool same_but_for_rounding(const pv::Tensor<double>& a, const pv::Tensor<double>& b) {
    return pv::allclose(a, b, {.relative = 1e-9, .absolute = 1e-9});
}

pm::Distribution rows(index_t n, index_t k) {
    return pm::blocks({n, k}, pm::Grid(world(), {-1, 1}));
}
pm::Distribution rows(index_t n) { return pm::blocks({n}, pm::Grid(world(), {-1})); }

/// What the busiest rank has sent since.
index_t messages_since(pm::Messages before) {
    return pm::all_max(pm::messages().with_elements - before.with_elements, world());
}

} // namespace

TEST_CASE("run over ranks: reductions, matrix products, softmax, einsum") {
    Random random(5);
    const auto on_rows = [](auto x, auto w) { return pv::sum(x * w, 1); };
    for (int round = 0; round < 12; ++round) {
        const index_t n = random.between(1, 12), k = random.between(1, 6), m = random.between(1, 5);
        const auto a = oracle::random_values(random, pv::Shape{n, k});
        const auto w = oracle::random_values(random, pv::Shape{k});
        const auto b = oracle::random_values(random, pv::Shape{k, m});
        const pm::Distribution d = oracle::random_distribution(random, pv::Shape{n, k});
        const auto x = pm::distribute(a, d);
        CAPTURE(n, k, m, round);

        const auto scores =
            pv::computation(on_rows, pv::spec<double>({n, k}), pv::spec<double>({k}));
        CHECK(same_but_for_rounding(pm::all_gather(pm::run(scores, x, w)), scores(a, w)));
        const auto total =
            pv::computation([](auto v) { return pv::sum(v * v); }, pv::spec<double>({n, k}));
        CHECK(pm::run(total, x) == Approx(total(a)));
        const auto both = pv::computation(
            [](auto v) {
                const auto columns = pv::sum(v, 0);
                return std::tuple(pv::max(v), columns, v - columns / 3, pv::mean(v, 1));
            },
            pv::spec<double>({n, k}));
        const auto [largest, columns, centred, means] = pm::run(both, x);
        const auto [largest_, columns_, centred_, means_] = both(a);
        CHECK(largest == largest_);
        CHECK(same_but_for_rounding(pm::all_gather(columns), columns_));
        CHECK(same_but_for_rounding(pm::all_gather(centred), centred_));
        CHECK(centred.distribution() == d);
        CHECK(same_but_for_rounding(pm::all_gather(means), means_));

        const auto product = pv::computation([](auto v, auto u) { return pv::matmul(v, u); },
                                             pv::spec<double>({n, k}), pv::spec<double>({k, m}));
        CHECK(same_but_for_rounding(pm::all_gather(pm::run(product, x, b)), product(a, b)));
        const auto gram = pv::computation([](auto v) { return pv::matmul(pv::transpose(v), v); },
                                          pv::spec<double>({n, k}));
        CHECK(same_but_for_rounding(pm::all_gather(pm::run(gram, x)), gram(a)));
        const auto weights =
            pv::computation([](auto v) { return pv::softmax(v / 10, 1) + pv::softmax(v / 10, 0); },
                            pv::spec<double>({n, k}));
        CHECK(same_but_for_rounding(pm::all_gather(pm::run(weights, x)), weights(a)));
    }
}

TEST_CASE("value and gradient over ranks: random losses and distributions") {
    Random random(6);
    using Loss = std::function<pv::ScalarSymbol<double>(pv::Symbol<double>, pv::Symbol<double>,
                                                        pv::Symbol<double>)>;
    const Loss losses[] = {
        [](auto w, auto x, auto y) { return pv::mean(pv::sq(pv::matmul(x, w) - y)); },
        [](auto w, auto x, auto y) {
            return pv::sum(pv::log1p(pv::exp(-y * pv::matmul(x, w) / 50))) + pv::sum(pv::sq(w));
        },
        [](auto w, auto x, auto y) {
            const auto hidden = pv::tanh(x / 20 * w);
            return pv::max(pv::sum(hidden, 0)) + pv::mean(pv::sum(hidden, 1) * y);
        },
        [](auto w, auto x, auto y) {
            const auto centred = x - pv::mean(x, 0);
            return pv::variance(pv::matmul(centred, w) - y);
        },
        [](auto w, auto x, auto y) {
            return pv::sum(pv::logsumexp(x / 10 + w, 1) * y) + pv::min(x);
        },
        [](auto w, auto x, auto y) {
            return pv::sum(x(pv::range(1, x.shape()[0])) * w) + pv::sum(y);
        },
    };
    for (int round = 0; round < 24; ++round) {
        const index_t n = random.between(2, 12), k = random.between(1, 5);
        const auto a = oracle::random_values(random, pv::Shape{n, k});
        const auto b = oracle::random_values(random, pv::Shape{n});
        const auto w = oracle::random_values(random, pv::Shape{k});
        const auto loss = pv::computation(losses[round % std::size(losses)], pv::spec<double>({k}),
                                          pv::spec<double>({n, k}), pv::spec<double>({n}));
        CAPTURE(n, k, round);
        const auto x = pm::distribute(a, oracle::random_distribution(random, pv::Shape{n, k}));
        const auto y = pm::distribute(b, oracle::random_distribution(random, pv::Shape{n}));
        const auto [value, by_w, by_x, by_y] = pm::value_and_gradient(loss)(w, x, y);
        const auto [value_, by_w_, by_x_, by_y_] = pv::value_and_gradient(loss)(w, a, b);
        CHECK(value == Approx(value_));
        CHECK(same_but_for_rounding(by_w, by_w_));
        CHECK(same_but_for_rounding(pm::all_gather(by_x), by_x_));
        CHECK(by_x.distribution() == x.distribution());
        CHECK(same_but_for_rounding(pm::all_gather(by_y), by_y_));
        CHECK(by_y.distribution() == y.distribution());
    }
}

TEST_CASE("a gradient over rows sends one message for all sums") {
    Random random(7);
    const index_t n = 60, k = 4;
    const auto a = oracle::random_values(random, pv::Shape{n, k});
    const auto b = oracle::random_values(random, pv::Shape{n});
    const auto x = pm::distribute(a, rows(n, k));
    const auto y = pm::distribute(b, rows(n));
    // Data that the function captures are of all ranks, too.
    const auto loss = pv::computation(
        [&](auto w, auto offset) {
            return pv::sum(pv::sq(pv::matmul(x.global(), w) + offset - y.global()));
        },
        pv::spec<double>({k}), pv::spec<double>());
    const auto in_memory = pv::computation(
        [&](auto w, auto offset) { return pv::sum(pv::sq(pv::matmul(a, w) + offset - b)); },
        pv::spec<double>({k}), pv::spec<double>());
    const auto w = oracle::random_values(random, pv::Shape{k});
    const auto f = pm::value_and_gradient(loss);
    f(w, 0.5); // plans
    const pm::Messages before = pm::messages();
    const auto [value, by_w, by_offset] = f(w, 0.5);
    const auto levels =
        static_cast<index_t>(std::bit_width(static_cast<unsigned>(world().size() - 1)));
    CHECK(messages_since(before) <= levels);
    const auto [value_, by_w_, by_offset_] = pv::value_and_gradient(in_memory)(w, 0.5);
    CHECK(value == Approx(value_));
    CHECK(same_but_for_rounding(by_w, by_w_));
    CHECK(by_offset == Approx(by_offset_));
    CHECK(pm::all_min(by_offset, world()) == pm::all_max(by_offset, world()));
}

TEST_CASE("run over ranks: parts without elements, other types, variables") {
    const auto d = rows(1, 3);
    const auto x = pm::distribute(pv::tensor({{3, 1, 2}}), d);
    const auto c = pv::computation(
        [](auto v) {
            return std::tuple(pv::min(v), pv::max(v), pv::sum(v), pv::product(v), pv::any_of(v > 2),
                              pv::all_of(v > 2), pv::min(v, 0));
        },
        pv::spec<int>({1, 3}));
    const auto [least, most, sum, product, any, all, columns] = pm::run(c, x);
    CHECK(least == 1);
    CHECK(most == 3);
    CHECK(sum == 6);
    CHECK(product == 6);
    CHECK(any);
    CHECK(!all);
    CHECK(pv::equals(pm::all_gather(columns), pv::tensor({3, 1, 2})));

    const auto scale = pv::variable(pv::tensor({2.0, 3.0}), "scale");
    const auto y = pm::distribute(pv::tensor({{1.0, 2.0}, {3.0, 4.0}}), rows(2, 2));
    const auto scaled =
        pv::computation([&](auto v) { return pv::sum(v * scale); }, pv::spec<double>({2, 2}));
    CHECK(pm::run(scaled, y) == 26);
    // As it is saved and loaded: a variable's value among it.
    const auto loaded = pv::computation_from(pv::computation_bytes(scaled));
    CHECK(pm::run(loaded.as<double(double)>(), y) == 26);
    // What all ranks have is computed on each, whatever it is.
    const auto sorted = pv::computation([](auto v, auto w) { return pv::sum(v * pv::cumsum(w)); },
                                        pv::spec<double>({2, 2}), pv::spec<double>({2}));
    CHECK(pm::run(sorted, y, pv::tensor({1.0, 1.0})) == 16);
    const auto [t] =
        std::tuple(pm::run(pv::computation([](auto v) { return v + 1; }, pv::spec<float>({4})),
                           pm::distribute(pv::tensor({1.f, 2.f, 3.f, 4.f}), rows(4))));
    CHECK(pv::equals(pm::all_gather(t), pv::tensor({2.f, 3.f, 4.f, 5.f})));
}

TEST_CASE("run over ranks: what is refused") {
    const auto x = pm::distribute(pv::zeros({6}), rows(6));
    const auto scans = pv::computation([](auto v) { return pv::cumsum(v); }, pv::spec<double>({6}));
    CHECK_THAT(thrown<pm::DistributionError>([&] { pm::run(scans, x); }),
               ContainsSubstring("run: no scan of a distributed tensor"));
    const auto loops =
        pv::computation([](auto v) { return pv::iterate([](auto u) { return u * 2; }, v, 3); },
                        pv::spec<double>({6}));
    CHECK_THAT(thrown<pm::DistributionError>([&] { pm::run(loops, x); }),
               ContainsSubstring("no loop or choice"));
    const auto plain = pv::computation([](auto v) { return pv::sum(v); }, pv::spec<double>({6}));
    CHECK_THAT(thrown<pm::DistributionError>([&] { pm::run(plain, pv::zeros({6})); }),
               ContainsSubstring("nothing") || ContainsSubstring("no argument"));
    CHECK_THAT(
        thrown<pv::ShapeError>([&] { pm::run(plain, pm::distribute(pv::zeros({5}), rows(5))); }),
        ContainsSubstring("[6]"));
    CHECK(pm::run(plain, x) == 0);
}

TEST_CASE("run over ranks: single elements, and outputs of what all ranks have") {
    const auto x = pm::distribute(pv::reshape(pv::arange(24), {6, 4}), rows(6, 4));
    const auto spec = pv::spec<std::int32_t>({6, 4});
    CHECK(pm::run(pv::computation([](auto v) { return v(5, 1); }, spec), x) == 21);
    CHECK(pm::run(pv::computation([](auto v) { return v(1, 1) > 0; }, spec), x));
    const auto zero = pm::distribute(pv::zeros({6}), rows(6));
    CHECK(std::signbit(
        pm::run(pv::computation([](auto v) { return -v(0); }, pv::spec<double>({6})), zero)));

    const auto w = pv::tensor({1.0, 2.0, 3.0});
    const auto y = pm::distribute(pv::ones({5}), rows(5));
    const auto mixed = pv::computation(
        [](auto v, auto u) {
            return std::tuple(pv::sum(v), u / pv::sum(u), pv::cumsum(u),
                              pv::cumsum(u * pv::sum(v)));
        },
        pv::spec<double>({5}), pv::spec<double>({3}));
    const auto [sum, shares, scan, scaled] = pm::run(mixed, y, w);
    const auto [sum_, shares_, scan_, scaled_] = mixed(pv::ones({5}), w);
    CHECK(sum == sum_);
    CHECK(pv::equals(pm::all_gather(shares), shares_));
    CHECK(pv::equals(pm::all_gather(scan), scan_));
    CHECK(pv::equals(pm::all_gather(scaled), scaled_));

    const auto product = pv::computation([](auto v, auto u) { return pv::sum(v) * pv::sum(u); },
                                         pv::spec<double>({5}), pv::spec<double>({3}));
    const auto [value, by_y, by_w] = pm::value_and_gradient(product)(y, w);
    CHECK(value == 30);
    CHECK(pv::equals(pm::all_gather(by_y), pv::full({5}, 6.0)));
    CHECK(pv::equals(by_w, pv::full({3}, 5.0)));

    // A loss whose sums name their axes is a tensor without axes.
    const auto named =
        pv::computation([](auto v) { return pv::mean(v * v, 0); }, pv::spec<double>({5}));
    const auto [loss, by_v] = pm::value_and_gradient(named)(y);
    CHECK(loss.item() == 1);
    CHECK(pv::equals(pm::all_gather(by_v), pv::full({5}, 0.4)));
    CHECK_THAT(thrown<pm::DistributionError>([&] { pm::run(named, y); }),
               ContainsSubstring("output 0 is a tensor without axes"));
}

TEST_CASE("run over ranks: ranks that differ") {
    if (world().size() == 1) return;
    const auto x = pm::distribute(pv::ones({6}), rows(6));
    const auto spec = pv::spec<double>({6});
    const auto one = pv::computation([](auto v) { return pv::sum(v) + 1; }, spec);
    const auto two = pv::computation([](auto v) { return pv::sum(v) * 2; }, spec);
    const auto more =
        pv::computation([](auto v) { return pv::sum(v) + pv::max(v * pv::sum(v)); }, spec);
    const bool is_second = world().rank() == 1;
    CHECK_THROWS_AS(pm::run(is_second ? two : one, x), pm::DistributionError);
    CHECK_THROWS_AS(pm::run(is_second ? more : one, x), pm::DistributionError);
    const auto other = pv::computation([](auto v) { return pv::sum(v); }, pv::spec<double>({5}));
    CHECK_THROWS_AS(pm::run(is_second ? other : one, x), pv::Error); // the shape does not fit
    // What throws on one rank alone throws on all.
    const auto divided = pv::computation(
        [](auto v, auto u) { return pv::sum(v * pv::cumsum(10 / u)); }, spec, pv::spec<int>({6}));
    CHECK_THROWS_AS(pm::run(divided, x, pv::full({6}, is_second ? 0 : 5)), pv::ArithmeticError);
    CHECK(pm::run(one, x) == 7); // and work goes on
}
