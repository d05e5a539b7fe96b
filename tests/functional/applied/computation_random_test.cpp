#include <support/catch.hpp>
#include <support/expect_same.hpp>
#include <support/random_operation.hpp>
#include <support/random_view.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/functional/applied/computation.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace computation_random_test {

namespace {

namespace pv = purview;
using namespace oracle;
using T = std::int64_t; // its sums are of its type, and wrap

/// A symbol under construction, and what it is for one input, by nested loops.
struct Traced {
    Twin<T> twin;
    pv::Symbol<T> symbol() const { return pv::Symbol<T>(twin.real.operand()); }
    void become(const pv::Symbol<T>& symbol) { twin.real = pv::Tensor<T>(symbol.operand()); }
};

void random_reduction(Random& random, Traced& x) {
    Coordinates axes;
    for (const index_t axis : random.permutation(x.twin.naive.rank()))
        if (random.one_in(2)) axes.push_back(axis);
    const bool keep = random.one_in(2);
    x.twin.name += " | sum" + text(axes) + (keep ? " kept" : "");
    const auto sum = fold<T>(x.twin.naive, axes, keep, T{0}, add<T>);
    x.become(keep ? pv::sum(x.symbol(), axes, pv::keep_dims) : pv::sum(x.symbol(), axes));
    x.twin.naive = sum;
}

/// x combined with what is reduced of it: stages that read stages.
void random_centring(Random& random, Traced& x) {
    if (x.twin.naive.rank() == 0) return;
    const auto axis = static_cast<index_t>(random.axis_of(x.twin.naive.shape));
    x.twin.name += " - sum over " + std::to_string(axis);
    const auto sum = fold<T>(x.twin.naive, {axis}, true, T{0}, add<T>);
    x.become(x.symbol() - pv::sum(x.symbol(), axis, pv::keep_dims));
    x.twin.naive = map(x.twin.naive, sum, subtract<T>);
}

void random_step(Random& random, Traced& x) {
    switch (random.between(0, 5)) {
    case 0: return random_reduction(random, x);
    case 1: return random_centring(random, x);
    case 2:
    case 3: return random_view(random, x.twin.real, x.twin.naive, x.twin.name);
    default: return random_operation(random, x.twin);
    }
}

} // namespace

TEST_CASE("traced chains agree with nested loops") {
    for (unsigned seed = 0; seed < oracle::rounds(3000U); ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        const Twin<T> input = random_source<T>(random, random.shape());
        Traced x{input};
        Traced half{input};
        const auto c = pv::computation(
            [&](auto symbol) {
                x.become(symbol);
                const index_t steps = random.between(1, 8);
                for (index_t i = 0; i < steps; ++i) {
                    if (i == steps / 2) half = x;
                    random_step(random, x);
                }
                return std::pair(x.symbol(), half.symbol());
            },
            pv::spec<T>(input.naive.shape));
        INFO(x.twin.name);
        const auto [result, before] = c(input.real);
        expect_same(random, result, x.twin.naive);
        expect_same(random, before, half.twin.naive);
        // Elsewhere in memory it is the same.
        const auto again = c(pv::clone(input.real));
        CHECK(same_values(pv::to_vector(again.first), x.twin.naive.values));
    }
}

TEST_CASE("a computation is what is computed directly, for other inputs too") {
    const auto f = [](auto x, auto y) {
        const auto centred = x - pv::mean(x, 0, pv::keep_dims);
        const auto scaled = centred / (pv::sqrt(pv::mean(pv::sq(centred), 0, pv::keep_dims)) + 1);
        const auto best = pv::max(scaled * y, {1}, pv::keep_dims);
        const auto weights = pv::where(scaled * y == best, 1.0, 0.5);
        return std::tuple(pv::sum(weights * scaled), pv::transpose(weights), pv::min(best) - y);
    };
    for (unsigned seed = 0; seed < oracle::rounds(50U); ++seed) {
        Random random(seed);
        const index_t rows = random.between(1, 70);
        const index_t columns = random.between(1, 40);
        const auto c =
            pv::computation(f, pv::spec<double>({rows, columns}), pv::spec<double>({pv::any_size}));
        for (int call = 0; call < 3; ++call) {
            const auto x = pv::tensor(random.elements<double>(rows * columns), {rows, columns});
            const auto y = pv::tensor(random.elements<double>(columns));
            const auto [sum, weights, rest] = c(x, y);
            const auto [expected_sum, expected_weights, expected_rest] = f(x, y);
            CHECK(sum == expected_sum);
            CHECK(same_values(pv::to_vector(weights), pv::to_vector(expected_weights)));
            CHECK(same_values(pv::to_vector(rest), pv::to_vector(expected_rest)));
        }
    }
}

TEST_CASE("deep functions are traced, compiled, run and destroyed without recursion") {
    const auto c = pv::computation(
        [](auto x) {
            pv::Symbol<T> y = x;
            for (int i = 0; i < 100'000; ++i) y = y + x;
            return std::pair(y, pv::sum(y));
        },
        pv::spec<T>({3}));
    for (T i = 0; i < 2; ++i) {
        const auto [all, sum] = c(pv::full<T>({3}, i));
        CHECK(all(2) == 100'001 * i);
        CHECK(sum == 300'003 * i);
    }
    // Reductions in a chain, each a stage.
    const auto stages = pv::computation(
        [](auto x) {
            pv::Symbol<T> y = x;
            for (int i = 0; i < 1'000; ++i) y = y - pv::sum(y) + pv::max(y, 0, pv::keep_dims);
            return y;
        },
        pv::spec<T>({1}));
    CHECK(stages(pv::full<T>({1}, 5))(0) == 5);
    // Views, thirty nodes that would be 2^30, and a right-leaning chain.
    const auto doubled = pv::computation(
        [](auto x) {
            pv::Symbol<T> y = x;
            for (int i = 0; i < 30; ++i) y = y + pv::flip(y);
            for (int i = 0; i < 10'001; ++i) y = 1 - y;
            return pv::max(y);
        },
        pv::spec<T>({10}));
    CHECK(doubled(pv::ones<T>({10})) == 1 - (T{1} << 30));
}

} // namespace computation_random_test
